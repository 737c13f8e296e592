import type { IDataObject, INode, INodeParameters, IRun } from 'n8n-workflow';

import type { SandboxOptions } from '../sandbox/options';
import { callsOf, collecting, itemsOf, useSandboxInTime } from './collecting';
import { useDedupeStore, type DedupeStore } from './dedupeStore';
import { errorOf, items, runWorkflow, startWorkflow, type Scenario } from './harness';
import { retryAfterKill, retryByHand } from './resume';
import { locator } from './support';
import { now, time } from './virtualClock';

const RETRY: Partial<INode> = { retryOnFail: true, waitBetweenTries: 1, maxTries: 3 };
/** More than the list of a service that shows its newest 20 jobs. */
const CROWD = 25;

const sandbox = useSandboxInTime();
let retried: DedupeStore;
beforeAll(async () => {
	retried = await useDedupeStore();
});
beforeEach(() => {
	retried.rows.clear();
});
afterEach(() => jest.restoreAllMocks());

const textOf = (run: IRun) => {
	const error = errorOf(run);
	return error === undefined
		? ''
		: `${error.message} ${String((error as { description?: string }).description)}`;
};
const idsOfJobs = () => sandbox.jobs.map(({ job_id }) => job_id);
const lostReply = (nth = 1) =>
	sandbox.faults.add({ match: { method: 'POST', nth }, fault: { type: 'reset', when: 'after' } });
const bodies = () =>
	sandbox.requests.flatMap(({ method, body }) =>
		method === 'POST' ? [JSON.parse(String(body)) as IDataObject] : [],
	);
const values = (name: string) => `={{ $json.${name} }}`;

/** Somebody else with the same account asks for something. */
async function askElsewhere(value: string): Promise<void> {
	const asked = {
		topic: 'product_and_offers',
		source: 'google_shopping',
		country: 'de',
		key: 'term',
		value,
	};
	const reply = await fetch(`${sandbox.url}/v2/jobs?token=${sandbox.apiKey}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(asked),
	});
	await reply.arrayBuffer();
}

describe('the reply to a creation is lost, and the list spells things differently', () => {
	const SHOWS: Partial<SandboxOptions> = { listFields: ['order', 'values', 'counters', 'times'] };
	const WAYS: Array<[string, Partial<SandboxOptions>, 'taken' | 'named']> = [
		['as we do', {}, 'taken'],
		['source, country and topic in capitals', { listSpelling: ['capitals'] }, 'taken'],
		['keyword for term', { listSpelling: ['keyword'] }, 'taken'],
		['the number of pages as that of the values', { listSpelling: ['pages'] }, 'taken'],
		['values in lower case', { listSpelling: ['lowerCase'] }, 'named'],
		['values without accents and punctuation', { listSpelling: ['plain'] }, 'named'],
		['values as one text', { listSpelling: ['joined'] }, 'named'],
		['values that are cut', { listSpelling: ['cut'] }, 'named'],
		['the first value only', { listSpelling: ['firstOnly'] }, 'named'],
		['all of it', { listSpelling: ['capitals', 'keyword', 'plain', 'joined', 'cut'] }, 'named'],
		['times some seconds ahead', { clockSkewMs: 3_000 }, 'taken'],
		['times some seconds behind', { clockSkewMs: -8_000 }, 'named'],
		['times some minutes ahead', { clockSkewMs: 240_000 }, 'named'],
		['times some minutes behind', { clockSkewMs: -240_000 }, 'named'],
	];
	const ITEMS = itemsOf('Café crème', 'USB-C/Kabel (2 m)', 'Kettle 1');

	it.each(WAYS)('%s: Retry On Fail creates nothing twice', async (_way, service, becomes) => {
		sandbox.setOptions({ ...SHOWS, ...service });
		lostReply();
		const run = await runWorkflow(collecting(sandbox, ITEMS, {}, RETRY));
		expect(sandbox.jobs).toHaveLength(1);
		const found = items(run, 'Done').map(({ linked, found }) => [linked, found]);
		expect(found).toEqual(becomes === 'taken' ? ['a', 'b', 'c'].map((id) => [id, true]) : []);
		if (becomes === 'named') expect(textOf(run)).toContain(`may be this one: ${idsOfJobs()[0]}.`);
	});

	it.each(WAYS.filter(([, , becomes]) => becomes === 'named'))(
		'%s: the error names the job instead of inviting a second one',
		async (_way, service) => {
			sandbox.setOptions({ ...SHOWS, ...service });
			lostReply();
			const run = await runWorkflow(collecting(sandbox, ITEMS));
			expect(textOf(run)).toContain(`may be this one: ${idsOfJobs()[0]}.`);
			const { run: again } = await retryByHand(collecting(sandbox, ITEMS), run, '43');
			expect(textOf(again)).toContain(`may be this one: ${idsOfJobs()[0]}.`);
			expect(sandbox.jobs).toHaveLength(1);
		},
	);
});

describe('a list that ends at its newest jobs', () => {
	it.each(['capped', 'pages'] as const)('proves nothing absent that is older: %s', async (listPaging) => {
		sandbox.setOptions({
			...{ listPaging, listMaxPageSize: 20 },
			listFields: ['order', 'values', 'times'],
		});
		const scene = collecting(sandbox, itemsOf('kettle'));
		lostReply();
		sandbox.faults.add({
			match: { method: 'GET', pathPattern: '/jobs$' },
			times: 'always',
			fault: { type: 'serverError' },
		});
		const failed = await runWorkflow(scene);
		sandbox.faults.clear();
		time.skip(60_000);
		for (let count = 0; count < CROWD; count++) await askElsewhere(`something else ${count}`);
		const { run } = await retryByHand(scene, failed, '43');
		expect(sandbox.jobs).toHaveLength(1 + CROWD);
		if (listPaging === 'pages') expect(items(run, 'Done')).toMatchObject([{ value: 'kettle' }]);
		else {
			expect(textOf(run)).toContain(
				'it does not show whether it goes back to before this job was asked for',
			);
		}
	});

	it('proves absent what was asked for since its oldest one', async () => {
		sandbox.setOptions({
			...{ listPaging: 'capped', listMaxPageSize: 20 },
			listFields: ['order', 'values', 'times'],
		});
		for (let count = 0; count < CROWD; count++) await askElsewhere(`something else ${count}`);
		time.skip(3_600_000);
		sandbox.faults.add({ match: { method: 'POST', nth: 1 }, fault: { type: 'reset' } });
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle'), {}, RETRY));
		expect(items(run, 'Done')).toMatchObject([{ value: 'kettle', found: true }]);
		expect(sandbox.jobs).toHaveLength(CROWD + 1);
	});
});

describe('a list that was read for one request', () => {
	it('is read anew for one that was lost later', async () => {
		sandbox.setOptions({ lookupValues: 'value', listLagMs: 20_000 });
		const scene = collecting(sandbox, itemsOf('kettle\nmug'), {}, RETRY);
		// The first request names the values in the form that is refused.
		lostReply(2);
		const run = await retryAfterKill(scene, '43', now(), 'without its event log');
		expect(sandbox.jobs).toHaveLength(1);
		expect(textOf(run)).toContain(`may be this one: ${idsOfJobs()[0]}.`);
	});
});

describe('an expression that gives the same for two items in one try and not in the next', () => {
	it.each([
		['then differs', true],
		['then is the same', false],
	])('pays for nothing twice: %s', async (_name, isSameFirst) => {
		let reads = 0;
		const real = Date.now();
		const start = time.skipped;
		jest.spyOn(Date, 'now').mockImplementation(() => real + (isLater() === isSameFirst ? ++reads : 0));
		const isLater = () => time.skipped > start;
		const maxAge = '={{ 60 + ($now.toMillis() % 1000) }}';
		lostReply();
		if (!isSameFirst) lostReply(2);
		const scene = collecting(
			sandbox,
			itemsOf('kettle', 'kettle'),
			{ options: { maxAge } },
			{
				...RETRY,
				onError: 'continueRegularOutput',
			},
		);
		await runWorkflow(scene);
		expect(sandbox.jobs).toHaveLength(isSameFirst ? 1 : 2);
	});
});

describe('a switch, a number or a choice that an expression gives', () => {
	it.each(['={{ "true" }}', '={{ "TRUE" }}', '={{ 1 }}', '={{ [true] }}'])(
		'Use Test Source %s sends the test source and spends nothing',
		async (useTestSource) => {
			await runWorkflow(collecting(sandbox, itemsOf('kettle'), { useTestSource }));
			expect(sandbox.jobs.map(({ source, charged }) => [source, charged])).toEqual([['test', 0]]);
		},
	);

	it('Use Test Source "maybe" sends nothing', async () => {
		const run = await runWorkflow(
			collecting(sandbox, itemsOf('kettle'), { useTestSource: '={{ "maybe" }}' }),
		);
		expect(textOf(run)).toBe(
			'Use Test Source cannot be "maybe" It takes true or false. Nothing was sent.',
		);
		expect(sandbox.requests).toEqual([]);
	});

	it.each(['={{ "false" }}', '={{ 0 }}', '={{ "FALSE" }}'])('%s is off', async (off) => {
		const input = itemsOf('kettle', 'notfound-x');
		const rowsOf = async (includeNotFound: unknown, includeShipping: unknown) => {
			const parameters = { options: { includeNotFound }, bestPriceOptions: { includeShipping } };
			const run = await runWorkflow(collecting(sandbox, input, parameters as INodeParameters));
			return items(run, 'Done').map(({ value, best_price, best_total, best_url }) => ({
				...{ value, best_price, best_total, best_url },
			}));
		};
		expect(await rowsOf(off, off)).toEqual(await rowsOf(false, false));
		expect(await rowsOf(off, true)).toHaveLength(1);
	});

	it.each(['={{ "" }}', '={{ null }}', '={{ undefined }}', '={{ " " }}'])(
		'a Max Wait of %s is the default',
		async (maxWait) => {
			const run = await runWorkflow(
				collecting(sandbox, itemsOf('kettle'), { waitOptions: { maxWait } }),
			);
			expect(items(run, 'Done')).toMatchObject([{ value: 'kettle', found: true }]);
		},
	);

	it('numbers come as texts and in lists of one', async () => {
		const options = { maxValuesPerJob: '={{ ["1"] }}', maxPages: '={{ "2" }}', timeout: '={{ [30] }}' };
		await runWorkflow(collecting(sandbox, itemsOf('kettle', 'mug'), { options }));
		expect(bodies()).toMatchObject([
			{ value: 'kettle', max_pages: 2, timeout: 30 },
			{ value: 'mug', max_pages: 2, timeout: 30 },
		]);
	});
});

describe('a limit that an expression gives', () => {
	it.each(['maxCredits', 'maxValues'])('%s stops the run where there is nothing', async (name) => {
		for (const given of ['={{ undefined }}', '={{ null }}', '={{ "" }}', '={{ $json.limit }}', '']) {
			const run = await runWorkflow(
				collecting(sandbox, itemsOf('kettle'), { options: { [name]: given } }),
			);
			expect(textOf(run)).toMatch(/^Max (Credits|Values) cannot be .* It takes a number/);
		}
		expect(sandbox.requests).toEqual([]);
	});
});

describe('On Stop: Cancel', () => {
	/** Bounded, so that the test fails where it never is so. */
	const until = async (isSo: () => boolean) => {
		for (let turn = 0; turn < 200_000 && !isSo(); turn++)
			await new Promise((resolve) => setImmediate(resolve));
		expect(isSo()).toBe(true);
	};

	it('cancels the jobs that exist while others are still being created', async () => {
		sandbox.setOptions({ jobDurationMs: 3_600_000 });
		const scene = collecting(sandbox, itemsOf('kettle', 'mug', 'lid'), {
			waitOptions: { onStop: 'cancel' },
			options: { maxValuesPerJob: 1 },
		});
		sandbox.faults.add({
			match: { method: 'POST', pathPattern: '/jobs$', nth: 2 },
			fault: { type: 'delay', ms: 300 },
		});
		const { run, cancel } = await startWorkflow(scene);
		await until(() => callsOf(sandbox).create === 2);
		cancel();
		await run;
		await until(() => sandbox.jobs[0]?.status === 'cancelled');
		expect(sandbox.jobs.filter(({ status }) => status !== 'cancelled').length).toBeLessThan(2);
	});
});

describe('Source, Country and Webhook URL that an expression gives', () => {
	it.each([
		['source', 'name', '={{ ["amazon", "ebay"] }}', 'Source cannot be ["amazon","ebay"]'],
		['source', 'name', '={{ { name: "amazon" } }}', 'Source cannot be {"name":"amazon"}'],
		['country', 'code', '={{ ["de", "at"] }}', 'Country cannot be ["de","at"]'],
		['country', 'code', '={{ { code: "de" } }}', 'Country cannot be {"code":"de"}'],
	])('%s is not dropped where it is no text: %s %s', async (name, mode, given, message) => {
		const run = await runWorkflow(
			collecting(sandbox, itemsOf('kettle'), { [name]: locator(mode, given) }),
		);
		expect(textOf(run)).toContain(message);
		expect(sandbox.requests).toEqual([]);
	});

	it('are taken out of a list of one', async () => {
		const parameters = {
			source: locator('name', '={{ ["amazon"] }}'),
			country: locator('code', '={{ ["de"] }}'),
		};
		await runWorkflow(collecting(sandbox, itemsOf('kettle'), parameters));
		expect(sandbox.jobs.map(({ source, country }) => [source, country])).toEqual([['amazon', 'de']]);
	});

	it.each(['$thisItem.json.country', '$data.country', '$items()[$position].json.country'])(
		'a country of the item beside a date is that of each item: %s',
		async (ofItem) => {
			const input = [
				{ id: 'a', term: 'kettle', country: 'de' },
				{ id: 'b', term: 'kettle', country: 'at' },
			];
			const country = locator('code', `={{ $now.year > 0 ? ${ofItem} : '' }}`);
			const run = await runWorkflow(collecting(sandbox, input, { country }));
			expect(sandbox.jobs.map((job) => job.country)).toEqual(['de', 'at']);
			expect(items(run, 'Done').map(({ linked, country: of }) => [linked, of])).toEqual([
				['a', 'de'],
				['b', 'at'],
			]);
		},
	);

	it('each item has its own Webhook URL called', async () => {
		sandbox.setOptions({ webhookDelayMs: 2 ** 30 });
		const hook = (id: string) => `https://n8n.example.test/webhook/${id}`;
		const input = ['a', 'b', 'c'].map((id) => ({ id, term: 'kettle', hook: hook(id) }));
		const scene: Scenario = collecting(sandbox, input, { options: { webhookUrl: values('hook') } });
		await runWorkflow(scene);
		expect(sandbox.jobs.map(({ webhookUrl }) => webhookUrl)).toEqual(['a', 'b', 'c'].map(hook));
	});
});

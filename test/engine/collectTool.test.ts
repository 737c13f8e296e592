import { NodeHelpers } from 'n8n-workflow';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { PriceCollection } from '../../nodes/PriceCollection/PriceCollection.node';
import { callsOf, collecting, itemsOf, useSandboxInTime } from './collecting';
import { errorOf, items, runWorkflow, startWorkflow } from './harness';
import type { Scenario } from './harness';
import { locator, TYPE } from './support';
import { time } from './virtualClock';
import { node } from './workflow';

const DAY_MS = 24 * 3_600_000;

const sandbox = useSandboxInTime();

/** Another node in each test: a tool remembers what it was asked. */
let id = 0;
beforeEach(() => {
	id++;
});

/** The node as n8n's engine runs it for an agent: under a type of its own, and read by its first output only. */
function asTool(parameters: INodeParameters, ...terms: string[]): Scenario {
	const base = collecting(sandbox, itemsOf(...terms), parameters, {
		type: `${TYPE}Tool`,
		id: `tool-${id}`,
	});
	return { ...base, nodeTypes: { ...base.nodeTypes, [`${TYPE}Tool`]: toolType() } };
}

/** The type that n8n makes of the node for agents: its own name decides which fields there are. */
function toolType(): PriceCollection {
	const type = new PriceCollection();
	type.description.name += 'Tool';
	return type;
}

/** Asks the tool once; what it answers. */
async function ask(parameters: INodeParameters, ...terms: string[]): Promise<IDataObject[]> {
	const run = await runWorkflow(asTool(parameters, ...terms));
	expect(errorOf(run)).toBeUndefined();
	return items(run, 'Prices');
}

/** Milliseconds that something took, by the clock of the node. */
async function timed(what: () => Promise<unknown>): Promise<number> {
	const start = Date.now() + time.skipped;
	await what();
	return Date.now() + time.skipped - start;
}

describe('collect as a tool of an AI agent', () => {
	it('polls, whatever Wait Mode was set to', async () => {
		const run = await runWorkflow(asTool({ waitMode: 'durable' }, 'kettle'));
		expect(run.data.waitTill).toBeUndefined();
		expect(items(run, 'Prices')).toMatchObject([{ value: 'kettle', found: true }]);
	});

	it('gives rows without empty columns', async () => {
		const [found, notFound] = await ask({}, 'kettle', 'notfound-x');
		expect(Object.values({ ...found }).filter((value) => value === null || value === '')).toEqual([]);
		expect(notFound).not.toHaveProperty('reason');
		expect(notFound).toMatchObject({ value: 'notfound-x', found: false });
	});

	it('describes itself by all that an agent must know, in the words that chat models take', () => {
		const { description } = toolType();
		for (const [operation, words] of [
			['collect', ['one per line', 'de or gb', 'costs credits', '24 hours', 'still_running: true']],
			['create', ['job_id', 'one per line', 'costs credits', '24 hours']],
			['wait', ['job_id', 'costs nothing', 'still_running: true']],
			['download', ['job_id', 'costs nothing', 'found: false']],
		] as const) {
			const tool = node('Prices', `${TYPE}Tool`, { resource: 'job', operation });
			const parameters = NodeHelpers.getNodeParameters(
				...[description.properties, tool.parameters, true, false, tool, description],
			);
			const described = { ...tool, parameters: parameters ?? {} };
			const text = NodeHelpers.getToolDescriptionForNode(described, new PriceCollection());
			for (const word of words) expect(text).toContain(word);
			expect(text.length).toBeLessThanOrEqual(1_024);
		}
	});
});

describe('a tool whose job runs on', () => {
	beforeEach(() => sandbox.setOptions({ jobDurationMs: DAY_MS }));

	it('answers within a minute, and tells the agent to ask the same again', async () => {
		let answer: IDataObject[] = [];
		expect(await timed(async () => (answer = await ask({}, 'kettle')))).toBeLessThan(60_000);
		const [ticket = {}] = answer;
		expect(answer).toEqual([
			expect.objectContaining({
				still_running: true,
				job_id: sandbox.jobs[0]?.job_id,
				status: 'new',
			}),
		]);
		expect(ticket.note).toBe(
			'There is no answer yet. Ask exactly the same question again in a minute: that continues with this job and costs nothing. A Wait tool can also use its job_id.',
		);
		expect(ticket).not.toHaveProperty('ticket');
		expect(ticket).not.toHaveProperty('deadline');
	});

	it('waits for as long as Max Wait says', async () => {
		const took = await timed(async () => await ask({ waitOptions: { maxWait: 3 } }, 'kettle'));
		expect(took).toBeGreaterThan(179_000);
		expect(took).toBeLessThan(188_000);
	});

	it('goes on with it when the same is asked again, in whatever order', async () => {
		await ask({}, 'kettle', 'lamp');
		sandbox.finishJob(sandbox.jobs[0]?.job_id ?? '');
		expect(await ask({}, 'lamp', 'kettle')).toMatchObject([
			{ value: 'lamp', found: true },
			{ value: 'kettle', found: true },
		]);
		expect(sandbox.jobs.map(({ values }) => values)).toEqual([['kettle', 'lamp']]);
	});

	it('is taken up by a tool for Wait', async () => {
		const [ticket] = await ask({}, 'kettle');
		sandbox.finishJob(String(ticket?.job_id));
		const jobId = locator('id', String(ticket?.job_id));
		expect(await ask({ operation: 'wait', jobId }, 'kettle')).toMatchObject([
			{ value: 'kettle', found: true },
		]);
	});

	it('hides the callback URL, under whatever name', async () => {
		sandbox.setOptions({ jobFields: ['order', 'webhookUrl'], webhookUrlParameter: 'notify' });
		const options = { webhookUrl: 'https://n8n.example/webhook/prices' };
		const base = asTool({ options }, 'kettle');
		const credential = { ...base.credentials?.priceCollectionApi, webhookUrlParameter: 'notify' };
		const run = await runWorkflow({
			...base,
			credentials: { priceCollectionApi: { ...credential, customizeService: true } },
		});
		expect(sandbox.jobs[0]?.webhookUrl).toBe(options.webhookUrl);
		expect(JSON.stringify(items(run, 'Prices'))).not.toContain('n8n.example');
		expect(items(run, 'Prices')).toMatchObject([{ still_running: true }]);
	});
});

describe('a tool that is asked the same again', () => {
	it('pays once, for 24 hours', async () => {
		const first = await ask({}, 'kettle');
		time.skip(DAY_MS / 2);
		expect(await ask({}, 'kettle')).toEqual(first);
		expect(callsOf(sandbox)).toMatchObject({ create: 1, download: 2 });
		time.skip(DAY_MS / 2);
		await ask({}, 'kettle');
		expect(callsOf(sandbox)).toMatchObject({ create: 2 });
	});

	it('asks anew with other parameters', async () => {
		await ask({}, 'kettle');
		await ask({ country: locator('code', 'at') }, 'kettle');
		await ask({}, 'lamp');
		expect(callsOf(sandbox)).toMatchObject({ create: 3 });
	});

	it('asks anew where its job was cancelled', async () => {
		sandbox.setOptions({ jobDurationMs: DAY_MS });
		await ask({ waitOptions: { onDeadline: 'cancel' } }, 'kettle');
		sandbox.setOptions({ jobDurationMs: 1_000 });
		expect(await ask({}, 'kettle')).toMatchObject([{ value: 'kettle', found: true }]);
		expect(callsOf(sandbox)).toMatchObject({ create: 2 });
	});

	it('asks anew where nothing was answered and so nothing was paid', async () => {
		expect(await ask({}, 'fail-x')).toMatchObject([{ value: 'fail-x', success: false }]);
		await ask({}, 'fail-x');
		expect(callsOf(sandbox)).toMatchObject({ create: 2 });
	});

	it('pays once where two ask at the same time', async () => {
		const [one, other] = await Promise.all([ask({}, 'kettle'), ask({}, 'kettle')]);
		expect(other).toEqual(one);
		expect(callsOf(sandbox)).toMatchObject({ create: 1 });
	});

	it('creates nothing more with the operation Create either', async () => {
		const [first] = await ask({ operation: 'create' }, 'kettle');
		const [second] = await ask({ operation: 'create' }, 'kettle');
		expect([first?.job_id, callsOf(sandbox).create]).toEqual([second?.job_id, 1]);
	});

	it('looks for a job whose creation was not answered in time', async () => {
		sandbox.setOptions({ listFields: ['order', 'values', 'times'] });
		sandbox.faults.add({
			match: { method: 'POST', pathPattern: '^/v2/jobs$' },
			fault: { type: 'noAnswer', when: 'after' },
		});
		const [unknown] = await answerWhileSilent({}, 'kettle');
		expect(unknown?.error).toMatch(/^The service did not answer in time/);
		expect(await ask({}, 'kettle')).toMatchObject([{ value: 'kettle', found: true }]);
		expect(sandbox.jobs).toHaveLength(1);
	});
});

/** What a tool answers when the service falls silent at one request: a minute passes while it is. */
async function answerWhileSilent(parameters: INodeParameters, ...terms: string[]): Promise<IDataObject[]> {
	const base = asTool(parameters, ...terms);
	const nodes = base.nodes.map((one) =>
		one.name === 'Prices' ? { ...one, onError: 'continueRegularOutput' as const } : one,
	);
	const { run } = await startWorkflow({ ...base, nodes });
	let isOver = false;
	const ended = run.then((done) => {
		isOver = true;
		return done;
	});
	const start = sandbox.requests.length;
	while (!isOver && !sandbox.requests.slice(start).some(isSilent)) await new Promise(setImmediate);
	time.skip(58_000);
	return items(await ended, 'Prices');
}

/** A request that the sandbox has taken and does not answer. */
const isSilent = ({ fault }: { fault: string | null }) => fault === 'noAnswer';

describe('a tool whose service falls silent', () => {
	it.each([
		['at the status', '^/v2/jobs/[^/]+$'],
		['at the download', '/download$'],
	])('%s says that the job still runs, and has its rows when asked again', async (_when, pathPattern) => {
		sandbox.faults.add({ match: { method: 'GET', pathPattern }, fault: { type: 'noAnswer' } });
		const [ticket] = await answerWhileSilent({}, 'kettle');
		expect(ticket).toMatchObject({ job_id: sandbox.jobs[0]?.job_id, still_running: true });
		expect(await ask({}, 'kettle')).toMatchObject([{ value: 'kettle', found: true }]);
		expect(sandbox.jobs).toHaveLength(1);
	});
});

describe('the answer of a tool', () => {
	const sizeOf = (answer: unknown) => JSON.stringify(answer).length;
	const largest = Array.from({ length: 300 }, (_, index) => `many-40 ${index}`);

	it.each(['results', 'entries', 'job', 'status'])(
		'is as short as it has to be with %s',
		async (output) => {
			const answer = await ask({ output }, ...largest);
			expect(sizeOf(answer)).toBeLessThanOrEqual(20_000);
			if (output !== 'status')
				expect(answer.at(-1)?.note).toMatch(/because an answer has 20000 characters/);
		},
	);

	it('is as long as Max Characters says', async () => {
		const short = await ask({ options: { maxCharacters: 3_000 } }, ...largest);
		expect(sizeOf(short)).toBeLessThanOrEqual(3_000);
		const long = await ask({ options: { maxCharacters: 60_000 } }, ...largest);
		expect(sizeOf(long)).toBeLessThanOrEqual(60_000);
		expect(long.length).toBeGreaterThan(short.length);
	});

	it('is as short with the operations Download and Wait, and lean', async () => {
		await ask({}, 'many-250');
		const jobId = locator('id', sandbox.jobs[0]?.job_id ?? '');
		for (const operation of ['download', 'wait']) {
			const [row] = await ask({ operation, jobId }, 'x');
			const prices = (row?.offers as IDataObject[]).map((offer) => Number(offer.price_with_shipping));
			expect([operation, row?.offers_total, prices.length]).toEqual([operation, 250, 10]);
			expect(prices).toEqual([...prices].sort((a, b) => a - b));
		}
	});

	it('gives the cheapest entry first', async () => {
		const answer = await ask({ output: 'entries' }, 'many-250');
		const prices = answer.flatMap(({ price_with_shipping: price }) =>
			price === undefined ? [] : Number(price),
		);
		const [content] = sandbox.resultsOf(sandbox.jobs[0]?.job_id ?? '').map((result) => result.content);
		const all = ((content as IDataObject).offers as IDataObject[]).map((offer) =>
			Number(offer.price_with_shipping),
		);
		expect(prices[0]).toBe(Math.min(...all));
	});

	it('is no file, because an agent cannot read one', async () => {
		const run = await runWorkflow(asTool({ output: 'file' }, 'kettle'));
		expect(errorOf(run)?.message).toBe(
			'An agent cannot read a file. Nothing was sent. Set Output to One Row per Product or Job With Results.',
		);
		expect(sandbox.jobs).toEqual([]);
	});

	it('says in one text what is wrong and what to do, without a number of an item', async () => {
		const run = await runWorkflow(
			asTool({ operation: 'create', lookupKey: 'gtin', values: '4006381333932' }, 'kettle'),
		);
		expect(errorOf(run)?.message).toBe(
			'"4006381333932" is not a valid GTIN: its check digit is wrong, so there is a typing error in it. Correct it, or switch off Validate GTINs in the options. Nothing was sent for this item.',
		);
	});

	it('says so as well where the node goes on after failures', async () => {
		const base = asTool({}, 'noproduct-x');
		const nodes = base.nodes.map((one) =>
			one.name === 'Prices' ? { ...one, onError: 'continueRegularOutput' as const } : one,
		);
		const [answer] = items(await runWorkflow({ ...base, nodes }), 'Prices');
		expect(Object.keys(answer ?? {})).toEqual(['error']);
		expect(answer?.error).toMatch(/no product found/);
	});

	it('says of a value that is not sent why, in its row', async () => {
		const [row] = await ask({ lookupKey: 'gtin', values: '4006381333932' }, 'kettle');
		expect(row).toMatchObject({
			success: false,
			reason: expect.stringContaining('"4006381333932" is not a valid GTIN'),
		});
		expect(sandbox.jobs).toEqual([]);
	});
});

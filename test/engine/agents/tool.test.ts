import { NodeHelpers } from 'n8n-workflow';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import { someOf } from '../../support/runs';
import { callsOf, collecting, itemsOf, useCollecting } from '../support/collecting';
import { items, startWorkflow, until, type Scenario } from '../support/harness';
import { ODD_READS } from '../support/odd';
import { locator, TYPE } from '../support/common';
import { now, time } from '../support/virtualClock';
import { node } from '../support/workflow';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
const RUNNING = { jobDurationMs: DAY_MS };
const GOES_ON: Partial<INode> = { onError: 'continueRegularOutput' };

const { sandbox, create, creations, fail, finish, idOf, play } = useCollecting();

/** Each test uses another node, because a tool remembers what it was asked. */
let id = 0;
beforeEach(() => void id++);

/** The node type that n8n derives for agents. Its name decides which fields it has. */
function toolType(): PriceCollection {
	const type = new PriceCollection();
	type.description.name += 'Tool';
	return type;
}

/** The node as n8n's engine runs it for an agent: with the tool's type, and only its first output is read. */
function asTool(parameters: INodeParameters, terms: string[], more: Partial<INode> = {}): Scenario {
	const own = { type: `${TYPE}Tool`, id: `tool-${id}`, ...more };
	const base = collecting(sandbox, itemsOf(...terms), parameters, own);
	return { ...base, nodeTypes: { ...base.nodeTypes, [`${TYPE}Tool`]: toolType() } };
}

/** Asks the tool once and returns its answer. */
async function ask(parameters: INodeParameters, ...terms: string[]): Promise<IDataObject[]> {
	const { error, given } = await play(asTool(parameters, terms));
	expect(error).toBe('');
	return given;
}

const KETTLE = [{ value: 'kettle', found: true }];

describe('collect as a tool of an AI agent', () => {
	it('polls, whatever Wait Mode was set to, and gives rows without empty columns', async () => {
		const [found, notFound] = await ask({ waitMode: 'durable' }, 'kettle', 'notfound-x');
		expect(found).toMatchObject(KETTLE[0]!);
		expect(Object.values({ ...found }).filter((value) => value === null || value === '')).toEqual([]);
		expect(notFound).toMatchObject({ value: 'notfound-x', found: false, reason: 'not found' });
	});

	it('has no fields of its question, and so no other names for its columns', async () => {
		const rows = await ask({ columns: 'main', options: { emptyValues: 'emptyText' } }, 'kettle', 'mug');
		const names = [...new Set(rows.flatMap(Object.keys))];
		expect(names).toEqual(expect.arrayContaining(['value', 'found', 'name', 'best_price']));
		expect(names.filter((name) => /^(result_|id$|term$)/.test(name))).toEqual([]);
		expect(rows.flatMap(Object.values)).not.toContain('');
	});

	it('gives a whole job without its empty fields', async () => {
		const [job] = await ask({ output: 'job' }, 'kettle');
		expect(job).toMatchObject({ job_id: idOf(), results: [{ query: { value: 'kettle' } }] });
		expect(JSON.stringify(job)).not.toMatch(/:null|:""/);
	});

	it.each(['collect', 'create', 'wait', 'download'])(
		'describes %s in no more words than chat models take',
		(operation) => {
			const { description } = toolType();
			const tool = node('Prices', `${TYPE}Tool`, { resource: 'job', operation });
			const parameters = NodeHelpers.getNodeParameters(
				...[description.properties, tool.parameters, true, false, tool, description],
			);
			const described = { ...tool, parameters: parameters ?? {} };
			const text = NodeHelpers.getToolDescriptionForNode(described, new PriceCollection());
			expect(text).toContain(
				operation === 'collect' || operation === 'create' ? 'costs credits' : 'costs nothing',
			);
			expect(text.length).toBeLessThanOrEqual(1_024);
		},
	);
});

describe('a tool whose job runs on', () => {
	beforeEach(() => sandbox.setOptions(RUNNING));

	it('answers within a minute, and tells the agent to ask the same again', async () => {
		const start = now();
		const [ticket = {}, ...others] = await ask({}, 'kettle');
		expect(now() - start).toBeLessThan(60_000);
		expect(others).toEqual([]);
		expect(ticket).toMatchObject({ still_running: true, job_id: idOf(), status: 'new' });
		expect(ticket.note).toBe(
			'There is no answer yet. Ask exactly the same question again in a minute: that continues with this job and costs nothing. A Wait tool can also use its job_id.',
		);
		expect(ticket).not.toHaveProperty('ticket');
		expect(ticket).not.toHaveProperty('deadline');
	});

	it('goes on with it when the same is asked again, in whatever order', async () => {
		await ask({}, 'kettle', 'lamp');
		finish(0);
		expect(await ask({}, 'lamp', 'kettle')).toMatchObject([{ value: 'lamp', found: true }, ...KETTLE]);
		expect(sandbox.jobs.map(({ values }) => values)).toEqual([['kettle', 'lamp']]);
	});

	it('is taken up by a tool for Wait', async () => {
		await ask({}, 'kettle');
		finish(0);
		const parameters = { operation: 'wait', jobId: locator('id', idOf()) };
		expect(await ask(parameters, 'kettle')).toMatchObject(KETTLE);
	});

	it('hides the callback URL, under whatever name', async () => {
		sandbox.setOptions({ jobFields: ['order', 'webhookUrl'], webhookUrlParameter: 'notify' });
		const options = { webhookUrl: 'https://n8n.example/webhook/prices' };
		const base = asTool({ options }, ['kettle']);
		const own = { webhookUrlParameter: 'notify', customizeService: true };
		const credential = { ...base.credentials?.priceCollectionApi, ...own };
		const { given } = await play({ ...base, credentials: { priceCollectionApi: credential } });
		expect(sandbox.jobs[0]?.webhookUrl).toBe(options.webhookUrl);
		expect(JSON.stringify(given)).not.toContain('n8n.example');
		expect(given).toMatchObject([{ still_running: true }]);
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
		expect(creations()).toBe(2);
	});

	it.each<INodeParameters>([{}, { columns: 'main', output: 'results' }])(
		'asks anew where nothing was answered and so nothing was paid: %j',
		async (parameters) => {
			expect(await ask(parameters, 'fail-x')).toMatchObject([{ value: 'fail-x', found: false }]);
			await ask(parameters, 'fail-x');
			expect(creations()).toBe(2);
		},
	);

	it('pays once where several ask at the same time, in one turn or in executions of their own', async () => {
		const answers = await Promise.all(Array.from({ length: 6 }, async () => await ask({}, 'kettle')));
		for (const answer of answers) expect(answer).toEqual(answers[0]);
		expect(creations()).toBe(1);
	});

	it.each(someOf(Object.entries(ODD_READS), 2))(
		'pays nothing again because of one odd reply: %s',
		async (_name, odd) => {
			await ask({}, 'kettle');
			time.skip(MINUTE_MS);
			fail('status', odd);
			await ask({}, 'kettle');
			time.skip(MINUTE_MS);
			expect(await ask({}, 'kettle')).toMatchObject(KETTLE);
			expect(creations()).toBe(1);
		},
	);

	it('pays nothing again because of an empty list, however long it stays empty', async () => {
		const none = { type: 'reply', status: 200, body: '{"status":"finished","results":[]}' } as const;
		for (const count of [1, 20]) {
			fail('download', none, count);
			expect(await ask({}, 'kettle')).toHaveLength(1);
			sandbox.faults.clear();
			time.skip(MINUTE_MS);
		}
		expect(await ask({}, 'kettle')).toMatchObject(KETTLE);
		expect(creations()).toBe(1);
	});

	it.each(['failed', 'error', 'cancelled'])(
		'pays nothing again because of one status %s, and does after two, half a minute apart',
		async (status) => {
			await ask({}, 'kettle');
			const body = JSON.stringify({ job_id: idOf(), status });
			fail('status', { type: 'reply', status: 200, body });
			time.skip(MINUTE_MS);
			expect(await ask({}, 'kettle')).toMatchObject(KETTLE);
			expect(creations()).toBe(1);
			fail('status', { type: 'reply', status: 200, body }, 2);
			time.skip(MINUTE_MS);
			await ask({}, 'kettle');
			expect(creations()).toBe(2);
		},
	);

	it('creates nothing more with the operation Create either', async () => {
		const [first] = await ask({ operation: 'create' }, 'kettle');
		const [second] = await ask({ operation: 'create' }, 'kettle');
		expect([first?.job_id, creations()]).toEqual([second?.job_id, 1]);
	});
});

describe('a tool whose service falls silent', () => {
	/** The tool's answer when the service leaves one request unanswered for about a minute. */
	async function answerWhileSilent(endpoint: 'create' | 'status' | 'download'): Promise<IDataObject[]> {
		const rule = fail(endpoint, { type: 'noAnswer', ...(endpoint === 'create' && { when: 'after' }) });
		const { run } = await startWorkflow(asTool({}, ['kettle'], GOES_ON));
		await until(() => rule.played > 0);
		time.skip(58_000);
		return items(await run, 'Prices');
	}

	it.each(['status', 'download'] as const)(
		'at the %s says that the job still runs, and has its rows when asked again',
		async (endpoint) => {
			const [ticket] = await answerWhileSilent(endpoint);
			expect(ticket).toMatchObject({ job_id: idOf(), still_running: true });
			expect(await ask({}, 'kettle')).toMatchObject(KETTLE);
			expect(creations()).toBe(1);
		},
	);

	it('at the creation looks for its job when it is asked again', async () => {
		sandbox.setOptions({ listFields: ['order', 'values', 'times'] });
		const [unknown] = await answerWhileSilent('create');
		expect(unknown?.error).toMatch(/^The tool has run out of time to answer/);
		expect(await ask({}, 'kettle')).toMatchObject(KETTLE);
		expect(sandbox.jobs).toHaveLength(1);
	});
});

it('waits for the job of the same question that is under way beside it, however long that takes', async () => {
	sandbox.setOptions({ createDelayMs: 90_000 });
	const patient = { options: { requestTimeout: 300 }, waitOptions: { maxWait: 10 } };
	const { run } = await startWorkflow(asTool(patient, ['kettle']));
	await until(() => creations() > 0);
	time.skip(70_000);
	expect(await ask(patient, 'kettle')).toMatchObject(KETTLE);
	expect(items(await run, 'Prices')).toMatchObject(KETTLE);
	expect(creations()).toBe(1);
});

describe('the answer of a tool', () => {
	const sizeOf = (answer: unknown) => JSON.stringify(answer).length;
	const largest = Array.from({ length: 60 }, (_, index) => `many-40 ${index}`);

	it.each([
		['entries', 20_000, {}],
		['results', 3_000, { maxCharacters: 3_000 }],
	])('is as short as it has to be with %s: %i characters', async (output, most, options) => {
		const answer = await ask({ output, options: options as INodeParameters }, ...largest);
		expect(sizeOf(answer)).toBeLessThanOrEqual(most);
		expect(sizeOf(answer)).toBeGreaterThan(most / 2);
		expect(answer.at(-1)?.note).toMatch(new RegExp(`because an answer is limited to ${most} characters`));
	});

	it('is as short with the operations Download and Wait, and lean', async () => {
		const jobId = locator('id', await create('many-250'));
		finish(0);
		for (const operation of ['download', 'wait']) {
			const [row] = await ask({ operation, jobId }, 'x');
			const prices = (row?.offers as IDataObject[]).map((offer) => Number(offer.price_with_shipping));
			expect([operation, row?.offers_total, prices.length]).toEqual([operation, 250, 10]);
			expect(prices).toEqual([...prices].sort((a, b) => a - b));
		}
	});

	it('is no file, because an agent cannot read one', async () => {
		expect((await play(asTool({ output: 'file' }, ['kettle']))).message).toBe(
			'An agent cannot read a file. Nothing was sent. Set Output to One Row per Product or Job With Results.',
		);
		expect(sandbox.jobs).toEqual([]);
	});

	it.each(['["kettle", "mug"]', 'kettle\\nmug'])('is of each value of %s', async (values) => {
		const rows = await ask({ values }, 'x');
		expect(rows.map(({ value }) => value)).toEqual(['kettle', 'mug']);
		expect(sandbox.jobs.map((job) => job.values)).toEqual([['kettle', 'mug']]);
	});

	it('says in one text what is wrong and what to do, without a number of an item', async () => {
		const wrong = { lookupKey: 'gtin', values: '4006381333932' };
		expect((await play(asTool({ operation: 'create', ...wrong }, ['kettle']))).message).toBe(
			'"4006381333932" is not a valid GTIN: its check digit is wrong, probably a typing error. Correct it, or switch off Check GTINs in the options. Nothing was sent for this item.',
		);
		const [row] = await ask(wrong, 'kettle');
		const reason = expect.stringContaining('"4006381333932" is not a valid GTIN');
		expect(row).toMatchObject({ success: false, reason });
		expect(sandbox.jobs).toEqual([]);
	});

	it.each([
		['without a credential', undefined],
		['with one that has no key', { apiKey: '' }],
	])('says so %s', async (_name, fields) => {
		const base = asTool({}, ['kettle'], GOES_ON);
		const own = { ...base.credentials?.priceCollectionApi, ...fields };
		const { given, error } = await play({
			...base,
			credentials: fields === undefined ? {} : { priceCollectionApi: own },
		});
		expect([given, error]).toEqual([[{ error: expect.stringMatching(/[Cc]redential/) as string }], '']);
	});

	it('says so as well where the node goes on after failures', async () => {
		const { given } = await play(asTool({}, ['noproduct-x'], GOES_ON));
		expect(given).toEqual([{ error: expect.stringMatching(/no product found/) }]);
	});
});

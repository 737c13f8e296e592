import type { INodeParameters } from 'n8n-workflow';

import { PriceCollectionPollingTrigger } from '../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import type { Sandbox } from '../sandbox/sandbox';
import { startSandbox } from '../sandbox/sandbox';
import type { SandboxOptions } from '../sandbox/options';
import { pollTrigger } from './trigger';
import { cancelJob, createJob, finishedJob, triggerScenario } from './triggerSupport';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ manualClock: true });
});
afterAll(async () => await sandbox.close());
beforeEach(() => {
	sandbox.reset();
	sandbox.setOptions({ autoFinish: false });
});

const build = (parameters: INodeParameters = {}) =>
	triggerScenario(sandbox, new PriceCollectionPollingTrigger(), parameters);
type Scenario = ReturnType<typeof build>;

const poll = async (scenario: Scenario) =>
	((await pollTrigger(scenario, 'Ends'))?.[0] ?? []).map((item) => item.json);
const ids = async (scenario: Scenario) => (await poll(scenario)).map((item) => item.job_id);

/** What a restart of n8n leaves: static data as saved, nothing else. */
const restart = (scenario: Scenario) => {
	scenario.nodeTypes = build().nodeTypes;
	scenario.staticData = JSON.parse(JSON.stringify(scenario.staticData)) as Scenario['staticData'];
};

const create = async (count: number) => {
	const created: string[] = [];
	for (let n = 0; n < count; n++) {
		created.push(await createJob(sandbox));
		sandbox.advance(1_000);
	}
	return created;
};
const finish = (jobIds: string[]) =>
	jobIds.forEach((jobId) => {
		sandbox.finishJob(jobId);
		sandbox.advance(1_000);
	});

const lists = () => sandbox.requests.filter(({ method, path }) => method === 'GET' && path === '/v2/jobs');

describe('the first poll', () => {
	it('is silent about jobs that have ended before', async () => {
		finish(await create(3));
		expect(await pollTrigger(build(), 'Ends')).toBeNull();
	});

	it('gives them in the order of their ends when the user wants that', async () => {
		const created = await create(3);
		const order = [...created].reverse();
		finish(order);
		expect(await ids(build({ options: { emitExisting: true } }))).toEqual(order);
	});

	it('notes running jobs, whose ends come later', async () => {
		const [first = '', second = ''] = await create(2);
		const scenario = build();
		expect(await ids(scenario)).toEqual([]);
		finish([second]);
		expect(await ids(scenario)).toEqual([second]);
		finish([first]);
		expect(await ids(scenario)).toEqual([first]);
		expect(await ids(scenario)).toEqual([]);
	});

	it('is not made up for later when a shifting list hid old jobs from it', async () => {
		sandbox.setOptions({ listMaxPageSize: 2 });
		finish(await create(6));
		sandbox.advance(600_000);
		const [last = ''] = await create(1);
		finish([last]);
		const scenario = build();
		// A page that repeats the one before ends the reading.
		const repeat = { type: 'reply', status: 200, body: '{"data":[]}' } as const;
		sandbox.faults.add({ match: { pathPattern: '/jobs$', method: 'GET', nth: 2 }, fault: repeat });
		expect(await ids(scenario)).toEqual([]);
		expect(lists()).toHaveLength(2);
		sandbox.advance(3_600_000);
		const [next = ''] = await create(1);
		finish([next]);
		expect(await ids(scenario)).toEqual([next]);
	});

	it('fails with a cause that n8n understands when the service cannot be asked', async () => {
		const scenario = build();
		scenario.credentials = { priceCollectionApi: { baseUrl: sandbox.url, apiKey: 'WRONG' } };
		await expect(pollTrigger(scenario, 'Ends')).rejects.toMatchObject({
			name: 'NodeApiError',
			failure: { cause: 'credential-invalid' },
		});
	});
});

describe.each<[string, Partial<SandboxOptions>]>([
	['newest first', {}],
	['oldest first', { listOrder: 'oldest' }],
	['in no order', { listOrder: 'shuffled' }],
	['without paging', { listPaging: 'ignored', listShape: 'array' }],
	['with the last page repeated', { listPaging: 'repeatLast', listMaxPageSize: 4, listShape: 'jobs' }],
	['in pages of three', { listMaxPageSize: 3 }],
	['in pages of three, oldest first', { listMaxPageSize: 3, listOrder: 'oldest' }],
	['in pages of three, in no order', { listMaxPageSize: 3, listOrder: 'shuffled' }],
])('a list %s', (_name, options) => {
	it('gives each end once, in order, across pages and restarts', async () => {
		sandbox.setOptions(options);
		finish(await create(8));
		const scenario = build({ events: ['any'] });
		expect(await ids(scenario)).toEqual([]);
		const [a = '', b = '', c = '', d = '', e = ''] = await create(5);
		expect(await ids(scenario)).toEqual([]);
		finish([d, a]);
		expect(await ids(scenario)).toEqual([d, a]);
		restart(scenario);
		expect(await ids(scenario)).toEqual([]);
		// Hours later, far down in the list.
		sandbox.advance(12 * 3_600_000);
		finish(await create(7));
		expect(await ids(scenario)).toHaveLength(7);
		await cancelJob(sandbox, c);
		sandbox.advance(1_000);
		finish([e]);
		restart(scenario);
		expect(await ids(scenario)).toEqual([c, e]);
		finish([b]);
		expect(await ids(scenario)).toEqual([b]);
		expect(await ids(scenario)).toEqual([]);
	});
});

describe('a poll', () => {
	it('gives jobs that end within the same second, each once', async () => {
		const scenario = build();
		await ids(scenario);
		const created = await create(4);
		created.slice(0, 2).forEach((jobId) => sandbox.finishJob(jobId));
		expect((await ids(scenario)).sort()).toEqual(created.slice(0, 2).sort());
		created.slice(2).forEach((jobId) => sandbox.finishJob(jobId));
		expect((await ids(scenario)).sort()).toEqual(created.slice(2).sort());
	});

	it('reads one page of a long list when nothing is new', async () => {
		sandbox.setOptions({ listMaxPageSize: 5 });
		const created = await create(30);
		finish(created);
		sandbox.advance(3_600_000);
		const [late = ''] = await create(1);
		const scenario = build();
		await ids(scenario);
		sandbox.clearRequests();
		expect(await ids(scenario)).toEqual([]);
		expect(lists()).toHaveLength(1);
		sandbox.finishJob(late);
		expect(await ids(scenario)).toEqual([late]);
	});

	it('survives a list that shifts while it is read', async () => {
		sandbox.setOptions({ listMaxPageSize: 2 });
		const created = await create(6);
		const scenario = build();
		await ids(scenario);
		finish(created);
		const reading = ids(scenario);
		const extra: string[] = [];
		while (extra.length < 3) {
			const [jobId = ''] = await create(1);
			sandbox.finishJob(jobId);
			extra.push(jobId);
		}
		const found = [...(await reading), ...(await ids(scenario))];
		expect(found.sort()).toEqual([...created, ...extra].sort());
	});

	it('leaves out ends that the user does not want, for good', async () => {
		const scenario = build({ events: ['finished'] });
		await ids(scenario);
		const [jobId = ''] = await create(1);
		await cancelJob(sandbox, jobId);
		expect(await ids(scenario)).toEqual([]);
		scenario.nodes.forEach((node) => (node.parameters = { events: ['any'] }));
		expect(await ids(scenario)).toEqual([]);
	});

	it('begins anew with the jobs of another account', async () => {
		const scenario = build();
		finish(await create(2));
		await ids(scenario);
		const foreign = await createJob(sandbox, {}, sandbox.options.secondApiKey);
		sandbox.finishJob(foreign);
		const { secondApiKey } = sandbox.options;
		scenario.credentials = { priceCollectionApi: { baseUrl: sandbox.url, apiKey: secondApiKey } };
		expect(await ids(scenario)).toEqual([]);
		const next = await createJob(sandbox, {}, secondApiKey);
		sandbox.finishJob(next);
		expect(await ids(scenario)).toEqual([next]);
	});

	it('goes on where the credential changes and the account stays', async () => {
		const scenario = build();
		const [first = '', second = ''] = await create(2);
		finish([first]);
		await ids(scenario);
		finish([second]);
		sandbox.setOptions({ authentication: ['bearer', 'query'] });
		const { url: baseUrl, apiKey } = sandbox;
		scenario.credentials = {
			priceCollectionApi: { baseUrl, authentication: 'bearer', apiKey, webhookSecret: 'a new one' },
		};
		expect(await ids(scenario)).toEqual([second]);
	});

	it('gives way to one that is still under way', async () => {
		const scenario = build();
		await ids(scenario);
		finish(await create(1));
		const both = await Promise.all([ids(scenario), ids(scenario)]);
		expect(both.flat()).toHaveLength(1);
	});

	it('keeps no more in the static data than it has to', async () => {
		const scenario = build();
		finish(await create(20));
		await ids(scenario);
		const state = Object.values(scenario.staticData ?? {})[0] as Record<string, unknown>;
		expect(String(state.known)).toHaveLength(20 * 8);
		expect(state.open).toEqual({});
		expect(JSON.stringify(scenario.staticData)).not.toContain(sandbox.apiKey);
	});
});

describe('the outputs of the polling trigger', () => {
	it('gives rows of results', async () => {
		const scenario = build({ output: 'results' });
		await ids(scenario);
		const jobId = await finishedJob(sandbox);
		expect((await poll(scenario)).map(({ job_id, value }) => [job_id, value])).toEqual([
			[jobId, 'lamp'],
			[jobId, 'chair'],
		]);
	});

	it('gives the notification with the job as payload', async () => {
		const scenario = build({ output: 'notification' });
		await ids(scenario);
		const jobId = await finishedJob(sandbox);
		expect(await poll(scenario)).toEqual([
			{
				job_id: jobId,
				status: 'finished',
				received_at: expect.any(String),
				payload: expect.objectContaining({ job_id: jobId, source: 'test' }),
			},
		]);
	});

	it('tries a download again before it gives the end with the reason, and keeps the order', async () => {
		const scenario = build({ output: 'results' });
		await ids(scenario);
		const [first = '', second = ''] = await create(2);
		finish([first, second]);
		const broken = { type: 'refusal', reason: 'job not finished', status: 409 } as const;
		sandbox.faults.add({ match: { pathPattern: `${first}/download$` }, times: 'always', fault: broken });
		expect(await ids(scenario)).toEqual([]);
		restart(scenario);
		expect(await ids(scenario)).toEqual([]);
		const items = await poll(scenario);
		expect(items.map((item) => item.job_id)).toEqual([first, second, second]);
		expect(items[0]).toEqual({
			job_id: first,
			status: 'finished',
			success: false,
			found: false,
			reason: expect.stringContaining('The job is not finished'),
		});
		expect(await ids(scenario)).toEqual([]);
	});

	it('gives the results when a later attempt works', async () => {
		const scenario = build({ output: 'results' });
		await ids(scenario);
		const jobId = await finishedJob(sandbox);
		const broken = { type: 'refusal', reason: 'job not finished', status: 409 } as const;
		sandbox.faults.add({ match: { pathPattern: '/download$' }, times: 1, fault: broken });
		expect(await ids(scenario)).toEqual([]);
		expect(await ids(scenario)).toEqual([jobId, jobId]);
	});

	it('gives the end at once when the results are gone for good', async () => {
		const scenario = build({ output: 'results' });
		await ids(scenario);
		const jobId = await finishedJob(sandbox);
		const gone = { type: 'refusal', reason: 'job not found', status: 404 } as const;
		sandbox.faults.add({ match: { pathPattern: '/download$' }, times: 'always', fault: gone });
		expect(await poll(scenario)).toEqual([expect.objectContaining({ job_id: jobId, success: false })]);
	});
});

describe('the test button', () => {
	it('gives the latest end, again and again, and leaves no trace', async () => {
		const created = await create(3);
		finish(created);
		const scenario = { ...build(), mode: 'manual' as const };
		expect(await ids(scenario)).toEqual(created.slice(2));
		expect(await ids(scenario)).toEqual(created.slice(2));
		expect(Object.values(scenario.staticData ?? {})).toEqual([]);
	});

	it('gives a sample where the account has no jobs', async () => {
		const scenario = { ...build({ output: 'entries' }), mode: 'manual' as const };
		expect(await ids(scenario)).toEqual(['1234567890abcdef12345678', '1234567890abcdef12345678']);
	});
});

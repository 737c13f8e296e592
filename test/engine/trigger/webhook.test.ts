import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { PriceCollectionTrigger } from '../../../nodes/PriceCollection/PriceCollectionTrigger.node';
import { runs } from '../../support/runs';
import { useSandbox } from '../../support/useSandbox';
import { cancelJob, createJob, fail, itemsOf, reply, TERM_PARAMETERS } from '../support/core';
import { useDedupeStore } from '../support/dedupeStore';
import { errorOf, items, runWorkflow } from '../support/harness';
import type { IncomingRequest } from '../support/requests';
import { retryByHand } from '../support/resume';
import { callTrigger, runCalled, type TriggerScenario } from '../support/trigger';
import { finishedJob, HOOK_URL, SECRET, signedQuery, triggerScenario } from '../support/triggerSupport';
import { time } from '../support/virtualClock';

const store = useDedupeStore();
const sandbox = useSandbox({ autoFinish: false });
let keys = 0;
beforeEach(() => {
	// A new key, so that one test's status calls do not count against the next.
	sandbox.setOptions({ apiKey: `KEYOFTHETESTNUMBER${keys++}` });
	time.pauses.length = 0;
});
afterEach(() => {
	time.isStopped = false;
	time.listeners.clear();
});

const build = (parameters: INodeParameters = {}, credential: IDataObject = {}): TriggerScenario =>
	triggerScenario(sandbox, new PriceCollectionTrigger(), parameters, credential);

const call = async (scenario: TriggerScenario, body: IDataObject, more: IncomingRequest = {}) => {
	const called = await callTrigger(scenario, 'Ends', { body, ...more });
	const { reply: given, response, isStored } = called;
	// If the trigger leaves the answer to n8n, n8n sends 200 and the returned body once the execution is stored.
	const byN8n = given.workflowData !== undefined && given.noWebhookResponse !== true;
	return {
		byN8n,
		status: byN8n ? 200 : response.status,
		headers: response.headers,
		body: byN8n ? (given.webhookResponse as unknown) : response.body,
		starts: given.workflowData !== undefined,
		items: isStored ? await runCalled(scenario, 'Ends', given) : [],
	};
};
/** How many items a call for a job gives. */
const countOf = async (scenario: TriggerScenario, job_id: string) =>
	(await call(scenario, { job_id })).items.length;
/** Restarts a process that remembers: only n8n's database is left. */
const restart = (scenario: TriggerScenario) => {
	scenario.nodeTypes = build().nodeTypes;
};
const statusCalls = () => sandbox.requests.filter(({ path }) => /\/v2\/jobs\/[^/]+$/.test(path));
const ACCEPTED = { success: true, message: 'Accepted' };
const HANDLED = {
	starts: false,
	status: 200,
	body: { message: 'This job has already been handled' },
	items: [],
};

describe('the outputs of the webhook trigger', () => {
	it('gives the job as the service describes it, for one status call', async () => {
		const job_id = await finishedJob(sandbox);
		sandbox.clearRequests();
		expect(await call(build(), { job_id })).toMatchObject({
			...{ byN8n: true, status: 200, body: ACCEPTED },
			items: [{ job_id, status: 'finished', source: 'test' }],
		});
		expect([sandbox.requests.length, statusCalls().length]).toEqual([1, 1]);
	});

	it('gives the notification with what was received, without secrets', async () => {
		const job_id = await finishedJob(sandbox);
		const payload = (key: string, signature: string) => ({
			job_id,
			download_url: `https://h.example/v2/jobs/${job_id}/download?token=${key}`,
			webhook_url: `https://n8n.example.com/webhook/x?pc_expires=1&pc_signature=${signature}`,
		});
		const { items } = await call(build({ output: 'notification' }), payload(sandbox.apiKey, 'abcdef'));
		const received_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
		expect(items).toEqual([{ job_id, status: 'finished', received_at, payload: payload('***', '***') }]);
	});

	it('fails the execution when its download fails, and has the results with Retry', async () => {
		const job_id = await finishedJob(sandbox);
		fail(sandbox, 'download', { type: 'serverError' }, 'always');
		const scenario = build({ output: 'results' });
		const { reply: given, response } = await callTrigger(scenario, 'Ends', { body: { job_id } });
		expect([response.status, given.webhookResponse]).toEqual([200, ACCEPTED]);
		const failed = await runWorkflow({ ...scenario, mode: 'webhook', input: given.workflowData?.[0] });
		expect(errorOf(failed)?.message).toBe('The service is temporarily unavailable');
		sandbox.faults.clear();
		const { run } = await retryByHand(scenario, failed, '2');
		expect(items(run, 'Ends').map(({ value }) => value)).toEqual(['lamp', 'chair']);
	});

	it('has them with Retry On Fail as well: its own record is no earlier start', async () => {
		const job_id = await finishedJob(sandbox);
		const scenario = build({ output: 'results' });
		const [trigger] = scenario.nodes;
		Object.assign(trigger ?? {}, { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 });
		fail(sandbox, 'download', { type: 'serverError' }, 20);
		expect(await countOf(scenario, job_id)).toBe(2);
	});

	it.each([202, 204, 200])(
		'waits for results that are answered for with %i and nothing',
		async (status) => {
			const job_id = await finishedJob(sandbox);
			fail(sandbox, 'download', reply('', status));
			const { items } = await call(build({ output: 'results' }), { job_id });
			expect(items.map(({ value }) => value)).toEqual(['lamp', 'chair']);
		},
	);

	it('gives nothing when the settings leave out all results', async () => {
		const job_id = await finishedJob(sandbox, { values: 'fail' });
		const scenario = build({ output: 'results', options: { onFailedResult: 'skip' } });
		expect(await call(scenario, { job_id })).toMatchObject({ status: 200, starts: true, items: [] });
	});

	it('gives the end of a cancelled job with the reason', async () => {
		const job_id = await createJob(sandbox);
		await cancelJob(sandbox, job_id);
		sandbox.clearRequests();
		const { items } = await call(build({ output: 'results', events: ['any'] }), { job_id });
		const failed = { success: false, found: false, reason: 'the job was cancelled' };
		expect(items).toEqual([{ job_id, status: 'cancelled', ...failed }]);
	});
});

it.each<[string, (id: string) => IncomingRequest]>([
	['an envelope', (id) => ({ body: { payload: { job_id: id, download_url: 'https://x.example' } } })],
	['a form', (id) => ({ body: { 'data[job_id]': id } })],
	['XML', (id) => ({ body: { hash: { 'job-id': id } }, headers: { 'content-type': 'application/xml' } })],
	['the query', (id) => ({ method: 'GET', body: undefined, query: { job_id: id } })],
	['text of an unknown type', (id) => ({ body: {}, rawBody: Buffer.from(`{"job_id":"${id}"}`) })],
])('finds a job that is named in %s', async (_name, requestFor) => {
	const job_id = await finishedJob(sandbox);
	expect(await call(build(), {}, requestFor(job_id))).toMatchObject({ status: 200, items: [{ job_id }] });
});

describe('duplicates at the webhook trigger', () => {
	it('starts the workflow once for simultaneous calls', async () => {
		time.isStopped = true;
		const job_id = await finishedJob(sandbox);
		const scenario = build();
		const calls = await Promise.all(
			Array.from({ length: 8 }, async () => await call(scenario, { job_id })),
		);
		expect(calls.flatMap(({ items }) => items)).toHaveLength(1);
		expect(calls.map(({ status }) => status)).toEqual(Array(8).fill(200));
		expect(statusCalls()).toHaveLength(1);
	});

	it('starts the workflow once for a job that is called for again, also after a restart', async () => {
		const job_id = await finishedJob(sandbox);
		const scenario = build({ output: 'results' });
		expect(await countOf(scenario, job_id)).toBe(2);
		expect(scenario.staticData).toEqual({});
		expect(await call(scenario, { job_id })).toMatchObject(HANDLED);
		restart(scenario);
		expect(await call(scenario, { job_id })).toMatchObject({ starts: true, items: [] });
		expect(await call(scenario, { job_id })).toMatchObject(HANDLED);
	});

	it('knows after a restart all of many that came at once', async () => {
		const jobIds = await Promise.all(Array.from({ length: 12 }, async () => await finishedJob(sandbox)));
		const scenario = build();
		const all = async () => await Promise.all(jobIds.map(async (id) => await countOf(scenario, id)));
		expect(await all()).toEqual(Array(12).fill(1));
		restart(scenario);
		expect(await all()).toEqual(Array(12).fill(0));
	});

	it.each<[string, Partial<TriggerScenario>, INodeParameters]>([
		['when asked to', {}, { options: { ignoreDuplicates: false } }],
		['in the editor', { mode: 'manual' }, {}],
	])('lets them through %s, and leaves no trace', async (_name, more, parameters) => {
		const job_id = await finishedJob(sandbox);
		const scenario = { ...build(parameters), ...more };
		expect([await countOf(scenario, job_id), await countOf(scenario, job_id)]).toEqual([1, 1]);
		expect(store.calls).toEqual([]);
	});

	it('tells a duplicate of a call that could not be confirmed to come again, too', async () => {
		time.isStopped = true;
		const scenario = build({}, { apiKey: 'WRONGKEY' });
		const calls = await Promise.all([1, 2].map(async () => await call(scenario, { job_id: 'a' })));
		const unconfirmed = { success: false, message: 'The job could not be confirmed now' };
		expect(calls.map(({ body }) => body)).toEqual([unconfirmed, unconfirmed]);
	});

	it('an end that n8n could not store comes again', async () => {
		const job_id = await finishedJob(sandbox);
		let isStored = false;
		const scenario = Object.assign(build(), { storing: async () => isStored });
		expect(await countOf(scenario, job_id)).toBe(0);
		isStored = true;
		expect(await countOf(scenario, job_id)).toBe(1);
		restart(scenario);
		expect(await countOf(scenario, job_id)).toBe(0);
	});

	it.each(['results', 'entries', 'job', 'notification'])(
		'starts once with the default columns, and after a restart, with the output %s',
		async (output) => {
			const job_id = await finishedJob(sandbox);
			const scenario = build({ output, columns: 'main' });
			expect(await countOf(scenario, job_id)).toBeGreaterThan(0);
			restart(scenario);
			expect(await countOf(scenario, job_id)).toBe(0);
		},
	);
});

it('one node object serves many calls of two triggers with two accounts, as the hours pass', async () => {
	const [type] = Object.values(build().nodeTypes ?? {});
	const CALLS = runs(1_500);
	const accounts = ['THEFIRSTOFTWOACCOUNTS', 'THESECONDOFTWOACCOUNTS'];
	const scenarios: TriggerScenario[] = [];
	const jobsOf: string[][] = [];
	for (const [n, apiKey] of accounts.entries()) {
		sandbox.setOptions({ apiKey });
		const scenario = build({ output: 'results', columns: 'main' });
		scenario.nodes = scenario.nodes.map((one) => ({ ...one, id: `trigger ${n}` }));
		for (const name of Object.keys(scenario.nodeTypes ?? {}))
			Object.assign(scenario.nodeTypes ?? {}, { [name]: type });
		scenarios.push(scenario);
		const jobs: string[] = [];
		for (let job = 0; job < CALLS / 4; job++) jobs.push(await finishedJob(sandbox));
		jobsOf.push(jobs);
	}
	const begun = new Map<string, number>();
	const callAll = async (jobIds: readonly string[][]) => {
		for (const [n, scenario] of scenarios.entries()) {
			sandbox.setOptions({ apiKey: accounts[n] });
			for (const job_id of jobIds[n] ?? []) {
				const { status, items } = await call(scenario, { job_id });
				expect(status).toBe(200);
				if (items.length > 0) begun.set(job_id, (begun.get(job_id) ?? 0) + 1);
			}
		}
	};
	await callAll(jobsOf);
	time.skip(20 * 60_000);
	await callAll(jobsOf);
	expect([...begun].sort()).toEqual(
		jobsOf
			.flat()
			.map((job_id) => [job_id, 1] as const)
			.sort(),
	);
}, 120_000);

it('signed calls are let in by the previous secret as well, so that it can be changed while jobs run', async () => {
	const job_id = await finishedJob(sandbox);
	const query = signedQuery();
	const changed = { webhookSecret: 'a new secret' };
	expect((await call(build({}, changed), { job_id }, { query })).status).toBe(401);
	const both = build({}, { ...changed, previousWebhookSecret: SECRET });
	expect((await call(both, { job_id }, { query })).items).toHaveLength(1);
});

describe('an end that cannot be confirmed now', () => {
	it('is asked to be called again, and then handled', async () => {
		const job_id = await createJob(sandbox);
		const scenario = build();
		expect(await call(scenario, { job_id })).toMatchObject({
			...{ status: 503, headers: { 'retry-after': '30' }, items: [] },
			body: { success: false, message: 'This job is not known to have ended yet' },
		});
		sandbox.finishJob(job_id);
		expect(await countOf(scenario, job_id)).toBe(1);
	});
});

describe('a call without verification', () => {
	const options = { verifyJob: false };

	it.each<[string, INodeParameters, IDataObject, IDataObject[]]>([
		[
			'is believed',
			{ output: 'job' },
			{ job: { job_id: 'abc', status: 'finished', source: 'test' } },
			[{ job_id: 'abc', status: 'finished', source: 'test' }],
		],
		[
			'counts as finished when it names no status',
			{ output: 'notification' },
			{ job_id: 'abc' },
			[expect.objectContaining({ job_id: 'abc', status: 'finished' }) as IDataObject],
		],
		[
			'starts nothing when it says itself that the job runs',
			{ events: ['any'] },
			{ job_id: 'abc', status: 'working' },
			[],
		],
	])('%s, and the service is asked nothing', async (_name, parameters, body, items) => {
		const called = await call(build({ ...parameters, options }), body);
		expect(called.status).toBe(200);
		expect(called.items).toEqual(items);
		expect(sandbox.requests).toEqual([]);
	});

	it('keeps secrets out of the job that it describes', async () => {
		const address = (key: string) => `https://h.example/jobs?token=${key}`;
		const body = { job_id: 'abc', status: 'finished', next: address(sandbox.apiKey) };
		expect((await call(build({ options }), body)).items).toEqual([{ ...body, next: address('***') }]);
	});

	it('names no other job than the one that its signed address was made for', async () => {
		const credential = { webhookSecret: SECRET };
		const parameters = { ...TERM_PARAMETERS, values: 'lamp', options: { webhookUrl: HOOK_URL } };
		const [{ job_id } = {}] = await itemsOf(sandbox, parameters, { credential });
		const { webhookUrl = '' } = sandbox.jobs[0] ?? {};
		const query = Object.fromEntries(new URL(String(webhookUrl)).searchParams);
		const scenario = build({ options }, credential);
		expect(await call(scenario, { job_id: 'invented' }, { query })).toMatchObject({
			status: 401,
			items: [],
		});
		expect(await call(scenario, { job_id }, { query })).toMatchObject({
			status: 200,
			items: [{ job_id }],
		});
	});

	it('still needs its signature', async () => {
		const scenario = build({ options }, { webhookSecret: SECRET });
		expect(await call(scenario, { job_id: 'abc' })).toMatchObject({ status: 401, items: [] });
		const query = signedQuery();
		const signed = await call(scenario, { job_id: 'abc' }, { query });
		expect(signed).toMatchObject({ status: 200, items: [{ job_id: 'abc' }] });
	});
});

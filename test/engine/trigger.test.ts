import { setImmediate } from 'node:timers/promises';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { PriceCollectionTrigger } from '../../nodes/PriceCollection/PriceCollectionTrigger.node';
import type { Sandbox } from '../sandbox/sandbox';
import { startSandbox } from '../sandbox/sandbox';
import { useDedupeStore, type DedupeStore } from './dedupeStore';
import type { IncomingRequest } from './requests';
import { callTrigger, runCalled } from './trigger';
import { cancelJob, createJob, finishedJob, SECRET, signedQuery, triggerScenario } from './triggerSupport';
import { time } from './virtualClock';

let sandbox: Sandbox;
let store: DedupeStore;
beforeAll(async () => {
	store = await useDedupeStore();
	sandbox = await startSandbox();
});
afterAll(async () => await sandbox.close());
let keys = 0;
beforeEach(() => {
	store.rows.clear();
	store.calls.length = 0;
	store.fault = undefined;
	sandbox.reset();
	// A key of its own, so that the status calls of one test are not counted against the next.
	sandbox.setOptions({ autoFinish: false, apiKey: `KEYOFTHETESTNUMBER${keys++}` });
	time.pauses.length = 0;
});
afterEach(() => {
	time.isStopped = false;
	time.listeners.clear();
});

const build = (parameters: INodeParameters = {}, credential: IDataObject = {}) =>
	triggerScenario(sandbox, new PriceCollectionTrigger(), parameters, credential);

const call = async (scenario: ReturnType<typeof build>, request: IncomingRequest) => {
	const { reply, response, isStored } = await callTrigger(scenario, 'Ends', request);
	// Where the trigger leaves the answer to n8n, that is 200 and what it returns, once the execution is stored.
	const byN8n = reply.workflowData !== undefined && reply.noWebhookResponse !== true;
	return {
		byN8n,
		status: byN8n ? 200 : response.status,
		headers: response.headers,
		body: byN8n ? (reply.webhookResponse as unknown) : response.body,
		starts: reply.workflowData !== undefined,
		items: isStored ? await runCalled(scenario, 'Ends', reply) : [],
	};
};
/** What is left of a process that remembers: n8n's database. */
const restart = (scenario: ReturnType<typeof build>) => {
	scenario.nodeTypes = build().nodeTypes;
};

const statusCalls = () =>
	sandbox.requests.filter(
		({ method, path }) => method === 'GET' && /\/v2\/jobs\/[^/]+$/.test(path.split('?')[0] ?? ''),
	);

describe('the outputs of the webhook trigger', () => {
	it('gives the job as the service describes it, for one status call', async () => {
		const jobId = await finishedJob(sandbox);
		sandbox.clearRequests();
		const { status, body, items } = await call(build(), { body: { job_id: jobId } });
		expect({ status, body }).toEqual({ status: 200, body: { success: true, message: 'Accepted' } });
		expect(items).toEqual([
			expect.objectContaining({ job_id: jobId, status: 'finished', source: 'test' }),
		]);
		expect(sandbox.requests).toHaveLength(1);
		expect(statusCalls()).toHaveLength(1);
	});

	it('gives the notification with what was received, without secrets', async () => {
		const jobId = await finishedJob(sandbox);
		const payload = {
			job_id: jobId,
			download_url: `https://h.example/v2/jobs/${jobId}/download?token=${sandbox.apiKey}`,
			webhook_url: 'https://n8n.example.com/webhook/x?pc_expires=1&pc_signature=abcdef',
		};
		const { items } = await call(build({ output: 'notification' }), { body: payload });
		expect(items).toEqual([
			{
				job_id: jobId,
				status: 'finished',
				received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
				payload: {
					job_id: jobId,
					download_url: `https://h.example/v2/jobs/${jobId}/download?token=***`,
					webhook_url: 'https://n8n.example.com/webhook/x?pc_expires=1&pc_signature=***',
				},
			},
		]);
	});

	it('leaves ordinary words alone, although a secret is one of them', async () => {
		const asks = { topic: 'product_and_offers', key: 'gtin', values: '4006381333931' };
		const payload = {
			job_id: await finishedJob(sandbox, asks),
			note: 'testing kit',
			url: 'https://h.example/?token=of-another',
		};
		const secrets = { username: 'testing', password: 'offers' };
		const [job] = (await call(build({}, secrets), { body: payload })).items;
		expect(job).toMatchObject({ topic: 'product_and_offers' });
		store.rows.clear();
		const [item] = (await call(build({ output: 'notification' }, secrets), { body: payload })).items;
		expect(item).toMatchObject({ payload });
	});

	it('gives one flat row per result', async () => {
		const jobId = await finishedJob(sandbox);
		const { items } = await call(build({ output: 'results' }), { body: { job_id: jobId } });
		expect(items.map(({ job_id, value, success }) => ({ job_id, value, success }))).toEqual([
			{ job_id: jobId, value: 'lamp', success: true },
			{ job_id: jobId, value: 'chair', success: true },
		]);
	});

	it("gives the entries in the service's own structure", async () => {
		const jobId = await finishedJob(sandbox);
		const { items } = await call(build({ output: 'entries', columns: 'raw' }), {
			body: { job_id: jobId },
		});
		expect(items.length).toBeGreaterThan(2);
		expect(items[0]).toEqual(
			expect.objectContaining({ job_id: jobId, query: expect.objectContaining({ value: 'lamp' }) }),
		);
	});

	it('gives the end with the reason when the download fails after the answer', async () => {
		const jobId = await finishedJob(sandbox);
		sandbox.faults.add({
			match: { pathPattern: '/download$' },
			times: 'always',
			fault: { type: 'refusal', reason: 'job not found', status: 404 },
		});
		const { status, items } = await call(build({ output: 'results' }), { body: { job_id: jobId } });
		expect(status).toBe(200);
		expect(items).toEqual([
			{
				job_id: jobId,
				status: 'finished',
				success: false,
				found: false,
				reason: expect.stringContaining('The service does not know this job'),
			},
		]);
	});

	it.each([202, 204, 200])(
		'waits for results that are answered for with %i and nothing',
		async (status) => {
			const jobId = await finishedJob(sandbox);
			const early = { type: 'reply', status, body: '' } as const;
			sandbox.faults.add({ match: { pathPattern: '/download$' }, times: 1, fault: early });
			const { items } = await call(build({ output: 'results' }), { body: { job_id: jobId } });
			expect(items.map(({ value }) => value)).toEqual(['lamp', 'chair']);
		},
	);

	it('answers when the execution is stored, however long the download takes', async () => {
		const slow = { type: 'delay', ms: 100 } as const;
		sandbox.faults.add({ match: { pathPattern: '/download$' }, fault: slow });
		const late = await call(build({ output: 'results' }), {
			body: { job_id: await finishedJob(sandbox) },
		});
		expect(late).toMatchObject({ byN8n: true, body: { success: true, message: 'Accepted' } });
		expect(late.items).toHaveLength(2);
	});

	it('says so when the settings leave out all results', async () => {
		const jobId = await finishedJob(sandbox, { values: 'fail' });
		const scenario = build({ output: 'results', options: { onFailedResult: 'skip' } });
		expect(await call(scenario, { body: { job_id: jobId } })).toMatchObject({
			status: 200,
			body: { success: true, message: 'The settings exclude all results of this job' },
			starts: false,
		});
	});

	it('gives the end of a cancelled job without downloading', async () => {
		const jobId = await createJob(sandbox);
		await cancelJob(sandbox, jobId);
		sandbox.clearRequests();
		const { items } = await call(build({ output: 'results', events: ['any'] }), {
			body: { job_id: jobId },
		});
		expect(items).toEqual([
			{
				job_id: jobId,
				status: 'cancelled',
				success: false,
				found: false,
				reason: 'The job was cancelled',
			},
		]);
		expect(sandbox.requests).toHaveLength(1);
	});
});

describe('where a job is named', () => {
	it.each<[string, (id: string) => IncomingRequest]>([
		['flat JSON', (id) => ({ body: { job_id: id } })],
		['an envelope', (id) => ({ body: { payload: { job_id: id, download_url: 'https://x.example' } } })],
		['a form', (id) => ({ body: { 'data[job_id]': id } })],
		[
			'XML',
			(id) => ({ body: { hash: { 'job-id': id } }, headers: { 'content-type': 'application/xml' } }),
		],
		['the query', (id) => ({ method: 'GET', body: undefined, query: { job_id: id } })],
		['text of an unknown type', (id) => ({ body: {}, rawBody: Buffer.from(`{"job_id":"${id}"}`) })],
	])('finds it in %s', async (_name, requestFor) => {
		const jobId = await finishedJob(sandbox);
		const { status, items } = await call(build(), requestFor(jobId));
		expect(status).toBe(200);
		expect(items).toEqual([expect.objectContaining({ job_id: jobId })]);
	});
});

describe('the ends that the webhook trigger listens for', () => {
	it.each([
		[['finished'], 'finished', 1],
		[['finished'], 'cancelled', 0],
		[['cancelled'], 'cancelled', 1],
		[['cancelled'], 'finished', 0],
		[['any'], 'cancelled', 1],
		[['finished', 'cancelled'], 'finished', 1],
	])('with %j gives a %s job %i items', async (events, end, count) => {
		const jobId = await createJob(sandbox);
		if (end === 'finished') sandbox.finishJob(jobId);
		else await cancelJob(sandbox, jobId);
		// What the call claims does not matter.
		const { status, items } = await call(build({ events }), {
			body: { job_id: jobId, status: 'finished' },
		});
		expect(status).toBe(200);
		expect(items).toHaveLength(count);
	});
});

describe('duplicates at the webhook trigger', () => {
	it('starts the workflow once for a job that is called for again', async () => {
		const jobId = await finishedJob(sandbox);
		const scenario = build();
		expect((await call(scenario, { body: { job_id: jobId } })).items).toHaveLength(1);
		expect(scenario.staticData).toEqual({});
		const again = await call(scenario, { body: { job_id: jobId } });
		expect(again).toMatchObject({
			starts: false,
			status: 200,
			body: { message: 'This job has already been handled' },
			items: [],
		});
	});

	it('starts the workflow once for simultaneous calls', async () => {
		time.isStopped = true;
		const jobId = await finishedJob(sandbox);
		const scenario = build();
		const calls = await Promise.all(
			Array.from({ length: 8 }, async () => await call(scenario, { body: { job_id: jobId } })),
		);
		expect(calls.flatMap(({ items }) => items)).toHaveLength(1);
		expect(calls.map(({ status }) => status)).toEqual(Array(8).fill(200));
		expect(statusCalls()).toHaveLength(1);
	});

	it('starts the workflow with nothing for one that comes after a restart', async () => {
		const jobId = await finishedJob(sandbox);
		const scenario = build({ output: 'results' });
		expect((await call(scenario, { body: { job_id: jobId } })).items).toHaveLength(2);
		restart(scenario);
		expect(await call(scenario, { body: { job_id: jobId } })).toMatchObject({ starts: true, items: [] });
		expect(await call(scenario, { body: { job_id: jobId } })).toMatchObject({
			starts: false,
			body: { message: 'This job has already been handled' },
		});
	});

	it('knows after a restart all of many that came at once', async () => {
		const jobIds = await Promise.all(Array.from({ length: 12 }, async () => await finishedJob(sandbox)));
		const scenario = build();
		const once = async () =>
			(
				await Promise.all(
					jobIds.map(async (jobId) => (await call(scenario, { body: { job_id: jobId } })).items),
				)
			).flat();
		expect(await once()).toHaveLength(12);
		restart(scenario);
		expect(await once()).toEqual([]);
	});

	it('lets an end through that n8n cannot be asked about, rather than lose it', async () => {
		store.fault = new Error('SQLITE_BUSY');
		const reply = { workflowData: [[{ json: { job_id: 'abc' } }]] };
		expect(await runCalled(build(), 'Ends', reply)).toEqual([{ job_id: 'abc' }]);
	});

	it('knows them for each trigger apart', async () => {
		const jobId = await finishedJob(sandbox);
		const [one, two] = [build(), build()];
		for (const node of two.nodes) node.id = 'another trigger';
		expect((await call(one, { body: { job_id: jobId } })).items).toHaveLength(1);
		expect((await call(two, { body: { job_id: jobId } })).items).toHaveLength(1);
	});

	it('goes on where somebody retries its execution by hand', async () => {
		const jobId = await finishedJob(sandbox);
		const scenario = build();
		const { reply } = await callTrigger(scenario, 'Ends', { body: { job_id: jobId } });
		for (const [mode, count] of [
			['webhook', 1],
			['webhook', 0],
			['retry', 1],
		] as const) {
			expect(await runCalled({ ...scenario, mode }, 'Ends', reply)).toHaveLength(count);
		}
	});

	it('lets them through when asked to', async () => {
		const jobId = await finishedJob(sandbox);
		const scenario = build({ options: { ignoreDuplicates: false } });
		await call(scenario, { body: { job_id: jobId } });
		expect((await call(scenario, { body: { job_id: jobId } })).items).toHaveLength(1);
		expect(store.calls).toEqual([]);
	});

	it('tells a duplicate of a call that could not be confirmed to come again, too', async () => {
		const jobId = await finishedJob(sandbox);
		sandbox.setOptions({ apiKey: 'ANOTHERKEYTHANTHATOFTHECREDENTIAL' });
		const scenario = build();
		scenario.credentials = { priceCollectionApi: { baseUrl: sandbox.url, apiKey: 'WRONGKEY' } };
		const calls = await Promise.all(
			[1, 2].map(async () => await call(scenario, { body: { job_id: jobId } })),
		);
		expect(calls.map(({ status }) => status)).toEqual([503, 503]);
	});
});

describe('an end that n8n could not store', () => {
	/** Whether n8n can store what it is given; asked one after the other, the last answer for ever. */
	const storing = (...answers: Array<() => Promise<boolean>>) => {
		let asked = 0;
		return async () => await (answers[Math.min(asked++, answers.length - 1)] ?? (async () => true))();
	};

	it('comes again, although another end was saved meanwhile and the caller had hung up', async () => {
		const [x, y] = [await finishedJob(sandbox), await finishedJob(sandbox)];
		let fail: ((stored: boolean) => void) | undefined;
		const failing = async () => await new Promise<boolean>((resolve) => (fail = resolve));
		const scenario = Object.assign(build(), { storing: storing(failing, async () => true) });
		const first = call(scenario, { body: { job_id: x } });
		while (fail === undefined) await setImmediate();
		expect((await call(scenario, { body: { job_id: y } })).items).toHaveLength(1);
		time.isStopped = true;
		time.pauses.length = 0;
		const repeat = call(scenario, { body: { job_id: x } });
		while (time.pauses.length === 0) await setImmediate();
		fail(false);
		await first;
		expect(await repeat).toMatchObject({ status: 503, items: [] });
		expect((await call(scenario, { body: { job_id: x } })).items).toHaveLength(1);
		// After a restart as well.
		restart(scenario);
		expect((await call(scenario, { body: { job_id: x } })).items).toEqual([]);
	});
});

describe('signed calls', () => {
	const secure = (credential: IDataObject = {}) => build({}, { webhookSecret: SECRET, ...credential });

	it('are let in by the previous secret as well, so that it can be changed while jobs run', async () => {
		const jobId = await finishedJob(sandbox);
		const query = signedQuery();
		const changed = { webhookSecret: 'a new secret' };
		expect((await call(secure(changed), { body: { job_id: jobId }, query })).status).toBe(401);
		const both = secure({ ...changed, previousWebhookSecret: SECRET });
		expect((await call(both, { body: { job_id: jobId }, query })).items).toHaveLength(1);
	});
});

describe('an end that cannot be confirmed now', () => {
	it('is asked to be called again, and then handled', async () => {
		const jobId = await createJob(sandbox);
		const scenario = build();
		const early = await call(scenario, { body: { job_id: jobId } });
		expect(early).toMatchObject({
			status: 503,
			headers: { 'retry-after': '30' },
			body: { success: false, message: 'The job has not ended yet' },
			items: [],
		});
		sandbox.finishJob(jobId);
		expect((await call(scenario, { body: { job_id: jobId } })).items).toHaveLength(1);
	});

	it('is waited for when the service calls a moment too early', async () => {
		const jobId = await createJob(sandbox);
		// While the trigger pauses after its first look.
		time.listeners.add(() => sandbox.finishJob(jobId));
		expect((await call(build(), { body: { job_id: jobId } })).items).toHaveLength(1);
		expect(time.pauses).toEqual([1_000]);
	});
});

describe('a call without verification', () => {
	it('is believed without any call of the service', async () => {
		sandbox.clearRequests();
		const scenario = build({ output: 'job', options: { verifyJob: false } });
		const body = { job: { job_id: 'abc', status: 'finished', source: 'test' } };
		const { status, items } = await call(scenario, { body });
		expect(status).toBe(200);
		expect(items).toEqual([{ job_id: 'abc', status: 'finished', source: 'test' }]);
		expect(sandbox.requests).toEqual([]);
	});

	it('counts as finished when it names no status', async () => {
		const scenario = build({ output: 'notification', options: { verifyJob: false } });
		const { items } = await call(scenario, { body: { job_id: 'abc' } });
		expect(items).toEqual([expect.objectContaining({ job_id: 'abc', status: 'finished' })]);
	});

	it('starts nothing when it says itself that the job runs', async () => {
		const scenario = build({ events: ['any'], options: { verifyJob: false } });
		const { status, items } = await call(scenario, { body: { job_id: 'abc', status: 'working' } });
		expect({ status, items }).toEqual({ status: 200, items: [] });
	});

	it('still needs its signature', async () => {
		const scenario = build({ options: { verifyJob: false } }, { webhookSecret: SECRET });
		expect(await call(scenario, { body: { job_id: 'abc' } })).toMatchObject({ status: 401, items: [] });
		const query = signedQuery();
		expect(await call(scenario, { body: { job_id: 'abc' }, query })).toMatchObject({
			status: 200,
			items: [{ job_id: 'abc' }],
		});
	});
});

describe('a call that names no job', () => {
	it('is passed through when the user wants that', async () => {
		const scenario = build({ output: 'results', options: { onUnrecognized: 'passThrough' } });
		const { status, items } = await call(scenario, {
			body: { hello: 'world' },
			query: { pc_nonce: 'x' },
		});
		expect(status).toBe(200);
		expect(items).toEqual([
			{ job_id: null, status: null, received_at: expect.any(String), payload: { hello: 'world' } },
		]);
	});
});

describe('the editor', () => {
	it('can try out the same job again and again, and leaves no trace', async () => {
		const jobId = await finishedJob(sandbox);
		const scenario = { ...build(), mode: 'manual' as const };
		expect((await call(scenario, { body: { job_id: jobId } })).items).toHaveLength(1);
		expect((await call(scenario, { body: { job_id: jobId } })).items).toHaveLength(1);
		expect(store.calls).toEqual([]);
	});
});

describe('a credential that cannot be used', () => {
	it('lets nothing in and asks for a repeat', async () => {
		const scenario = build({}, { baseUrl: 'no address' });
		expect(await call(scenario, { body: { job_id: 'abc' } })).toMatchObject({ status: 503, items: [] });
	});
});

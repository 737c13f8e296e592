import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';

import { parse } from 'flatted';
import type { IRunExecutionData } from 'n8n-workflow';

import { startN8n } from '../../tools/n8n/instance.cjs';
import type { N8nInstance } from '../../tools/n8n/instance.cjs';
import { until } from '../../tools/until.cjs';
import { signCallbackUrl } from '../../nodes/PriceCollection/callback/signature';
import { cancelJob, createJob, finishedJob, SECRET } from '../engine/triggerSupport';
import { connect, node } from '../engine/workflow';
import type { Sandbox } from '../sandbox/sandbox';
import { startSandbox } from '../sandbox/sandbox';
import { NODE_TYPE, POLLING_TRIGGER_TYPE, TRIGGER_TYPE, unique } from './harness/e2e';
import { inParallel, startEffects, type Effects } from './harness/effects';

/** Own servers: these tests kill n8n and change what the service does. */
let n8n: N8nInstance;
let sandbox: Sandbox;
let effects: Effects;

beforeAll(async () => {
	sandbox = await startSandbox();
	effects = await startEffects();
	n8n = await startN8n({ env: { N8N_PAYLOAD_SIZE_MAX: '1', N8N_CONCURRENCY_PRODUCTION_LIMIT: '-1' } });
});
afterAll(async () => {
	await n8n.remove();
	await sandbox.close();
	effects.server.close();
});
beforeEach(() => {
	sandbox.reset();
	sandbox.setOptions({ autoFinish: false });
	effects.received.length = 0;
});

async function credential(more: Record<string, unknown> = {}) {
	const data = { baseUrl: sandbox.url, apiKey: sandbox.apiKey, ...more };
	const { id, name } = await n8n.client.createCredential(unique('credential'), data);
	return { priceCollectionApi: { id, name } };
}

/** An active workflow: a webhook trigger whose items are reported. */
async function activeTrigger(parameters = {}, credentialData = {}, after = [effects.report()]) {
	const webhookId = unique('hook');
	const credentials = await credential(credentialData);
	const trigger = node('Ends', TRIGGER_TYPE, parameters, { webhookId, credentials });
	const { id } = await n8n.client.createWorkflow({
		nodes: [trigger, ...after],
		connections: connect(after.length > 0 ? { Ends: ['Report'] } : {}),
	});
	await n8n.client.activate(id);
	const hookPath = `${webhookId}/price-collection`;
	const url = `${n8n.url}/webhook/${hookPath}`;
	const { httpMethod: method = 'POST' } = parameters as { httpMethod?: string };
	// Until n8n knows the address, it answers 404 itself, in other words than the trigger.
	await until(`${url} is known`, async () => {
		const reply = await fetch(url, { method });
		return !(await reply.text()).includes('not registered');
	});
	return { id, hookPath, url };
}

const post = async (url: string, body: unknown, init: RequestInit = {}) =>
	await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
		...init,
	});

const reported = async (count: number, timeoutMs?: number) =>
	await until(
		() => `${effects.received.length} items are reported, not ${count}`,
		() => effects.received.length >= count,
		timeoutMs,
	);
const reportedIds = () => effects.received.map((item) => String(item.job_id));

/** What n8n's database holds, read without it: that spares it the load. */
function inDatabase(sql: string, ...values: string[]): Array<Record<string, unknown>> {
	const file = path.join(n8n.userFolder, '.n8n/database.sqlite');
	const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
	try {
		return database.prepare(sql).all(...values);
	} finally {
		database.close();
	}
}
/** Nothing that is under way may come late. */
const settle = async () =>
	await until(
		'all executions have ended',
		() => inDatabase("SELECT id FROM execution_entity WHERE status IN ('new', 'running')").length === 0,
	);

/** Again where the connection broke, as a kept-alive one does on a busy machine; a service would repeat it too. */
async function stubbornly<T>(request: () => Promise<T>): Promise<T> {
	for (let tries = 1; ; tries++) {
		const outcome = await request().then(
			(value) => ({ value }),
			(error: unknown) => ({ error }),
		);
		if ('value' in outcome) return outcome.value;
		if (tries === 5 || !String(outcome.error).includes('fetch failed')) throw outcome.error;
	}
}

/** The jobs in the items of all executions of a workflow. */
function startedJobs(workflowId: string): string[] {
	const rows = inDatabase(
		'SELECT data FROM execution_data JOIN execution_entity ON id = executionId WHERE execution_entity.workflowId = ?',
		workflowId,
	);
	return rows.flatMap(({ data }) => {
		const { resultData } = parse(String(data)) as IRunExecutionData;
		const items = resultData.runData.Ends?.[0]?.data?.main?.[0] ?? [];
		return items.map((item) => String(item.json.job_id));
	});
}

describe('the webhook trigger in a real n8n', () => {
	it('turns 400 callbacks at once for 300 jobs into exactly 300 items', async () => {
		const { id, url } = await activeTrigger({}, {}, []);
		const jobIds: string[] = [];
		await inParallel(
			Array.from({ length: 300 }, (_, index) => index),
			20,
			async () => {
				jobIds.push(await finishedJob(sandbox));
			},
		);
		// Each third job is called for twice, the copy right behind the first.
		const calls = jobIds.flatMap((jobId, index) => (index % 3 === 0 ? [jobId, jobId] : [jobId]));
		const statuses: number[] = [];
		await inParallel(calls, 20, async (jobId) => {
			statuses.push(await stubbornly(async () => (await post(url, { job_id: jobId })).status));
		});
		await settle();
		const started = startedJobs(id);
		expect(calls).toHaveLength(400);
		expect(statuses.filter((status) => status !== 200)).toEqual([]);
		expect(started).toHaveLength(300);
		expect(new Set(started)).toEqual(new Set(jobIds));
	}, 600_000);

	it('lets a job that was created with its signed URL in, and nobody else', async () => {
		const { url } = await activeTrigger({ output: 'results', columns: 'all' }, { webhookSecret: SECRET });
		const signed = signCallbackUrl(url, SECRET, { expiresAt: Date.now() + 60_000, nonce: 'n' });
		const jobId = await createJob(sandbox, { webhook_url: signed });
		expect((await post(url, { job_id: jobId })).status).toBe(401);
		sandbox.finishJob(jobId);
		await reported(2);
		// The rows may be here before the service has read the answer to its call.
		await until('the call is answered', () =>
			sandbox.deliveries.every(({ status, error }) => status !== null || error !== null),
		);
		expect(sandbox.deliveries.map(({ status }) => status)).toEqual([200]);
		expect(effects.received.map(({ job_id, value }) => [job_id, value])).toEqual([
			[jobId, 'lamp'],
			[jobId, 'chair'],
		]);
		expect(JSON.stringify(effects.received)).not.toContain('pc_signature');
	});

	it.each(['json', 'form', 'xml', 'query'] as const)('understands a callback in %s', async (encoding) => {
		sandbox.setOptions({ webhookEncoding: encoding, webhookShape: 'payload' });
		const { url } = await activeTrigger({ output: 'notification' });
		const jobId = await createJob(sandbox, { webhook_url: url });
		sandbox.finishJob(jobId);
		await reported(1);
		expect(effects.received).toEqual([expect.objectContaining({ job_id: jobId, status: 'finished' })]);
	});

	it.each(['GET', 'PUT'])('listens for %s when set to', async (httpMethod) => {
		const { url } = await activeTrigger({ httpMethod });
		const jobId = await finishedJob(sandbox);
		const query = httpMethod === 'GET' ? `?job_id=${jobId}` : '';
		const body = httpMethod === 'GET' ? undefined : JSON.stringify({ job_id: jobId });
		const headers = { 'content-type': 'application/json' };
		const reply = await fetch(url + query, { method: httpMethod, body, headers });
		expect(reply.status).toBe(200);
		await reported(1);
		expect(reportedIds()).toEqual([jobId]);
	});

	it('remembers across a power failure what it has handled', async () => {
		const { url, hookPath } = await activeTrigger();
		const jobId = await finishedJob(sandbox);
		expect(await (await post(url, { job_id: jobId })).json()).toEqual({
			success: true,
			message: 'Accepted',
		});
		const second = await finishedJob(sandbox);
		await post(url, { job_id: second });
		await reported(2);
		await settle();
		await n8n.kill9();
		await n8n.restart();
		for (const done of [jobId, second]) {
			const again = await n8n.client.callWebhook(hookPath, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ job_id: done }),
			});
			// Only the execution that this starts can know, and then gives nothing.
			expect(await again.json()).toEqual({ success: true, message: 'Accepted' });
		}
		await settle();
		expect(reportedIds().sort()).toEqual([jobId, second].sort());
	});

	it("gets an end during a restart by the service's repeats", async () => {
		sandbox.setOptions({ webhookRetries: 100, webhookRetryDelayMs: 1_000 });
		const { url } = await activeTrigger();
		const jobId = await createJob(sandbox, { webhook_url: url });
		await n8n.stop();
		sandbox.finishJob(jobId);
		await until('a callback finds nobody', () => sandbox.deliveries.some(({ error }) => error !== null));
		await n8n.restart();
		await reported(1);
		await settle();
		expect(reportedIds()).toEqual([jobId]);
	});

	it('works with the test URL of the editor, signed too', async () => {
		const webhookId = unique('hook');
		const credentials = await credential({ webhookSecret: SECRET });
		const trigger = node('Ends', TRIGGER_TYPE, {}, { webhookId, credentials });
		const workflow = { nodes: [trigger, effects.report()], connections: connect({ Ends: ['Report'] }) };
		const { id } = await n8n.client.createWorkflow(workflow);
		await n8n.client.call('POST', `/rest/workflows/${id}/run`, { triggerToStartFrom: { name: 'Ends' } });
		const url = `${n8n.url}/webhook-test/${webhookId}/price-collection`;
		const jobId = await finishedJob(sandbox);
		expect((await post(url, { job_id: jobId })).status).toBe(401);
		const signed = signCallbackUrl(url, SECRET, { expiresAt: Date.now() + 60_000, nonce: 'n' });
		expect((await post(signed, { job_id: jobId })).status).toBe(200);
		await reported(1);
		expect(reportedIds()).toEqual([jobId]);
	});
});

describe('forged calls over HTTP', () => {
	interface Attack {
		name: string;
		status: number;
		/** The secret of the trigger's credential. */
		secret?: string;
		send: (url: string) => Promise<Response>;
	}
	const json = (body: string): RequestInit => ({
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body,
	});
	const withType = (type: string, body: string | Buffer): RequestInit => ({
		method: 'POST',
		headers: { 'content-type': type },
		body,
	});
	const sign = (url: string, more: { secret?: string; expiresAt?: number } = {}) =>
		signCallbackUrl(url, more.secret ?? SECRET, {
			expiresAt: more.expiresAt ?? Date.now() + 60_000,
			nonce: 'nonce',
		});
	const bracketed = (count: number) =>
		Object.fromEntries(Array.from({ length: count }, (_, n) => [`job[x${n}]`, 1]));
	const bomb = `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "${'&a;'.repeat(50)}"><!ENTITY c "${'&b;'.repeat(50)}"><!ENTITY d "${'&c;'.repeat(50)}">]><job><job-id>&d;</job-id></job>`;
	const external =
		'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]><job><job-id>&x;</job-id></job>';
	let ended = '';
	let running = '';
	let foreign = '';

	const signedBody = () => json(JSON.stringify({ job_id: ended }));
	const attacks: Attack[] = [
		{
			name: 'no signature',
			status: 401,
			secret: SECRET,
			send: async (url) => await fetch(url, signedBody()),
		},
		{
			name: 'the signature twice',
			status: 401,
			secret: SECRET,
			send: async (url) => await fetch(`${sign(url)}&pc_signature=${'0'.repeat(64)}`, signedBody()),
		},
		{
			name: 'a nested signature',
			status: 401,
			secret: SECRET,
			send: async (url) =>
				await fetch(sign(url).replace('pc_signature=', 'pc_signature[a]='), signedBody()),
		},
		{
			name: 'the signature in a header',
			status: 401,
			secret: SECRET,
			send: async (url) =>
				await fetch(url, {
					...signedBody(),
					headers: { 'content-type': 'application/json', pc_signature: '0'.repeat(64) },
				}),
		},
		{
			name: 'a genuine signature and an unknown job',
			status: 503,
			secret: SECRET,
			send: async (url) => await fetch(sign(url), json('{"job_id":"ffffffffffffffffffffffff"}')),
		},
		{
			name: 'a job of another account',
			status: 503,
			send: async (url) => await fetch(url, json(JSON.stringify({ job_id: foreign }))),
		},
		{
			name: 'a running job said to be finished',
			status: 503,
			send: async (url) =>
				await fetch(url, json(JSON.stringify({ job_id: running, status: 'finished' }))),
		},
		{
			name: 'a download URL of a foreign host',
			status: 503,
			send: async (url) =>
				await fetch(
					url,
					json(
						JSON.stringify({
							download_url: `${sandbox.otherOriginUrl}/v2/jobs/made-up/download`,
							status: 'finished',
						}),
					),
				),
		},
		{
			name: 'prototype pollution',
			status: 400,
			send: async (url) =>
				await fetch(
					url,
					json(
						`{"__proto__":{"job_id":"${ended}"},"constructor":{"prototype":{"job_id":"${ended}"}}}`,
					),
				),
		},
		{
			name: 'prototype pollution in a form',
			status: 400,
			send: async (url) =>
				await fetch(
					url,
					withType(
						'application/x-www-form-urlencoded',
						`__proto__[job_id]=${'x'.repeat(10)}&data[__proto__]=y`,
					),
				),
		},
		{
			// n8n renames the element.
			name: 'prototype pollution in XML',
			status: 503,
			send: async (url) =>
				await fetch(url, withType('application/xml', '<__proto__><job-id>x</job-id></__proto__>')),
		},
		{
			name: 'an entity bomb',
			status: 422,
			send: async (url) => await fetch(url, withType('application/xml', bomb)),
		},
		{
			// Not expanded: the ID is then "&x;".
			name: 'an external entity',
			status: 503,
			send: async (url) => await fetch(url, withType('application/xml', external)),
		},
		{ name: 'broken JSON', status: 422, send: async (url) => await fetch(url, json('{"job_id":')) },
		{
			// Refused by n8n before any node is asked, as for its own Webhook node.
			name: 'a huge body',
			status: 500,
			send: async (url) =>
				await fetch(url, json(JSON.stringify({ job_id: ended, fill: 'x'.repeat(2_000_000) }))),
		},
		{
			name: 'a zip bomb',
			status: 500,
			send: async (url) =>
				await fetch(url, {
					...json(''),
					headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
					body: gzipSync(Buffer.alloc(50_000_000, ' ')),
				}),
		},
		{
			name: 'a wrong content type',
			status: 400,
			send: async (url) => await fetch(url, withType('image/png', Buffer.alloc(1000, 1))),
		},
		{ name: 'no body', status: 400, send: async (url) => await fetch(url, { method: 'POST' }) },
		{
			name: 'deep nesting',
			status: 413,
			send: async (url) => await fetch(url, json('['.repeat(5_000) + ']'.repeat(5_000))),
		},
		{
			// 0.1.0 stood still for 29 seconds.
			name: '10,000 fields with brackets',
			status: 413,
			send: async (url) => await fetch(url, json(JSON.stringify(bracketed(10_000)))),
		},
		{
			name: 'many fields without signature',
			status: 413,
			secret: SECRET,
			send: async (url) => await fetch(url, json(JSON.stringify(bracketed(30_000)))),
		},
		{
			name: 'another method',
			status: 404,
			send: async (url) => await fetch(`${url}?job_id=${ended}`, { method: 'DELETE' }),
		},
	];

	/** An attack that works holds n8n for longer; a busy machine does not. */
	const STILL_MS = 15_000;

	it('start nothing, get the right status and leave n8n up', async () => {
		ended = await finishedJob(sandbox);
		running = await createJob(sandbox);
		foreign = await createJob(sandbox, {}, sandbox.options.secondApiKey);
		sandbox.finishJob(foreign);
		// With all columns: the job of a row is one of them.
		const parameters = { events: ['any'], output: 'results', columns: 'all' };
		const signedOnly = await activeTrigger(parameters, { webhookSecret: SECRET });
		const open = await activeTrigger(parameters);
		sandbox.clearRequests();
		const outcomes: Record<string, number> = {};
		const probes = { isOn: true, answered: 0, failed: 0 };
		const probing = (async () => {
			while (probes.isOn) {
				const reply = await fetch(`${n8n.url}/healthz`, {
					signal: AbortSignal.timeout(STILL_MS),
				}).catch(() => undefined);
				if (reply?.status === 200) probes.answered++;
				else probes.failed++;
				await new Promise((resolve) => setTimeout(resolve, 50));
			}
		})();
		for (const { name, secret, send } of attacks) {
			const reply = await send((secret === undefined ? open : signedOnly).url);
			await reply.text();
			outcomes[name] = reply.status;
		}
		probes.isOn = false;
		await probing;
		expect(probes.failed).toBe(0);
		expect(probes.answered).toBeGreaterThan(0);
		await settle();
		expect(outcomes).toEqual(Object.fromEntries(attacks.map(({ name, status }) => [name, status])));
		expect(effects.received).toEqual([]);
		expect(await n8n.client.executionsOf(open.id)).toEqual([]);
		expect(await n8n.client.executionsOf(signedOnly.id)).toEqual([]);
		expect(sandbox.otherOriginRequests).toEqual([]);
		expect(sandbox.requests.filter(({ path }) => path.includes('download'))).toEqual([]);
		expect((await fetch(`${n8n.url}/healthz`)).status).toBe(200);
		expect((await post(open.url, { job_id: ended })).status).toBe(200);
		await reported(2);
		expect(reportedIds()).toEqual([ended, ended]);
	});
});

describe('both triggers beside each other', () => {
	// n8n's Remove Duplicates reads and writes without a lock: it tells apart what comes one execution after the other.
	it('give each of 300 ends once where executions take turns, also those whose callback was lost', async () => {
		await n8n.restart({ N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' });
		const webhookId = unique('hook');
		const credentials = await credential();
		const parameters = { events: ['any'], pollTimes: { item: [{ mode: 'everyMinute' }] } };
		const { id } = await n8n.client.createWorkflow({
			nodes: [
				node('Called', TRIGGER_TYPE, { events: ['any'] }, { webhookId, credentials }),
				node('Polled', POLLING_TRIGGER_TYPE, parameters, { credentials }),
				node(
					'Once',
					'n8n-nodes-base.removeDuplicates',
					{
						operation: 'removeItemsSeenInPreviousExecutions',
						logic: 'removeItemsWithAlreadySeenKeyValues',
						dedupeValue: '={{ $json.job_id }}',
						options: {},
					},
					{ typeVersion: 2 },
				),
				effects.report(),
			],
			connections: connect({ Called: ['Once'], Polled: ['Once'], Once: ['Report'] }),
		});
		await n8n.client.activate(id);
		const url = `${n8n.url}/webhook/${webhookId}/price-collection`;
		// n8n says that a workflow is active before it has polled, and jobs that end before the first poll are old news to it.
		await until('the first poll has found no job', () =>
			inDatabase('SELECT staticData FROM workflow_entity WHERE id = ?', id).some(({ staticData }) =>
				String(staticData).includes('node:Polled'),
			),
		);
		const jobIds: string[] = [];
		await inParallel([...Array(300).keys()], 20, async (n) => {
			jobIds[n] = await createJob(sandbox);
		});
		await settle();
		for (const [n, jobId] of jobIds.entries()) {
			if (n % 9 === 0) await cancelJob(sandbox, jobId);
			else sandbox.finishJob(jobId);
		}
		// Nobody calls for a third of them, and a third of those was cancelled. Calls are repeated until they are heard.
		await inParallel([...jobIds.entries()], 20, async ([n, jobId]) => {
			if (n % 3 === 0) return;
			while ((await stubbornly(async () => (await post(url, { job_id: jobId })).status)) !== 200) {
				await new Promise((resolve) => setTimeout(resolve, 1_000));
			}
		});
		const seen = () => new Set(reportedIds()).size;
		await until(
			() => `${seen()} jobs are reported, not 300`,
			() => seen() >= 300,
			400_000,
		);
		const polls = () => sandbox.requests.filter(({ path: asked }) => asked.endsWith('/v2/jobs')).length;
		const before = polls();
		await until('another poll, which sees everything again', () => polls() > before);
		await settle();
		await n8n.client.deactivate(id);
		const times = new Map<string, number>();
		for (const jobId of reportedIds()) times.set(jobId, (times.get(jobId) ?? 0) + 1);
		expect(jobIds.filter((jobId) => times.get(jobId) !== 1)).toEqual([]);
		expect(reportedIds()).toHaveLength(300);
	}, 700_000);
});

describe('creating in one workflow and handling in another', () => {
	it('works with the URL of the trigger and a secret', async () => {
		const { url } = await activeTrigger({}, { webhookSecret: SECRET });
		const credentials = await credential({ webhookSecret: SECRET });
		const create = node(
			'Create',
			NODE_TYPE,
			{
				resource: 'job',
				operation: 'create',
				topic: 'search',
				useTestSource: true,
				country: { __rl: true, mode: 'code', value: 'us' },
				lookupKey: 'term',
				values: 'lamp',
				options: { webhookUrl: url },
			},
			{ credentials },
		);
		const start = node('Start', 'n8n-nodes-base.manualTrigger');
		const { id } = await n8n.client.createWorkflow({
			nodes: [start, create],
			connections: connect({ Start: ['Create'] }),
		});
		await n8n.client.waitForExecution(await n8n.client.startManually(id, 'Start'));
		const [job] = sandbox.jobs;
		expect(job?.webhookUrl).toMatch(/\?pc_expires=\d+&pc_nonce=\w+&pc_signature=[0-9a-f]{64}$/);
		sandbox.finishJob(job?.job_id ?? '');
		await reported(1);
		expect(reportedIds()).toEqual([job?.job_id]);
	});
});

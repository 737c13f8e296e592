import { gzipSync } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';

import { startN8n } from '../../support/n8n/instance.cjs';
import type { N8nInstance } from '../../support/n8n/instance.cjs';
import { until } from '../../support/until.cjs';
import { signCallbackUrl } from '../../../nodes/PriceCollection/callback/signature';
import { cancelJob, createJob, finishedJob, SECRET } from '../../engine/support/triggerSupport';
import { connect, node } from '../../engine/support/workflow';
import type { SandboxOptions } from '../../fakes/sandbox/options';
import type { Sandbox } from '../../fakes/sandbox/sandbox';
import { startSandbox } from '../../fakes/sandbox/sandbox';
import { locator } from './harness/collecting';
import { createCredential, MANUAL_TRIGGER, NODE_TYPE, POLLING_TRIGGER_TYPE } from './harness/e2e';
import { inParallel, startEffects, type Effects } from './harness/effects';
import {
	activate,
	callUntilHeard,
	inDatabase,
	post,
	settle,
	untilKnown,
	webhookTrigger,
} from './harness/triggers';

/** Not the shared servers: these tests restart n8n and change what the service does. */
let n8n: N8nInstance;
let sandbox: Sandbox;
let effects: Effects;

beforeAll(async () => {
	sandbox = await startSandbox({ autoFinish: false });
	effects = await startEffects();
	n8n = await startN8n({ env: { N8N_PAYLOAD_SIZE_MAX: '1' } });
});
afterAll(async () => {
	await n8n?.remove();
	await sandbox.close();
	effects.close();
});
beforeEach(() => {
	sandbox.reset();
	effects.received.length = 0;
});

const credential = async (more: Record<string, unknown> = {}) =>
	await createCredential({ baseUrl: sandbox.url, ...more }, n8n.client);

/** An active workflow: a webhook trigger whose items are reported. */
async function activeTrigger(parameters: INodeParameters = {}, credentialData = {}) {
	const [trigger, path] = webhookTrigger(await credential(credentialData), parameters);
	const id = await activate(n8n.client, [trigger, effects.report()]);
	const url = `${n8n.url}/webhook/${path}`;
	await untilKnown(url, String(parameters.httpMethod ?? 'POST'));
	return { id, url };
}

const reported = async (count: number, timeoutMs?: number) =>
	await until(
		() => `${new Set(effects.jobIds()).size} jobs are reported, not ${count}`,
		() => new Set(effects.jobIds()).size >= count,
		timeoutMs,
	);

const signed = (url: string) => signCallbackUrl(url, SECRET, { expiresAt: Date.now() + 60_000, nonce: 'n' });

describe('the webhook trigger in a real n8n', () => {
	it('lets in a job that Create has given its signed URL, and nobody else', async () => {
		const secret = { webhookSecret: SECRET };
		const { url } = await activeTrigger({ output: 'results', columns: 'all' }, secret);
		const create = node(
			'Create',
			NODE_TYPE,
			{
				...{ resource: 'job', operation: 'create', topic: 'search', useTestSource: true },
				...{ country: locator('code', 'us'), lookupKey: 'term', values: 'lamp\nchair' },
				options: { webhookUrl: url },
			},
			{ credentials: { priceCollectionApi: await credential(secret) } },
		);
		const { id } = await n8n.client.createWorkflow({
			nodes: [node('Start', MANUAL_TRIGGER), create],
			connections: connect({ Start: ['Create'] }),
		});
		await n8n.client.waitForExecution(await n8n.client.startManually(id, 'Start'));
		const [{ job_id: jobId, webhookUrl } = { job_id: '', webhookUrl: '' }] = sandbox.jobs;
		expect(webhookUrl).toMatch(/\?pc_expires=\d+&pc_nonce=\w+&pc_signature=[0-9a-f]{64}$/);
		expect((await post(url, { job_id: jobId })).status).toBe(401);
		sandbox.finishJob(jobId);
		await until('the call is answered and all is reported', () => {
			const [call] = sandbox.deliveries;
			return effects.received.length >= 2 && (call?.status ?? call?.error ?? null) !== null;
		});
		expect(sandbox.deliveries.map(({ status }) => status)).toEqual([200]);
		expect(effects.received.map(({ job_id, value }) => [job_id, value])).toEqual([
			[jobId, 'lamp'],
			[jobId, 'chair'],
		]);
		expect(JSON.stringify(effects.received)).not.toContain('pc_signature');
	});

	it.each<[SandboxOptions['webhookEncoding'], string]>([
		['json', 'POST'],
		['form', 'POST'],
		['xml', 'POST'],
		['query', 'POST'],
		['json', 'PUT'],
		['query', 'GET'],
	])('understands a callback in %s by %s', async (webhookEncoding, httpMethod) => {
		sandbox.setOptions({ webhookEncoding });
		const { url } = await activeTrigger({ output: 'notification', httpMethod });
		const jobId = await createJob(sandbox, { webhook_url: url, webhook_method: httpMethod });
		sandbox.finishJob(jobId);
		await reported(1);
		expect(effects.received).toEqual([expect.objectContaining({ job_id: jobId, status: 'finished' })]);
	});
});

/** The trigger must remember jobs whatever its rows look like. */
const SHAPES: INodeParameters[] = [
	{ output: 'job' },
	{ output: 'notification' },
	...['main', 'all', 'raw'].flatMap((columns) =>
		['results', 'entries'].map((output) => ({ output, columns })),
	),
];

it('starts once for a job that is called for again, also after a restart, whatever its output', async () => {
	const triggers = await Promise.all(SHAPES.map(async (parameters) => await activeTrigger(parameters)));
	const jobIds: string[] = [];
	for (let n = 0; n < 5; n++) jobIds.push(await finishedJob(sandbox));
	const callAll = async () => {
		for (const { url } of triggers)
			await inParallel(jobIds, 5, async (jobId) => await callUntilHeard(url, jobId));
		await settle(n8n);
	};
	await callAll();
	const first = effects.received.length;
	// A job has two results; its rows without a column for the job count as well.
	expect(first).toBeGreaterThanOrEqual(jobIds.length * SHAPES.length);
	await callAll();
	await n8n.restart();
	await callAll();
	expect(effects.received).toHaveLength(first);
}, 300_000);

/** Calls that n8n itself reads before the trigger does; `engine/trigger/forgedCalls` has the others. */
describe('forged calls over HTTP', () => {
	const entities = [
		'a "ha"',
		...['ab', 'bc', 'cd'].map(([one, next]) => `${next} "${`&${one};`.repeat(50)}"`),
	];
	const bomb = `<!DOCTYPE l [${entities.map((entity) => `<!ENTITY ${entity}>`).join('')}]>`;
	const external = '<!DOCTYPE l [<!ENTITY d SYSTEM "file:///etc/passwd">]>';
	const document = (type: string) => `<?xml version="1.0"?>${type}<job><job-id>&d;</job-id></job>`;
	const XML = { 'content-type': 'application/xml' };
	const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
	const zip = { 'content-encoding': 'gzip' };

	/** The status that the call must get, and the call: JSON by POST by default. `JOB` is a job that has ended. */
	const ATTACKS: Record<string, [status: number, RequestInit, address?: (url: string) => string]> = {
		'a nested signature': [401, {}, (url) => signed(url).replace('signature=', 'signature[a]=')],
		'prototype pollution': [400, { body: '{"__proto__":{"job_id":"JOB"}}' }],
		'prototype pollution in a form': [
			400,
			{ headers: FORM, body: '__proto__[job_id]=x&data[__proto__]=y' },
		],
		// n8n renames the element.
		'prototype pollution in XML': [
			503,
			{ headers: XML, body: '<__proto__><job-id>x</job-id></__proto__>' },
		],
		'an entity bomb': [422, { headers: XML, body: document(bomb) }],
		// Not expanded: the ID is then "&d;".
		'an external entity': [503, { headers: XML, body: document(external) }],
		'broken JSON': [422, { body: '{"job_id":' }],
		// n8n refuses these before it asks any node, as for its own Webhook node.
		'a huge body': [500, { body: `{"job_id":"JOB","fill":"${'x'.repeat(2_000_000)}"}` }],
		'a zip bomb': [500, { headers: zip, body: gzipSync(Buffer.alloc(50_000_000, ' ')) }],
		'a wrong content type': [400, { headers: { 'content-type': 'image/png' }, body: Buffer.alloc(9) }],
		'deep nesting': [413, { body: '['.repeat(5_000) + ']'.repeat(5_000) }],
	};

	it('start nothing, get the right status and leave n8n up', async () => {
		const jobId = await finishedJob(sandbox);
		const secret = await activeTrigger({}, { webhookSecret: SECRET });
		const open = await activeTrigger({});
		sandbox.clearRequests();
		const outcomes: Record<string, number> = {};
		for (const [
			name,
			[status, { headers, body = '{"job_id":"JOB"}' }, addressOf = String],
		] of Object.entries(ATTACKS)) {
			const reply = await fetch(addressOf(status === 401 ? secret.url : open.url), {
				...{ method: 'POST', signal: AbortSignal.timeout(15_000) },
				headers: { 'content-type': 'application/json', ...headers },
				body: typeof body === 'string' ? body.replace('JOB', jobId) : body,
			});
			await reply.text();
			outcomes[name] = reply.status;
		}
		expect(outcomes).toEqual(
			Object.fromEntries(Object.entries(ATTACKS).map(([name, [status]]) => [name, status])),
		);
		await settle(n8n);
		expect(effects.received).toEqual([]);
		for (const { id } of [open, secret]) expect(await n8n.client.executionsOf(id)).toEqual([]);
		expect(sandbox.requests.filter(({ path }) => path.includes('download'))).toEqual([]);
		expect((await post(open.url, { job_id: jobId })).status).toBe(200);
		await reported(1);
	});
});

// n8n's Remove Duplicates reads and writes without a lock, so it only works if executions run one after another.
it('both triggers beside each other give each of 36 ends once where executions take turns, also those whose callback was lost', async () => {
	await n8n.restart({ N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' });
	const [called, path] = webhookTrigger(await credential(), { events: ['any'] });
	const pollTimes = { item: [{ mode: 'everyMinute' }] };
	const { credentials } = called;
	const once = {
		operation: 'removeItemsSeenInPreviousExecutions',
		logic: 'removeItemsWithAlreadySeenKeyValues',
		dedupeValue: '={{ $json.job_id }}',
		options: {},
	};
	const id = await activate(
		n8n.client,
		[
			called,
			node(
				'Polled',
				POLLING_TRIGGER_TYPE,
				{ events: ['any'], output: 'job', pollTimes },
				{ credentials },
			),
			node('Once', 'n8n-nodes-base.removeDuplicates', once, { typeVersion: 2 }),
			effects.report(),
		],
		connect({ Ends: ['Once'], Polled: ['Once'], Once: ['Report'] }),
	);
	// n8n calls a workflow active before it has polled, and the trigger ignores jobs that ended before the first poll.
	await until('the first poll has found no job', () =>
		inDatabase(n8n, 'SELECT staticData FROM workflow_entity WHERE id = ?', id).some(({ staticData }) =>
			String(staticData).includes(POLLING_TRIGGER_TYPE),
		),
	);
	const jobIds: string[] = [];
	for (let n = 0; n < 36; n++) jobIds.push(await createJob(sandbox));
	for (const [n, jobId] of jobIds.entries()) {
		if (n % 9 === 0) await cancelJob(sandbox, jobId);
		else sandbox.finishJob(jobId);
	}
	// A third of them get no call, and a third of those were cancelled.
	const heard = jobIds.filter((_, n) => n % 3 !== 0);
	await inParallel(heard, 20, async (jobId) => await callUntilHeard(`${n8n.url}/webhook/${path}`, jobId));
	await reported(jobIds.length, 200_000);
	const polls = () => sandbox.requests.filter(({ path: asked }) => asked.endsWith('/v2/jobs')).length;
	const before = polls();
	await until('another poll, which sees everything again', () => polls() > before);
	await settle(n8n);
	await n8n.client.deactivate(id);
	expect(effects.jobIds().sort()).toEqual([...jobIds].sort());
}, 500_000);

it('a polling trigger misses no end while its node is renamed, and its memory stays one', async () => {
	const pollTimes = { item: [{ mode: 'everyMinute' }] };
	const credentials = { priceCollectionApi: await credential() };
	const workflow = (name: string) => ({
		nodes: [
			node(
				name,
				POLLING_TRIGGER_TYPE,
				{ events: ['any'], output: 'job', pollTimes },
				{ credentials, id: 'the-trigger' },
			),
			effects.report(),
		],
		connections: connect({ [name]: ['Report'] }),
	});
	const { nodes, connections } = workflow('Polled');
	const id = await activate(n8n.client, nodes, connections);
	const memory = () =>
		inDatabase(n8n, 'SELECT staticData FROM workflow_entity WHERE id = ?', id).flatMap(
			({ staticData }) => {
				const { global = {} } = JSON.parse(String(staticData ?? '{}')) as { global?: object };
				return Object.keys(global);
			},
		);
	const keys = [`${POLLING_TRIGGER_TYPE} ${id} the-trigger`];
	await until('the first poll has found no job', () => memory().length > 0);
	const jobId = await finishedJob(sandbox);
	await n8n.client.call('PATCH', `/rest/workflows/${id}`, workflow('Ended jobs'));
	await n8n.client.activate(id);
	await reported(1, 200_000);
	const later = await finishedJob(sandbox);
	await reported(2, 200_000);
	await settle(n8n);
	await n8n.client.deactivate(id);
	expect([effects.jobIds(), memory()]).toEqual([[jobId, later], keys]);
}, 500_000);

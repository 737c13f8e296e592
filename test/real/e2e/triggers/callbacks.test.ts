import { gzipSync } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';

import { someOf } from '../../../support/runs';
import { until } from '../../../support/until.cjs';
import { signCallbackUrl } from '../../../../nodes/PriceCollection/callback/signature';
import { createJob, finishedJob, SECRET } from '../../../engine/support/triggerSupport';
import { connect, node } from '../../../engine/support/workflow';
import type { SandboxOptions } from '../../../fakes/sandbox/options';
import { locator } from '../harness/collecting';
import { MANUAL_TRIGGER, NODE_TYPE } from '../harness/e2e';
import { inParallel } from '../harness/effects';
import {
	activate,
	callUntilHeard,
	post,
	settle,
	untilKnown,
	useTriggerLab,
	webhookTrigger,
} from '../harness/triggers';

const lab = useTriggerLab({ N8N_PAYLOAD_SIZE_MAX: '1' });

/** An active workflow: a webhook trigger whose items are reported. */
async function activeTrigger(parameters: INodeParameters = {}, credentialData = {}) {
	const [trigger, path] = webhookTrigger(await lab.credential(credentialData), parameters);
	const id = await activate(lab.n8n.client, [trigger, lab.effects.report()]);
	const url = `${lab.n8n.url}/webhook/${path}`;
	await untilKnown(url, String(parameters.httpMethod ?? 'POST'));
	return { id, url };
}

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
			{ credentials: { priceCollectionApi: await lab.credential(secret) } },
		);
		const { id } = await lab.n8n.client.createWorkflow({
			nodes: [node('Start', MANUAL_TRIGGER), create],
			connections: connect({ Start: ['Create'] }),
		});
		await lab.n8n.client.waitForExecution(await lab.n8n.client.startManually(id, 'Start'));
		const [{ job_id: jobId, webhookUrl } = { job_id: '', webhookUrl: '' }] = lab.sandbox.jobs;
		expect(webhookUrl).toMatch(/\?pc_expires=\d+&pc_nonce=\w+&pc_signature=[0-9a-f]{64}$/);
		expect((await post(url, { job_id: jobId })).status).toBe(401);
		lab.sandbox.finishJob(jobId);
		await until('the call is answered and all is reported', () => {
			const [call] = lab.sandbox.deliveries;
			return lab.effects.received.length >= 2 && (call?.status ?? call?.error ?? null) !== null;
		});
		expect(lab.sandbox.deliveries.map(({ status }) => status)).toEqual([200]);
		expect(lab.effects.received.map(({ job_id, value }) => [job_id, value])).toEqual([
			[jobId, 'lamp'],
			[jobId, 'chair'],
		]);
		expect(JSON.stringify(lab.effects.received)).not.toContain('pc_signature');
	});

	it.each<[SandboxOptions['webhookEncoding'], string]>([
		['json', 'POST'],
		['form', 'POST'],
		['xml', 'POST'],
		['query', 'POST'],
		['json', 'PUT'],
		['query', 'GET'],
	])('understands a callback in %s by %s', async (webhookEncoding, httpMethod) => {
		lab.sandbox.setOptions({ webhookEncoding });
		const { url } = await activeTrigger({ output: 'notification', httpMethod });
		const jobId = await createJob(lab.sandbox, { webhook_url: url, webhook_method: httpMethod });
		lab.sandbox.finishJob(jobId);
		await lab.reported(1);
		expect(lab.effects.received).toEqual([
			expect.objectContaining({ job_id: jobId, status: 'finished' }),
		]);
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
	const played = someOf(SHAPES, 3);
	const triggers = await Promise.all(played.map(async (parameters) => await activeTrigger(parameters)));
	const jobIds: string[] = [];
	for (let n = 0; n < 3; n++) jobIds.push(await finishedJob(lab.sandbox));
	const callAll = async () => {
		for (const { url } of triggers)
			await inParallel(jobIds, 3, async (jobId) => await callUntilHeard(url, jobId));
		await settle(lab.n8n);
	};
	await callAll();
	const first = lab.effects.received.length;
	// A job has two results; its rows without a column for the job count as well.
	expect(first).toBeGreaterThanOrEqual(jobIds.length * played.length);
	await callAll();
	await lab.n8n.restart();
	await callAll();
	expect(lab.effects.received).toHaveLength(first);
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
		const jobId = await finishedJob(lab.sandbox);
		const secret = await activeTrigger({}, { webhookSecret: SECRET });
		const open = await activeTrigger({});
		lab.sandbox.clearRequests();
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
		await settle(lab.n8n);
		expect(lab.effects.received).toEqual([]);
		for (const { id } of [open, secret]) expect(await lab.n8n.client.executionsOf(id)).toEqual([]);
		expect(lab.sandbox.requests.filter(({ path }) => path.includes('download'))).toEqual([]);
		expect((await post(open.url, { job_id: jobId })).status).toBe(200);
		await lab.reported(1);
	});
});

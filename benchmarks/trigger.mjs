/**
 * Accepted and refused callbacks per second in the real n8n: the webhook trigger compared with n8n's own Webhook node
 * and with the smallest trigger that a package can have. Every call names another job, the workflow is only its
 * trigger, and n8n does not save successful executions. In each round, all ways take turns, forwards and backwards, so
 * that they meet the same conditions; a first round of hundreds of calls warms each of them up.
 *
 * By default n8n sets up an isolate for expressions for each call of any trigger except its own Webhook node, which
 * alone costs about as much as all the rest; `--engine=legacy` shows the nodes without it. Refused calls are compared
 * with the same calls of n8n's Webhook node, which takes anything: with the defaults, 1,000 of each kind in five
 * rounds. The least trigger answers before its workflow has run, ours afterwards. Calls per second leave out what n8n
 * still runs after the last answer, so these two get more calls to make that part small.
 * Options: --calls=200 --comparedCalls=500 --concurrency=20 --rounds=5 --engine=vm
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import n8nInstance from '../test/support/n8n/instance.cjs';
import { Probe } from './support/probe.mjs';
import {
	median,
	numberOption,
	printMachine,
	printTable,
	printTargets,
	textOption,
} from './support/report.mjs';
import { KEY, QUESTION, Service } from './support/service.mjs';

const CALLS = numberOption('calls', 200);
const COMPARED_CALLS = numberOption('comparedCalls', 500);
const CONCURRENCY = numberOption('concurrency', 20);
const ROUNDS = numberOption('rounds', 5);
/** Keeps n8n's work on the runs of a round out of the next round. */
const QUIET_MS = 250;
const QUIET_CPU_SECONDS = 0.03;

const ENGINE = textOption('engine', 'vm');
const LEAST_TRIGGER = fileURLToPath(new URL('support/leastTrigger', import.meta.url));

const BASELINE = "n8n's Webhook node";
const [ACCEPTED, LEAST] = ['trigger, not verified', 'least trigger'];
const callsOf = ({ name }) => ([ACCEPTED, LEAST].includes(name) ? COMPARED_CALLS : CALLS);
/** More fields than a notification may have. */
const LARGE = Object.fromEntries(Array.from({ length: 6_000 }, (_, n) => [`field${n}`, n]));
const webhookNode = (name, path, more) => ({
	name,
	path,
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2,
	parameters: { path, httpMethod: 'POST', responseMode: 'onReceived' },
	...more,
});
const WAYS = [
	webhookNode(BASELINE, 'bench-webhook'),
	{
		name: LEAST,
		path: 'bench-least/least',
		webhookId: 'bench-least',
		type: 'CUSTOM.leastTrigger',
		typeVersion: 1,
		parameters: {},
	},
	...[
		[ACCEPTED, { verifyJob: false }],
		['trigger, not verified, duplicates let through', { verifyJob: false, ignoreDuplicates: false }],
		['trigger, verified', {}],
		['refused: no signature', {}, { signed: true, status: 401 }],
		['refused: no job', {}, { status: 400, body: { hello: 'world' } }],
		['refused: 6,000 fields', {}, { status: 413, body: LARGE }],
	].map(([name, options, more], index) => ({
		name,
		path: `bench-trigger-${index}/price-collection`,
		webhookId: `bench-trigger-${index}`,
		type: 'n8n-nodes-price-collection.priceCollectionTrigger',
		typeVersion: 1,
		parameters: { options },
		...more,
	})),
	webhookNode(`${BASELINE}, 6,000 fields`, 'bench-webhook-large', { body: LARGE }),
];

/** Runs `work` for each entry, CONCURRENCY of them at once. */
async function inParallel(entries, work) {
	const queue = [...entries];
	const worker = async () => {
		for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) await work(entry);
	};
	await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

async function createJobs(service, count) {
	const ids = [];
	await inParallel(Array(count).keys(), async () => {
		const body = { ...QUESTION, source: 'test', values: 'lamp' };
		ids.push((await service.send('POST', `/v2/jobs?token=${KEY}`, body)).job_id);
	});
	await sleep(500);
	return ids;
}

async function install(client, way, credentials) {
	const { name, type, typeVersion, parameters, webhookId = way.path } = way;
	const node = {
		id: webhookId,
		name: 'Trigger',
		type,
		typeVersion,
		parameters,
		webhookId,
		position: [0, 0],
	};
	if (type.startsWith('n8n-nodes-price-collection')) {
		node.credentials = { priceCollectionApi: way.signed ? credentials.signed : credentials.plain };
	}
	const { id } = await client.createWorkflow({
		name,
		nodes: [node],
		connections: {},
		settings: { saveDataSuccessExecution: 'none' },
	});
	await client.activate(id);
	await client.callWebhook(way.path);
}

/** Waits until n8n is done with the runs that it has accepted. */
async function untilQuiet(n8n) {
	for (;;) {
		const meter = n8n.measure();
		await sleep(QUIET_MS);
		if (meter.stop().cpuSeconds <= QUIET_CPU_SECONDS) return;
	}
}

/** One round of one way: calls answered per second, and n8n's processor time for one call with its run. */
async function measure(n8n, way, ids) {
	await probe.ask();
	const meter = n8n.measure();
	const began = performance.now();
	await inParallel(ids, async (id) => {
		const reply = await fetch(`${n8n.url}/webhook/${way.path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(way.body ?? { job_id: id }),
		});
		const text = await reply.text();
		if (reply.status !== (way.status ?? 200)) throw new Error(`${way.name}: ${reply.status} ${text}`);
	});
	const seconds = (performance.now() - began) / 1000;
	await untilQuiet(n8n);
	const { cpuSeconds } = meter.stop();
	const { mainThread } = await probe.ask();
	const ofCall = (all) => (all * 1000) / ids.length;
	return { perSecond: ids.length / seconds, cpuMs: ofCall(cpuSeconds), mainThreadMs: ofCall(mainThread) };
}

const probe = new Probe();
const service = await Service.start({ jobDurationMs: 100 });
const n8n = await n8nInstance.startN8n({
	env: { ...probe.env, N8N_CUSTOM_EXTENSIONS: LEAST_TRIGGER, N8N_EXPRESSION_ENGINE: ENGINE },
});
try {
	const { client } = n8n;
	const fields = { baseUrl: service.url, apiKey: KEY };
	const reference = ({ id, name }) => ({ id, name });
	const credentials = {
		plain: reference(await client.createCredential('Price Collection', fields)),
		signed: reference(
			await client.createCredential('Signed', { ...fields, webhookSecret: 'a long random secret' }),
		),
	};
	for (const way of WAYS) await install(client, way, credentials);
	const rounds = new Map(WAYS.map((way) => [way, []]));
	for (let round = 0; round <= ROUNDS; round++) {
		for (const way of round % 2 === 0 ? WAYS : WAYS.toReversed()) {
			const ids = await createJobs(service, callsOf(way));
			const requestsBefore = (await service.counts()).requests;
			const measured = await measure(n8n, way, ids);
			const statusCalls = ((await service.counts()).requests - requestsBefore) / ids.length;
			// The first round warms up.
			if (round > 0) rounds.get(way).push({ ...measured, statusCalls });
			await service.reset();
		}
	}
	const middle = (way, field) => median(rounds.get(way).map((one) => one[field]));
	const [baseline] = WAYS;
	const largeBaseline = WAYS.at(-1);
	const ofBaseline = (way, field) => middle(way, field) / middle(baseline, field);
	printMachine({ n8n: true });
	const [accepted, least] = [ACCEPTED, LEAST].map((wanted) => WAYS.find(({ name }) => name === wanted));
	printTargets([
		{
			what: 'callbacks per second over the least trigger',
			// The ratio of each round, because other work on the machine affects both alike.
			measured: median(
				rounds
					.get(accepted)
					.map(({ perSecond }, round) => perSecond / rounds.get(least)[round].perSecond),
			),
			least: 0.95,
		},
		...WAYS.filter(({ status }) => status !== undefined).map((way) => ({
			what: `CPU, ${way.name}, over n8n's Webhook node`,
			measured: middle(way, 'cpuMs') / middle(way.body === LARGE ? largeBaseline : baseline, 'cpuMs'),
			most: 1,
		})),
	]);
	printTable(
		[
			...['way', 'calls per second', 'ratio', 'CPU ms per call and run', 'ratio'],
			...['main thread ms', 'ratio', 'status calls per call'],
		],
		WAYS.map((way) => [
			way.name,
			middle(way, 'perSecond'),
			ofBaseline(way, 'perSecond'),
			middle(way, 'cpuMs'),
			ofBaseline(way, 'cpuMs'),
			middle(way, 'mainThreadMs'),
			ofBaseline(way, 'mainThreadMs'),
			middle(way, 'statusCalls'),
		]),
	);
} finally {
	await n8n.remove();
	service.stop();
	probe.remove();
}

import type { INode, INodeParameters } from 'n8n-workflow';

import { n8nVersion } from '../../support/n8n/instance.cjs';
import { until } from '../../support/until.cjs';
import { RESOURCES } from '../../../nodes/PriceCollection/actions/operations';
import { createAgent, priceTool } from '../e2e/harness/agents';
import { ChatModel } from '../e2e/harness/chatModel';
import {
	collect,
	collectWorkflow,
	finishJob,
	jobsOf,
	linked,
	locator,
	refuseNextCreation,
	rowsOf,
	sandbox,
	suspend,
	WAIT,
} from '../e2e/harness/collecting';
import {
	createCredential,
	n8n,
	NODE_TYPE,
	Outcome,
	POLLING_TRIGGER_TYPE,
	retryByHand,
	runWorkflow,
	SANDBOX_KEY,
	TRIGGER_TYPE,
	unique,
	waitForOutcome,
} from '../e2e/harness/e2e';
import type { CredentialReference } from '../e2e/harness/e2e';
import { sharedServers } from '../e2e/harness/shared';
import { activate, untilKnown, webhookTrigger } from '../e2e/harness/triggers';
import type { SandboxOptions } from '../../fakes/sandbox/options';
import { IDS, QUEUED_TWICE, WIRINGS } from '../../engine/support/wirings';
import { connect, node } from '../../engine/support/workflow';
import { since } from './matrix.json';

/**
 * What a user of any n8n needs, in the n8n of PRICE_COLLECTION_N8N_DIR. `npm run test:versions` runs it in each version
 * of the matrix. Also tests what happens if a version lacks a feature.
 */
const VERSION = n8nVersion();
/** n8n checks its timers once a minute, and polls once a minute. */
const TIMERS_MS = 420_000;
/** An AI Agent version that every tested n8n has. */
const AGENT_VERSION = 1.7;

const suspends = VERSION.localeCompare(since.suspending, undefined, { numeric: true }) >= 0;

let credential: CredentialReference;
beforeAll(async () => {
	credential = await createCredential();
});

const JOB_ID = locator('id', "={{ $('Create').first().json.job_id }}");
const ours = (name: string, parameters: INodeParameters) =>
	node(name, NODE_TYPE, parameters, { executeOnce: true });
const job = (name: string, operation: string, parameters: INodeParameters = {}) =>
	ours(name, { resource: 'job', operation, ...parameters });

const OLD_REQUEST = node(
	'Request',
	'n8n-nodes-base.httpRequest',
	{
		url: 'https://old.example/v1/jobs',
		queryParameters: { parameters: [{ name: 'token', value: 'key' }] },
	},
	{ typeVersion: 4.2 },
);

/** Each operation once, one after the other. */
const OPERATIONS = [
	job('Create', 'create', {
		topic: 'search',
		source: locator('name', 'ebay'),
		country: locator('code', 'de'),
		lookupKey: 'term',
		values: 'Kaffee',
	}),
	job('Wait', 'wait', { jobId: JOB_ID, output: 'status' }),
	job('Get', 'get', { jobId: JOB_ID }),
	job('Get Many', 'getAll'),
	job('Download', 'download', { jobId: JOB_ID }),
	job('File', 'download', { jobId: JOB_ID, output: 'file' }),
	job('Cancel', 'cancel', { jobId: JOB_ID, options: { ignoreEnded: true } }),
	{ ...collect({ values: 'kettle\nlamp' }), executeOnce: true },
	ours('Today', { resource: 'usage', operation: 'getToday' }),
	ours('Month', { resource: 'usage', operation: 'getMonth' }),
	ours('Parameters', {
		resource: 'migration',
		operation: 'convertParameters',
		parameters: '{ "source": "google-shopping", "key": "gtin" }',
	}),
	ours('Workflow', {
		resource: 'migration',
		operation: 'convertWorkflow',
		workflow: JSON.stringify({ name: 'Old', nodes: [OLD_REQUEST], connections: {} }),
		baseUrl: 'https://new.example',
		legacyBaseUrl: 'https://old.example',
	}),
];

function inARow(nodes: INode[]) {
	const names = ['Start', ...nodes.map(({ name }) => name)];
	return connect(Object.fromEntries(names.slice(0, -1).map((name, index) => [name, [names[index + 1]!]])));
}

describe(`n8n ${VERSION}`, () => {
	it('knows all nodes, and the tool variant of the first', async () => {
		const reply = await fetch(`${sharedServers().n8nUrl}/types/nodes.json`, {
			headers: { cookie: sharedServers().n8nCookie, 'browser-id': 'price-collection-tools' },
		});
		const types = (await reply.json()) as Array<{ name: string }>;
		const names = types.map(({ name }) => name).filter((name) => name.startsWith(NODE_TYPE));
		expect(new Set(names)).toEqual(
			new Set([NODE_TYPE, TRIGGER_TYPE, POLLING_TRIGGER_TYPE, `${NODE_TYPE}Tool`]),
		);
	});

	it('offers nodes and credential with their icons, in both themes', async () => {
		for (const icon of ['priceCollection', 'priceCollectionTrigger', 'priceCollectionPollingTrigger']) {
			for (const file of [`${icon}.svg`, `${icon}.dark.svg`]) {
				const path = `/icons/n8n-nodes-price-collection/dist/icons/${file}`;
				const reply = await fetch(sharedServers().n8nUrl + path);
				const type = reply.headers.get('content-type');
				expect([reply.status, type]).toEqual([200, expect.stringContaining('image/svg+xml')]);
			}
		}
	});

	it('passes the credential test with the right key and fails it with a wrong one', async () => {
		const baseUrl = sharedServers().sandboxUrl;
		expect(await n8n().testCredential({ baseUrl, apiKey: SANDBOX_KEY })).toMatchObject({ status: 'OK' });
		expect(await n8n().testCredential({ baseUrl, apiKey: 'wrong' })).toMatchObject({ status: 'Error' });
	});

	describe('with a service that accepts one way only', () => {
		const EVERY_WAY: Partial<SandboxOptions> = {
			authentication: ['query', 'body'],
			bodyEncodings: ['json', 'form', 'query'],
			lookupValues: 'both',
		};
		const setOptions = async (options: Partial<SandboxOptions> = {}) =>
			await sandbox('POST', 'options', { ...EVERY_WAY, ...options });
		afterAll(async () => await setOptions());

		/** The execution's mode, the credential's settings, and what the service accepts. */
		const WAYS: Array<['manual' | 'production', string, object, Partial<SandboxOptions>]> = [
			[
				...(['manual', 'queryParameter'] as const),
				{ requestBody: 'json', lookupValues: 'list' },
				{ authentication: ['query'], bodyEncodings: ['json'], lookupValues: 'values' },
			],
			[
				...(['production', 'header'] as const),
				{ requestBody: 'form', lookupValues: 'single' },
				{ authentication: ['header'], bodyEncodings: ['form'], lookupValues: 'value' },
			],
		];

		it.each(WAYS)('runs all operations in a %s execution, with the key by %s', async (...way) => {
			const [mode, authentication, fields, options] = way;
			await setOptions(options);
			const credential = await createCredential({ authentication, customizeService: true, ...fields });
			const tried = new Set(OPERATIONS.map(({ parameters }) => parameters.operation));
			const all = Object.values(RESOURCES).flatMap(({ operations }) => Object.keys(operations));
			expect(tried).toEqual(new Set(all));
			const run = await runWorkflow(OPERATIONS, inARow(OPERATIONS), { credential, mode });
			expect(run.error).toBeUndefined();

			const jobId = run.items('Create')[0]?.job_id;
			expect(run.items('Wait')).toMatchObject([{ job_id: jobId, status: 'finished' }]);
			expect(run.items('Get')).toMatchObject([{ job_id: jobId, status: 'finished', requested: 1 }]);
			expect(run.items('Get Many').map((item) => item.job_id)).toContain(jobId);
			expect(run.items('Download')).toMatchObject([{ value: 'Kaffee', found: true }]);
			const file = run.outputItems('File')[0]?.binary?.data;
			expect(file).toMatchObject({ fileExtension: 'json' });
			expect(run.items('Cancel')).toMatchObject([{ job_id: jobId, already_over: true }]);
			expect(run.items('Collect')).toMatchObject([
				{ result_value: 'kettle', result_found: true },
				{ result_value: 'lamp', result_found: true },
			]);
			expect(run.items('Today')).toMatchObject([{ requested: expect.any(Number) }]);
			expect(run.items('Month')).toMatchObject([{ requested: expect.any(Number) }]);
			expect(run.items('Parameters')).toMatchObject([{ parameters: { key: 'gtin' } }]);
			expect(run.items('Workflow')).toMatchObject([{ workflow: { name: 'Old' } }]);
		});
	});

	it('links each row to its item', async () => {
		const terms = { a: 'kettle', b: 'lamp', c: 'kettle' };
		const input = Object.entries(terms).map(([id, term]) => ({ id, term }));
		const run = await runWorkflow(...collectWorkflow('poll'), { credential, input });
		expect(run.error).toBeUndefined();
		expect(rowsOf(run)).toEqual(['a kettle true', 'b lamp true', 'c kettle true']);
	});

	it('offers the sources of the account', async () => {
		const found = await n8n().listSearch({
			path: 'parameters.source',
			methodName: 'searchSources',
			nodeTypeAndVersion: { name: NODE_TYPE, version: 1 },
			currentNodeParameters: collect({}).parameters,
			credentials: { priceCollectionApi: credential },
		});
		const values = (found as { results: Array<{ value: string }> }).results.map(({ value }) => value);
		expect(values).toContain('google_shopping');
	});

	it('creates in a retry by hand what the run could not, and nothing twice', async () => {
		const term = unique('lamp');
		await refuseNextCreation();
		const options = { credential, mode: 'production' as const, input: [{ id: 'a', term }] };
		const failed = await runWorkflow(...collectWorkflow('poll'), options);
		expect(failed.error?.message).toContain('not enough credits');
		const outcome = await retryByHand(failed);
		expect(outcome.error).toBeUndefined();
		expect(rowsOf(outcome)).toEqual([`a ${term} true`]);
		expect(await jobsOf(term)).toHaveLength(1);
	});

	it('answers an AI agent', async () => {
		const model = await ChatModel.start();
		try {
			const settings = { tool: priceTool(), credential, typeVersion: AGENT_VERSION };
			const agent = await createAgent(model, settings);
			const [answer = ''] = await agent.ask([{ values: 'kettle' }]);
			await agent.close();
			expect(answer).toContain('"value":"kettle"');
			expect(answer).toContain('"best_total"');
		} finally {
			model.close();
		}
	});
});

/** Slow runs, all started at once, because they mostly wait. */
const slow: Record<string, Promise<Outcome>> = {};

const stored = async (id: string) => JSON.stringify(await n8n().call('GET', `/rest/workflows/${id}`));

/** The execution that a trigger started. Its jobs include one that was created for it. */
async function startedBy(type: string, parameters: INodeParameters): Promise<Outcome> {
	const [trigger, path] = webhookTrigger(credential, parameters);
	const url = `${sharedServers().n8nUrl}/webhook/${path}`;
	const id = await activate(n8n(), [{ ...trigger, type }, node('Done', 'n8n-nodes-base.noOp')]);
	if (type === TRIGGER_TYPE) await untilKnown(url);
	// n8n reports a workflow as active before it has polled, and jobs that end before the first poll are old.
	else await until('the first poll is over', async () => (await stored(id)).includes('node:Ends'));
	const create = job('Create', 'create', {
		...collect({}).parameters,
		operation: 'create',
		values: unique('term'),
		...(type === TRIGGER_TYPE && { options: { webhookUrl: url } }),
	});
	const created = await runWorkflow([create], inARow([create]), { credential });
	const [executionId = ''] = await n8n().waitForExecutions(id, { timeoutMs: TIMERS_MS });
	const started = new Outcome(id, await n8n().waitForExecution(executionId));
	await n8n().deactivate(id);
	const jobIds = started.items('Done').map((item) => item.job_id);
	expect(jobIds).toContain(created.items('Create')[0]?.job_id);
	return started;
}

/** A run of a mode that suspends. Its job is ended by hand once it sleeps. */
async function woken(mode: 'durable' | 'webhook'): Promise<Outcome> {
	const { outcome, jobId, rows, slow: value } = await suspend(mode);
	await finishJob(jobId);
	const ended = await waitForOutcome(outcome, { timeoutMs: TIMERS_MS });
	expect(rowsOf(ended).sort()).toEqual([...rows].sort());
	expect(await jobsOf(value)).toHaveLength(1);
	return ended;
}

/** A run in which n8n queues Collect twice. Both jobs are ended by hand once they exist. */
async function wokenTwice(): Promise<Outcome> {
	const [first, second] = [unique('slow'), unique('slow')];
	const input = [first, second].map((term, index) => ({ id: IDS[index] ?? '', term }));
	const { nodes, connections } = WIRINGS[QUEUED_TWICE]({
		...{ start: 'Start', rows: 'Linked' },
		collect: (name) => ({ ...collect({ waitMode: 'durable' }), name }),
		wait: () => WAIT,
	});
	const options = { credential, mode: 'production' as const, input };
	const asleep = await runWorkflow([...nodes, linked], connections, { ...options, until: ['waiting'] });
	const finishAll = async () => {
		const jobs = [await jobsOf(first), await jobsOf(second)].flat();
		for (const { job_id, endedAt } of jobs) if (endedAt === null) await finishJob(job_id);
		return jobs.length === 2;
	};
	await until('both jobs exist', finishAll, TIMERS_MS);
	const ended = await waitForOutcome(asleep, { timeoutMs: TIMERS_MS });
	expect(rowsOf(ended).sort()).toEqual([`a ${first} false`, `b ${second} false`]);
	return ended;
}

/** A run of a mode that suspends, in an n8n that cannot suspend. */
async function polled(mode: 'durable' | 'webhook'): Promise<Outcome> {
	const term = unique('term');
	const options = { credential, mode: 'production' as const, input: [{ id: 'a', term }] };
	const ended = await runWorkflow(...collectWorkflow('poll', { waitMode: mode }), options);
	expect(rowsOf(ended)).toEqual([`a ${term} true`]);
	expect(await jobsOf(term)).toHaveLength(1);
	return ended;
}

describe(`n8n ${VERSION}, by and by`, () => {
	beforeAll(() => {
		slow.webhookTrigger = startedBy(TRIGGER_TYPE, {});
		slow.pollingTrigger = startedBy(POLLING_TRIGGER_TYPE, {
			pollTimes: { item: [{ mode: 'everyMinute' }] },
		});
		const run = suspends ? woken : polled;
		slow.durable = run('durable');
		slow.webhook = run('webhook');
		if (suspends) slow.queuedTwice = wokenTwice();
		// Later tests await these runs. Until then, a failure must not count as unhandled.
		for (const run of Object.values(slow)) run.catch(() => undefined);
	});

	it.each(['webhookTrigger', 'pollingTrigger'])(
		'starts a workflow by the %s',
		async (name) => {
			const started = await slow[name];
			expect(started?.error).toBeUndefined();
			expect(started?.items('Done')).toContainEqual(expect.objectContaining({ status: 'finished' }));
		},
		TIMERS_MS,
	);

	it.each([
		['durable', suspends ? 'goes on by its timer' : 'polls instead, and says so'],
		['webhook', suspends ? 'goes on by its callback' : 'polls instead, and says so'],
	])(
		'in the mode %s a run %s',
		async (mode) => {
			const run = await slow[mode];
			expect([run?.status, run?.error]).toEqual(['success', undefined]);
			if (suspends) return;
			const [collected] = run?.execution.data.resultData.runData.Collect ?? [];
			expect(collected?.hints?.map(({ message }) => message)).toContainEqual(
				expect.stringContaining('Before version 2.39, n8n cannot suspend this node'),
			);
		},
		TIMERS_MS,
	);

	if (suspends)
		it(
			'a node that is queued twice loses no item when it sleeps',
			async () => {
				const run = await slow.queuedTwice;
				expect([run?.status, run?.error]).toEqual(['success', undefined]);
			},
			2 * TIMERS_MS,
		);
});

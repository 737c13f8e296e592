import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IConnections, IDataObject, INode } from 'n8n-workflow';

import type { N8nClient } from '../../tools/n8n/client.cjs';
import { startN8n } from '../../tools/n8n/instance.cjs';
import type { N8nInstance } from '../../tools/n8n/instance.cjs';
import { connect } from '../engine/workflow';
import {
	collect,
	finishJob,
	linked,
	requestsAbout,
	rowsOf,
	sandbox,
	suspendOnTimer,
	suspendUntilWebhook,
} from './harness/collecting';
import type { Suspended } from './harness/collecting';
import {
	NODE_TYPE,
	Outcome,
	createCredential,
	n8n,
	runWorkflow,
	unique,
	waitForOutcome,
} from './harness/e2e';
import type { CredentialReference } from './harness/e2e';

const EXAMPLES = path.resolve(__dirname, '../../examples');
const TIMERS_MS = 420_000;

/** Imports an example, as the editor's menu does, and runs it. */
async function runExample(
	name: string,
	credentials: Record<string, CredentialReference>,
	client: N8nClient = n8n(),
): Promise<Outcome> {
	const example = JSON.parse(readFileSync(path.join(EXAMPLES, `${name}.json`), 'utf8')) as {
		nodes: INode[];
		connections: IConnections;
	};
	const needed: Record<string, string> = {
		[NODE_TYPE]: 'priceCollectionApi',
		[`${NODE_TYPE}Tool`]: 'priceCollectionApi',
		'@n8n/n8n-nodes-langchain.lmChatOpenAi': 'openAiApi',
	};
	const nodes = example.nodes.map((entry) => {
		const type = needed[entry.type] ?? '';
		const credential = credentials[type];
		return credential === undefined ? entry : { ...entry, credentials: { [type]: credential } };
	});
	const { id } = await client.createWorkflow({ ...example, name: unique(name), nodes });
	const trigger = nodes.find(({ type }) => /trigger$/i.test(type))?.name ?? '';
	const executionId = await client.startManually(id, trigger);
	return new Outcome(id, await client.waitForExecution(executionId, { timeoutMs: TIMERS_MS }));
}

let credential: CredentialReference;
/** An n8n that is killed on the way. */
let mortal: N8nInstance;
let durable: Suspended;
let webhook: Suspended;
let durableExample: Promise<Outcome>;

beforeAll(async () => {
	credential = await createCredential();
	durableExample = runExample('durable-polling-loop', { priceCollectionApi: credential });
	// Looked at later; until then nobody hears of a failure.
	durableExample.catch(() => undefined);
	mortal = await startN8n();
	durable = await suspendOnTimer(mortal.client);
	webhook = await suspendUntilWebhook(mortal.client);
}, 240_000);

afterAll(async () => {
	await mortal?.remove();
});

it('collects 700 values for 1,000 items with one job and one download, every row linked to its item', async () => {
	const mark = unique('item');
	const input = Array.from({ length: 1000 }, (_, index) => ({
		id: `id-${index}`,
		term: `${mark} ${index % 700}`,
	}));
	const outcome = await runWorkflow(
		[collect({}), linked],
		connect({ Start: ['Collect'], Collect: ['Linked'] }),
		{ credential, input },
	);
	expect(outcome.error).toBeUndefined();
	expect(outcome.items('Linked').map(({ linked: id, value }) => [id, value])).toEqual(
		input.map(({ id, term }) => [id, term]),
	);
	const creations = await requestsAbout(mark);
	expect(creations.map(({ method, path: route }) => `${method} ${route}`)).toEqual(['POST /v2/jobs']);
	const about = await requestsAbout(String(outcome.items('Collect')[0]?.job_id));
	const downloads = about.filter(({ path: route }) => route.endsWith('/download'));
	expect(downloads).toHaveLength(1);
	expect(about.length).toBeLessThan(8);
});

describe('the examples', () => {
	const OUR_PRICES = [
		['A-100', '4006381333931', 40.79, 'BuyMore "24"'],
		['A-101', '5901234123457', 858.85, 'BuyMore "24"'],
		['A-102', '9780201379624', 116.85, 'Müller & Söhne'],
		['B-200', '4006381333931', 40.79, 'BuyMore "24"'],
	];
	const ourPrices = (outcome: Outcome) =>
		outcome
			.items('Prices with our SKU')
			.map(({ sku, value, best_price, best_shop }) => [sku, value, best_price, best_shop]);

	it('suspend-until-webhook gives every product its price', async () => {
		const outcome = await runExample('suspend-until-webhook', { priceCollectionApi: credential });
		expect(outcome.error).toBeUndefined();
		expect(ourPrices(outcome)).toEqual(OUR_PRICES);
	});

	it(
		'durable-polling-loop gives every product its price',
		async () => {
			const outcome = await durableExample;
			expect(outcome.error).toBeUndefined();
			expect(ourPrices(outcome)).toEqual(OUR_PRICES);
		},
		TIMERS_MS,
	);

	describe('ai-agent-tool', () => {
		/** Messages as a chat model gets them. */
		const asked: Array<{ messages: IDataObject[]; tools?: IDataObject[] }> = [];
		let model: Server;
		beforeAll(async () => {
			model = createServer((request, response) => {
				let body = '';
				request.on('data', (chunk: Buffer) => (body += chunk.toString()));
				request.on('end', () => {
					const call = JSON.parse(body) as (typeof asked)[number];
					asked.push(call);
					response.setHeader('content-type', 'application/json');
					response.end(JSON.stringify(completion(call)));
				});
			});
			await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
		});
		afterAll(() => {
			model.close();
			model.closeAllConnections();
		});

		/** Calls the tool first, and then repeats what it said. */
		function completion({ messages, tools }: (typeof asked)[number]): object {
			const answer = messages.find(({ role }) => role === 'tool');
			const { name } = (tools?.[0]?.function ?? {}) as IDataObject;
			const call = { name, arguments: JSON.stringify({ gtins: '4006381333931' }) };
			const message =
				answer === undefined
					? {
							role: 'assistant',
							content: null,
							tool_calls: [{ id: 'call_1', type: 'function', function: call }],
						}
					: { role: 'assistant', content: `The tool says ${String(answer.content)}` };
			const finish_reason = answer === undefined ? 'tool_calls' : 'stop';
			return {
				id: 'chat-1',
				object: 'chat.completion',
				created: 0,
				model: 'gpt-4.1-mini',
				choices: [{ index: 0, message, finish_reason }],
				usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
			};
		}

		it('lets the agent look up a price', async () => {
			const { port } = model.address() as AddressInfo;
			const chat = await n8n().createCredential(
				'Chat model',
				{ apiKey: 'none', url: `http://127.0.0.1:${port}/v1`, header: false },
				'openAiApi',
			);
			const outcome = await runExample('ai-agent-tool', {
				priceCollectionApi: credential,
				openAiApi: { id: chat.id, name: chat.name },
			});
			expect(outcome.error).toBeUndefined();
			const [answer] = outcome.items('Shopping assistant');
			expect(String(answer?.output)).toContain('"value":"4006381333931"');
			expect(String(answer?.output)).toContain('"found":true');
			const [first] = asked;
			expect(first?.tools).toMatchObject([
				{ function: { description: expect.stringContaining('Looks up what products cost') } },
			]);
		});
	});
});

describe('across a kill -9 of n8n', () => {
	const rounds = async () =>
		(
			await waitForOutcome(durable.outcome, { until: ['waiting'], timeoutMs: TIMERS_MS }, mortal.client)
		).rounds('Wait');

	async function untilRounds(count: number): Promise<void> {
		for (const end = Date.now() + TIMERS_MS; (await rounds()) < count;) {
			if (Date.now() > end) throw new Error(`The Wait node has not run ${count} times`);
			await sleep(1_000);
		}
	}

	async function statuses(): Promise<string[]> {
		const ids = [durable.outcome.id, webhook.outcome.id];
		return await Promise.all(ids.map(async (id) => (await mortal.client.statusOf(id)).status));
	}

	it(
		'the webhook mode resumes at the callback, and the durable loop outlives three timers',
		async () => {
			await untilRounds(1);
			expect(await statuses()).toEqual(['waiting', 'waiting']);
			await mortal.kill9();
			await mortal.restart();
			expect(await statuses()).toEqual(['waiting', 'waiting']);

			await finishJob(webhook.jobId);
			const woken = await waitForOutcome(webhook.outcome, {}, mortal.client);
			expect(woken.status).toBe('success');
			expect(rowsOf(woken)).toEqual(webhook.rows);
			const jobs = await sandbox<Array<{ job_id: string; webhookUrl: string }>>('GET', 'jobs');
			const { webhookUrl = '' } = jobs.find(({ job_id }) => job_id === webhook.jobId) ?? {};
			expect((await fetch(webhookUrl, { method: 'POST' })).status).toBe(409);

			await untilRounds(3);
			expect((await statuses())[0]).toBe('waiting');
			await finishJob(durable.jobId);
			const finished = await waitForOutcome(durable.outcome, { timeoutMs: TIMERS_MS }, mortal.client);
			expect(finished.status).toBe('success');
			expect(finished.rounds('Wait')).toBe(4);
			expect(rowsOf(finished)).toEqual(durable.rows);
			expect((await requestsAbout(`${String(durable.jobId)}/download`)).length).toBe(1);
		},
		TIMERS_MS,
	);
});

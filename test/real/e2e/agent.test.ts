import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { TOOL_DESCRIPTIONS } from '../../../nodes/PriceCollection/descriptions/tool';
import { startSandbox, type Sandbox } from '../../fakes/sandbox/sandbox';
import { createAgent, createMcp, priceTool } from './harness/agents';
import type { Asker, AskerSettings } from './harness/agents';
import { ChatModel, toolAnswers } from './harness/chatModel';
import { locator } from './harness/collecting';
import { createCredential, n8n } from './harness/e2e';
import type { CredentialReference } from './harness/e2e';
import { importExample, type Choices } from './harness/examples';
import { post } from './harness/triggers';

const SECRET = 'a-secret-for-the-callbacks-of-this-test';

let sandbox: Sandbox;
let model: ChatModel;
let credential: CredentialReference;

beforeAll(async () => {
	sandbox = await startSandbox({ jobDurationMs: 100 });
	model = await ChatModel.start();
	const fields = { baseUrl: sandbox.url, apiKey: sandbox.apiKey, webhookSecret: SECRET };
	credential = await createCredential(fields);
});
afterAll(async () => {
	model.close();
	await sandbox.close();
});
beforeEach(() => sandbox.reset());

/** The question for these terms. */
const about = (...terms: string[]): IDataObject => ({ values: terms.join('\n') });

/** The items of an answer. */
const itemsIn = (answer: string) => JSON.parse(answer) as IDataObject[];

/** The items that are about a value. */
const rowsIn = (answer: string) => itemsIn(answer).filter(({ value }) => value !== undefined);

const ASKERS: Array<[string, (settings: AskerSettings) => Promise<Asker>]> = [
	...[3.1, 2.2].map((typeVersion): (typeof ASKERS)[number] => [
		`AI Agent ${typeVersion}`,
		async (settings) => await createAgent(model, { ...settings, typeVersion }),
	]),
	['MCP Server Trigger', async (settings) => await createMcp(settings)],
];

describe.each(ASKERS)('%s', (_name, create) => {
	let open: Asker | undefined;
	const asking = async (parameters?: INodeParameters) => {
		open = await create({ tool: priceTool(parameters), credential });
		return open;
	};
	afterEach(async () => await open?.close());

	it('pays once for the same question, also in a later execution', async () => {
		const one = await asking();
		const [first, second] = await one.ask([about('kettle', 'lamp'), about('kettle', 'lamp')]);
		const [third] = await one.ask([about('kettle', 'lamp')]);
		expect([first, third]).toEqual([second, second]);
		expect(rowsIn(String(first)).map(({ value }) => value)).toEqual(['kettle', 'lamp']);
		expect(sandbox.jobs.map(({ values }) => values)).toEqual([['kettle', 'lamp']]);
		// Another process, or this n8n after a restart, finds this with the workflow.
		const workflow = await n8n().call('GET', `/rest/workflows/${one.workflowId}`);
		const { 'node:Look up prices': kept } = (workflow as { staticData: IDataObject }).staticData;
		const { priceCollectionPurchases } = kept as { priceCollectionPurchases: string };
		expect(priceCollectionPurchases).toContain(`"jobId":"${String(sandbox.jobs[0]?.job_id)}"`);
	});

	it('is told that a job still runs, and gets its results for asking again, without callback URL, key or link', async () => {
		sandbox.setOptions({ autoFinish: false, jobFields: ['order', 'values', 'counters', 'webhookUrl'] });
		const options = { webhookUrl: 'https://n8n.example/webhook/prices' };
		const one = await asking({ waitOptions: { maxWait: 0.05 }, options });
		const [early = ''] = await one.ask([about('kettle')]);
		const [job] = sandbox.jobs;
		expect(job?.webhookUrl).toContain('pc_signature=');
		expect(itemsIn(early)).toEqual([
			expect.objectContaining({
				job_id: job?.job_id,
				still_running: true,
				note: 'There is no answer yet. Ask exactly the same question again in a minute: that continues with this job and costs nothing. A Wait tool can also use its job_id.',
			}),
		]);
		sandbox.finishJob(String(job?.job_id));
		const [late = ''] = await one.ask([about('kettle')]);
		expect(rowsIn(late)).toMatchObject([{ value: 'kettle', best_total: expect.any(Number) }]);
		expect(sandbox.jobs).toHaveLength(1);
		for (const answer of [early, late]) {
			expect(answer).not.toMatch(/pc_signature|pc_nonce|n8n\.example|ticket|pairedItem/);
			expect(answer).not.toContain(sandbox.apiKey);
			expect(answer).not.toContain(SECRET);
		}
	});

	it('is told in a sentence what to do where nothing can be asked', async () => {
		const one = await asking({ operation: 'create', lookupKey: 'gtin' });
		const [wrong] = await one.ask([about('4006381333932')]);
		const error = expect.stringMatching(
			/^"4006381333932" is .* Nothing was sent for this item\.$/,
		) as string;
		expect(itemsIn(String(wrong))).toEqual([{ error }]);
		expect(sandbox.jobs).toEqual([]);
	});
});

describe('the tool', () => {
	const values = { type: 'string', description: 'What to look up, one per line' };

	it.each([3.1, 2.2])(
		'tells AI Agent %d all that it must know, and pays once where it asks the same twice at once',
		async (typeVersion) => {
			const agent = await createAgent(model, { tool: priceTool(), credential, typeVersion });
			await agent.run([about('kettle'), about('kettle')]);
			expect(model.last.tools).toEqual([
				expect.objectContaining({
					name: 'Look_up_prices',
					description: TOOL_DESCRIPTIONS.collect,
					parameters: expect.objectContaining({ properties: { values }, required: ['values'] }),
				}),
			]);
			const [one, other] = toolAnswers(model.last);
			expect(rowsIn(String(one))).toMatchObject([{ value: 'kettle' }]);
			expect(other).toBe(one);
			expect(sandbox.jobs).toHaveLength(1);
		},
	);

	it('pays once for the same question of several executions in the editor', async () => {
		const agent = await createAgent(model, { tool: priceTool(), credential, mode: 'manual' });
		const [one] = await agent.ask([about('kettle')]);
		expect(await agent.ask([about('kettle')])).toEqual([one]);
		expect(sandbox.jobs).toHaveLength(1);
	});
});

describe('the example ai-agent-tool', () => {
	/** Asks in the editor's chat and returns the agent's answer. */
	async function chat(chatInput: string, edits: Choices['edits'] = {}): Promise<string> {
		const credentials = { priceCollectionApi: credential, openAiApi: await model.credential() };
		const { id, nodes } = await importExample('ai-agent-tool', { credentials, edits });
		const sessionId = 'shop';
		await n8n().call('POST', `/rest/workflows/${id}/run`, {
			triggerToStartFrom: { name: nodes[0]?.name },
			chatSessionId: sessionId,
		});
		const url = `${n8n().baseUrl}/webhook-test/${id}/${sessionId}`;
		const reply = await post(url, { action: 'sendMessage', sessionId, chatInput });
		return ((await reply.json()) as { output: string }).output;
	}

	it('answers in the chat where a product is cheapest', async () => {
		model.says([{ gtins: '4006381333931' }], ([answer = ''], { messages }) => {
			const [row = {}] = rowsIn(answer);
			const asked = messages.find(({ role }) => role === 'user')?.content;
			return `${String(asked)} ${String(row.best_shop)}: ${String(row.best_total)} ${String(row.best_currency)}, ${String(row.best_url)}`;
		});
		const question = 'Where is 4006381333931 cheapest?';
		expect(await chat(question)).toBe(
			`${question} BuyMore "24": 40.79 EUR, https://buymore24.example/o/6?ref=test&c=de`,
		);
	});

	it('pays for no more than its budget allows', async () => {
		const gtins = Array.from({ length: 21 }, (_, index) => {
			const body = `4000000000${index + 10}`;
			const sum = [...body].reduce((so, digit, at) => so + Number(digit) * (at % 2 === 0 ? 1 : 3), 0);
			return body + String((10 - (sum % 10)) % 10);
		});
		model.says([{ gtins: gtins.join('\n') }], ([answer = '']) => String(itemsIn(answer)[0]?.error));
		const edits = { 'Look up prices': { useTestSource: false, source: locator('name', 'amazon') } };
		expect(await chat('All of them?', edits)).toMatch(
			/^This run would cost about 21 credits, more than the Spending Limit of 20\./,
		);
		expect(sandbox.jobs).toEqual([]);
	});
});

import type { IConnections, IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { until } from '../../../support/until.cjs';
import { connect, node } from '../../../engine/support/workflow';
import type { ChatModel, Turn } from './chatModel';
import { toolAnswers } from './chatModel';
import { collect, locator } from './collecting';
import type { CredentialReference } from './e2e';
import { MANUAL_TRIGGER, n8n, NODE_TYPE, ofN8n, Outcome, unique, webhook } from './e2e';

const AGENT = '@n8n/n8n-nodes-langchain.agent';
const CHAT_MODEL = '@n8n/n8n-nodes-langchain.lmChatOpenAi';
const MCP_TRIGGER = '@n8n/n8n-nodes-langchain.mcpTrigger';

/** The tool `Look up prices`: the model says which terms, one per line. */
export function priceTool(parameters: INodeParameters = {}): INode {
	const values = "={{ $fromAI('values', 'What to look up, one per line', 'string') }}";
	return node('Look up prices', `${NODE_TYPE}Tool`, { ...collect({ values }).parameters, ...parameters });
}

/** A connection that carries no items, from a sub-node to the node that uses it. */
function subNode(from: string, to: string, type: 'ai_tool' | 'ai_languageModel'): IConnections {
	return { [from]: { [type]: [[{ node: to, type, index: 0 }]] } };
}

/** Something in a real n8n that asks the tool. */
export interface Asker {
	readonly workflowId: string;
	/** Asks the tool one question after another; an agent does so in one execution. */
	ask(questions: IDataObject[]): Promise<string[]>;
	close(): Promise<unknown>;
}

export interface AskerSettings {
	tool: INode;
	/** The credential of the tool. */
	credential: CredentialReference;
}

/** A workflow around n8n's AI Agent that can be run again and again. */
export async function createAgent(
	model: ChatModel,
	{
		tool,
		credential,
		typeVersion = 3.1,
		mode = 'production',
	}: AskerSettings & { typeVersion?: number; mode?: 'manual' | 'production' },
) {
	const path = unique('agent');
	const trigger = mode === 'manual' ? node('Start', MANUAL_TRIGGER) : webhook('Start', path);
	const task = { promptType: 'define', text: 'Where is it cheapest?', options: {} };
	const chat = node(
		'Chat model',
		CHAT_MODEL,
		{ model: locator('id', 'gpt-4.1-mini'), options: {} },
		{ typeVersion: 1.2, credentials: { openAiApi: await model.credential() } },
	);
	const { id } = await n8n().createWorkflow({
		name: path,
		nodes: [
			...[trigger, node('Agent', AGENT, task, { typeVersion }), chat],
			{ ...tool, credentials: { priceCollectionApi: credential } },
		],
		connections: {
			...connect({ Start: ['Agent'] }),
			...subNode('Chat model', 'Agent', 'ai_languageModel'),
			...subNode(tool.name, 'Agent', 'ai_tool'),
		},
	});
	if (mode === 'production') await n8n().activate(id);
	let runs = 0;
	/** Starts it once and returns the execution's ID. */
	const start = async () => {
		if (mode === 'manual') return await n8n().startManually(id, 'Start');
		await n8n().callWebhook(path);
		const [newest = ''] = await n8n().waitForExecutions(id, { count: ++runs });
		return newest;
	};
	/** Runs it once, with these turns of the model. */
	const run = async (...turns: Turn[]): Promise<Outcome> => {
		model.says(...turns);
		return new Outcome(id, await n8n().waitForExecution(await start(), { timeoutMs: 100_000 }));
	};
	return {
		workflowId: id,
		run,
		async ask(questions: IDataObject[]) {
			const { error } = await run(...questions.map((question) => [question]));
			if (error !== undefined) throw new Error(error.message);
			return toolAnswers(model.last);
		},
		close: async () => await n8n().deactivate(id),
	} satisfies Asker & { run: typeof run };
}

interface McpClient {
	connect(transport: unknown): Promise<void>;
	listTools(): Promise<{ tools: Array<{ name: string }> }>;
	callTool(
		call: { name: string; arguments: IDataObject },
		schema: undefined,
		options: { timeout: number },
	): Promise<{ content: Array<{ text: string }> }>;
	close(): Promise<void>;
}

/** A client of an active workflow's trigger, like an assistant on a desktop. */
async function connectTo(address: string): Promise<McpClient> {
	// The n8n under test includes the client that fits its MCP server.
	const sdk = '@modelcontextprotocol/sdk/client';
	const { Client } = ofN8n<{ Client: new (info: object) => McpClient }>(`${sdk}/index.js`);
	const { StreamableHTTPClientTransport: Transport } = ofN8n<{
		StreamableHTTPClientTransport: new (url: URL) => unknown;
	}>(`${sdk}/streamableHttp.js`);
	const url = new URL(address);
	let fault: unknown;
	// A webhook is reachable about a second after the activation.
	return await until(
		() => `${url.href} is reachable: ${String(fault)}`,
		async () => {
			const client = new Client({ name: 'test', version: '1.0.0' });
			try {
				await client.connect(new Transport(url));
				return client;
			} catch (error) {
				fault = error;
				return undefined;
			}
		},
	);
}

/** MCP clients give up on a call after this time. */
const CALL_TIMEOUT_MS = 60_000;

/** The same tool behind n8n's MCP Server Trigger, by default in the shared n8n. */
export async function createMcp({ tool, credential }: AskerSettings, owner = n8n()): Promise<Asker> {
	const path = unique('mcp');
	const trigger = node('MCP', MCP_TRIGGER, { path }, { typeVersion: 2, webhookId: path });
	const { id } = await owner.createWorkflow({
		name: path,
		nodes: [trigger, { ...tool, credentials: { priceCollectionApi: credential } }],
		connections: subNode(tool.name, 'MCP', 'ai_tool'),
	});
	await owner.activate(id);
	const client = await connectTo(`${owner.baseUrl}/mcp/${path}`);
	return {
		workflowId: id,
		async ask(questions) {
			const { tools } = await client.listTools();
			const answers: string[] = [];
			for (const question of questions) {
				const call = { name: tools[0]?.name ?? '', arguments: question };
				const { content } = await client.callTool(call, undefined, { timeout: CALL_TIMEOUT_MS });
				answers.push(content.map(({ text }) => text).join(''));
			}
			return answers;
		},
		async close() {
			await client.close();
			await owner.deactivate(id);
		},
	};
}

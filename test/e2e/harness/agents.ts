import type { IConnections, IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { connect, node } from '../../engine/workflow';
import type { ChatModel, Turn } from './chatModel';
import { toolAnswers } from './chatModel';
import { locator } from './collecting';
import type { CredentialReference } from './e2e';
import { n8n, NODE_TYPE, Outcome, unique } from './e2e';
import { McpClient } from './mcpClient';

const AGENT = '@n8n/n8n-nodes-langchain.agent';
const CHAT_MODEL = '@n8n/n8n-nodes-langchain.lmChatOpenAi';
const MCP_TRIGGER = '@n8n/n8n-nodes-langchain.mcpTrigger';

/** The tool `Look up prices`: the model says which terms, one per line. */
export function priceTool(parameters: INodeParameters = {}): INode {
	return node('Look up prices', `${NODE_TYPE}Tool`, {
		resource: 'job',
		operation: 'collect',
		topic: 'product_and_offers',
		source: locator('name', 'google_shopping'),
		country: locator('code', 'de'),
		lookupKey: 'term',
		values: "={{ $fromAI('values', 'What to look up, one per line', 'string') }}",
		...parameters,
	});
}

/** Wires of another kind than items, from sub-nodes to the node that uses them. */
function subNode(from: string, to: string, type: 'ai_tool' | 'ai_languageModel'): IConnections {
	return { [from]: { [type]: [[{ node: to, type, index: 0 }]] } };
}

/** Who asks the tool in a real n8n. */
export interface Asker {
	readonly workflowId: string;
	/** Asks the tool question by question in one execution, where there is one. */
	ask(questions: IDataObject[]): Promise<string[]>;
	close(): Promise<void>;
}

export interface AskerSettings {
	tool: INode;
	/** The credential of the tool. */
	credential: CredentialReference;
}

/** A workflow around n8n's AI Agent that can be run again and again. */
export class AgentWorkflow implements Asker {
	private constructor(
		readonly workflowId: string,
		private readonly model: ChatModel,
		/** Starts it once; gives the id of the execution. */
		private readonly start: () => Promise<string>,
	) {}

	static async create(
		model: ChatModel,
		{
			tool,
			credential,
			typeVersion = 3.1,
			mode = 'production',
		}: AskerSettings & { typeVersion?: number; mode?: 'manual' | 'production' },
	): Promise<AgentWorkflow> {
		const path = unique('agent');
		const trigger =
			mode === 'manual'
				? node('Start', 'n8n-nodes-base.manualTrigger')
				: node(
						'Start',
						'n8n-nodes-base.webhook',
						{ path, httpMethod: 'POST', responseMode: 'onReceived' },
						{ typeVersion: 2, webhookId: path },
					);
		const agent = node(
			'Agent',
			AGENT,
			{ promptType: 'define', text: 'Where is it cheapest?', options: {} },
			{ typeVersion },
		);
		const chat = node(
			'Chat model',
			CHAT_MODEL,
			{ model: locator('id', 'gpt-4.1-mini'), options: {} },
			{ typeVersion: 1.2, credentials: { openAiApi: await model.credential() } },
		);
		const { id } = await n8n().createWorkflow({
			name: path,
			nodes: [trigger, agent, chat, { ...tool, credentials: { priceCollectionApi: credential } }],
			connections: {
				...connect({ Start: ['Agent'] }),
				...subNode('Chat model', 'Agent', 'ai_languageModel'),
				...subNode(tool.name, 'Agent', 'ai_tool'),
			},
		});
		if (mode === 'production') await n8n().activate(id);
		let runs = 0;
		const start = async () => {
			if (mode === 'manual') return await n8n().startManually(id, 'Start');
			await n8n().callWebhook(path);
			const [newest = ''] = await n8n().waitForExecutions(id, { count: ++runs });
			return newest;
		};
		return new AgentWorkflow(id, model, start);
	}

	/** Runs it once, with what the model is to say. */
	async run(...turns: Turn[]): Promise<Outcome> {
		this.model.says(...turns);
		const execution = await n8n().waitForExecution(await this.start(), { timeoutMs: 100_000 });
		return new Outcome(this.workflowId, execution);
	}

	async ask(questions: IDataObject[]): Promise<string[]> {
		const { error } = await this.run(...questions.map((question) => [question]));
		if (error !== undefined) throw new Error(error.message);
		return toolAnswers(this.model.last);
	}

	async close(): Promise<void> {
		await n8n()
			.deactivate(this.workflowId)
			.catch(() => undefined);
	}
}

/** The same tool behind n8n's MCP Server Trigger. */
export class McpWorkflow implements Asker {
	private constructor(
		readonly workflowId: string,
		readonly client: McpClient,
	) {}

	static async create(
		{ tool, credential }: AskerSettings,
		transport: 'http' | 'sse' = 'http',
	): Promise<McpWorkflow> {
		const path = unique('mcp');
		const trigger = node('MCP', MCP_TRIGGER, { path }, { typeVersion: 2, webhookId: path });
		const { id } = await n8n().createWorkflow({
			name: path,
			nodes: [trigger, { ...tool, credentials: { priceCollectionApi: credential } }],
			connections: subNode(tool.name, 'MCP', 'ai_tool'),
		});
		await n8n().activate(id);
		return new McpWorkflow(id, await McpClient.connect(path, transport));
	}

	async ask(questions: IDataObject[]): Promise<string[]> {
		const answers: string[] = [];
		for (const question of questions) answers.push((await this.client.call(question)).text);
		return answers;
	}

	async close(): Promise<void> {
		await this.client.close();
		await n8n().deactivate(this.workflowId);
	}
}

import type { IDataObject } from 'n8n-workflow';

import type { CredentialReference } from './e2e';
import { n8n } from './e2e';
import { listenForJson } from './servers';

/** A message of a conversation, in the form of OpenAI's chat completions. */
export interface Message {
	role: 'system' | 'user' | 'assistant' | 'tool';
	content?: unknown;
	tool_calls?: Array<{ id: string; type: 'function'; function: { name: string; arguments: string } }>;
	tool_call_id?: string;
}

/** What the model is asked: everything so far, and the tools it may call, with a JSON schema of their arguments. */
export interface Conversation {
	messages: Message[];
	tools: Array<{ name: string; description: string; parameters: IDataObject }>;
}

/**
 * What the model says next: the arguments of parallel calls of its first tool, or a final text, which may depend on the
 * tools' answers and on the conversation so far.
 */
export type Turn = IDataObject[] | ((answers: string[], conversation: Conversation) => string);

/** What tools have answered in a conversation, oldest first, as the model reads it. */
export function toolAnswers({ messages }: Conversation): string[] {
	return messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
}

interface Completion {
	id: string;
	choices: Array<{ index: number; message: Message; finish_reason: string }>;
	[more: string]: unknown;
}

/** The same reply as a stream of one piece, which older agents ask for. */
function streamOf(reply: Completion): string {
	const choices = reply.choices.map(({ message, ...choice }) => {
		const calls = message.tool_calls?.map((call, index) => ({ index, ...call }));
		return { ...choice, delta: { ...message, ...(calls && { tool_calls: calls }) } };
	});
	const piece = { ...reply, object: 'chat.completion.chunk', choices };
	return `data: ${JSON.stringify(piece)}\n\ndata: [DONE]\n\n`;
}

/**
 * A stand-in for a chat model, over HTTP in OpenAI's form. It follows a script and records what it was sent. Like a
 * real model, it remembers only the conversation, so parallel conversations do not disturb each other.
 */
export class ChatModel {
	/** The conversation as the model saw it last. */
	last: Conversation = { messages: [], tools: [] };

	private script: Turn[] = [];

	private calls = 0;

	private server = { url: '', close: () => {} };

	static async start(): Promise<ChatModel> {
		const model = new ChatModel();
		model.server = await listenForJson<IDataObject>((body, response) => {
			const reply = model.complete(body);
			response.setHeader('content-type', body.stream ? 'text/event-stream' : 'application/json');
			response.end(body.stream ? streamOf(reply) : JSON.stringify(reply));
		});
		return model;
	}

	close(): void {
		this.server.close();
	}

	/** Sets what it says from now on, turn by turn of each conversation. After the last turn it says "Done." */
	says(...turns: Turn[]): void {
		this.script = turns;
	}

	/** A credential that makes n8n use this model as OpenAI. */
	async credential(): Promise<CredentialReference> {
		const fields = { apiKey: 'none', url: `${this.server.url}/v1`, header: false };
		const { id, name } = await n8n().createCredential('Chat model', fields, 'openAiApi');
		return { id, name };
	}

	private complete(body: IDataObject): Completion {
		const described = (body.tools ?? []) as unknown as Array<{ function: Conversation['tools'][number] }>;
		const tools = described.map((tool) => tool.function);
		this.last = { messages: body.messages as unknown as Message[], tools };
		const message = this.next(this.last);
		const finish_reason = message.tool_calls === undefined ? 'stop' : 'tool_calls';
		return {
			...{ id: `chat-${this.calls}`, object: 'chat.completion', created: 0, model: body.model },
			choices: [{ index: 0, message, finish_reason }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	}

	private next(conversation: Conversation): Message {
		const { messages, tools } = conversation;
		const turn = this.script[messages.filter(({ role }) => role === 'assistant').length];
		if (!Array.isArray(turn))
			return { role: 'assistant', content: turn?.(toolAnswers(conversation), conversation) ?? 'Done.' };
		const calls = turn.map((args) => ({
			...{ id: `call_${this.calls++}`, type: 'function' as const },
			function: { name: tools[0]?.name ?? '', arguments: JSON.stringify(args) },
		}));
		return { role: 'assistant', content: null, tool_calls: calls };
	}
}

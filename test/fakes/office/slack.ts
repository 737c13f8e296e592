import { notPart, ok } from './http.ts';
import type { Question, Reply } from './http.ts';

/** A part of a message in Slack's format, with the fields that n8n sends. */
export interface Block {
	type: string;
	text?: { text: string };
	elements?: Array<{ type: string; text: { text: string }; url?: string }>;
}

export interface Message {
	/** The message's ID: a time in Slack, a counter here. */
	ts: string;
	text?: string;
	blocks?: Block[];
	attachments?: unknown[];
	/** Shown as the sender instead of the app. */
	username?: string;
	/** The message that this one replies to. */
	thread_ts?: string;
}

/** Messages by channel name, oldest first. */
export type Channels = Record<string, Message[]>;

/** A channel's ID, e.g. CPRICES for #prices. */
const idOf = (channel: string) => `C${channel.toUpperCase().replace(/[^A-Z0-9]/g, '')}`;

/** A list, which a form contains as JSON text. */
const listOf = <T>(value: unknown) =>
	(typeof value === 'string' ? JSON.parse(value) : value) as T[] | undefined;

function post(channels: Channels, body: Record<string, string>): Reply {
	const { channel = '', text, username, thread_ts } = body;
	const name = Object.keys(channels).find((one) => [one, `#${one}`, idOf(one)].includes(channel));
	const messages = channels[name ?? ''];
	if (name === undefined || messages === undefined) return ok({ ok: false, error: 'channel_not_found' });
	const [blocks, attachments] = [listOf<Block>(body.blocks), listOf(body.attachments)];
	if (!text && !blocks && !attachments) return ok({ ok: false, error: 'no_text' });
	const ts = `${messages.length + 1}.000000`;
	const message: Message = { ts, text, blocks, attachments, username, thread_ts };
	messages.push(message);
	return ok({ ok: true, channel: idOf(name), ts, message });
}

/** Answers as Slack's Web API does for these channels. */
export function answerSlack(channels: Channels, question: Question): Reply {
	switch (`${question.method} ${question.url.pathname}`) {
		case 'POST /api/chat.postMessage':
			return post(channels, question.body as Record<string, string>);
		case 'GET /api/conversations.list':
			return ok({
				ok: true,
				channels: Object.keys(channels).map((name) => ({ id: idOf(name), name })),
			});
	}
	return notPart(question);
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import { answerGmail } from './gmail.ts';
import type { Mail } from './gmail.ts';
import HOSTS from './hosts.cjs';
import { notPart, ok } from './http.ts';
import type { Question, Reply } from './http.ts';
import { channelPage, sheetPage } from './pages.ts';
import { answerSlack } from './slack.ts';
import type { Channels } from './slack.ts';
import { answerSheets } from './spreadsheet.ts';
import type { SheetsDocument } from './spreadsheet.ts';
import { answerShop } from './woocommerce.ts';
import type { Product } from './woocommerce.ts';

/** The office's data. A document or channel that is missing here does not exist. */
export interface OfficeState {
	/** Spreadsheets by ID, which is also their name. */
	documents: Record<string, SheetsDocument>;
	channels: Channels;
	mails: Mail[];
	products: Product[];
}

const google = (state: OfficeState, question: Question) =>
	question.url.pathname.startsWith('/gmail/')
		? answerGmail(state.mails, question)
		: answerSheets(state.documents, question);

const SERVICES: Record<string, (state: OfficeState, question: Question) => Reply> = {
	[HOSTS.sheets]: google,
	[HOSTS.google]: google,
	[HOSTS.gmail]: google,
	[HOSTS.slack]: (state, question) => answerSlack(state.channels, question),
	[HOSTS.shop]: (state, question) => answerShop(state.products, question),
};

/** For tests and people: returns the state, replaces parts of it, and shows a sheet or a channel as a page. */
function answerVisitor(state: OfficeState, question: Question): Reply {
	const { method, url, body } = question;
	const [kind, name = '', tab = ''] = url.pathname.split('/').slice(2).map(decodeURIComponent);
	if (kind === 'state' && method === 'PUT') return ok(Object.assign(state, body));
	if (kind === 'state') return ok(state);
	const [document, messages] = [state.documents[name], state.channels[name]];
	if (kind === 'sheet' && document?.[tab]) return ok(sheetPage(name, document, tab));
	if (kind === 'channel' && messages) return ok(channelPage(name, messages));
	return notPart(question);
}

function answer(state: OfficeState, question: Question, isAuthorized: boolean): Reply {
	const { url } = question;
	if (url.pathname.startsWith('/_office/')) return answerVisitor(state, question);
	if (url.hostname === HOSTS.googleTokens)
		return ok({ access_token: 'renewed', token_type: 'Bearer', expires_in: 3600 });
	if (!isAuthorized) return { status: 401, body: { error: { message: 'Unauthorized' } } };
	return SERVICES[url.hostname]?.(state, question) ?? notPart(question);
}

async function read(request: IncomingMessage): Promise<unknown> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	const text = Buffer.concat(chunks).toString();
	if (text === '') return undefined;
	return request.headers['content-type']?.includes('x-www-form-urlencoded')
		? Object.fromEntries(new URLSearchParams(text))
		: JSON.parse(text);
}

async function respond(state: OfficeState, request: IncomingMessage): Promise<Reply> {
	const { method = '', headers } = request;
	const url = new URL(`https://${headers.host}${request.url}`);
	const question = { method, url, body: await read(request) };
	// Google's access tokens last an hour, so n8n usually starts with an expired one and renews it.
	return answer(state, question, ![undefined, 'Bearer expired'].includes(headers.authorization));
}

/** Starts an empty office on a free port of the loopback address. */
export async function startOffice() {
	const state: OfficeState = { documents: {}, channels: {}, mails: [], products: [] };
	const server = createServer(async (request, response) => {
		const { status, headers, body } = await respond(state, request).catch((error: unknown): Reply => ({
			status: 500,
			body: { error: { message: String(error) } },
		}));
		const isPage = typeof body === 'string';
		const type = `${isPage ? 'text/html' : 'application/json'}; charset=utf-8`;
		response.writeHead(status, { 'content-type': type, ...headers });
		response.end(isPage ? body : JSON.stringify(body));
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

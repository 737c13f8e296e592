import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import { Refusal } from '../refusals.ts';
import type { Service } from '../service.ts';
import { usageOf } from '../usage.ts';
import { CERTIFICATE } from './certificate.ts';
import { control } from './control.ts';
import { replacementOf, spoiltReply } from './faultReplies.ts';
import { splitSuffix } from './format.ts';
import { jobList } from './jobList.ts';
import { cancel, create, download, fileOf, status } from './jobs.ts';
import { accountOf, fieldsOf } from './parameters.ts';
import { goodReply, plainReply, refusalReply } from './reply.ts';
import type { Asked, Reply } from './reply.ts';
import type { LoggedRequest } from './requestLog.ts';

type Answer = (service: Service, asked: Asked, part: string) => Reply | undefined;

function usage(service: Service, asked: Asked, period: string): Reply {
	const { jobs, clock, options } = service;
	const account = accountOf(asked, {}, options);
	const days = period === 'today' ? 'today' : 'month';
	const body = usageOf(jobs.everOf(account), days, clock.now(), options);
	return goodReply(asked, 'usage', body, options, { root: 'usage' });
}

function retired(): never {
	throw new Refusal('gone', undefined, 'Version 1 was shut down. Use the paths below /v2/.');
}

/** The seven endpoints, the paths of version 1, and the targets of redirects. */
const ROUTES: Array<[request: RegExp, answer: Answer]> = [
	[/^POST \/v2\/jobs$/, create],
	[/^GET \/v2\/jobs$/, (service, asked) => jobList(service, asked, accountOf(asked, {}, service.options))],
	[/^GET \/v2\/jobs\/([^/]+)$/, status],
	[/^GET \/v2\/jobs\/([^/]+)\/download$/, download],
	[/^POST \/v2\/jobs\/([^/]+)\/cancel$/, cancel],
	[/^GET \/v2\/me\/usage_(today|month)$/, usage],
	[/^(?:GET|POST) \/jobs(?:\/[^/]+)?$/, retired],
	[/^GET \/products\/bulk\/[^/]+$/, retired],
	[/^GET \/files\/([^/]+)$/, fileOf],
	[
		/^GET \/loop\/(\d+)$/,
		({ addresses }, _asked, step) =>
			plainReply(302, '', { location: `${addresses.url}/loop/${Number(step) + 1}` }),
	],
];

function answer(service: Service, asked: Asked): Reply {
	try {
		for (const [pattern, route] of ROUTES) {
			const match = pattern.exec(`${asked.method} ${asked.path}`);
			const reply = match && route(service, asked, match[1] ?? '');
			if (reply) return reply;
		}
		throw new Refusal('not found', undefined, 'There is no such path.');
	} catch (error) {
		if (error instanceof Refusal) return refusalReply(asked, error, service.options);
		// A bug in the sandbox itself: logged, so that it is not taken for an intended fault.
		console.error(error);
		return plainReply(500, `{"success":false,"reason":"sandbox error","comment":"${String(error)}"}`);
	}
}

/** The service's answer; `createDelayMs` delays creations. Throws if the sandbox was reset meanwhile. */
async function answerInTime(service: Service, asked: Asked, response: ServerResponse): Promise<Reply> {
	const reply = answer(service, asked);
	const { createDelayMs } = service.options;
	const { resets } = service;
	if (createDelayMs > 0 && `${asked.method} ${asked.path}` === 'POST /v2/jobs') {
		service.delayed++;
		await new Promise<void>((resolve) => {
			service.clock.after(createDelayMs, resolve);
			// A client that hangs up ends the wait.
			response.once('close', resolve);
		});
		service.delayed--;
	}
	if (service.resets !== resets) throw new Error('The sandbox was reset.');
	return reply;
}

async function textOf(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString();
}

/** Logs the request as it came. */
async function logged(
	service: Service,
	listener: LoggedRequest['listener'],
	request: IncomingMessage,
	response: ServerResponse,
): Promise<LoggedRequest> {
	const { method = '', url = '/', headers } = request;
	const { pathname: path, searchParams } = new URL(url, 'http://sandbox.invalid');
	const entry: LoggedRequest = {
		...{ listener, at: Date.now(), method, url, path, query: Object.fromEntries(searchParams) },
		...{ headers: { ...headers }, body: '', replyStatus: null, fault: null },
	};
	service.requests.push(entry);
	if (service.requests.length > service.options.requestLogLimit) service.requests.shift();
	response.on('finish', () => (entry.replyStatus = response.statusCode));
	entry.body = await textOf(request);
	return entry;
}

/** Takes the format suffix off the path. */
function askedIn(service: Service, { method, url: raw, headers, body }: LoggedRequest): Asked {
	const url = new URL(raw, 'http://sandbox.invalid');
	const { path, suffix } = splitSuffix(url.pathname, service.options);
	return { method, path, suffix, url, query: fieldsOf(url.searchParams), headers, body };
}

const COMPRESSORS = { br: createBrotliCompress, deflate: createDeflate, gzip: createGzip };
const DAY_MS = 86_400_000;
const SKEWS = { right: 0, dayAhead: DAY_MS, dayBehind: -DAY_MS };

/** Sends a reply with the Date header, by the sandbox's clock, and the compression that are switched on. */
function send({ options, clock }: Service, request: IncomingMessage, response: ServerResponse, reply: Reply) {
	const { dateHeader, dateSkewMs, compression, contentType } = options;
	const headers = { ...reply.headers };
	if (contentType === 'none') delete headers['content-type'];
	response.sendDate = false;
	if (dateHeader !== 'absent')
		headers.date = new Date(clock.now() + SKEWS[dateHeader] + dateSkewMs).toUTCString();
	const accepted = String(request.headers['accept-encoding'] ?? '').split(/[\s,;]+/);
	const isEmpty = !(reply.body instanceof Readable) && reply.body.length === 0;
	const isPlain = isEmpty || !accepted.includes(compression);
	const { status, body } = reply;
	const whole = body instanceof Readable ? body : Readable.from([body]);
	if (compression !== 'none' && !isPlain) {
		delete headers['content-length'];
		response.writeHead(status, { ...headers, 'content-encoding': compression });
		pipeline(whole, COMPRESSORS[compression](), response, () => undefined);
	} else if (body instanceof Readable) {
		pipeline(body, response.writeHead(status, headers), () => undefined);
	} else {
		const length = status === 204 ? {} : { 'content-length': String(body.length) };
		response.writeHead(status, { ...length, ...headers }).end(body);
	}
}

/** Handles a request to the service with the current latency and fault. */
async function serve(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
	const entry = await logged(service, 'service', request, response);
	const asked = askedIn(service, entry);
	const { resets } = service;
	if (service.options.latencyMs > 0) await sleep(service.options.latencyMs);
	const fault = service.faults.next(asked.method, asked.path, asked.url.search);
	if (!fault) return send(service, request, response, await answerInTime(service, asked, response));
	entry.fault = fault.type;
	if (fault.type === 'delay') await sleep(fault.ms);
	if (service.resets !== resets) return void response.destroy();
	const instead = replacementOf(fault, service, asked);
	if (instead === undefined) {
		const reply = await answerInTime(service, asked, response);
		return send(service, request, response, spoiltReply(fault, reply, response));
	}
	if ('when' in fault && fault.when === 'after') await answerInTime(service, asked, response);
	if (instead === 'reset') request.socket.resetAndDestroy();
	else if (instead !== 'silence') send(service, request, response, instead);
}

function listener(
	handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
	isSecure = false,
): Server {
	const answerTo: RequestListener = (request, response) => {
		// A client that hangs up in the middle of a request gets no answer.
		handle(request, response).catch(() => response.destroy());
	};
	const server = isSecure ? createSecureServer(CERTIFICATE, answerTo) : createServer(answerTo);
	server.keepAliveTimeout = 72_000;
	return server;
}

export function createService(service: Service): Server {
	return listener(async (request, response) => {
		if (!request.url?.startsWith('/_sandbox/')) return await serve(service, request, response);
		const { status: code, body } = control(service, request, await textOf(request));
		response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
	}, service.options.tls);
}

/** A foreign host: serves pre-rendered files by ticket and logs its requests. */
export function createOtherOrigin(service: Service): Server {
	return listener(async (request, response) => {
		const asked = askedIn(service, await logged(service, 'otherOrigin', request, response));
		const name = /^\/files\/([^/]+)$/.exec(asked.url.pathname)?.[1];
		const other = plainReply(200, '{"success":true,"host":"other"}', {
			'content-type': 'application/json',
		});
		const gone = plainReply(404, 'No such file', { 'content-type': 'text/plain' });
		send(service, request, response, name === undefined ? other : (fileOf(service, asked, name) ?? gone));
	});
}

import { Readable } from 'node:stream';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../faults.ts';
import type { Service } from '../service.ts';
import { formatOf } from './format.ts';
import { ticketFor } from './jobs.ts';
import { plainReply } from './reply.ts';
import type { Asked, Reply } from './reply.ts';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const TEXT_TYPE = { 'content-type': 'text/plain' };

/** Replies that are always the same. */
const FIXED: Partial<Record<Fault['type'], [status: number, type: string, body: string]>> = {
	htmlUnavailable: [
		503,
		'text/html',
		'<html><head><title>503</title></head><body><center><h1>503 Service Temporarily Unavailable</h1></center></body></html>',
	],
	textBadGateway: [502, 'text/plain', 'Bad Gateway'],
	html: [200, 'text/html', '<!DOCTYPE html><html><body><form>Please sign in</form></body></html>'],
	wrongJson: [200, 'application/json', '{"unexpected":{"shape":[1,2,3]}}'],
	brokenJson: [200, 'application/json', '{"job_id":"1234567890abcdef12345678","status":"fin'],
};

const BLOCKED_PAGE =
	'<!DOCTYPE html><html><head><title>Request blocked</title></head><body><h1>Request blocked</h1></body></html>';

const NULL_LISTS = {
	jobs: { message: 'maintenance', jobs: null },
	data: { meta: { code: 503 }, data: null },
};

type Shaped<Type extends Fault['type']> = Extract<Fault, { type: Type }>;

function gatewayBody({ shape }: Shaped<'gatewayJson'>, { method, url }: Asked): object {
	const path = url.pathname;
	return {
		route: { message: 'no Route matched with those values' },
		cannot: { message: `Cannot ${method} ${path}` },
		framework: { timestamp: '2026-01-01T00:00:00.000Z', status: 404, error: 'Not Found', path },
		detail: { detail: 'Not Found' },
	}[shape];
}

function errorHeadBody({ shape, code = 402 }: Shaped<'errorHead'>): object {
	const message = 'not enough credits';
	return {
		meta: { meta: { code, message }, data: { id: 'req-19' } },
		head: { head: { status: code, message }, data: null },
		status: { status: { code, message }, data: null },
	}[shape];
}

const jsonReply = (status: number, body: object) => plainReply(status, JSON.stringify(body), JSON_TYPE);

/** On the other origin a download leads to its pre-rendered file. Except in a loop, other paths stay the same. */
function target(
	{ to, keepQuery = to === 'sameOrigin' }: Shaped<'redirect'>,
	service: Service,
	asked: Asked,
): string {
	const { url, otherOriginUrl } = service.addresses;
	if (to === 'loop') return `${url}/loop/1`;
	const query = keepQuery ? asked.url.search : '';
	if (to === 'sameOrigin') return new URL(url).origin + asked.url.pathname + query;
	const jobId = /^\/v2\/jobs\/([^/]+)\/download$/.exec(asked.path)?.[1];
	if (jobId === undefined) return otherOriginUrl + asked.url.pathname + query;
	const format = formatOf(asked, service.options);
	return otherOriginUrl + ticketFor(service, decodeURIComponent(jobId), format) + query;
}

/** What replaces the service's reply; undefined if the service replies itself. */
export function replacementOf(
	fault: Fault,
	service: Service,
	asked: Asked,
): Reply | 'reset' | 'silence' | undefined {
	const fixed = FIXED[fault.type];
	if (fixed) return plainReply(fixed[0], fixed[2], { 'content-type': `${fixed[1]}; charset=utf-8` });
	switch (fault.type) {
		case 'tooManyRequests': {
			const seconds = fault.retryAfterSeconds;
			const after = seconds !== undefined && { 'retry-after': String(seconds) };
			return plainReply(429, '{"success":false,"reason":"too many requests"}', {
				...JSON_TYPE,
				...after,
			});
		}
		case 'serverError':
			return plainReply(fault.status ?? 500, 'Internal Server Error', TEXT_TYPE);
		case 'emptyBody':
			return plainReply(fault.status ?? 200, '', JSON_TYPE);
		case 'refusal': {
			const { reason, parameter, comment, status = 400 } = fault;
			return jsonReply(status, { success: false, reason, parameter, comment });
		}
		case 'gatewayJson':
			return jsonReply(404, gatewayBody(fault, asked));
		case 'pageRefusal':
			return plainReply(fault.status ?? 403, BLOCKED_PAGE, {
				'content-type': 'text/html; charset=utf-8',
			});
		case 'nullList':
			return jsonReply(200, NULL_LISTS[fault.shape]);
		case 'errorHead':
			return jsonReply(200, errorHeadBody(fault));
		case 'reply':
			return plainReply(fault.status, fault.body, { ...(fault.body && TEXT_TYPE), ...fault.headers });
		case 'redirect':
			return plainReply(fault.status ?? 302, '', { location: target(fault, service, asked) });
		case 'reset':
			return 'reset';
		case 'noAnswer':
			return 'silence';
		default:
			return undefined;
	}
}

/** How much of a streamed reply is sent before it is cut, unless the rule says otherwise. */
const STREAM_CUT_BYTES = 1_000_000;

async function* firstBytes(body: Reply['body'], bytes: number): AsyncGenerator<Buffer> {
	let left = bytes;
	for await (const chunk of (body instanceof Readable ? body : [body]) as AsyncIterable<Buffer>) {
		if (left > 0) yield chunk.subarray(0, left);
		left -= chunk.length;
		if (left <= 0) return;
	}
}

/** The first bytes of a reply and never its end: the connection breaks or stays open. */
async function* cut(
	response: ServerResponse,
	body: Reply['body'],
	bytes: number,
	isTorn: boolean,
): AsyncGenerator<Buffer> {
	response.flushHeaders();
	if (bytes > 0) yield* firstBytes(body, bytes);
	// What is already written is still sent.
	if (isTorn) setImmediate(() => response.socket?.destroySoon());
	await new Promise<never>(() => undefined);
}

async function* dripping(body: Reply['body'], bytes: number, intervalMs: number): AsyncGenerator<Buffer> {
	for await (const chunk of firstBytes(body, Infinity)) {
		for (let start = 0; start < chunk.length; start += bytes) {
			await sleep(intervalMs);
			yield chunk.subarray(start, start + bytes);
		}
	}
}

/** The service's reply as the fault delivers it: cut, in pieces, or never ending. */
export function spoiltReply(fault: Fault, reply: Reply, response: ServerResponse): Reply {
	const { body, headers } = reply;
	const length = body instanceof Readable ? undefined : body.length;
	const sized = length === undefined ? headers : { ...headers, 'content-length': String(length) };
	const streamed = (source: AsyncGenerator<Buffer>, more = headers): Reply => ({
		...reply,
		headers: more,
		body: Readable.from(source, { objectMode: false }),
	});
	switch (fault.type) {
		case 'truncate': {
			const { bytes = length === undefined ? STREAM_CUT_BYTES : Math.floor(length / 2) } = fault;
			return streamed(cut(response, body, bytes, true), fault.length === false ? headers : sized);
		}
		case 'stall':
			return streamed(cut(response, body, fault.bytes ?? 0, false));
		case 'drip':
			return streamed(dripping(body, fault.bytes ?? 16, fault.intervalMs ?? 20), sized);
		default:
			return reply;
	}
}

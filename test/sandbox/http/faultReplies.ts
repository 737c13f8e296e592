import type { Fault } from '../faults.ts';
import type { Service } from '../service.ts';
import type { Format } from './format.ts';

export interface FixedReply {
	status: number;
	headers: Record<string, string>;
	body: string;
}

const UNAVAILABLE = [
	'<html><head><title>503 Service Temporarily Unavailable</title></head>',
	'<body><center><h1>503 Service Temporarily Unavailable</h1></center><hr></body></html>',
].join('\n');

const PAGE =
	'<!DOCTYPE html><html><head><title>Sign in</title></head><body><form>Please sign in</form></body></html>';

const STARTS = {
	doctype: '',
	xmlDeclaration: '<?xml version="1.0" encoding="UTF-8"?>\n',
	comment: '<!-- served by the gateway -->\n',
	blankLines: '\n\n',
};

/** A page for people, filled up to `bytes` with a script, as such pages are. */
function page({ start = 'doctype', bytes = 0 }: Extract<Fault, { type: 'html' }>): string {
	const filling = Math.max(0, bytes - PAGE.length - STARTS[start].length - 17);
	const script = filling > 0 ? `<script>${'/'.repeat(filling)}</script>` : '';
	return STARTS[start] + PAGE.replace('</head>', `${script}</head>`);
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const HTML_TYPE = { 'content-type': 'text/html; charset=utf-8' };
const TEXT_TYPE = { 'content-type': 'text/plain' };

function tooMany(fault: Extract<Fault, { type: 'tooManyRequests' }>): FixedReply {
	const seconds = fault.retryAfterSeconds;
	const value =
		fault.as === 'date' ? new Date(Date.now() + (seconds ?? 0) * 1000).toUTCString() : String(seconds);
	const headers = { ...JSON_TYPE, ...(seconds === undefined ? {} : { 'retry-after': value }) };
	return { status: 429, headers, body: '{"success":false,"reason":"too many requests"}' };
}

function refusal(fault: Extract<Fault, { type: 'refusal' }>): FixedReply {
	const { reason, parameter, comment, status = 400 } = fault;
	return {
		status,
		headers: JSON_TYPE,
		body: JSON.stringify({ success: false, reason, parameter, comment }),
	};
}

/** What a redirect needs to know of the request it answers. */
export interface RequestedPath {
	/** Below the prefix, without format suffix. */
	path: string;
	/** As it came, prefix and suffix included. */
	original: string;
	/** With its question mark, or empty. */
	query: string;
	/** The format it asks for; throws the refusal when it asks for one that does not exist. */
	format: () => Format;
}

/** A download goes on to its pre-rendered file; anything else to the same path. */
function target(fault: Extract<Fault, { type: 'redirect' }>, service: Service, from: RequestedPath): string {
	const { url, otherOriginUrl } = service.addresses;
	if (fault.to === 'loop') return `${url}/loop/1`;
	const same = fault.to === 'sameOrigin';
	const kept = (fault.keepQuery ?? same) ? from.query : '';
	const jobId = /^\/v2\/jobs\/([^/]+)\/download$/.exec(from.path)?.[1];
	if (same) return `${new URL(url).origin}${from.original}${kept}`;
	if (jobId === undefined) return `${otherOriginUrl}${from.original}${kept}`;
	return `${otherOriginUrl}${service.tickets.issue(decodeURIComponent(jobId), from.format(), { ...service.options, ticketPlace: 'path' })}${kept}`;
}

/** The whole reply of a fault that consists of nothing but a reply; undefined for the others. */
export function fixedReply(fault: Fault, service: Service, from: RequestedPath): FixedReply | undefined {
	switch (fault.type) {
		case 'tooManyRequests':
			return tooMany(fault);
		case 'serverError':
			return { status: fault.status ?? 500, headers: TEXT_TYPE, body: 'Internal Server Error' };
		case 'htmlUnavailable':
			return { status: 503, headers: HTML_TYPE, body: UNAVAILABLE };
		case 'textBadGateway':
			return { status: 502, headers: TEXT_TYPE, body: 'Bad Gateway' };
		case 'emptyBody':
			return { status: fault.status ?? 200, headers: JSON_TYPE, body: '' };
		case 'html':
			return { status: 200, headers: HTML_TYPE, body: page(fault) };
		case 'wrongJson':
			return { status: 200, headers: JSON_TYPE, body: '{"unexpected":{"shape":[1,2,3]}}' };
		case 'brokenJson':
			return {
				status: 200,
				headers: JSON_TYPE,
				body: '{"job_id":"1234567890abcdef12345678","status":"fin',
			};
		case 'refusal':
			return refusal(fault);
		case 'reply':
			return { status: fault.status, headers: fault.headers ?? {}, body: fault.body ?? '' };
		case 'redirect':
			return {
				status: fault.status ?? 302,
				headers: { location: target(fault, service, from) },
				body: '',
			};
		default:
			return undefined;
	}
}

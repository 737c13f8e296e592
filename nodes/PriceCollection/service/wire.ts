import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { parseUrl } from './address';
import type { Dialect } from './dialect';
import { failure, success } from './problem';
import type { Outcome, Problem, ProblemKind } from './problem';
import { redactText } from './redact';
import { readRetryAfter } from './retry';
import { now } from './clock';

/** Every place of a node from which the service is spoken to. */
export type RequestContext = IExecuteFunctions | ILoadOptionsFunctions | IWebhookFunctions | IPollFunctions;

export interface WireRequest {
	method: 'GET' | 'POST';
	/** Path below the base address, such as `/v2/jobs`. */
	path: string;
	/** Method and path template for texts, such as `GET /v2/jobs/{job_id}`. */
	endpoint: string;
	query: IDataObject;
	body?: IDataObject;
	/** The Accept header. */
	accept: string;
	/** How long the service may be silent, in milliseconds. */
	timeoutMs: number;
}

/** A reply whose body has not been read yet. */
export interface WireReply {
	status: number;
	headers: Readonly<Record<string, string | undefined>>;
	body: NodeJS.ReadableStream;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const KIND_OF_CODE: ReadonlyMap<string, ProblemKind> = new Map([
	['ECONNREFUSED', 'connectionRefused'],
	['EHOSTUNREACH', 'connectionRefused'],
	['ENETUNREACH', 'connectionRefused'],
	['ENOTFOUND', 'hostNotFound'],
	['EAI_AGAIN', 'hostNotFound'],
	['ETIMEDOUT', 'timedOut'],
	['ECONNABORTED', 'timedOut'],
	['ERR_CANCELED', 'stopped'],
]);
const CERTIFICATE_CODE = /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;

/** n8n wraps what the network reports, at times twice: the first code on the way down counts. */
function codeOf(error: unknown, depth = 0): string | undefined {
	if (typeof error !== 'object' || error === null || depth > 4) return undefined;
	const { code, cause, errorResponse } = error as {
		code?: unknown;
		cause?: unknown;
		errorResponse?: unknown;
	};
	if (typeof code === 'string') return code;
	return codeOf(cause, depth + 1) ?? codeOf(errorResponse, depth + 1);
}

/** What a request that got no reply, or whose body broke off, means. */
export function networkProblem(error: unknown, request: WireRequest, dialect: Dialect): Problem {
	const code = codeOf(error);
	const known = code === undefined ? undefined : KIND_OF_CODE.get(code);
	const kind =
		known ?? (code !== undefined && CERTIFICATE_CODE.test(code) ? 'certificate' : 'connectionLost');
	const nothingSent = kind === 'connectionRefused' || kind === 'hostNotFound' || kind === 'certificate';
	const message = error instanceof Error ? error.message : String(error);
	return {
		kind,
		endpoint: request.endpoint,
		// Codes are known and need no more words; anything else is shown, so that it can be looked up.
		detail: code === undefined ? `Details: ${redactText(message, dialect.secrets)}.` : undefined,
		effect: request.method === 'GET' || nothingSent ? 'none' : 'unknown',
	};
}

/** The options every request has in common: n8n judges nothing, follows nothing and parses nothing. */
function options(request: WireRequest, method: IHttpRequestMethods, url: string): IHttpRequestOptions {
	return {
		url,
		method,
		headers: { Accept: request.accept },
		// The status is judged together with the body; that also keeps n8n from sending a 401 twice.
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
		// The key goes to one origin only, so redirects are followed here.
		disableFollowRedirect: true,
		// Texts are parsed here as well: n8n would turn numeric text into numbers and spoil long integers.
		encoding: 'stream',
		timeout: request.timeoutMs,
	};
}

interface FullResponse {
	statusCode: number;
	headers: Record<string, string | undefined>;
	body: NodeJS.ReadableStream;
}

function asReply(response: FullResponse): WireReply {
	return { status: response.statusCode, headers: response.headers, body: response.body };
}

/** Sends with the key. Only ever called for the origin of the credential. */
async function sendWithKey(
	this: RequestContext,
	request: WireRequest,
	dialect: Dialect,
	method: 'GET' | 'POST',
	url: string,
	query: IDataObject,
): Promise<WireReply> {
	const sent = options(request, method, url);
	sent.qs = query;
	if (request.body !== undefined && method === 'POST') {
		sent.body = request.body;
		sent.headers = {
			...sent.headers,
			'Content-Type':
				dialect.requestBody === 'form' ? 'application/x-www-form-urlencoded' : 'application/json',
		};
	}
	return asReply(await this.helpers.httpRequestWithAuthentication.call(this, 'priceCollectionApi', sent));
}

/** Fetches from another origin, where the key must not go. */
async function sendWithoutKey(
	this: RequestContext,
	request: WireRequest,
	url: string,
	signal: AbortSignal | undefined,
): Promise<WireReply> {
	const sent = options(request, 'GET', url);
	sent.abortSignal = signal;
	return asReply(await this.helpers.httpRequest(sent));
}

/** The target of a redirect without anything that holds a secret, or undefined when one cannot be taken out. */
function withoutSecrets(target: URL, dialect: Dialect): URL | undefined {
	const clean = new URL(target);
	for (const [name, value] of target.searchParams) {
		if (name === dialect.parameterName || dialect.secrets.some((secret) => value.includes(secret))) {
			clean.searchParams.delete(name);
		}
	}
	return dialect.secrets.some((secret) => clean.href.includes(secret)) ? undefined : clean;
}

interface Hop {
	method: 'GET' | 'POST';
	url: URL;
	/** Whether the key goes along. */
	withKey: boolean;
}

/**
 * Where a redirect leads. A read is followed anywhere, without the key as soon as it leaves the service's origin.
 * A request that changes something is sent again only where the status says that nothing was done (307, 308), and
 * a 303 says where the outcome can be read.
 */
function nextHop(hop: Hop, reply: WireReply, request: WireRequest, dialect: Dialect): Outcome<Hop> {
	const target = parseUrl(reply.headers.location ?? '', hop.url.href);
	const problem = (kind: ProblemKind, effect: Problem['effect']) =>
		failure({
			kind,
			endpoint: request.endpoint,
			status: reply.status,
			detail:
				target === undefined
					? undefined
					: `It points to ${redactText(target.origin + target.pathname, dialect.secrets)}.`,
			effect,
		});
	if (target === undefined || !/^https?:$/.test(target.protocol))
		return problem('redirectedAway', 'unknown');
	const sameOrigin = target.origin === dialect.origin;
	if (hop.method === 'POST' && reply.status !== 303) {
		const repeats = reply.status === 307 || reply.status === 308;
		if (!sameOrigin || !repeats)
			return problem('redirectedAway', reply.status === 302 ? 'unknown' : 'none');
		return success({ method: 'POST', url: target, withKey: true });
	}
	const clean = withoutSecrets(target, dialect);
	if (clean === undefined) return problem('redirectedAway', request.method === 'POST' ? 'unknown' : 'none');
	return success({ method: 'GET', url: clean, withKey: hop.withKey && sameOrigin });
}

/** Lets go of a body that nobody reads, so that its connection is not held. */
export function discard(body: NodeJS.ReadableStream): void {
	const stream = body as NodeJS.ReadableStream & { destroy?: () => void };
	stream.on('error', () => undefined);
	stream.destroy?.();
}

/** n8n's stop signal, in the contexts that have one. */
export function stopSignal(context: RequestContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/**
 * The only place that speaks to the service: sends one request, follows its redirects and hands out the reply
 * with its body unread. Sends nothing twice by itself; see `retry.ts` for repeating.
 */
export async function exchange(
	this: RequestContext,
	request: WireRequest,
	dialect: Dialect,
): Promise<Outcome<WireReply>> {
	let hop: Hop = { method: request.method, url: new URL(dialect.base + request.path), withKey: true };
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		let reply: WireReply;
		try {
			const query = redirects === 0 ? request.query : {};
			reply = hop.withKey
				? await sendWithKey.call(this, request, dialect, hop.method, hop.url.href, query)
				: await sendWithoutKey.call(this, request, hop.url.href, stopSignal(this));
		} catch (error) {
			return failure(networkProblem(error, request, dialect));
		}
		if (!REDIRECTS.has(reply.status)) return success(reply);
		discard(reply.body);
		const next = nextHop(hop, reply, request, dialect);
		if (!next.ok) return next;
		hop = next.value;
	}
	return failure({
		kind: 'redirectLoop',
		endpoint: request.endpoint,
		effect: request.method === 'POST' ? 'unknown' : 'none',
	});
}

/** How long a reply asks to wait before the next request, in milliseconds. */
export function retryAfterOf(reply: WireReply): number | undefined {
	return readRetryAfter(reply.headers['retry-after'], now());
}

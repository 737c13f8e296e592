import type { IDataObject, IHttpRequestMethods, IHttpRequestOptions } from 'n8n-workflow';

import { discard, type Patience } from './body';
import type { Clock } from './clock';
import type { StatusBudget } from './statusBudget';
import type { Dialect } from './dialect';
import { effectOf, type Endpoint } from './endpoints';
import { networkProblem } from './network';
import { failure, success, type Outcome } from './problems';
import type { RequestContext } from './types';
import { isRedirect, nameOf, nextHop, type Hop } from './redirect';

/** On whose behalf the service is spoken to, and how. */
export interface RequestScope {
	context: RequestContext;
	dialect: Dialect;
	clock: Clock;
	/** Shared by everybody in this process who uses the same key. */
	statusBudget: StatusBudget;
	/**
	 * Told of an answer in which bytes were read in an encoding that is only the likeliest: what was asked for, and how
	 * many texts hold such bytes.
	 */
	onMended?: (request: string, texts: number) => void;
	/** How far the service's clock is ahead of n8n's, in milliseconds, as its latest reply told. */
	clockAheadMs?: number;
}

export interface WireRequest {
	endpoint: Endpoint;
	/** Path below the base address, such as `/v2/jobs`. */
	path: string;
	query: IDataObject;
	body?: IDataObject;
	/** The Accept header. */
	accept: string;
	/** How long the service may be silent, in milliseconds. */
	timeoutMs: number;
	/** Whether the body must come as it is: n8n takes a compressed one for whole that broke off. */
	uncompressed?: boolean;
}

/** A reply whose body has not been read yet. */
export interface WireReply {
	status: number;
	headers: Readonly<Record<string, string | undefined>>;
	body: NodeJS.ReadableStream;
	/** The address it came from, for texts, where a redirect led to another origin and the key stayed behind. */
	foreign?: string;
}

const MAX_REDIRECTS = 5;

/** The options every request has in common: n8n judges nothing, follows nothing and parses nothing. */
function options(request: WireRequest, method: IHttpRequestMethods, url: URL): IHttpRequestOptions {
	return {
		url: url.href,
		method,
		headers: {
			Accept: request.accept,
			...(request.uncompressed === true && { 'Accept-Encoding': 'identity' }),
		},
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

/** What n8n gives for these options. */
type FullResponse = Pick<WireReply, 'headers' | 'body'> & { statusCode: number };

/** A parameter as a form writes it: a list as lines, which is how the service takes several values. */
function formValue(value: unknown): string {
	if (Array.isArray(value)) return value.map(formValue).join('\n');
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function formText(body: IDataObject): string {
	const filled = Object.entries(body).filter(([, value]) => value !== undefined && value !== null);
	const texts = filled.map(([name, value]): [string, string] => [name, formValue(value)]);
	return new URLSearchParams(texts).toString();
}

/** Sends with the key. Only ever called for the origin of the credential. */
async function sendWithKey(
	this: RequestContext,
	request: WireRequest,
	dialect: Dialect,
	{ method, url }: Hop,
	query: IDataObject,
): Promise<FullResponse> {
	const sent = { ...options(request, method, url), qs: query };
	if (request.body !== undefined && method === 'POST') {
		const form = dialect.requestBody === 'form';
		sent.body = form ? formText(request.body) : request.body;
		const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
		sent.headers = { ...sent.headers, 'Content-Type': type };
	}
	return await this.helpers.httpRequestWithAuthentication.call(this, 'priceCollectionApi', sent);
}

/** Fetches from another origin, where the key must not go. */
async function sendWithoutKey(this: RequestContext, request: WireRequest, url: URL): Promise<FullResponse> {
	return await this.helpers.httpRequest({
		...options(request, 'GET', url),
		abortSignal: stopSignal(this),
	});
}

/** n8n's stop signal, in the contexts that have one. */
export function stopSignal(context: RequestContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/** How long the body of a reply to this request is waited for. */
export function patienceFor({ context, clock }: RequestScope, { timeoutMs }: WireRequest): Patience {
	return { silenceMs: timeoutMs, signal: stopSignal(context), clock };
}

/**
 * The only place that speaks to the service: sends one request, follows its redirects and hands out the reply
 * with its body unread. Sends nothing twice by itself; see `retry.ts` for repeating.
 */
export async function sendRequest(
	{ context, dialect }: RequestScope,
	request: WireRequest,
): Promise<Outcome<WireReply>> {
	const { endpoint } = request;
	let hop: Hop = { method: endpoint.method, url: new URL(dialect.base + request.path), withKey: true };
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		let response: FullResponse;
		try {
			const query = redirects === 0 ? request.query : {};
			response = hop.withKey
				? await sendWithKey.call(context, request, dialect, hop, query)
				: await sendWithoutKey.call(context, request, hop.url);
		} catch (error) {
			return failure(networkProblem(error, endpoint, dialect, redirects > 0));
		}
		const { statusCode: status, headers, body } = response;
		if (!isRedirect(status)) {
			const foreign = hop.url.origin === dialect.origin ? undefined : nameOf(hop.url, dialect);
			return success({ status, headers, body, foreign });
		}
		discard(body);
		const next = nextHop(hop, { status, headers }, endpoint, dialect);
		if (!next.ok) return next;
		hop = next.value;
	}
	const detail = 'It redirects in circles';
	return failure({ kind: 'redirectedAway', endpoint, detail, effect: effectOf(endpoint) });
}

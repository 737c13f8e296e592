import type { IDataObject, IHttpRequestMethods, IHttpRequestOptions } from 'n8n-workflow';

import { parseUrl } from './address';
import { discard, type SilenceLimit } from './body';
import type { Clock } from './clock';
import { askFor, type ConnectionSettings, type DownloadFormat } from './connection';
import { effectOf, type Endpoint } from './endpoints';
import { networkProblem } from './network';
import { failure, success, type Outcome, type Problem } from './problems';
import { redactText, withoutSecrets } from './redact';
import type { StatusBudget, TurnRequest } from './statusBudget';
import type { RequestContext } from './types';

/** The node for which requests are sent, and how to send them. */
export interface RequestScope {
	context: RequestContext;
	connection: ConnectionSettings;
	clock: Clock;
	/** Shared by everything in this process that uses the same key. */
	statusBudget: StatusBudget;
	/**
	 * Called after an answer in which bytes had to be read in a guessed encoding, with the request and the
	 * number of characters concerned.
	 */
	onRepaired?: (request: string, characters: number) => void;
	/** How far the service's clock is ahead of n8n's, in milliseconds, according to its latest reply. */
	clockAheadMs?: number;
}

/** How long the service may be silent by default, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** Options of a single call. */
export interface CallOptions {
	/** How long the service may be silent, in milliseconds. */
	timeoutMs?: number;
	format?: DownloadFormat;
	/** Whether temporary problems are retried; switched off when the caller has its own schedule. */
	repeat?: boolean;
	/** For status calls: how long to wait for a turn, and which share of all calls this kind may use. */
	turn?: Omit<TurnRequest, 'signal'>;
}

export interface WireRequest extends CallOptions {
	endpoint: Endpoint;
	/** The job, for endpoints that need one. */
	jobId?: string;
	query?: IDataObject;
	body?: IDataObject;
	/** Whether compression is refused: n8n accepts a compressed body that broke off as complete. */
	uncompressed?: boolean;
}

/** A reply whose body has not been read yet. */
export interface WireReply {
	status: number;
	headers: Readonly<Record<string, string | undefined>>;
	body: NodeJS.ReadableStream;
	/** The address that replied, if a redirect led to another origin, where the key is not sent. */
	foreign?: string;
}

/** One request of a chain of redirects. */
interface Hop {
	method: IHttpRequestMethods;
	url: URL;
	/** Whether the key is sent. */
	withKey: boolean;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** 303 redirects to a result that is read; only 307 and 308 allow a change to be sent again. */
const [SEE_OTHER, SAME_AGAIN] = [303, [307, 308]];
/** IDs that would change the path to another endpoint, because dots lead upwards. */
const NO_JOB_ID = /^\.{0,2}$/;

/** n8n's stop signal, in the contexts that have one. */
export function stopSignal(context: RequestContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/** How long to wait for the body of the reply to this request. */
export function patienceFor(
	{ context, clock }: RequestScope,
	{ timeoutMs = DEFAULT_TIMEOUT_MS }: WireRequest,
): SilenceLimit {
	return { silenceMs: timeoutMs, signal: stopSignal(context), clock };
}

/** What n8n returns for the options below. */
type FullResponse = Pick<WireReply, 'headers' | 'body'> & { statusCode: number };

/** A parameter in form encoding: a list becomes lines, which is how the service accepts several values. */
function formValue(value: unknown): string {
	if (Array.isArray(value)) return value.map(formValue).join('\n');
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function formText(body: IDataObject): string {
	const filled = Object.entries(body).filter(([, value]) => value !== undefined && value !== null);
	const texts = filled.map(([name, value]): [string, string] => [name, formValue(value)]);
	return new URLSearchParams(texts).toString();
}

/** Sends a request once. Only the credential's origin gets the key. */
async function send(
	{ context, connection }: RequestScope,
	request: WireRequest,
	{ method, url, withKey }: Hop,
	query: IDataObject,
): Promise<FullResponse> {
	const headers: IDataObject = { Accept: askFor(request, connection).accept };
	if (request.uncompressed === true) headers['Accept-Encoding'] = 'identity';
	const options: IHttpRequestOptions = {
		...{ url: url.href, method, headers, timeout: request.timeoutMs ?? DEFAULT_TIMEOUT_MS },
		// The status is judged together with the body; this also keeps n8n from repeating a 401.
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
		// Redirects are followed in this file, because only one origin may get the key.
		disableFollowRedirect: true,
		// Text is parsed in this package: n8n would turn numeric text into numbers and corrupt long integers.
		encoding: 'stream',
	};
	const { helpers } = context;
	if (!withKey)
		return (await helpers.httpRequest({ ...options, abortSignal: stopSignal(context) })) as FullResponse;
	options.qs = query;
	if (request.body !== undefined && method === 'POST') {
		const form = connection.requestBody === 'form';
		options.body = form ? formText(request.body) : request.body;
		headers['Content-Type'] = form ? 'application/x-www-form-urlencoded' : 'application/json';
	}
	const sent: unknown = await helpers.httpRequestWithAuthentication.call(
		context,
		'priceCollectionApi',
		options,
	);
	return sent as FullResponse;
}

/** An address for texts, without its query and without secrets. */
const nameOf = (url: URL, { secrets }: ConnectionSettings) => redactText(url.origin + url.pathname, secrets);

/**
 * Where a redirect leads. Reads follow it anywhere, but without the key once it leaves the service's origin.
 * A request that changes something is only repeated if the status says that nothing was done (307, 308); a
 * 303 leads to where the outcome can be read.
 */
function nextHop(
	hop: Hop,
	{ statusCode, headers }: FullResponse,
	endpoint: Endpoint,
	connection: ConnectionSettings,
) {
	const location = (headers.location ?? '').trim();
	const target = location === '' ? undefined : parseUrl(location, hop.url.href);
	const away = (effect: Problem['effect']) => {
		const detail =
			target === undefined ? 'It does not say where to' : `It points to ${nameOf(target, connection)}`;
		return failure({ kind: 'redirectedAway', endpoint, status: statusCode, detail, effect });
	};
	if (target === undefined || !/^https?:$/.test(target.protocol)) return away(effectOf(endpoint));
	const sameOrigin = target.origin === connection.origin;
	const isSafe = statusCode === SEE_OTHER || (sameOrigin && SAME_AGAIN.includes(statusCode));
	if (hop.method === 'POST' && !isSafe) return away(statusCode === 302 ? 'unknown' : 'none');
	const url = withoutSecrets(target, connection.secrets);
	if (url === undefined) return away(effectOf(endpoint));
	const method = statusCode === SEE_OTHER ? 'GET' : hop.method;
	// A parameter named like the key's, with another value, is a ticket for this address; sending the key
	// would overwrite it.
	const isKeyInQuery = method === 'GET' && connection.authentication === 'queryParameter';
	const hasTicket = isKeyInQuery && url.searchParams.has(connection.parameterName);
	return success<Hop>({ method, url, withKey: hop.withKey && sameOrigin && !hasTicket });
}

/**
 * The only place that sends requests to the service: sends one, follows its redirects and returns the reply
 * with its body unread. Never repeats a request itself; see `retry.ts`.
 */
export async function sendRequest(scope: RequestScope, request: WireRequest): Promise<Outcome<WireReply>> {
	const { connection } = scope;
	const { endpoint, jobId = '' } = request;
	if (endpoint.ofJob && NO_JOB_ID.test(jobId)) {
		const detail = 'No job can have this ID. Nothing was sent';
		return failure({ kind: 'jobNotFound', endpoint, detail, effect: 'none' });
	}
	const { suffix, query } = askFor(request, connection);
	const path = endpoint.path.replace('{job_id}', () => encodeURIComponent(jobId)) + suffix;
	let hop: Hop = { method: endpoint.method, url: new URL(connection.base + path), withKey: true };
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		let response: FullResponse;
		try {
			response = await send(scope, request, hop, redirects === 0 ? { ...query, ...request.query } : {});
		} catch (error) {
			return failure(networkProblem(error, endpoint, connection, redirects > 0));
		}
		const { statusCode: status, headers, body } = response;
		if (!REDIRECTS.includes(status)) {
			const foreign = hop.url.origin === connection.origin ? undefined : nameOf(hop.url, connection);
			return success({ status, headers, body, foreign });
		}
		discard(body);
		const next = nextHop(hop, response, endpoint, connection);
		if (!next.ok) return next;
		hop = next.value;
	}
	const detail = 'It redirects in circles';
	return failure({ kind: 'redirectedAway', endpoint, detail, effect: effectOf(endpoint) });
}

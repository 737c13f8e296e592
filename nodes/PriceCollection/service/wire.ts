import type { IDataObject, IHttpRequestMethods, IHttpRequestOptions } from 'n8n-workflow';

import { parseUrl } from './address';
import { discard, type Patience } from './body';
import type { Clock } from './clock';
import { askFor, type Dialect, type DownloadFormat } from './dialect';
import { effectOf, type Endpoint } from './endpoints';
import { networkProblem } from './network';
import { failure, success, type Outcome, type Problem } from './problems';
import { redactText, withoutSecrets } from './redact';
import type { StatusBudget, TurnRequest } from './statusBudget';
import type { RequestContext } from './types';

/** On whose behalf the service is spoken to, and how. */
export interface RequestScope {
	context: RequestContext;
	dialect: Dialect;
	clock: Clock;
	/** Shared by everybody in this process who uses the same key. */
	statusBudget: StatusBudget;
	/**
	 * Told of an answer in which bytes were read in an encoding that is only the likeliest: what was asked for, and how
	 * many characters hold such bytes.
	 */
	onMended?: (request: string, characters: number) => void;
	/** How far the service's clock is ahead of n8n's, in milliseconds, as its latest reply told. */
	clockAheadMs?: number;
}

/** How long the service may be silent when the user says nothing else, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** How a caller wants to have something. */
export interface CallOptions {
	/** How long the service may be silent, in milliseconds. */
	timeoutMs?: number;
	format?: DownloadFormat;
	/** Whether a problem that passes is waited out; switched off where the caller has its own clock. */
	repeat?: boolean;
	/** For status calls: until when a turn is waited for, and which part of all calls this kind may use up. */
	turn?: Omit<TurnRequest, 'signal'>;
}

export interface WireRequest extends CallOptions {
	endpoint: Endpoint;
	/** The job, for an endpoint that is about one. */
	jobId?: string;
	query?: IDataObject;
	body?: IDataObject;
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

/** One stretch of a request's way. */
interface Hop {
	method: IHttpRequestMethods;
	url: URL;
	/** Whether the key goes along. */
	withKey: boolean;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Redirects to something else that is read. Without the other two, what changes something is not sent again. */
const [SEE_OTHER, SAME_AGAIN] = [303, [307, 308]];
/** An ID that would make the address of another endpoint, because dots in a path lead upwards. */
const NO_JOB_ID = /^\.{0,2}$/;

/** n8n's stop signal, in the contexts that have one. */
export function stopSignal(context: RequestContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/** How long the body of a reply to this request is waited for. */
export function patienceFor(
	{ context, clock }: RequestScope,
	{ timeoutMs = DEFAULT_TIMEOUT_MS }: WireRequest,
): Patience {
	return { silenceMs: timeoutMs, signal: stopSignal(context), clock };
}

/** What n8n gives for the options below. */
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

/** Sends a request once. The key goes along to the origin of the credential only. */
async function send(
	{ context, dialect }: RequestScope,
	request: WireRequest,
	{ method, url, withKey }: Hop,
	query: IDataObject,
): Promise<FullResponse> {
	const headers: IDataObject = { Accept: askFor(request, dialect).accept };
	if (request.uncompressed === true) headers['Accept-Encoding'] = 'identity';
	const options: IHttpRequestOptions = {
		...{ url: url.href, method, headers, timeout: request.timeoutMs ?? DEFAULT_TIMEOUT_MS },
		// The status is judged together with the body; that also keeps n8n from sending a 401 twice.
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
		// The key goes to one origin only, so redirects are followed here.
		disableFollowRedirect: true,
		// Texts are parsed here as well: n8n would turn numeric text into numbers and spoil long integers.
		encoding: 'stream',
	};
	const { helpers } = context;
	if (!withKey)
		return (await helpers.httpRequest({ ...options, abortSignal: stopSignal(context) })) as FullResponse;
	options.qs = query;
	if (request.body !== undefined && method === 'POST') {
		const form = dialect.requestBody === 'form';
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

/** An address for texts: without its query, and without secrets. */
const nameOf = (url: URL, { secrets }: Dialect) => redactText(url.origin + url.pathname, secrets);

/**
 * Where a redirect leads. A read is followed anywhere, without the key as soon as it leaves the service's origin.
 * A request that changes something is sent again only where the status says that nothing was done (307, 308), and
 * a 303 says where the outcome can be read.
 */
function nextHop(hop: Hop, { statusCode, headers }: FullResponse, endpoint: Endpoint, dialect: Dialect) {
	const location = (headers.location ?? '').trim();
	const target = location === '' ? undefined : parseUrl(location, hop.url.href);
	const away = (effect: Problem['effect']) => {
		const detail =
			target === undefined ? 'It does not say where to' : `It points to ${nameOf(target, dialect)}`;
		return failure({ kind: 'redirectedAway', endpoint, status: statusCode, detail, effect });
	};
	if (target === undefined || !/^https?:$/.test(target.protocol)) return away(effectOf(endpoint));
	const sameOrigin = target.origin === dialect.origin;
	const isSafe = statusCode === SEE_OTHER || (sameOrigin && SAME_AGAIN.includes(statusCode));
	if (hop.method === 'POST' && !isSafe) return away(statusCode === 302 ? 'unknown' : 'none');
	const url = withoutSecrets(target, dialect.secrets);
	if (url === undefined) return away(effectOf(endpoint));
	const method = statusCode === SEE_OTHER ? 'GET' : hop.method;
	// A parameter called like that of the key, with another value, is a ticket for this one address: the key would
	// take its place.
	const isKeyInQuery = method === 'GET' && dialect.authentication === 'queryParameter';
	const hasTicket = isKeyInQuery && url.searchParams.has(dialect.parameterName);
	return success<Hop>({ method, url, withKey: hop.withKey && sameOrigin && !hasTicket });
}

/**
 * The only place that speaks to the service: sends one request, follows its redirects and hands out the reply
 * with its body unread. Sends nothing twice by itself; see `retry.ts` for repeating.
 */
export async function sendRequest(scope: RequestScope, request: WireRequest): Promise<Outcome<WireReply>> {
	const { dialect } = scope;
	const { endpoint, jobId = '' } = request;
	if (endpoint.ofJob && NO_JOB_ID.test(jobId)) {
		const detail = 'No job can have this ID. Nothing was sent';
		return failure({ kind: 'jobNotFound', endpoint, detail, effect: 'none' });
	}
	const { suffix, query } = askFor(request, dialect);
	const path = endpoint.path.replace('{job_id}', () => encodeURIComponent(jobId)) + suffix;
	let hop: Hop = { method: endpoint.method, url: new URL(dialect.base + path), withKey: true };
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		let response: FullResponse;
		try {
			response = await send(scope, request, hop, redirects === 0 ? { ...query, ...request.query } : {});
		} catch (error) {
			return failure(networkProblem(error, endpoint, dialect, redirects > 0));
		}
		const { statusCode: status, headers, body } = response;
		if (!REDIRECTS.includes(status)) {
			const foreign = hop.url.origin === dialect.origin ? undefined : nameOf(hop.url, dialect);
			return success({ status, headers, body, foreign });
		}
		discard(body);
		const next = nextHop(hop, response, endpoint, dialect);
		if (!next.ok) return next;
		hop = next.value;
	}
	const detail = 'It redirects in circles';
	return failure({ kind: 'redirectedAway', endpoint, detail, effect: effectOf(endpoint) });
}

import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import type { Clock } from '../time';
import { askFor, parseUrl, type ConnectionSettings, type DownloadFormat } from '../connection';
import { networkProblem } from './network';
import type { StatusBudget, TurnRequest } from './pacing';
import { failure, success, type Outcome } from '../problems';
import { redactText, withoutSecrets } from '../text';
import { effectOf, type Endpoint, type RequestContext } from '../types';

/** The node for which requests are sent, and how to send them. */
export interface RequestScope {
	context: RequestContext;
	connection: ConnectionSettings;
	clock: Clock;
	/** Shared by everything in this process that uses the same key. */
	statusBudget: StatusBudget;
	/** How far the service's clock is ahead of n8n's, in milliseconds, according to its latest reply. */
	clockAheadMs?: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;

export interface CallOptions {
	/** How long the service may be silent, in milliseconds; a body also has {@link limitTime}'s limit. */
	timeoutMs?: number;
	format?: DownloadFormat;
	/** Whether temporary problems are retried; switched off when the caller has its own schedule. */
	repeat?: boolean;
	/** For status calls: how long to wait for a turn, and which share of all calls this kind may use. */
	turn?: Omit<TurnRequest, 'signal'>;
}

export interface WireRequest extends CallOptions {
	endpoint: Endpoint;
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

interface Hop {
	url: URL;
	withKey: boolean;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Redirects after which a request may have had its effect; with the others nothing was done. */
const MAYBE_DONE = [302, 303];
const PROXY_AUTHENTICATION = 407;
const ASKS_FOR_LOGIN = 'It asks for a user and a password, or does not accept those that it got';
/** IDs that would change the path to another endpoint, because dots lead upwards. */
const NO_JOB_ID = /^\.{0,2}$/;

/** n8n's stop signal, in the contexts that have one. */
export function stopSignal(context: RequestContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

type FullResponse = Pick<WireReply, 'headers' | 'body'> & { statusCode: number };

/** The parameters in form encoding: an entry of a list is a field of its own, under `name[]`. */
function formText(body: IDataObject): string {
	const fields = new URLSearchParams();
	const add = (name: string, value: unknown) =>
		fields.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
	for (const [name, value] of Object.entries(body)) {
		if (Array.isArray(value)) for (const entry of value) add(`${name}[]`, entry);
		else if (value !== undefined && value !== null) add(name, value);
	}
	return fields.toString();
}

/** Sends a request once. Only the credential's origin gets the key. */
async function sendOnce(
	{ context, connection }: RequestScope,
	request: WireRequest,
	{ url, withKey }: Hop,
	query: IDataObject,
): Promise<FullResponse> {
	const headers: IDataObject = { Accept: askFor(request, connection).accept };
	if (request.uncompressed === true) headers['Accept-Encoding'] = 'identity';
	const options: IHttpRequestOptions = {
		url: url.href,
		method: request.endpoint.method,
		headers,
		timeout: request.timeoutMs ?? DEFAULT_TIMEOUT_MS,
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
	// A list is a repeated parameter, whose name stays as it is: `f[]=a&f[]=b`.
	options.arrayFormat = 'repeat';
	if (request.body !== undefined) {
		const form = connection.requestBody === 'form';
		options.body = form ? formText(request.body) : request.body;
		headers['Content-Type'] = form ? 'application/x-www-form-urlencoded' : 'application/json';
	}
	const credential = 'priceCollectionApi';
	return (await helpers.httpRequestWithAuthentication.call(context, credential, options)) as FullResponse;
}

/** An address for texts, without its query and without secrets. */
const displayAddress = (url: URL, { secrets }: ConnectionSettings) =>
	redactText(url.origin + url.pathname, secrets);

/**
 * Where a redirect leads. Reads follow it anywhere, but without the key once it leaves the service's origin.
 * A request that changes something is not sent to another address.
 */
function nextHop(
	hop: Hop,
	{ statusCode: status, headers }: FullResponse,
	endpoint: Endpoint,
	connection: ConnectionSettings,
): Outcome<Hop> {
	const location = (headers.location ?? '').trim();
	const target = location === '' ? undefined : parseUrl(location, hop.url.href);
	const isWeb = target !== undefined && /^https?:$/.test(target.protocol);
	const url = isWeb ? withoutSecrets(target, connection.secrets) : undefined;
	if (!url || endpoint.changes) {
		const detail = target
			? `It points to ${displayAddress(target, connection)}`
			: 'It does not say where to';
		const effect = url && !MAYBE_DONE.includes(status) ? 'none' : effectOf(endpoint);
		return failure({ kind: 'redirectedAway', endpoint, status, detail, effect });
	}
	const { authentication, origin, parameterName } = connection;
	// A one-time parameter in the new address must not be replaced by the key.
	const hasOwnKey = authentication === 'queryParameter' && url.searchParams.has(parameterName);
	return success({ url, withKey: hop.withKey && !hasOwnKey && target?.origin === origin });
}

/** The only place that sends requests to the service: follows redirects, and never repeats a request. */
export async function sendRequest(scope: RequestScope, request: WireRequest): Promise<Outcome<WireReply>> {
	const { connection } = scope;
	const { endpoint, jobId = '' } = request;
	if (endpoint.ofJob && NO_JOB_ID.test(jobId)) {
		const detail = 'No job can have this ID. Nothing was sent';
		return failure({ kind: 'jobNotFound', endpoint, detail, effect: 'none' });
	}
	const { suffix, query } = askFor(request, connection);
	const path = endpoint.path.replace('{job_id}', () => encodeURIComponent(jobId)) + suffix;
	let hop: Hop = { url: new URL(connection.base + path), withKey: true };
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const isFirst = redirects === 0;
		const nothingDone = isFirst ? 'none' : effectOf(endpoint);
		if (stopSignal(scope.context)?.aborted === true)
			return failure({ kind: 'stopped', endpoint, effect: nothingDone });
		let response: FullResponse;
		try {
			response = await sendOnce(scope, request, hop, isFirst ? { ...query, ...request.query } : {});
		} catch (error) {
			return failure(networkProblem(error, endpoint, connection, isFirst ? hop.url : undefined));
		}
		const { statusCode: status, headers, body } = response;
		// Only a proxy answers so, instead of passing the request on (RFC 9110, 15.5.8).
		if (status === PROXY_AUTHENTICATION) {
			discard(body);
			return failure({
				kind: 'proxyFailed',
				endpoint,
				status,
				detail: ASKS_FOR_LOGIN,
				effect: nothingDone,
			});
		}
		if (!REDIRECTS.includes(status)) {
			const foreign =
				hop.url.origin === connection.origin ? undefined : displayAddress(hop.url, connection);
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

const SILENCE_CHECK_MS = 250;
/** Slower bodies than this are ended, so that one of a byte a second does not go on forever. */
const SLOWEST_BYTES_PER_SECOND = 1_000;

type Stream = NodeJS.ReadableStream & {
	destroy: () => void;
	iterator: (options: { destroyOnReturn: boolean }) => AsyncIterable<Buffer>;
};

/** Who reads a body, and how long it may be silent. */
type BodyReading = Pick<RequestScope, 'clock' | 'context'> & Pick<WireRequest, 'timeoutMs'>;

/**
 * Ends a body that takes too long, or whose execution is stopped: n8n's own timeout does not cover bodies. A body may
 * be silent for the timeout, and may take the timeout and a second for each 1,000 bytes that have arrived. The reader
 * then gets an error with one of the network's codes.
 *
 * @returns a function to call with each chunk that arrives
 */
export function limitTime(
	body: NodeJS.ReadableStream,
	{ context, clock, timeoutMs = DEFAULT_TIMEOUT_MS }: BodyReading,
): (chunk: Pick<Buffer, 'length'>) => void {
	const stream = body as Stream;
	const signal = stopSignal(context);
	const start = clock.elapsed();
	let last = start;
	let bytes = 0;
	let isOver = false;
	const isLate = () => {
		const whole = timeoutMs + (bytes / SLOWEST_BYTES_PER_SECOND) * 1000;
		return clock.elapsed() > Math.min(last + timeoutMs, start + whole);
	};
	// The error is emitted here because n8n's stream may be a wrapper whose destroy() first waits for the
	// missing bytes.
	const abort = (code: 'ETIMEDOUT' | 'ERR_CANCELED') => {
		stream.emit('error', Object.assign(new Error('The rest of the body was not read'), { code }));
		stream.destroy();
	};
	// The error listener stays: an unhandled late error would end the process.
	for (const event of ['end', 'close', 'error']) stream.on(event, () => (isOver = true));
	void (async () => {
		while (!isOver) {
			await clock.sleep(SILENCE_CHECK_MS);
			if (isOver) return;
			if (signal?.aborted === true) abort('ERR_CANCELED');
			else if (isLate()) abort('ETIMEDOUT');
		}
	})();
	return ({ length }) => {
		last = clock.elapsed();
		bytes += length;
	};
}

/** Ends a body that is not needed; late errors of it concern nobody. */
export function discard(body: NodeJS.ReadableStream): void {
	body.on('error', () => undefined);
	(body as Stream).destroy();
}

/** Reads the first `wanted` bytes of a body or slightly more, and puts them back unless it `ended`. */
export async function readHead(
	body: NodeJS.ReadableStream,
	wanted: number,
	reader: BodyReading,
	heard = limitTime(body, reader),
): Promise<{ head: Buffer; ended: boolean }> {
	const stream = body as Stream;
	const chunks: Buffer[] = [];
	let left = wanted;
	for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
		heard(chunk);
		chunks.push(chunk);
		left -= chunk.length;
		if (left <= 0) break;
	}
	const head = Buffer.concat(chunks);
	const ended = left > 0;
	if (!ended) stream.unshift(head);
	// Node notices removed listeners only on the next tick; new ones must be added after that.
	await reader.clock.yieldToEventLoop();
	return { head, ended };
}

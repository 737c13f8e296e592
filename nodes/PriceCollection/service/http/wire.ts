import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import type { Clock } from '../time';
import { formatSelectors, type DownloadFormat } from '../formats';
import { keyParameterOf, type ConnectionSettings } from '../connection';
import { parseUrl } from '../address';
import { networkProblem } from './network';
import type { StatusBudget, TurnRequest } from './pacing';
import { failure, success, type Outcome } from '../problems';
import { redactText, withoutSecrets } from '../secrets';
import { effectOf, type Endpoint, type RequestContext } from '../types';

/** The node that sends requests, and how to send them. */
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
	/** How long the service may be silent, in milliseconds. {@link limitTime} also limits the time for a body. */
	timeoutMs?: number;
	format?: DownloadFormat;
	/** Whether to retry after temporary problems. False if the caller has its own schedule. */
	repeat?: boolean;
	/** For status calls: how long to wait for a turn, and the share of all calls that this kind may use. */
	turn?: Omit<TurnRequest, 'signal'>;
}

export interface WireRequest extends CallOptions {
	endpoint: Endpoint;
	jobId?: string;
	query?: IDataObject;
	body?: IDataObject;
	/** Whether to ask for no compression: n8n accepts a truncated compressed body as complete. */
	uncompressed?: boolean;
}

/** A reply whose body has not been read yet. */
export interface WireReply {
	status: number;
	headers: Readonly<Record<string, string | undefined>>;
	body: NodeJS.ReadableStream;
	/** The address that replied, if a redirect led to another origin. The key is not sent there. */
	foreign?: string;
}

interface Hop {
	url: URL;
	withKey: boolean;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Redirects after which the request may have taken effect. With the others, nothing was done. */
const AMBIGUOUS_REDIRECTS = [302, 303];
const PROXY_AUTHENTICATION = 407;
const LOGIN_REQUIRED = 'It requires a user name and a password, or does not accept the ones it received';
/** Job IDs that would lead to another endpoint: blank, or dots, which lead upwards in the path. */
const UNUSABLE_JOB_ID = /^\.{0,2}$/;

/** n8n's stop signal, in the contexts that have one. */
export function stopSignal(context: RequestContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

type FullResponse = Pick<WireReply, 'headers' | 'body'> & { statusCode: number };

/** The parameters in form encoding. Each entry of a list is a separate field, `name[]`. */
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

/** Sends a request once. The credential adds the key only if `withKey` is true. */
async function sendOnce(
	{ context, connection }: RequestScope,
	request: WireRequest,
	{ url, withKey }: Hop,
	query: IDataObject,
): Promise<FullResponse> {
	const headers: IDataObject = { Accept: formatSelectors(request, connection).accept };
	if (request.uncompressed === true) headers['Accept-Encoding'] = 'identity';
	const options: IHttpRequestOptions = {
		url: url.href,
		method: request.endpoint.method,
		headers,
		timeout: request.timeoutMs ?? DEFAULT_TIMEOUT_MS,
		// The status is judged together with the body. This also keeps n8n from retrying after a 401.
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
		// Redirects are followed in this file, because only one origin may get the key.
		disableFollowRedirect: true,
		// This package parses bodies itself: n8n would turn numeric text into numbers and corrupt long integers.
		encoding: 'stream',
	};
	const { helpers } = context;
	if (!withKey)
		return (await helpers.httpRequest({ ...options, abortSignal: stopSignal(context) })) as FullResponse;
	options.qs = query;
	// Sends a list as a repeated parameter with an unchanged name: `f[]=a&f[]=b`.
	options.arrayFormat = 'repeat';
	if (request.body !== undefined) {
		const form = connection.requestBody === 'form';
		options.body = form ? formText(request.body) : request.body;
		headers['Content-Type'] = form ? 'application/x-www-form-urlencoded' : 'application/json';
	}
	const credential = 'priceCollectionApi';
	return (await helpers.httpRequestWithAuthentication.call(context, credential, options)) as FullResponse;
}

/** An address for messages, without its query and secrets. */
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
		const effect = url && !AMBIGUOUS_REDIRECTS.includes(status) ? 'none' : effectOf(endpoint);
		return failure({ kind: 'redirectedAway', endpoint, status, detail, effect });
	}
	const { origin } = connection;
	const keyParameter = keyParameterOf(connection);
	// The key must not replace a parameter of the same name in the new address, such as a one-time token.
	const hasKeyParameter = keyParameter !== undefined && url.searchParams.has(keyParameter);
	return success({ url, withKey: hop.withKey && !hasKeyParameter && target?.origin === origin });
}

/** Sends a request to the service and follows redirects. Never retries. */
export async function sendRequest(scope: RequestScope, request: WireRequest): Promise<Outcome<WireReply>> {
	const { connection } = scope;
	const { endpoint, jobId = '' } = request;
	if (endpoint.ofJob && UNUSABLE_JOB_ID.test(jobId)) {
		const detail = 'No job can have this ID. Nothing was sent';
		return failure({ kind: 'jobNotFound', endpoint, detail, effect: 'none' });
	}
	const { suffix, query } = formatSelectors(request, connection);
	// Half a surrogate pair has no encoding.
	const encodedId = encodeURIComponent(jobId.toWellFormed());
	const path = endpoint.path.replace('{job_id}', () => encodedId) + suffix;
	let hop: Hop = { url: new URL(connection.base + path), withKey: true };
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const isFirst = redirects === 0;
		const effectSoFar = isFirst ? 'none' : effectOf(endpoint);
		if (stopSignal(scope.context)?.aborted === true)
			return failure({ kind: 'stopped', endpoint, effect: effectSoFar });
		let response: FullResponse;
		try {
			response = await sendOnce(scope, request, hop, isFirst ? { ...query, ...request.query } : {});
		} catch (error) {
			return failure(networkProblem(error, endpoint, connection, isFirst ? hop.url : undefined));
		}
		const { statusCode: status, headers, body } = response;
		// Only a proxy sends this status, and it has not passed the request on (RFC 9110, 15.5.8).
		if (status === PROXY_AUTHENTICATION) {
			discard(body);
			return failure({
				kind: 'proxyFailed',
				endpoint,
				status,
				detail: LOGIN_REQUIRED,
				effect: effectSoFar,
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
/** Slower bodies are aborted, so that a body of one byte a second does not go on forever. */
const SLOWEST_BYTES_PER_SECOND = 1_000;

type Stream = NodeJS.ReadableStream & {
	destroy: () => void;
	iterator: (options: { destroyOnReturn: boolean }) => AsyncIterable<Buffer>;
};

/** For whom a body is read, and how long it may be silent. */
type ReadOptions = Pick<RequestScope, 'clock' | 'context'> & Pick<WireRequest, 'timeoutMs'>;

/**
 * Aborts a body that takes too long or whose execution is stopped, because n8n's own timeout does not cover bodies. A
 * body may be silent for the timeout. In all, it may take the timeout plus a second for each 1,000 bytes that have
 * arrived. The reader of an aborted body gets an error with a network error code.
 *
 * @returns a function to call with each chunk that arrives
 */
export function limitTime(
	body: NodeJS.ReadableStream,
	{ context, clock, timeoutMs = DEFAULT_TIMEOUT_MS }: ReadOptions,
): (chunk: Pick<Buffer, 'length'>) => void {
	const stream = body as Stream;
	const signal = stopSignal(context);
	const start = clock.elapsed();
	let lastChunkAt = start;
	let bytes = 0;
	let isOver = false;
	const isLate = () => {
		const allowedMs = timeoutMs + (bytes / SLOWEST_BYTES_PER_SECOND) * 1000;
		return clock.elapsed() > Math.min(lastChunkAt + timeoutMs, start + allowedMs);
	};
	// The error is emitted here because n8n's stream may be a wrapper whose destroy() waits for the missing bytes
	// first.
	const abort = (code: 'ETIMEDOUT' | 'ERR_CANCELED') => {
		stream.emit('error', Object.assign(new Error('The rest of the body was not read'), { code }));
		stream.destroy();
	};
	// The error listener is never removed: an unhandled late error would end the process.
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
		lastChunkAt = clock.elapsed();
		bytes += length;
	};
}

/** Closes a body that is not needed, and ignores its late errors. */
export function discard(body: NodeJS.ReadableStream): void {
	body.on('error', () => undefined);
	(body as Stream).destroy();
}

/** Reads at least the first `wantedBytes` of a body, and puts them back unless the body has `ended`. */
export async function readHead(
	body: NodeJS.ReadableStream,
	wantedBytes: number,
	reader: ReadOptions,
	onChunk = limitTime(body, reader),
): Promise<{ head: Buffer; ended: boolean }> {
	const stream = body as Stream;
	const chunks: Buffer[] = [];
	let remainingBytes = wantedBytes;
	for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
		onChunk(chunk);
		chunks.push(chunk);
		remainingBytes -= chunk.length;
		if (remainingBytes <= 0) break;
	}
	const head = Buffer.concat(chunks);
	const ended = remainingBytes > 0;
	if (!ended) stream.unshift(head);
	// Node notices removed listeners only on the next tick, so new ones must be added after that.
	await reader.clock.yieldToEventLoop();
	return { head, ended };
}

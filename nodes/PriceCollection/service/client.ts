import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { limitSilence, peek, readText } from './body';
import { breathe, pause, random } from './clock';
import { decodeBody } from './decode/body';
import { askFor, readDialect } from './dialect';
import type { CredentialFields, Dialect, DownloadFormat } from './dialect';
import { inputError } from './errors';
import { judge } from './judge';
import { failure, success } from './problem';
import type { Outcome } from './problem';
import { holdsSecret, redactText, redactValue } from './redact';
import { delayBeforeRepeat } from './retry';
import { readJob, readJobList, readRefusal, readResults, readUsage } from './schemas';
import type { Read } from './schemas';
import { endOf } from './status';
import { isObject } from './types';
import type { Job, JobResults } from './types';
import { discard, exchange, networkProblem, retryAfterOf, stopSignal } from './wire';
import type { RequestContext, WireReply, WireRequest } from './wire';

/** The seven endpoints, as texts name them. */
export const ENDPOINTS = {
	create: 'POST /v2/jobs',
	list: 'GET /v2/jobs',
	get: 'GET /v2/jobs/{job_id}',
	download: 'GET /v2/jobs/{job_id}/download',
	cancel: 'POST /v2/jobs/{job_id}/cancel',
	usageToday: 'GET /v2/me/usage_today',
	usageMonth: 'GET /v2/me/usage_month',
} as const;

/** How long the service may be silent when the user says nothing else, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 60_000;
/** So much of a download that is to become a file is looked at, to tell it from a refusal or a web page. */
const SMALL_BODY_BYTES = 64 * 1024;

export interface CallOptions {
	/** How long the service may be silent, in milliseconds. */
	timeoutMs?: number;
	format?: DownloadFormat;
	/** Whether a problem that passes is waited out; switched off where the caller has its own clock. */
	repeat?: boolean;
}

/** A download that has begun and looks like what was asked for. */
export interface OpenDownload {
	body: NodeJS.ReadableStream;
	contentType?: string;
}

/** The service, spoken to with one credential on behalf of one node. Nothing here throws. */
export interface ServiceClient {
	readonly dialect: Dialect;
	/** Creates a job. Sent again only where nothing can have been created. */
	createJob(parameters: IDataObject, options?: CallOptions): Promise<Outcome<Job>>;
	getJob(jobId: string, options?: CallOptions): Promise<Outcome<Job>>;
	/** One page of the account's jobs, as the service sorts them. */
	listJobs(query: IDataObject, options?: CallOptions): Promise<Outcome<Job[]>>;
	/** The results of a finished job, as typed objects; the same for JSON and XML. */
	download(jobId: string, options?: CallOptions): Promise<Outcome<JobResults>>;
	/** Hands the untouched body of a download to `store`; starts over when the connection breaks. */
	downloadFile<T>(
		jobId: string,
		store: (download: OpenDownload) => Promise<T>,
		options?: CallOptions,
	): Promise<Outcome<T>>;
	cancelJob(jobId: string, options?: CallOptions): Promise<Outcome<IDataObject>>;
	getUsage(period: 'today' | 'month', options?: CallOptions): Promise<Outcome<IDataObject>>;
}

interface Conversation {
	context: RequestContext;
	dialect: Dialect;
	redact: (text: string) => string;
}

/** Does something until it works, fails for good or may not be repeated. */
async function repeatedly<T>(
	talk: Conversation,
	changes: boolean,
	repeat: boolean,
	attempt: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
	const signal = stopSignal(talk.context);
	for (let count = 1; ; count++) {
		const outcome = await attempt();
		if (outcome.ok || !repeat) return outcome;
		const delay = delayBeforeRepeat(outcome.problem, count, changes, random());
		if (delay === undefined) return outcome;
		await pause(delay, signal);
		if (signal?.aborted === true) return failure({ ...outcome.problem, kind: 'stopped' });
	}
}

/** Reads a reply as data and judges it. An empty answer is taken for `{}` where `mayBeEmpty`. */
async function readReply(
	talk: Conversation,
	request: WireRequest,
	reply: WireReply,
	mayBeEmpty: boolean,
): Promise<Outcome<unknown>> {
	const changes = request.method === 'POST';
	let text: string | undefined;
	try {
		limitSilence(reply.body, request.timeoutMs, stopSignal(talk.context));
		text = await readText(reply.body, reply.headers['content-type']);
	} catch (error) {
		const problem = networkProblem(error, request, talk.dialect);
		return failure({ ...problem, status: reply.status });
	}
	const { endpoint } = request;
	if (text === undefined) {
		return failure({
			kind: 'tooLarge',
			endpoint,
			status: reply.status,
			effect: changes ? 'unknown' : 'none',
		});
	}
	if (mayBeEmpty && reply.status < 300 && text.trim() === '') return success({});
	const body = await decodeBody(text, breathe);
	const refusal = body.ok ? readRefusal(body.value, reply.status) : undefined;
	const problem = judge(
		{ status: reply.status, body, refusal, retryAfterMs: retryAfterOf(reply) },
		{ endpoint, changes },
		talk.redact,
	);
	if (problem !== undefined || !body.ok) {
		return failure(problem ?? { kind: 'unreadableBody', endpoint, effect: changes ? 'unknown' : 'none' });
	}
	const { secrets } = talk.dialect;
	return success(holdsSecret(text, secrets) ? redactValue(body.value, secrets) : body.value);
}

/** Checks that data is what the endpoint gives. */
function checked<T>(talk: Conversation, request: WireRequest, read: Read<T>): Outcome<T> {
	if (read.ok) return success(read.value);
	return failure({
		kind: 'unexpectedBody',
		endpoint: request.endpoint,
		detail: talk.redact(`Expected ${read.expected}; ${read.detail}`),
		effect: request.method === 'POST' ? 'unknown' : 'none',
	});
}

/** A download that came too early: a running job, and no results with it. */
function tooEarly(value: unknown): boolean {
	if (!isObject(value)) return false;
	const { status, results } = value;
	const running = typeof status === 'string' && status !== '' && endOf(status) === undefined;
	return running && (!Array.isArray(results) || results.length === 0);
}

/** One request from sending to typed data, repeated where that is safe. */
async function call<T>(
	talk: Conversation,
	request: WireRequest,
	read: (value: unknown) => Read<T>,
	{ repeat = true, mayBeEmpty = false }: { repeat?: boolean; mayBeEmpty?: boolean },
): Promise<Outcome<T>> {
	return await repeatedly(talk, request.method === 'POST', repeat, async () => {
		const reply = await exchange.call(talk.context, request, talk.dialect);
		if (!reply.ok) return reply;
		const value = await readReply(talk, request, reply.value, mayBeEmpty);
		if (!value.ok) return value;
		if (request.endpoint === ENDPOINTS.download && tooEarly(value.value)) {
			return failure({ kind: 'notFinished', endpoint: request.endpoint, effect: 'none' });
		}
		return checked(talk, request, read(value.value));
	});
}

/** Whether the first bytes of a download could be a refusal or a web page instead of the file. */
function looksSuspicious(head: Buffer, status: number): boolean {
	const start = head.subarray(0, 512).toString('utf8').trimStart();
	return (
		status >= 300 ||
		head.length === 0 ||
		/^<(!doctype html|html)/i.test(start) ||
		/"success"\s*:\s*false|<success[ >]/.test(start)
	);
}

/** One attempt at a file: the body is handed on untouched unless it does not look like one. */
async function fetchFile<T>(
	talk: Conversation,
	request: WireRequest,
	store: (download: OpenDownload) => Promise<T>,
): Promise<Outcome<T>> {
	const reply = await exchange.call(talk.context, request, talk.dialect);
	if (!reply.ok) return reply;
	const { body, status, headers } = reply.value;
	try {
		const head = await peek(body, request.timeoutMs, stopSignal(talk.context));
		if (looksSuspicious(head, status) && head.length < SMALL_BODY_BYTES) {
			const read = await readReply(talk, request, reply.value, false);
			if (!read.ok) return read;
			discard(body);
			return failure({ kind: 'unexpectedBody', endpoint: request.endpoint, status, effect: 'none' });
		}
		limitSilence(body, request.timeoutMs, stopSignal(talk.context));
		return success(await store({ body, contentType: headers['content-type'] }));
	} catch (error) {
		discard(body);
		return failure(networkProblem(error, request, talk.dialect));
	}
}

/** Builds the client for a checked credential. */
function clientFor(talk: Conversation): ServiceClient {
	const { dialect } = talk;
	const request = (
		method: 'GET' | 'POST',
		endpoint: string,
		path: string,
		{ timeoutMs = DEFAULT_TIMEOUT_MS, format = 'json' }: CallOptions = {},
	): WireRequest => {
		const asked = askFor(format, dialect);
		return {
			method,
			endpoint,
			path: path + asked.suffix,
			query: asked.query,
			accept: asked.accept,
			timeoutMs,
		};
	};
	const jobPath = (jobId: string) => `/v2/jobs/${encodeURIComponent(jobId)}`;
	return {
		dialect,
		createJob: async (parameters, options) =>
			await call(
				talk,
				{ ...request('POST', ENDPOINTS.create, '/v2/jobs', options), body: parameters },
				(value) => readJob(value, undefined, 'new'),
				options ?? {},
			),
		getJob: async (jobId, options) =>
			await call(
				talk,
				request('GET', ENDPOINTS.get, jobPath(jobId), options),
				(value) => readJob(value, jobId),
				options ?? {},
			),
		listJobs: async (query, options) =>
			await call(
				talk,
				{ ...request('GET', ENDPOINTS.list, '/v2/jobs', options), query },
				readJobList,
				options ?? {},
			),
		download: async (jobId, options) =>
			await call(
				talk,
				request('GET', ENDPOINTS.download, `${jobPath(jobId)}/download`, options),
				(value) => readResults(value, jobId),
				options ?? {},
			),
		downloadFile: async (jobId, store, options) =>
			await repeatedly(talk, false, true, async () => {
				const path = `${jobPath(jobId)}/download`;
				return await fetchFile(talk, request('GET', ENDPOINTS.download, path, options), store);
			}),
		cancelJob: async (jobId, options) =>
			await call(
				talk,
				request('POST', ENDPOINTS.cancel, `${jobPath(jobId)}/cancel`, options),
				readUsage,
				{ ...options, mayBeEmpty: true },
			),
		getUsage: async (period, options) =>
			await call(
				talk,
				period === 'today'
					? request('GET', ENDPOINTS.usageToday, '/v2/me/usage_today', options)
					: request('GET', ENDPOINTS.usageMonth, '/v2/me/usage_month', options),
				readUsage,
				options ?? {},
			),
	};
}

/**
 * The client for the credential of this node.
 *
 * @throws NodeOperationError with a clear sentence when the credential's address cannot be used
 */
export async function serviceClient(this: RequestContext): Promise<ServiceClient> {
	const fields = await this.getCredentials<CredentialFields>('priceCollectionApi');
	const read = readDialect(fields);
	if (!read.ok) {
		throw inputError(
			this.getNode(),
			read.message,
			'Open the Price Collection API credential to correct it.',
		);
	}
	const { dialect } = read;
	return clientFor({ context: this, dialect, redact: (text) => redactText(text, dialect.secrets) });
}

/**
 * The client for requests that must outlive the stop of an execution, such as cancelling its jobs.
 *
 * @throws like {@link serviceClient}
 */
export async function detachedClient(this: IExecuteFunctions): Promise<ServiceClient> {
	const { helpers, logger } = this;
	const detached = {
		helpers,
		logger,
		getNode: this.getNode.bind(this),
		getCredentials: this.getCredentials.bind(this),
	};
	// n8n looks for the stop signal on the context that it is called with; the rest of it is not needed.
	return await serviceClient.call(detached as unknown as RequestContext);
}

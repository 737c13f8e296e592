import type { IDataObject } from 'n8n-workflow';

import type { Clock } from './clock';
import { askFor, type Dialect, type DownloadFormat } from './dialect';
import { ENDPOINTS } from './endpoints';
import { fetchFile, type OpenDownload } from './file';
import { pagingIn, type JobPage } from './paging';
import { failure, isFinal, success, type Outcome } from './problems';
import { checked, readReply, type Answer } from './reply';
import { delayBeforeRepeat } from './retry';
import {
	hasResults,
	isOfRunningJob,
	readAnything,
	readJob,
	readJobList,
	readResults,
	readUsage,
	type Read,
} from './schemas';
import type { Job, JobResults } from './types';
import type { TurnRequest } from './statusBudget';
import { sendRequest, stopSignal, type RequestScope, type WireRequest } from './wire';

export type { OpenDownload };

/** How long the service may be silent when the user says nothing else, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** How long a status call waits for its turn where the caller sets no time, in milliseconds. */
const LONGEST_TURN_WAIT_MS = 120_000;

export interface CallOptions {
	/** How long the service may be silent, in milliseconds. */
	timeoutMs?: number;
	format?: DownloadFormat;
	/** Whether a problem that passes is waited out; switched off where the caller has its own clock. */
	repeat?: boolean;
	/** For status calls: until when a turn is waited for, and which part of all calls this kind may use up. */
	turn?: Omit<TurnRequest, 'signal'>;
}

/** The service, spoken to with one credential on behalf of one node. Nothing here throws. */
export interface ServiceClient {
	readonly dialect: Dialect;
	readonly clock: Clock;
	/** A time of n8n's clock in that of the service, in milliseconds; undefined until the service has told its own. */
	serviceTime(time: number): number | undefined;
	/** Milliseconds until a status call may be made, as all of this process that use the key have made them. */
	statusDelay(): number;
	/** Creates a job. Sent again only where nothing can have been created. */
	createJob(parameters: IDataObject, options?: CallOptions): Promise<Outcome<Job>>;
	getJob(jobId: string, options?: CallOptions): Promise<Outcome<Job>>;
	/** One page of the account's jobs, as the service sorts them. */
	listJobs(query: IDataObject, options?: CallOptions): Promise<Outcome<JobPage>>;
	/**
	 * The results of a finished job, as typed objects; the same for JSON and XML. Where the download has none they are
	 * taken from the job itself.
	 */
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

/** Does something until it works, fails for good or may not be repeated. */
async function withRetry<T>(
	scope: RequestScope,
	changes: boolean,
	repeat: boolean,
	attempt: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
	const { clock } = scope;
	const signal = stopSignal(scope.context);
	for (let count = 1; ; count++) {
		const outcome = await attempt();
		if (outcome.ok || !repeat) return outcome;
		const delay = delayBeforeRepeat(outcome.problem, count, changes, clock.random());
		if (delay === undefined) return outcome;
		await clock.pause(delay, signal);
		if (signal?.aborted === true) return failure({ ...outcome.problem, kind: 'stopped' });
	}
}

/**
 * One request from sending to typed data, repeated where that is safe.
 *
 * @param inTurn lets each attempt have its turn
 */
async function call<T>(
	scope: RequestScope,
	request: WireRequest,
	read: (value: unknown, headers: Answer['headers']) => Read<T>,
	{ repeat = true, mayBeEmpty = false }: { repeat?: boolean; mayBeEmpty?: boolean },
	inTurn: (attempt: () => Promise<Outcome<T>>) => Promise<Outcome<T>> = async (attempt) => await attempt(),
): Promise<Outcome<T>> {
	const attempt = async (): Promise<Outcome<T>> => {
		const reply = await sendRequest(scope, request);
		if (!reply.ok) return reply;
		const answer = await readReply(scope, request, reply.value, mayBeEmpty);
		return answer.ok ? checked(request, answer.value, read, scope.dialect.secrets) : answer;
	};
	return await withRetry(scope, request.method === 'POST', repeat, async () => await inTurn(attempt));
}

/** A request to an endpoint, in the form that the dialect asks for a format in. */
function requestTo(
	{ dialect }: RequestScope,
	endpoint: string,
	path: string,
	{ timeoutMs = DEFAULT_TIMEOUT_MS, format = 'json' }: CallOptions = {},
): WireRequest {
	const { accept, suffix, query } = askFor(format, dialect);
	const method = endpoint.startsWith('POST') ? 'POST' : 'GET';
	return { method, endpoint, path: path + suffix, query, accept, timeoutMs };
}

function pathOf(jobId: string): string {
	return `/v2/jobs/${encodeURIComponent(jobId)}`;
}

/** The job that a Location header names: all that some services answer to a creation. */
function jobAt(headers: Answer['headers']): IDataObject {
	const [, id] = /\/jobs\/([^/?#]+?)(?:\.json|\.xml)?\/?(?:[?#]|$)/.exec(headers.location ?? '') ?? [];
	try {
		return id === undefined ? {} : { job_id: decodeURIComponent(id) };
	} catch {
		return { job_id: id };
	}
}

/** A created job, as its reply or else its address names it. */
function readCreated(value: unknown, headers: Answer['headers']): Read<Job> {
	const job = readJob(value, undefined, 'new');
	if (job.ok) return job;
	const located = readJob(jobAt(headers), undefined, 'new');
	return located.ok ? located : job;
}

/** The endpoints that change something. */
function changes(scope: RequestScope): Pick<ServiceClient, 'createJob' | 'cancelJob'> {
	return {
		createJob: async (parameters, options = {}) => {
			const request = { ...requestTo(scope, ENDPOINTS.create, '/v2/jobs', options), body: parameters };
			return await call(scope, request, readCreated, { ...options, mayBeEmpty: true });
		},
		cancelJob: async (jobId, options = {}) => {
			const request = requestTo(scope, ENDPOINTS.cancel, `${pathOf(jobId)}/cancel`, options);
			return await call(scope, request, readAnything, { ...options, mayBeEmpty: true });
		},
	};
}

/** A download of which the job itself may have the results. */
function lacksResults(download: Outcome<JobResults>): boolean {
	if (download.ok) return download.value.results.length === 0;
	const { kind, status } = download.problem;
	return kind === 'unexpectedBody' || (kind === 'emptyBody' && (status ?? 200) < 300);
}

/**
 * The results that stand only in the job itself; nothing when they do not. A job that is not over by then was
 * downloaded too early.
 */
async function resultsFromJob(
	scope: RequestScope,
	jobId: string,
	options: CallOptions,
	download: Outcome<JobResults>,
): Promise<Outcome<JobResults>> {
	const job = await statusOf(scope, jobId, options);
	// Whether there are results is then not known; a refusal for good says that there is nothing more to learn.
	if (!job.ok) return download.ok && !isFinal(job.problem, 'status') ? job : download;
	if (hasResults(job.value)) {
		const read = readResults(job.value, jobId);
		if (read.ok) return success(read.value);
	}
	const isEarly = download.ok && isOfRunningJob(job.value);
	return isEarly
		? failure({ kind: 'notFinished', endpoint: ENDPOINTS.download, effect: 'none' })
		: download;
}

async function statusOf(scope: RequestScope, jobId: string, options: CallOptions): Promise<Outcome<Job>> {
	const request = requestTo(scope, ENDPOINTS.get, pathOf(jobId), options);
	const { statusBudget, clock, context } = scope;
	const until = clock.now() + LONGEST_TURN_WAIT_MS;
	const turn = { until, ...options.turn, signal: stopSignal(context) };
	return await call(
		scope,
		request,
		(value) => readJob(value, jobId),
		options,
		async (attempt) => await statusBudget.send(turn, attempt),
	);
}

/** The file of a job; the job itself as a file where only that has the results. */
async function fileOf<T>(
	scope: RequestScope,
	jobId: string,
	store: (download: OpenDownload) => Promise<T>,
	options: CallOptions,
): Promise<Outcome<T>> {
	const { format = 'json' } = options;
	const fetch = async (endpoint: string, path: string) => {
		const request = requestTo(scope, endpoint, path, options);
		return await withRetry(
			scope,
			false,
			true,
			async () => await fetchFile(scope, request, format, store),
		);
	};
	const file = await fetch(ENDPOINTS.download, `${pathOf(jobId)}/download`);
	if (!file.ok) return file;
	if (file.value.isWithoutResults !== true) return success(file.value.stored);
	const job = await statusOf(scope, jobId, options);
	if (job.ok && hasResults(job.value)) {
		const whole = await fetch(ENDPOINTS.get, pathOf(jobId));
		return whole.ok ? success(whole.value.stored) : whole;
	}
	const isEarly = job.ok && isOfRunningJob(job.value);
	return isEarly
		? failure({ kind: 'notFinished', endpoint: ENDPOINTS.download, effect: 'none' })
		: success(file.value.stored);
}

/** The endpoints that only read. */
function reads(
	scope: RequestScope,
): Pick<ServiceClient, 'download' | 'downloadFile' | 'getJob' | 'getUsage' | 'listJobs'> {
	return {
		getJob: async (jobId, options = {}) => await statusOf(scope, jobId, options),
		listJobs: async (query, options = {}) => {
			const request = requestTo(scope, ENDPOINTS.list, '/v2/jobs', options);
			const read = (value: unknown, headers: Answer['headers']): Read<JobPage> => {
				const list = readJobList(value);
				if (!list.ok) return list;
				return {
					ok: true,
					value: {
						jobs: list.value,
						odd: list.odd,
						...pagingIn(value, headers.link, scope.dialect),
					},
				};
			};
			return await call(scope, { ...request, query: { ...request.query, ...query } }, read, options);
		},
		download: async (jobId, options = {}) => {
			const request = requestTo(scope, ENDPOINTS.download, `${pathOf(jobId)}/download`, options);
			const download = await call(scope, request, (value) => readResults(value, jobId), options);
			return lacksResults(download) ? await resultsFromJob(scope, jobId, options, download) : download;
		},
		downloadFile: async (jobId, store, options = {}) => await fileOf(scope, jobId, store, options),
		getUsage: async (period, options = {}) => {
			const endpoint = period === 'today' ? ENDPOINTS.usageToday : ENDPOINTS.usageMonth;
			const request = requestTo(scope, endpoint, `/v2/me/usage_${period}`, options);
			return await call(scope, request, readUsage, options);
		},
	};
}

/** The client that speaks within a scope: one credential, on behalf of one node. */
export function clientFor(scope: RequestScope): ServiceClient {
	return {
		dialect: scope.dialect,
		clock: scope.clock,
		serviceTime: (time) => (scope.clockAheadMs === undefined ? undefined : time + scope.clockAheadMs),
		statusDelay: () => scope.statusBudget.delay(),
		...changes(scope),
		...reads(scope),
	};
}

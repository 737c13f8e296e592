import type { IDataObject } from 'n8n-workflow';

import type { Clock } from './clock';
import { askFor, type Dialect, type DownloadFormat } from './dialect';
import { ENDPOINTS } from './endpoints';
import { fetchFile, type OpenDownload } from './file';
import { failure, type Outcome } from './problems';
import { checked, readReply } from './reply';
import { delayBeforeRepeat } from './retry';
import { readJob, readJobList, readResults, readUsage, type Read } from './schemas';
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
	read: (value: unknown) => Read<T>,
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

/** The endpoints that change something. */
function changes(scope: RequestScope): Pick<ServiceClient, 'createJob' | 'cancelJob'> {
	return {
		createJob: async (parameters, options = {}) => {
			const request = { ...requestTo(scope, ENDPOINTS.create, '/v2/jobs', options), body: parameters };
			return await call(scope, request, (value) => readJob(value, undefined, 'new'), options);
		},
		cancelJob: async (jobId, options = {}) => {
			const request = requestTo(scope, ENDPOINTS.cancel, `${pathOf(jobId)}/cancel`, options);
			return await call(scope, request, readUsage, { ...options, mayBeEmpty: true });
		},
	};
}

/** The endpoints that only read. */
function reads(
	scope: RequestScope,
): Pick<ServiceClient, 'download' | 'downloadFile' | 'getJob' | 'getUsage' | 'listJobs'> {
	return {
		getJob: async (jobId, options = {}) => {
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
		},
		listJobs: async (query, options = {}) => {
			const request = requestTo(scope, ENDPOINTS.list, '/v2/jobs', options);
			return await call(scope, { ...request, query }, readJobList, options);
		},
		download: async (jobId, options = {}) => {
			const request = requestTo(scope, ENDPOINTS.download, `${pathOf(jobId)}/download`, options);
			return await call(scope, request, (value) => readResults(value, jobId), options);
		},
		downloadFile: async (jobId, store, options = {}) => {
			const request = requestTo(scope, ENDPOINTS.download, `${pathOf(jobId)}/download`, options);
			const fetch = async () => await fetchFile(scope, request, options.format ?? 'json', store);
			return await withRetry(scope, false, true, fetch);
		},
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

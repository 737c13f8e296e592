import type { IDataObject } from 'n8n-workflow';

import type { Clock } from './clock';
import { askFor, type Dialect, type DownloadFormat } from './dialect';
import { ENDPOINTS } from './endpoints';
import { fetchFile, type OpenDownload } from './file';
import { pagingIn, type JobPage } from './paging';
import { failure, isFinal, success, type Outcome } from './problems';
import { checked, readReply, tooEarly, type Answer } from './reply';
import { delayBeforeRepeat } from './retry';
import {
	hasResults,
	readAnything,
	readCreated,
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
	/**
	 * Hands the untouched body of a download to `store`, or that of the job itself where only it has the results; starts
	 * over when the connection breaks.
	 */
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
	{ clock, context }: RequestScope,
	{ method }: WireRequest,
	attempt: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
	const signal = stopSignal(context);
	for (let count = 1; ; count++) {
		const outcome = await attempt();
		if (outcome.ok) return outcome;
		const delay = delayBeforeRepeat(outcome.problem, count, method === 'POST', clock.random());
		if (delay === undefined) return outcome;
		await clock.pause(delay, signal);
		if (signal?.aborted === true) return failure({ ...outcome.problem, kind: 'stopped' });
	}
}

/** A request to an endpoint, in the form that the dialect asks for a format in. */
function requestTo(
	{ dialect }: RequestScope,
	endpoint: string,
	{ timeoutMs = DEFAULT_TIMEOUT_MS, format = 'json' }: CallOptions,
	jobId = '',
): WireRequest {
	const { accept, suffix, query } = askFor(format, dialect);
	const [method, template = ''] = endpoint.split(' ');
	const path = template.replace('{job_id}', () => encodeURIComponent(jobId)) + suffix;
	return { method: method === 'POST' ? 'POST' : 'GET', endpoint, path, query, accept, timeoutMs };
}

/** Turns an answer into what an endpoint gives. */
type Reader<T> = (value: unknown, headers: Answer['headers']) => Read<T>;

/** One request from sending to typed data, repeated where that is safe. A status call waits for its turn each time. */
async function call<T>(
	scope: RequestScope,
	request: WireRequest,
	read: Reader<T>,
	{ repeat = true, turn }: CallOptions,
): Promise<Outcome<T>> {
	const { endpoint, method } = request;
	const { clock, context, dialect, statusBudget } = scope;
	const send = async (): Promise<Outcome<T>> => {
		const reply = await sendRequest(scope, request);
		if (!reply.ok) return reply;
		// What changes something need not say anything about it.
		const answer = await readReply({ scope, request, reply: reply.value }, method === 'POST');
		return answer.ok ? checked(endpoint, answer.value, read, dialect.secrets) : answer;
	};
	const until = clock.now() + LONGEST_TURN_WAIT_MS;
	const inTurn = { until, ...turn, signal: stopSignal(context) };
	const attempt = endpoint === ENDPOINTS.get ? async () => await statusBudget.send(inTurn, send) : send;
	return await (repeat ? withRetry(scope, request, attempt) : attempt());
}

/** A download of which the job itself may have the results. */
function lacksResults(download: Outcome<JobResults>): boolean {
	if (download.ok) return download.value.results.length === 0;
	const { kind, status } = download.problem;
	return kind === 'unexpectedBody' || (kind === 'emptyBody' && (status ?? 200) < 300);
}

/** The results of a download, or those that stand only in the job itself. */
async function resultsOf(
	jobId: string,
	download: Outcome<JobResults>,
	statusOf: () => Promise<Outcome<Job>>,
): Promise<Outcome<JobResults>> {
	if (!lacksResults(download)) return download;
	const job = await statusOf();
	// Whether there are results is then not known; a refusal for good says that there is nothing more to learn.
	if (!job.ok) return download.ok && !isFinal(job.problem, 'status') ? job : download;
	const results = hasResults(job.value) ? readResults(job.value, jobId) : undefined;
	if (results?.ok === true) return success(results.value);
	const early = tooEarly(ENDPOINTS.download, job.value);
	return download.ok && early !== undefined ? failure(early) : download;
}

/** The client that speaks within a scope: one credential, on behalf of one node. */
export function clientFor(scope: RequestScope): ServiceClient {
	const { dialect, clock, statusBudget } = scope;
	const getJob = async (jobId: string, options: CallOptions = {}): Promise<Outcome<Job>> => {
		const request = requestTo(scope, ENDPOINTS.get, options, jobId);
		return await call(scope, request, (value) => readJob(value, jobId), options);
	};
	return {
		dialect,
		clock,
		serviceTime: (time) => (scope.clockAheadMs === undefined ? undefined : time + scope.clockAheadMs),
		statusDelay: () => statusBudget.delay(),
		getJob,
		createJob: async (parameters, options = {}) => {
			const request = { ...requestTo(scope, ENDPOINTS.create, options), body: parameters };
			return await call(scope, request, (value, { location }) => readCreated(value, location), options);
		},
		cancelJob: async (jobId, options = {}) => {
			const request = requestTo(scope, ENDPOINTS.cancel, options, jobId);
			return await call(scope, request, (value) => readAnything(value, jobId), options);
		},
		listJobs: async (query, options = {}) => {
			const request = requestTo(scope, ENDPOINTS.list, options);
			const read: Reader<JobPage> = (value, { link }) => {
				const list = readJobList(value);
				if (!list.ok) return list;
				const paging = pagingIn(value, link, dialect);
				return { ok: true, value: { jobs: list.value, odd: list.odd, ...paging } };
			};
			return await call(scope, { ...request, query: { ...request.query, ...query } }, read, options);
		},
		download: async (jobId, options = {}) => {
			const request = requestTo(scope, ENDPOINTS.download, options, jobId);
			const download = await call(scope, request, (value) => readResults(value, jobId), options);
			return await resultsOf(jobId, download, async () => await getJob(jobId, options));
		},
		downloadFile: async (jobId, store, options = {}) => {
			const fetch = async (endpoint: string) => {
				const request = requestTo(scope, endpoint, options, jobId);
				const attempt = async () => await fetchFile(scope, request, options.format ?? 'json', store);
				return await withRetry(scope, request, attempt);
			};
			const file = await fetch(ENDPOINTS.download);
			if (!file.ok) return file;
			const job = file.value.isWithoutResults === true ? await getJob(jobId, options) : undefined;
			if (job?.ok === true && hasResults(job.value)) {
				const whole = await fetch(ENDPOINTS.get);
				return whole.ok ? success(whole.value.stored) : whole;
			}
			const early = job?.ok === true ? tooEarly(ENDPOINTS.download, job.value) : undefined;
			return early === undefined ? success(file.value.stored) : failure(early);
		},
		getUsage: async (period, options = {}) => {
			const endpoint = period === 'today' ? ENDPOINTS.usageToday : ENDPOINTS.usageMonth;
			return await call(scope, requestTo(scope, endpoint, options), readUsage, options);
		},
	};
}

import type { IDataObject } from 'n8n-workflow';

import { fetchFile, type OpenDownload } from './file';
import { delayBeforeRepeat, LONGEST_RETRY_AFTER_MS } from './pacing';
import { pagingIn, type JobPage } from './jobList';
import { failure, success, type Outcome, type Problem } from './problems';
import { downloadProblem, leavesOpen, readReply, tooEarly } from './reply';
import {
	hasResults,
	readCancelled,
	readCreated,
	readJob,
	readJobList,
	readResults,
	readUsage,
	type Read,
} from './schemas';
import { endOf, statusMeaning } from './statuses';
import { ENDPOINTS, type Endpoint, type Job, type JobResults } from './types';
import {
	type CallOptions,
	type RequestScope,
	sendRequest,
	stopSignal,
	type WireReply,
	type WireRequest,
} from './wire';

export type { CallOptions, OpenDownload };

/** How long a status call waits for its turn by default: slightly longer than the longest pause of a key. */
const LONGEST_TURN_WAIT_MS = LONGEST_RETRY_AFTER_MS + 10_000;

/** The scope of a client, and whether the time for its requests is used up, which aborts them like a stop. */
export interface ClientScope extends RequestScope {
	isOutOfTime?: () => boolean;
}

/** Repeats an attempt until it succeeds, fails permanently or may not be repeated. */
async function withRetry<T>(
	{ clock, context, isOutOfTime }: ClientScope,
	attempt: () => Promise<Outcome<T>>,
	repeat = true,
): Promise<Outcome<T>> {
	const signal = stopSignal(context);
	const ended = (problem: Problem) =>
		failure(problem.kind === 'stopped' && isOutOfTime?.() ? { ...problem, kind: 'timedOut' } : problem);
	for (let count = 1; ; count++) {
		const outcome = await attempt();
		if (outcome.ok) return outcome;
		const delay = repeat ? delayBeforeRepeat(outcome.problem, count, clock.random()) : undefined;
		if (delay === undefined) return ended(outcome.problem);
		await clock.pause(delay, signal);
		if (signal?.aborted === true) return ended({ ...outcome.problem, kind: 'stopped' });
	}
}

type Reader<T> = (value: unknown, headers: WireReply['headers']) => Read<T>;

/** One request from sending to typed data, repeated where safe. Each status call waits for its turn. */
async function call<T>(scope: ClientScope, request: WireRequest, read: Reader<T>): Promise<Outcome<T>> {
	const { clock, context, statusBudget } = scope;
	const send = async (): Promise<Outcome<T>> => {
		const reply = await sendRequest(scope, request);
		return reply.ok ? await readReply({ scope, request, reply: reply.value }, read) : reply;
	};
	const until = clock.now() + LONGEST_TURN_WAIT_MS;
	const turn = { until, ...request.turn, signal: stopSignal(context) };
	const isStatus = request.endpoint === ENDPOINTS.get;
	const attempt = isStatus ? async () => await statusBudget.send(turn, send) : send;
	return await withRetry(scope, attempt, request.repeat);
}

/** A client for one credential, used by one node. Its methods return problems and never throw. */
export type ServiceClient = ReturnType<typeof clientFor>;

export function clientFor(scope: ClientScope) {
	const { connection, clock, statusBudget } = scope;
	const getJob = async (jobId: string, options?: CallOptions) =>
		await call(scope, { ...options, endpoint: ENDPOINTS.get, jobId }, (value) => readJob(value, jobId));
	/**
	 * The download, or the job's own results where it has none. The job also tells apart what a refused download
	 * leaves open: an unknown job, one without results, a refused format, and results that are still written.
	 */
	const besideJob = async <T>(
		[jobId, options]: Parameters<typeof getJob>,
		download: Outcome<T>,
		isEmpty: (value: T) => boolean,
		fromJob: (job: Job) => Promise<Outcome<T>> | Outcome<T>,
	): Promise<Outcome<T>> => {
		if (download.ok ? !isEmpty(download.value) : !leavesOpen(download.problem)) return download;
		const job = await getJob(jobId, options);
		if (job.ok && hasResults(job.value)) return await fromJob(job.value);
		const end = job.ok ? endOf(job.value.status, connection) : undefined;
		if (!download.ok) return failure(downloadProblem(download.problem, job, end, options?.format));
		// Without the job it is unknown whether there are results, unless it is unknown itself.
		if (!job.ok) return job.problem.kind === 'jobNotFound' ? download : job;
		return end === undefined ? tooEarly(ENDPOINTS.download, 200) : download;
	};
	return {
		connection,
		clock,
		/** Whether the time for its requests is used up. */
		isOutOfTime: () => scope.isOutOfTime?.() === true,
		/** The end that a status of this service stands for; undefined while the job runs. */
		endOf: (status: unknown) => endOf(status, connection),
		/** Whether a status is in the table of status words; any other one counts as running. */
		knowsStatus: (status: unknown) => statusMeaning(status, connection) !== undefined,
		/** Converts n8n's time to the service's, in milliseconds; undefined before the first reply. */
		serviceTime: (time: number) =>
			scope.clockAheadMs === undefined ? undefined : time + scope.clockAheadMs,
		/** Milliseconds until the next status call, counting all calls of this process with the key. */
		statusDelay: () => statusBudget.delay(),
		getJob,
		/** Creates a job. The request is only repeated when certainly nothing was created. */
		createJob: async (body: IDataObject, options?: CallOptions) =>
			await call(scope, { ...options, endpoint: ENDPOINTS.create, body }, readCreated),
		cancelJob: async (jobId: string, options?: CallOptions) =>
			await call(scope, { ...options, endpoint: ENDPOINTS.cancel, jobId }, (value) =>
				readCancelled(value, jobId),
			),
		/** One page of the account's jobs, in the service's order. */
		listJobs: async (query: IDataObject, options?: CallOptions) => {
			const read: Reader<JobPage> = (value, headers) => {
				const list = readJobList(value);
				return list.ok ? success({ ...list.value, ...pagingIn(value, headers, connection) }) : list;
			};
			return await call(scope, { ...options, endpoint: ENDPOINTS.list, query }, read);
		},
		/** The results of a finished job; from the job itself if the download has none. */
		download: async (jobId: string, options?: CallOptions) => {
			const read: Reader<JobResults> = (value) => readResults(value, jobId);
			const download = await call(scope, { ...options, endpoint: ENDPOINTS.download, jobId }, read);
			const isEmpty = ({ results }: JobResults) => results.length === 0;
			return await besideJob([jobId, options], download, isEmpty, (job) => {
				const results = readResults(job, jobId);
				return results.ok ? results : download;
			});
		},
		/** Passes the body of a download, or of the job if only that has results, to `store`. */
		storeFile: async <T>(
			jobId: string,
			store: (download: OpenDownload) => Promise<T>,
			options?: CallOptions,
		): Promise<Outcome<T>> => {
			const fetch = async (endpoint: Endpoint) => {
				const request = { ...options, endpoint, jobId };
				return await withRetry(scope, async () => await fetchFile(scope, request, store));
			};
			const file = await fetch(ENDPOINTS.download);
			const isEmpty = ({ isWithoutResults }: { isWithoutResults: boolean }) => isWithoutResults;
			const inJob = async () => await fetch(ENDPOINTS.get);
			const whole = await besideJob([jobId, options], file, isEmpty, inJob);
			return whole.ok ? success(whole.value.stored) : whole;
		},
		getUsage: async (period: 'today' | 'month', options?: CallOptions) => {
			const endpoint = period === 'today' ? ENDPOINTS.usageToday : ENDPOINTS.usageMonth;
			return await call(scope, { ...options, endpoint }, readUsage);
		},
	};
}

import type { IDataObject } from 'n8n-workflow';

import { requestResults, type Download, type DownloadReply } from './download';
import { fetchFile, type OpenDownload } from './file';
import { delayBeforeRepeat, LONGEST_RETRY_AFTER_MS } from '../http/pacing';
import { pagingIn, type JobPage } from './jobList';
import { failure, success, type Outcome, type Problem, type ProblemKind } from '../problems';
import { readReply } from '../meaning/reply';
import { inServiceNames } from '../requestNames';
import {
	readCancelled,
	readCreated,
	readJob,
	readJobList,
	readResults,
	readUsage,
	statusIn,
	type ParseResult,
} from '../meaning/schemas';
import { endOf, statusMeaning } from '../statuses';
import { ENDPOINTS, type Endpoint, type JobResults } from '../types';
import {
	type CallOptions,
	type RequestScope,
	sendRequest,
	stopSignal,
	type WireReply,
	type WireRequest,
} from '../http/wire';

export type { CallOptions, OpenDownload };

/** How long a status call waits for its turn by default: slightly longer than the longest pause for a key. */
const LONGEST_TURN_WAIT_MS = LONGEST_RETRY_AFTER_MS + 10_000;

export interface ClientScope extends RequestScope {
	/** Whether the time for requests is used up. That aborts them like a stop. */
	isOutOfTime?: () => boolean;
	/** The problem to report when the time is used up. */
	timeoutProblem?: ProblemKind;
}

/** Retries an attempt until it succeeds, fails permanently or must not be retried. */
async function withRetry<T>(
	{ clock, context, isOutOfTime, timeoutProblem = 'executionEnding' }: ClientScope,
	makeAttempt: () => Promise<Outcome<T>>,
	repeat = true,
): Promise<Outcome<T>> {
	const signal = stopSignal(context);
	const asFailure = (problem: Problem) =>
		failure(
			problem.kind === 'stopped' && isOutOfTime?.() ? { ...problem, kind: timeoutProblem } : problem,
		);
	for (let attempts = 1; ; attempts++) {
		const outcome = await makeAttempt();
		if (outcome.ok) return outcome;
		const delay = repeat ? delayBeforeRepeat(outcome.problem, attempts, clock.random()) : undefined;
		if (delay === undefined) return asFailure(outcome.problem);
		await clock.pause(delay, signal);
		if (signal?.aborted === true) return asFailure({ ...outcome.problem, kind: 'stopped' });
	}
}

type ReplyDecoder<T> = (value: unknown, reply: Pick<WireReply, 'headers' | 'status'>) => ParseResult<T>;

/** Makes a request and returns typed data, with retries where that is safe. Each status call waits for its turn. */
async function call<T>(scope: ClientScope, request: WireRequest, read: ReplyDecoder<T>): Promise<Outcome<T>> {
	const { clock, context, statusBudget } = scope;
	const sendOnce = async (): Promise<Outcome<T>> => {
		const reply = await sendRequest(scope, request);
		return reply.ok ? await readReply({ scope, request, reply: reply.value }, read) : reply;
	};
	const until = clock.now() + LONGEST_TURN_WAIT_MS;
	const turn = { until, ...request.turn, signal: stopSignal(context) };
	const isStatus = request.endpoint === ENDPOINTS.get;
	const attempt = isStatus ? async () => await statusBudget.send(turn, sendOnce) : sendOnce;
	return await withRetry(scope, attempt, request.repeat);
}

/** A job to download. `isOver`: whether its status has already shown that it is over. */
export interface KnownJob {
	jobId: string;
	isOver: boolean;
}

const NO_RESULTS_IN_JOB = { kind: 'unexpectedBody', endpoint: ENDPOINTS.get, effect: 'none' } as const;

/** A client for one credential and one node. Its methods return problems and never throw. */
export type ServiceClient = ReturnType<typeof clientFor>;

export function clientFor(scope: ClientScope) {
	const { connection, clock, statusBudget } = scope;
	const getJob = async (jobId: string, options?: CallOptions) =>
		await call(scope, { ...options, endpoint: ENDPOINTS.get, jobId }, (value) => readJob(value, jobId));
	const sourceOf = ({ jobId, isOver }: KnownJob, options: CallOptions) => ({
		isKnownOver: isOver,
		format: options.format ?? 'json',
		job: async () => await getJob(jobId, options),
		customStatuses: connection,
	});
	return {
		connection,
		clock,
		/** Whether the time for requests is used up. */
		isOutOfTime: () => scope.isOutOfTime?.() === true,
		/** The end that a status means, including custom words of the credential; undefined while the job runs. */
		endOf: (status: unknown) => endOf(status, connection),
		/** Whether a status word is known. An unknown one counts as running. */
		knowsStatus: (status: unknown) => statusMeaning(status, connection) !== undefined,
		/** Converts n8n's time to the service's, in milliseconds; undefined before the first reply with a date. */
		serviceTime: (time: number) =>
			scope.clockAheadMs === undefined ? undefined : time + scope.clockAheadMs,
		/** Milliseconds until the next status call is allowed. All calls by this process with the key count. */
		statusDelay: () => statusBudget.delay(),
		getJob,
		/** Creates a job. Retries only if it is certain that nothing was created. */
		createJob: async (parameters: IDataObject, options?: CallOptions) => {
			const body = inServiceNames(parameters, connection);
			return await call(scope, { ...options, endpoint: ENDPOINTS.create, body }, readCreated);
		},
		cancelJob: async (jobId: string, options?: CallOptions) =>
			await call(scope, { ...options, endpoint: ENDPOINTS.cancel, jobId }, (value) =>
				readCancelled(value, jobId),
			),
		/** One page of the account's jobs, in the service's order. */
		listJobs: async (query: IDataObject, options?: CallOptions) => {
			const read: ReplyDecoder<JobPage> = (value, { headers }) => {
				const list = readJobList(value);
				return list.ok ? success({ ...list.value, ...pagingIn(value, headers, connection) }) : list;
			};
			return await call(scope, { ...options, endpoint: ENDPOINTS.list, query }, read);
		},
		/** Requests the results of a job once. */
		download: async (job: KnownJob, options: CallOptions = {}): Promise<Download<JobResults>> => {
			const read: ReplyDecoder<DownloadReply<JobResults>> = (value, { status }) => {
				const results = readResults(value, job.jobId);
				if (!results.ok) return results;
				const isEmpty = results.value.results.length === 0;
				return success({ value: results.value, isEmpty, word: statusIn(value), status });
			};
			const request = { ...options, endpoint: ENDPOINTS.download, jobId: job.jobId };
			return await requestResults({
				...sourceOf(job, options),
				download: async () => await call(scope, request, read),
				fromJob: async (found) => {
					const results = read(found, { headers: {}, status: 200 });
					return results.ok ? results : failure({ ...NO_RESULTS_IN_JOB, detail: results.problem });
				},
			});
		},
		/**
		 * Requests the results of a job once as a file and passes the body to `store`; if only the job itself contains
		 * results, passes the job's body. Large files are not parsed for a status, so the job's status is checked first
		 * unless the job is known to be over.
		 */
		storeFile: async <T>(
			job: KnownJob,
			store: (download: OpenDownload) => Promise<T>,
			options: CallOptions = {},
		): Promise<Download<T>> => {
			const fetch = async (endpoint: Endpoint) => {
				const request = { ...options, endpoint, jobId: job.jobId };
				return await withRetry(scope, async () => await fetchFile(scope, request, store));
			};
			return await requestResults({
				...sourceOf(job, options),
				download: async () => await fetch(ENDPOINTS.download),
				fromJob: async () => await fetch(ENDPOINTS.get),
				isFile: true,
			});
		},
		getUsage: async (period: 'today' | 'month', options?: CallOptions) => {
			const endpoint = period === 'today' ? ENDPOINTS.usageToday : ENDPOINTS.usageMonth;
			return await call(scope, { ...options, endpoint }, readUsage);
		},
	};
}

import { hasResults } from '../meaning/schemas';
import type { DownloadFormat } from '../formats';
import { denialIn, reasonOf, endMessage } from '../meaning/jobState';
import { concernsOneRequest, traitsOf, type Outcome, type Problem } from '../problems';
import { endOf, statusMeaning, type End, type CustomStatuses } from '../statuses';
import { ENDPOINTS, type Job } from '../types';

/*
 * What one download means, for rows, files, triggers and tools alike, above all a refused or an empty one.
 */

/** The outcome of requesting a job's results. */
export type Download<T> =
	/** The results of a job that is over. `isEmpty`: an empty list, which counts only when repeated. */
	| { kind: 'results'; value: T; isEmpty: boolean }
	/** Proves nothing: retry until the deadline. */
	| { kind: 'notYet'; why: Problem }
	/** The job failed or was cancelled and has no results. Counts only when repeated. */
	| { kind: 'none'; end: 'cancelled' | 'failed'; reason: string; why: Problem }
	/** The service refuses in its own words, or does not offer the format. Counts only when repeated. */
	| { kind: 'denied'; why: Problem }
	/** n8n cannot take the results or was stopped: no later request changes that. */
	| { kind: 'impossible'; why: Problem };

/** The result of one request. */
export interface DownloadReply<T> {
	value: T;
	isEmpty: boolean;
	/** The status word in the body, if it has one. */
	word?: string;
	/** The HTTP status. */
	status: number;
}

/** How to request the results of one job. */
export interface DownloadSource<T> {
	/** Whether the job's status has already shown that it is over. */
	isKnownOver: boolean;
	/** Whether the body is stored as a file. It may not be parsed, so the job must be known to be over before the download. */
	isFile?: boolean;
	format: DownloadFormat;
	download: () => Promise<Outcome<DownloadReply<T>>>;
	/** Requests the job itself, which shows whether it is over and may contain the results. */
	job: () => Promise<Outcome<Job>>;
	/** Gets the results that the job itself contains. */
	fromJob: (job: Job) => Promise<Outcome<DownloadReply<T>>>;
	customStatuses: CustomStatuses;
}

/** Problems that no later request can solve. */
const IMPOSSIBLE: ReadonlyArray<Problem['kind']> = ['notStored', 'stopped', 'tooLarge'];
/** Successful responses without a usable download. The job itself shows what they mean. */
const NOT_A_DOWNLOAD: ReadonlyArray<Problem['kind']> = [
	...(['emptyBody', 'formatRefused', 'unexpectedBody', 'unreadableBody'] as const),
];
/** Problems that may also mean that the format is not offered. */
const NOTHING_FOUND: ReadonlyArray<Problem['kind']> = ['jobNotFound', 'nothingThere'];

/** Whether a failed download may concern the job, so that the job itself must be requested. */
function needsJobRequest(problem: Problem): boolean {
	const { kind, status = 0 } = problem;
	const isRefused = status >= 400 && status < 500 && !traitsOf(problem).accountWide;
	return [...NOT_A_DOWNLOAD, ...NOTHING_FOUND].includes(kind) || isRefused || concernsOneRequest(problem);
}

/** The outcome of a failed request, judged by its problem alone. */
function failedBy(why: Problem): Download<never> {
	if (IMPOSSIBLE.includes(why.kind)) return { kind: 'impossible', why };
	return { kind: denialIn(why) === 'nothing' ? 'notYet' : 'denied', why };
}

const NO_RESULTS_YET: Problem = { kind: 'notReady', endpoint: ENDPOINTS.download, effect: 'none' };

/** What a refused download of a finished job means: usually results that are still being written, or a format not offered. */
function refusedBy(why: Problem, format: DownloadFormat): Download<never> {
	const isUnavailable = NOTHING_FOUND.includes(why.kind);
	if (why.kind === 'formatRefused' || (format !== 'json' && isUnavailable))
		return { kind: 'denied', why: { ...why, kind: 'formatRefused' } };
	if (why.kind === 'forbidden') return failedBy(why);
	const isLate = isUnavailable || why.kind === 'notFinished' || why.kind === 'emptyBody';
	return { kind: 'notYet', why: isLate ? { ...why, kind: 'notReady' } : why };
}

/** The outcome for a job that ended without results. `refusal`: the problem of its download, if it failed. */
function withoutResults(
	job: Job,
	end: 'cancelled' | 'failed',
	refusal: Problem = NO_RESULTS_YET,
): Download<never> {
	const kind = end === 'failed' ? 'jobFailed' : 'cancelled';
	const comment = endMessage(job) ?? refusal.comment;
	const reason = reasonOf({ job, end }) ?? '';
	return { kind: 'none', end, reason, why: { ...refusal, kind, comment } };
}

/** The requested job and its end, or `early`: the outcome if the job still runs or the request failed. */
function endedJob(
	reply: Outcome<Job>,
	customStatuses: CustomStatuses,
	refusal?: Problem,
): { job: Job; end: End } | { early: Download<never> } {
	if (!reply.ok) return { early: failedBy(reply.problem) };
	const end = endOf(reply.value.status, customStatuses);
	if (end !== undefined) return { job: reply.value, end };
	return { early: { kind: 'notYet', why: stillRunning(reply.value, refusal) } };
}

/**
 * Requests a job's results once, and the job itself if the download alone is not conclusive. Results count only once
 * the job is over, because a service may also return a running job's partial results.
 */
export async function requestResults<T>(source: DownloadSource<T>): Promise<Download<T>> {
	const { format, isFile = false, customStatuses } = source;
	let { isKnownOver } = source;
	if (isFile && !isKnownOver) {
		const checked = endedJob(await source.job(), customStatuses);
		if ('early' in checked) return checked.early;
		isKnownOver = true;
	}
	const fetched = await source.download();
	const reply = fetched.ok ? fetched.value : undefined;
	const meaning = statusMeaning(reply?.word, customStatuses);
	const isPartial = reply?.status === 202 || meaning === 'running';
	const results: Download<T> | undefined =
		reply === undefined || isPartial || reply.isEmpty
			? undefined
			: { kind: 'results', value: reply.value, isEmpty: false };
	if (results !== undefined && (isKnownOver || meaning !== undefined)) return results;
	if (!fetched.ok && !needsJobRequest(fetched.problem)) return failedBy(fetched.problem);

	const refusal = fetched.ok ? undefined : fetched.problem;
	const checked = endedJob(await source.job(), customStatuses, refusal);
	if ('early' in checked) {
		// If the service denies the job but has just returned its results, the denial proves nothing.
		const isContradicted = checked.early.kind === 'denied' && results !== undefined;
		return isContradicted ? unproven(checked.early) : checked.early;
	}
	if (results !== undefined) return results;
	const { job, end } = checked;
	if (hasResults(job)) {
		const embedded = await source.fromJob(job);
		if (embedded.ok)
			return { kind: 'results', value: embedded.value.value, isEmpty: embedded.value.isEmpty };
		if (!needsJobRequest(embedded.problem)) return failedBy(embedded.problem);
	}
	// A body that cannot be read may hold results.
	if (end !== 'results' && refusal?.kind !== 'unreadableBody') return withoutResults(job, end, refusal);
	if (refusal !== undefined) return refusedBy(refusal, format);
	return reply === undefined || isPartial
		? { kind: 'notYet', why: NO_RESULTS_YET }
		: { kind: 'results', value: reply.value, isEmpty: true };
}

/** The problem of a download whose job still runs. */
function stillRunning(job: Job, refusal: Problem = NO_RESULTS_YET): Problem {
	const detail = job.status === '' ? refusal.detail : `Its status is "${job.status.slice(0, 100)}"`;
	return { ...refusal, kind: 'notFinished', detail };
}

/** Whether a download reports that there are no results. */
export function saysNone<T>(
	download: Download<T>,
): download is Extract<Download<T>, { kind: 'denied' | 'none' | 'results' }> {
	const isEmpty = download.kind === 'results' && download.isEmpty;
	return isEmpty || download.kind === 'denied' || download.kind === 'none';
}

/** Turns a report of no results into "not yet", for use while the report is unproven. */
export function unproven<T>(download: Download<T>): Download<T> {
	if (!saysNone(download)) return download;
	return { kind: 'notYet', why: download.kind === 'results' ? NO_RESULTS_YET : download.why };
}

import { hasResults } from '../meaning/schemas';
import type { DownloadFormat } from '../connection';
import { InFlight } from '../http/inFlight';
import { denialIn, isProven, reasonOf, TWICE_MS, wordsOfEnd } from '../meaning/jobState';
import { concernsOneRequest, traitsOf, type Outcome, type Problem } from '../problems';
import { endOf, statusMeaning, type End, type CustomStatuses } from '../statuses';
import type { Clock } from '../time';
import { ENDPOINTS, type Job } from '../types';

/*
 * What a download means, for everything that downloads: rows, files, triggers and tools. Nothing else interprets a
 * refused or an empty download.
 */

/** What the service says about the results of a job. */
export type Download<T> =
	/** The results of a job that is over. `isEmpty`: the service gives an empty list, which counts when it is repeated. */
	| { kind: 'results'; value: T; isEmpty: boolean }
	/** Proves nothing: asked again until the deadline. */
	| { kind: 'notYet'; why: Problem }
	/** The job failed or was cancelled, and shows no results, which counts when it is repeated. */
	| { kind: 'none'; end: 'cancelled' | 'failed'; reason: string; why: Problem }
	/** Refused in the service's own words, which count when they are repeated. */
	| { kind: 'denied'; why: Problem }
	/** This n8n cannot take the results, or was stopped: no later request changes that. */
	| { kind: 'impossible'; why: Problem };

/** What one request brought. */
export interface DownloadReply<T> {
	value: T;
	isEmpty: boolean;
	/** The status word in the body, if it has one. */
	word?: string;
	/** The HTTP status. */
	status: number;
}

/** How the results of one job are asked for. */
export interface DownloadSource<T> {
	/** Whether the status of the job has said that it is over. */
	isKnownOver: boolean;
	/** Whether the body is passed on unread, so that the job must say whether it is over before it is fetched. */
	isFile?: boolean;
	format: DownloadFormat;
	download: () => Promise<Outcome<DownloadReply<T>>>;
	/** The job itself, which says whether it is over, and may have the results. */
	job: () => Promise<Outcome<Job>>;
	/** The results in the job. */
	fromJob: (job: Job) => Promise<Outcome<DownloadReply<T>>>;
	customStatuses: CustomStatuses;
}

/** What no later request changes. */
const IMPOSSIBLE: ReadonlyArray<Problem['kind']> = ['notStored', 'stopped', 'tooLarge'];
/** A success status whose body is not a download: the job says what it means. */
const NO_DOWNLOAD: ReadonlyArray<Problem['kind']> = [
	...(['emptyBody', 'formatRefused', 'unexpectedBody', 'unreadableBody'] as const),
];
/** What may also say that a format is not offered. */
const NOT_THERE: ReadonlyArray<Problem['kind']> = ['jobNotFound', 'nothingThere'];

/** Whether a failed download says anything about the job, so that the job itself must be asked. */
function isAboutJob(problem: Problem): boolean {
	const { kind, status = 0 } = problem;
	const isRefused = status >= 400 && status < 500 && !traitsOf(problem).accountWide;
	return [...NO_DOWNLOAD, ...NOT_THERE].includes(kind) || isRefused || concernsOneRequest(problem);
}

/** A download that failed for reasons of its own. */
function failedBy(why: Problem): Download<never> {
	if (IMPOSSIBLE.includes(why.kind)) return { kind: 'impossible', why };
	return { kind: denialIn(why) === 'nothing' ? 'notYet' : 'denied', why };
}

const WITHOUT_RESULTS: Problem = { kind: 'notReady', endpoint: ENDPOINTS.download, effect: 'none' };

/** What a refused download of a finished job means: results that are still written, or a format that is not offered. */
function refusedBy(why: Problem, format: DownloadFormat): Download<never> {
	const isUnavailable = NOT_THERE.includes(why.kind);
	if (why.kind === 'formatRefused' || (format !== 'json' && isUnavailable))
		return { kind: 'denied', why: { ...why, kind: 'formatRefused' } };
	if (why.kind === 'forbidden') return failedBy(why);
	const isLate = isUnavailable || why.kind === 'notFinished' || why.kind === 'emptyBody';
	return { kind: 'notYet', why: isLate ? { ...why, kind: 'notReady' } : why };
}

/** A job without results, and what its download said. */
function withoutResults(
	job: Job,
	end: 'cancelled' | 'failed',
	said: Problem = WITHOUT_RESULTS,
): Download<never> {
	const kind = end === 'failed' ? 'jobFailed' : 'cancelled';
	const comment = wordsOfEnd(job) ?? said.comment;
	const reason = reasonOf({ job, end }) ?? '';
	return { kind: 'none', end, reason, why: { ...said, kind, comment } };
}

/** The job that was asked for if it is over, or what its results are before that. */
function overJob(
	asked: Outcome<Job>,
	customStatuses: CustomStatuses,
	said?: Problem,
): { job: Job; end: End } | { early: Download<never> } {
	if (!asked.ok) return { early: failedBy(asked.problem) };
	const end = endOf(asked.value.status, customStatuses);
	if (end !== undefined) return { job: asked.value, end };
	return { early: { kind: 'notYet', why: stillRunning(asked.value, said) } };
}

/**
 * Asks once for the results of a job, and for the job where the download leaves open what it means. Results only count
 * for a job that is over: a service may also show those that a running job has so far.
 */
export async function askForResults<T>(source: DownloadSource<T>): Promise<Download<T>> {
	const { format, isFile = false, customStatuses } = source;
	let { isKnownOver } = source;
	if (isFile && !isKnownOver) {
		const asked = overJob(await source.job(), customStatuses);
		if ('early' in asked) return asked.early;
		isKnownOver = true;
	}
	const fetched = await source.download();
	const whole = fetched.ok ? fetched.value : undefined;
	const meaning = statusMeaning(whole?.word, customStatuses);
	const isPartial = whole?.status === 202 || meaning === 'running';
	const results: Download<T> | undefined =
		whole === undefined || isPartial || whole.isEmpty
			? undefined
			: { kind: 'results', value: whole.value, isEmpty: false };
	if (results !== undefined && (isKnownOver || meaning !== undefined)) return results;
	if (!fetched.ok && !isAboutJob(fetched.problem)) return failedBy(fetched.problem);

	const said = fetched.ok ? undefined : fetched.problem;
	const asked = overJob(await source.job(), customStatuses, said);
	if ('early' in asked) {
		// A job that is denied although it has results proves nothing.
		const isContradicted = asked.early.kind === 'denied' && results !== undefined;
		return isContradicted ? unproven(asked.early) : asked.early;
	}
	if (results !== undefined) return results;
	const { job, end } = asked;
	if (hasResults(job)) {
		const custom = await source.fromJob(job);
		if (custom.ok) return { kind: 'results', value: custom.value.value, isEmpty: custom.value.isEmpty };
		if (!isAboutJob(custom.problem)) return failedBy(custom.problem);
	}
	if (end !== 'results') return withoutResults(job, end, said);
	if (said !== undefined) return refusedBy(said, format);
	return whole === undefined || isPartial
		? { kind: 'notYet', why: WITHOUT_RESULTS }
		: { kind: 'results', value: whole.value, isEmpty: true };
}

/** The problem of a download whose job still runs. */
function stillRunning(job: Job, said: Problem = WITHOUT_RESULTS): Problem {
	const detail = job.status === '' ? said.detail : `Its status is "${job.status.slice(0, 100)}"`;
	return { ...said, kind: 'notFinished', detail };
}

/** How results are asked for again. Times in milliseconds, by one clock. */
export interface Attempts {
	/** When they were asked for first. */
	since: number;
	/** Since when the service says that there are none, by a denial, an empty list or a job that failed. */
	deniedSince?: number;
	/** When to ask again, and how long to pause after that. */
	nextAt: number;
	pauseMs: number;
}

/** The shortest time for which results are asked for: long enough for a denial to be repeated. */
export const ASKED_FOR_MS = 45_000;
const [FIRST_PAUSE_MS, PAUSE_FACTOR, LONGEST_PAUSE_MS] = [1_000, 3, 30_000];

/** Whether a download says that there are no results. */
function saysNone<T>(
	download: Download<T>,
): download is Extract<Download<T>, { kind: 'denied' | 'none' | 'results' }> {
	const isEmpty = download.kind === 'results' && download.isEmpty;
	return isEmpty || download.kind === 'denied' || download.kind === 'none';
}

/**
 * What to do after a download: `take` it, or ask `again`. That there are no results counts when it is repeated half a
 * minute later. A reply that proves nothing does not change that; a job that runs contradicts it.
 */
export function afterDownload<T>(
	download: Download<T>,
	{ deniedSince }: Pick<Attempts, 'deniedSince'>,
	now: number,
): { next: 'again' | 'take'; deniedSince?: number } {
	if (download.kind === 'notYet')
		return { next: 'again', deniedSince: download.why.kind === 'notFinished' ? undefined : deniedSince };
	if (!saysNone(download)) return { next: 'take' };
	const since = deniedSince ?? now;
	return { next: isProven(since, now) ? 'take' : 'again', deniedSince: since };
}

/** A download that has to be given out although it is not proven: it means "not yet". */
export function unproven<T>(download: Download<T>): Download<T> {
	if (!saysNone(download)) return download;
	return { kind: 'notYet', why: download.kind === 'results' ? WITHOUT_RESULTS : download.why };
}

/** Where downloads are repeated. */
interface Waiting {
	clock: Pick<Clock, 'elapsed' | 'now' | 'pause'>;
	isOutOfTime: () => boolean;
	signal?: AbortSignal;
}

/** How many downloads are under way at a time; none is added to so many results that are under way. */
const [DOWNLOADS_AT_A_TIME, RESULTS_AT_A_TIME] = [10, 200];

/** How the results of jobs are asked for. */
export interface DownloadPolicy<J, T> {
	/** Asks once for the results of a job. */
	ask: (job: J) => Promise<Download<T>>;
	/**
	 * Until when to ask again for those of a job, in milliseconds since 1970; at least {@link ASKED_FOR_MS}. Then they are
	 * given out as they are; what is not proven is `notYet`.
	 */
	untilOf: (job: J) => number;
	/** How many results a job has, so that not too many are in memory at a time. */
	sizeOf: (job: J) => number;
}

/**
 * Asks for the results of jobs, of several at a time: first of each job once, then again of those whose results are not
 * there yet. So results that come late delay no other job, and denials of many jobs take no longer than one. Gives out
 * each download as soon as it counts.
 */
export async function* downloads<J, T>(
	jobs: readonly J[],
	{ ask, untilOf, sizeOf }: DownloadPolicy<J, T>,
	{ clock, isOutOfTime, signal }: Waiting,
): AsyncGenerator<[job: J, download: Download<T>]> {
	/** A job whose results are asked for, perhaps again. */
	interface Pursuit {
		job: J;
		attempts: Attempts;
	}
	const attempt = async (one: Pursuit): Promise<{ one: Pursuit; download?: Download<T> }> => {
		const { job, attempts } = one;
		const download = await ask(job);
		const now = clock.elapsed();
		const said = afterDownload(download, attempts, now);
		if (said.next === 'take') return { one, download };
		const until = Math.max(untilOf(job) - clock.now() + now, attempts.since + ASKED_FOR_MS);
		if (now >= until || isOutOfTime() || signal?.aborted === true)
			return { one, download: unproven(download) };
		attempts.deniedSince = said.deniedSince;
		const provenAt = said.deniedSince === undefined ? Infinity : said.deniedSince + TWICE_MS;
		attempts.nextAt = Math.min(now + attempts.pauseMs, provenAt, until);
		attempts.pauseMs = Math.min(attempts.pauseMs * PAUSE_FACTOR, LONGEST_PAUSE_MS);
		return { one };
	};
	const inFlight = new InFlight<{ one: Pursuit; download?: Download<T> }>();
	// The first is asked for alone: a key that the service refuses is not sent ten times.
	let [asked, size, width] = [0, 0, 1];
	const late = new Set<Pursuit>();
	const nextOne = (): Pursuit | undefined => {
		const job = jobs[asked];
		if (job !== undefined)
			return { job, attempts: { since: clock.elapsed(), nextAt: 0, pauseMs: FIRST_PAUSE_MS } };
		let first: Pursuit | undefined;
		for (const one of late)
			if (first === undefined || one.attempts.nextAt < first.attempts.nextAt) first = one;
		return first;
	};
	for (let next = nextOne(); next !== undefined || inFlight.size > 0; next = nextOne()) {
		const pause = next === undefined ? 0 : next.attempts.nextAt - clock.elapsed();
		const isRoom = inFlight.size < width && size < RESULTS_AT_A_TIME;
		if (next !== undefined && pause <= 0 && isRoom) {
			if (!late.delete(next)) asked++;
			size += sizeOf(next.job);
			inFlight.add(attempt(next));
			continue;
		}
		if (inFlight.size === 0) {
			await clock.pause(pause, signal);
			// A stop ends the pause early: then each is asked once more, and given out as it is.
			if (signal?.aborted === true && next !== undefined) next.attempts.nextAt = 0;
			continue;
		}
		const { one, download } = await inFlight.next();
		size -= sizeOf(one.job);
		if (download?.kind === 'results') width = DOWNLOADS_AT_A_TIME;
		if (download === undefined) late.add(one);
		else yield [one.job, download];
	}
}

/** {@link downloads} for a single job. */
export async function downloadOne<T>(
	ask: () => Promise<Download<T>>,
	until: number,
	waiting: Waiting,
): Promise<Download<T>> {
	const lookupsOfItem = { ask, untilOf: () => until, sizeOf: () => 1 };
	for await (const [, download] of downloads([0], lookupsOfItem, waiting)) return download;
	throw new Error('Every download ends');
}

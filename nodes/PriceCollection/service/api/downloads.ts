import { InFlight } from '../http/inFlight';
import { isProven, PROOF_INTERVAL_MS } from '../meaning/jobState';
import type { Clock } from '../time';
import { saysNone, unproven, type Download } from './download';

/*
 * The schedule of downloads: how many at a time, when to repeat one, and which reply counts.
 */

/** The schedule for retrying a download. Times in milliseconds, all from the same clock. */
export interface Attempts {
	/** When the first reply arrived. */
	firstReplyAt?: number;
	/** Since when the service has reported no results: by a denial, an empty list, or a job that failed or was cancelled. */
	deniedSince?: number;
	/** When to try next, and how long to pause after that. */
	nextAt: number;
	pauseMs: number;
}

/** The shortest time to keep requesting results: long enough for a denial to be repeated. */
export const SHORTEST_RETRY_MS = 45_000;
const [FIRST_PAUSE_MS, PAUSE_FACTOR, LONGEST_PAUSE_MS] = [1_000, 3, 30_000];

/**
 * What to do after a download: `take` it or try `again`. A report of no results counts only when repeated for a request
 * at least 30 seconds later. A reply that proves nothing does not affect this; a job that still runs refutes the report.
 */
export function afterDownload<T>(
	download: Download<T>,
	{ deniedSince }: Pick<Attempts, 'deniedSince'>,
	{ askedAt, repliedAt }: { askedAt: number; repliedAt: number },
): { next: 'again' | 'take'; deniedSince?: number } {
	if (download.kind === 'notYet')
		return { next: 'again', deniedSince: download.why.kind === 'notFinished' ? undefined : deniedSince };
	if (!saysNone(download)) return { next: 'take' };
	const since = deniedSince ?? repliedAt;
	return { next: isProven(since, askedAt) ? 'take' : 'again', deniedSince: since };
}

/** The limits of a wait for downloads. */
interface Waiting {
	clock: Pick<Clock, 'elapsed' | 'now' | 'pause'>;
	isOutOfTime: () => boolean;
	signal?: AbortSignal;
}

/** The most downloads in flight, and the number of results in flight above which no download is added. */
const [DOWNLOADS_AT_A_TIME, RESULTS_AT_A_TIME] = [10, 200];

/** How to request the results of several jobs. */
export interface DownloadPolicy<J, T> {
	/** Requests a job's results once. */
	ask: (job: J) => Promise<Download<T>>;
	/**
	 * When to stop retrying a job's download, in milliseconds since 1970, but not before {@link SHORTEST_RETRY_MS} have
	 * passed. Then the latest download is yielded; an unproven one becomes `notYet`.
	 */
	retryUntil: (job: J) => number;
	/** How many results a job has. Limits the number in memory. */
	sizeOf: (job: J) => number;
}

/**
 * Downloads the results of several jobs concurrently: requests each job once, then retries the jobs whose results are
 * not there yet. Late results therefore delay no other job, and proving the denials of many jobs takes no longer than
 * proving one. Yields each download as soon as it counts.
 */
export async function* downloads<J, T>(
	jobs: readonly J[],
	{ ask, retryUntil, sizeOf }: DownloadPolicy<J, T>,
	{ clock, isOutOfTime, signal }: Waiting,
): AsyncGenerator<[job: J, download: Download<T>]> {
	/** A job and its schedule of retries. */
	interface Pursuit {
		job: J;
		attempts: Attempts;
	}
	const isEnding = () => signal?.aborted === true || isOutOfTime();
	const attempt = async (pursuit: Pursuit): Promise<{ pursuit: Pursuit; download?: Download<T> }> => {
		const { job, attempts } = pursuit;
		const askedAt = clock.elapsed();
		const download = await ask(job);
		const now = clock.elapsed();
		const firstReplyAt = (attempts.firstReplyAt ??= now);
		const decision = afterDownload(download, attempts, { askedAt, repliedAt: now });
		if (decision.next === 'take') return { pursuit, download };
		const until = Math.max(retryUntil(job) - clock.now() + now, firstReplyAt + SHORTEST_RETRY_MS);
		if (now >= until || isEnding()) return { pursuit, download: unproven(download) };
		attempts.deniedSince = decision.deniedSince;
		const provenAt =
			decision.deniedSince === undefined ? Infinity : decision.deniedSince + PROOF_INTERVAL_MS;
		attempts.nextAt = Math.min(now + attempts.pauseMs, provenAt, until);
		attempts.pauseMs = Math.min(attempts.pauseMs * PAUSE_FACTOR, LONGEST_PAUSE_MS);
		return { pursuit };
	};
	const inFlight = new InFlight<{ pursuit: Pursuit; download?: Download<T> }>();
	// One at a time until results arrive, so that a rejected key is not sent ten times at once.
	let [started, resultsInFlight, width] = [0, 0, 1];
	const retries = new Set<Pursuit>();
	const nextPursuit = (): Pursuit | undefined => {
		const job = jobs[started];
		if (job !== undefined) return { job, attempts: { nextAt: 0, pauseMs: FIRST_PAUSE_MS } };
		let earliest: Pursuit | undefined;
		for (const pursuit of retries)
			if (earliest === undefined || pursuit.attempts.nextAt < earliest.attempts.nextAt)
				earliest = pursuit;
		return earliest;
	};
	for (let next = nextPursuit(); next !== undefined || inFlight.size > 0; next = nextPursuit()) {
		// A stop or the end of the time ends the pauses: each job is tried once more, and its download yielded as it is.
		const pause = next === undefined || isEnding() ? 0 : next.attempts.nextAt - clock.elapsed();
		const hasRoom = inFlight.size < width && resultsInFlight < RESULTS_AT_A_TIME;
		if (next !== undefined && pause <= 0 && hasRoom) {
			if (!retries.delete(next)) started++;
			resultsInFlight += sizeOf(next.job);
			inFlight.add(attempt(next));
			continue;
		}
		if (inFlight.size === 0) {
			await clock.pause(pause, signal);
			continue;
		}
		const { pursuit, download } = await inFlight.next();
		resultsInFlight -= sizeOf(pursuit.job);
		if (download?.kind === 'results') width = DOWNLOADS_AT_A_TIME;
		if (download === undefined) retries.add(pursuit);
		else yield [pursuit.job, download];
	}
}

/** {@link downloads} for a single job. */
export async function downloadOne<T>(
	ask: () => Promise<Download<T>>,
	until: number,
	waiting: Waiting,
): Promise<Download<T>> {
	const policy = { ask, retryUntil: () => until, sizeOf: () => 1 };
	for await (const [, download] of downloads([0], policy, waiting)) return download;
	throw new Error('Every download ends');
}

import type { OpenJob } from '../../run/stored/pollingState';

const MINUTE_MS = 60_000;
/** Between two attempts at most, in milliseconds. */
const LONGEST_PAUSE_MS = 30 * MINUTE_MS;
/** Services of this kind keep results, and jobs, for 72 hours; the last attempt comes while the job is still there. */
const RETENTION_MS = 71 * 60 * MINUTE_MS;
/** What one odd answer says is not believed before it has been said for so long, in milliseconds. */
const ODD_ANSWER_MS = 10 * MINUTE_MS;

/** Whether a job is to be tried now. */
export function isDue({ tryAt }: OpenJob, now: number): boolean {
	return tryAt === undefined || tryAt <= now;
}

/** The job after one more failure: tried again after a minute first, then in growing steps. */
export function failedAgain({ failingSince = 0 }: OpenJob, now: number): OpenJob {
	const since = failingSince === 0 ? now : failingSince;
	const pause = Math.min(Math.max(now - since, MINUTE_MS - 1_000), LONGEST_PAUSE_MS);
	return { failingSince: since, tryAt: now + pause };
}

/** Whether a job has failed for as long as an attempt made sense. */
export function isHopeless({ failingSince }: OpenJob, now: number): boolean {
	return failingSince !== undefined && now - failingSince >= RETENTION_MS;
}

/** Whether an answer that nothing more will come was repeated for long enough. */
export function isConfirmed({ failingSince }: OpenJob, now: number): boolean {
	return failingSince !== undefined && now - failingSince >= ODD_ANSWER_MS;
}

/**
 * Failures in a row. n8n itself polls on, every minute, and starts the error workflow each time, unless its durable poll
 * cursors are switched on. So a trigger that fails makes pauses of its own.
 */
export class FailuresInARow {
	private count = 0;

	private waitUntil = 0;

	/** Whether it is too early for another attempt. */
	isWaiting(now: number): boolean {
		return this.waitUntil > now;
	}

	/**
	 * Notes a failure: the next attempt may come with the next poll, then after 2, 4, 8, 16 and 30 minutes.
	 *
	 * @param atLeastMs how long the service asked to wait
	 * @returns whether it is the first in a row
	 */
	note(now: number, atLeastMs = 0): boolean {
		const pause = this.count === 0 ? 0 : 2 ** this.count * MINUTE_MS - 1_000;
		this.waitUntil = now + Math.min(Math.max(pause, atLeastMs), LONGEST_PAUSE_MS);
		this.count++;
		return this.count === 1;
	}

	end(): void {
		this.count = 0;
		this.waitUntil = 0;
	}
}

import type { OpenJob } from '../../run/stored/pollingState';

const MINUTE_MS = 60_000;
const LONGEST_PAUSE_MS = 30 * MINUTE_MS;

export function isDue({ tryAt }: OpenJob, now: number): boolean {
	return tryAt === undefined || tryAt <= now;
}

/**
 * After one more failure: the next attempt comes with the next poll, then in growing steps up to half an hour. n8n has a
 * back-off of its own with durable poll cursors only, which are off by default.
 *
 * @param atLeastMs how long the service asked to wait
 */
export function failedAgain({ failingSince }: OpenJob, now: number, atLeastMs = 0): OpenJob {
	const since = failingSince ?? now;
	const pause = Math.min(Math.max(now - since, MINUTE_MS, atLeastMs), LONGEST_PAUSE_MS);
	// A moment less, so that the poll that is due then counts.
	return { failingSince: since, tryAt: now + pause - 1_000 };
}

export function hasFailedFor(milliseconds: number, { failingSince }: OpenJob, now: number): boolean {
	return failingSince !== undefined && now - failingSince >= milliseconds;
}

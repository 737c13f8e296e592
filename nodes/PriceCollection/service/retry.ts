import { traitsOf, type Problem } from './problems';
import { readHttpDate } from './time';

/** How often a read is sent at most. */
export const MAX_ATTEMPTS = 4;
/** The longest Retry-After that is obeyed; a longer one is reported as a problem. */
export const LONGEST_RETRY_AFTER_MS = 120_000;
const FIRST_DELAY_MS = 500;
/** No valid Retry-After is longer. */
const LONGEST_HEADER = 100;

/**
 * How long to wait before a request is repeated, in milliseconds; undefined when it must not be repeated.
 *
 * @param attempt number of attempts so far, from 1
 * @param changes whether the request changes something, so that a repeated request could do that twice
 * @param random from 0 up to 1: jitter that keeps many executions from repeating at the same moment
 */
export function delayBeforeRepeat(
	problem: Problem,
	attempt: number,
	changes: boolean,
	random: number,
): number | undefined {
	if (attempt >= MAX_ATTEMPTS) return undefined;
	const { retry } = traitsOf(problem);
	if (retry === 'never' || (changes && (retry !== 'all' || problem.effect !== 'none'))) return undefined;
	if (problem.retryAfterMs !== undefined) {
		return problem.retryAfterMs <= LONGEST_RETRY_AFTER_MS ? problem.retryAfterMs : undefined;
	}
	const ceiling = FIRST_DELAY_MS * 2 ** (attempt - 1);
	return ceiling / 2 + (ceiling / 2) * random;
}

/** The shortest and the longest pause between two attempts at a lasting problem. */
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [60_000, 30 * 60_000];

/**
 * How long to wait before the next attempt after the client's own repeats failed: as long as the problem has
 * lasted, so that pauses grow.
 *
 * @param atLeastMs how long the service asked to wait
 */
export function delayBeforeNextTry(failingForMs: number, atLeastMs = 0): number {
	const pause = Math.min(Math.max(failingForMs, SHORTEST_PAUSE_MS, atLeastMs), LONGEST_PAUSE_MS);
	// Slightly less, so that a poll at exactly that time counts.
	return pause - 1_000;
}

/**
 * Reads a Retry-After header: seconds, also decimals, or an HTTP date (RFC 9110, 10.2.3 and 5.6.7).
 *
 * @returns milliseconds from `now`, never negative; undefined when the header is absent or invalid
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
	const text = (header ?? '').slice(0, LONGEST_HEADER);
	// A header that was sent twice arrives as a list; the longest wait is the safe one.
	const seconds = text.split(',').map((one) => one.trim());
	if (seconds.every((one) => /^\d+(\.\d+)?$/.test(one))) return Math.max(...seconds.map(Number)) * 1000;
	const date = readHttpDate(text);
	return date === undefined ? undefined : Math.max(0, date - now);
}

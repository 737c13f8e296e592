const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The service's own limit for a job that names none, in minutes. */
const DEFAULT_TIMEOUT_MINUTES = 1440;
/** A job can wait before its timeout begins to count, and a callback can be repeated after its end. */
const MARGIN_MS = 48 * HOUR_MS;
/** Services of this kind keep results for so long after the request; until then a callback is worth something. */
const SHORTEST_MS = 72 * HOUR_MS;

/**
 * Until when a signed callback URL is valid: longer than its job can run, at least 72 hours.
 *
 * @param now milliseconds since 1970
 * @param timeoutMinutes the job's own limit; 1440 when absent or not a positive number
 * @returns milliseconds since 1970
 */
export function callbackExpiry(now: number, timeoutMinutes?: number): number {
	const known = timeoutMinutes !== undefined && Number.isFinite(timeoutMinutes) && timeoutMinutes > 0;
	const timeoutMs = (known ? timeoutMinutes : DEFAULT_TIMEOUT_MINUTES) * MINUTE_MS;
	return now + Math.max(timeoutMs + MARGIN_MS, SHORTEST_MS);
}

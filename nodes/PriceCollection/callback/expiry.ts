const HOUR_MS = 3_600_000;

/** A job can wait before its timeout begins to count, and a callback can be repeated after its end. */
const MARGIN_MS = 48 * HOUR_MS;
/** Services of this kind keep results for so long after the request; until then a callback is worth something. */
const SHORTEST_MS = 72 * HOUR_MS;

/**
 * Until when a signed callback URL is valid: longer than its job can run, at least 72 hours.
 *
 * @param now milliseconds since 1970
 * @param timeoutMinutes the job's own limit; what is no number says nothing
 * @returns milliseconds since 1970
 */
export function callbackExpiry(now: number, timeoutMinutes = 0): number {
	const timeoutMs = Number.isFinite(timeoutMinutes) ? timeoutMinutes * 60_000 : 0;
	return now + Math.max(timeoutMs + MARGIN_MS, SHORTEST_MS);
}

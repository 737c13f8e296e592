export const MINUTE_MS = 60_000;

/** Time and randomness. Passed in, so that only the n8n layer reads the machine's clock. */
export interface Clock {
	/** The current time in milliseconds since 1970. */
	now(): number;
	/**
	 * Milliseconds on a monotonic clock with an arbitrary start. It measures time within this process, whatever happens
	 * to the machine's clock. It may pause while the machine sleeps.
	 */
	elapsed(): number;
	/** A random number from 0 (inclusive) to 1 (exclusive), for jitter. */
	random(): number;
	sleep(milliseconds: number): Promise<void>;
	/** Waits this many milliseconds, or until `signal` is aborted. Never rejects. */
	pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
	/** Lets n8n's event loop run in the middle of a long computation. */
	yieldToEventLoop(): Promise<void>;
}

/** An HTTP date (RFC 9110, section 5.6.7), without the two obsolete formats, which servers no longer send. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** ISO 8601, also with a space for the T, UTC for the Z, no colon in the zone, no zone, and no seconds. */
const ISO_8601 = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(?:(Z|UTC)|([-+]\d\d):?(\d\d)?)?$/i;

/** Only for known formats: `Date` accepts almost any text, and reads a time without a zone in n8n's own zone. */
function timeIn(date: string | number): number | undefined {
	const time = new Date(date).getTime();
	return Number.isNaN(time) ? undefined : time;
}

/** An HTTP date in milliseconds since 1970; undefined for any other text and for a day that does not exist. */
export function readHttpDate(text = ''): number | undefined {
	const date = text.trim();
	const time = HTTP_DATE.test(date) ? timeIn(date) : undefined;
	// Date turns 30 February into a day in March. The weekday is not compared: it may be wrong.
	return time !== undefined && new Date(time).toUTCString().slice(3) === date.slice(3) ? time : undefined;
}

/**
 * A time from the service in milliseconds since 1970: ISO 8601 (also `2026-01-15 08:00:00 UTC`), an HTTP date, or a
 * Date, which a database may have turned it into. Undefined for anything else: times are not guessed.
 *
 * @param withoutZone how to read a time without a zone: as UTC, which the service uses, or not at all, for proofs
 */
export function timeOf(value: unknown, withoutZone: 'UTC' | 'unknown' = 'UTC'): number | undefined {
	if (value instanceof Date) return timeIn(value.getTime());
	if (typeof value !== 'string') return undefined;
	const [, day, time, zone, hours, minutes = '00'] = ISO_8601.exec(value.trim()) ?? [];
	if (day === undefined) return readHttpDate(value);
	const start = timeIn(day);
	if (start === undefined || !new Date(start).toISOString().startsWith(day)) return undefined;
	if (zone === undefined && hours === undefined && withoutZone === 'unknown') return undefined;
	return timeIn(`${day}T${time}${hours ?? '+00'}:${minutes}`);
}

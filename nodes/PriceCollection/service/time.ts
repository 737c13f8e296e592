export const MINUTE_MS = 60_000;

/** Time and randomness. Passed in, so that only the n8n layer reads the machine's clock. */
export interface Clock {
	/** The current time in milliseconds since 1970. */
	now(): number;
	/**
	 * Milliseconds on a clock that only moves on, from an arbitrary start: for time that passes within this process,
	 * which must not change when somebody sets the machine's clock. It may stand still while the machine sleeps.
	 */
	elapsed(): number;
	/** A number from 0 up to 1, for jitter. */
	random(): number;
	sleep(milliseconds: number): Promise<void>;
	/** Waits the given milliseconds, or until `signal` is aborted. Never rejects. */
	pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
	/** Lets n8n's event loop run between two parts of a long computation. */
	yieldToEventLoop(): Promise<void>;
}

/** An HTTP date (RFC 9110, section 5.6.7), without its two obsolete formats, which are no longer sent. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** ISO 8601, also with a blank for the T, UTC for the Z, no colon in the zone, and without seconds. */
const ISO_8601 = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(?:(Z|UTC)|([-+]\d\d):?(\d\d)?)?$/i;

/** Date reads almost any text as a time, and without zone as n8n's own, so it only gets known formats. */
function timeIn(date: string | number): number | undefined {
	const time = new Date(date).getTime();
	return Number.isNaN(time) ? undefined : time;
}

/** An HTTP date in milliseconds since 1970; undefined for any other text, and for a day that does not exist. */
export function readHttpDate(text = ''): number | undefined {
	const date = text.trim();
	const time = HTTP_DATE.test(date) ? timeIn(date) : undefined;
	// Date makes March 2 of February 30. The day of the week says nothing more, and may be wrong.
	return time !== undefined && new Date(time).toUTCString().slice(3) === date.slice(3) ? time : undefined;
}

/**
 * A time from the service in milliseconds since 1970: ISO 8601 (also `2026-01-15 08:00:00 UTC`), an HTTP date, or a
 * Date, which a database may have made of it. Undefined for all else: times are not guessed. One that names no
 * zone is UTC, which the service uses, or for a proof `unknown`.
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

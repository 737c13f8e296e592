/*
 * Times as services write them. Date.parse alone is no reader for them: "in 7" is the first of July 2001 to it, and a time
 * that names no zone is one of the machine that n8n runs on. So it gets known forms only, with a zone.
 */

/** A time of the service. */
export interface ServiceTime {
	/** Milliseconds since 1970. */
	time: number;
	/** Whether it says of which zone it is. One that does not is read as UTC, in which the service writes its times. */
	hasZone: boolean;
}

/** A date of HTTP (RFC 9110, section 5.6.7). Its two obsolete forms are not sent by anything that is alive. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
/** No time is written in more characters. */
const LONGEST_TIME = 40;

/** ISO 8601 with its usual liberties: a blank for the T, the zone by name or without colon, no seconds, no time at all. */
const ISO_8601 =
	/^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))? ?(?:(Z|UTC|GMT)|([-+]\d\d):?(\d\d)?)?$/i;

/** The years in which a number of some unit is taken for a time. The units lie so far apart that none can be another. */
const [FIRST, LAST] = [Date.UTC(2000), Date.UTC(2100)];
/** Milliseconds in a unit of which times are counted: seconds, milliseconds, microseconds, nanoseconds. */
const UNITS_MS = [1_000, 1, 1e-3, 1e-6];

/** A time that Date reads; undefined for a day or an hour that does not exist. */
function timeIn(date: string | number, hasZone = true): ServiceTime | undefined {
	const time = new Date(date).getTime();
	return Number.isNaN(time) ? undefined : { time, hasZone };
}

/** A date as HTTP writes it, in milliseconds since 1970; undefined for any other text. */
export function readHttpDate(text = ''): number | undefined {
	const date = text.slice(0, LONGEST_TIME).trim();
	return HTTP_DATE.test(date) ? timeIn(date)?.time : undefined;
}

/**
 * A time of the service: ISO 8601 (`2026-01-15 08:00:00 UTC` occurs, too), a date of HTTP, or a number that counts from
 * 1970; where it went through a data base on its way, that may have made a Date of it.
 *
 * @returns undefined for everything else: a time that has to be guessed is none
 */
export function readTime(value: unknown): ServiceTime | undefined {
	if (value instanceof Date) return timeIn(value.getTime());
	const text = typeof value === 'number' ? String(value) : value;
	if (typeof text !== 'string') return undefined;
	const short = text.slice(0, LONGEST_TIME).trim();
	if (/^\d+(\.\d+)?$/.test(short)) {
		const times = UNITS_MS.map((unit) => Math.floor(Number(short) * unit));
		return timeIn(times.find((time) => time >= FIRST && time < LAST) ?? NaN);
	}
	const [, day, time = '00:00', zone, hours, minutes = '00'] = ISO_8601.exec(short) ?? [];
	const iso = timeIn(`${day}T${time}${hours ?? '+00'}:${minutes}`, (zone ?? hours) !== undefined);
	return timeIn(readHttpDate(short) ?? NaN) ?? iso;
}

/** A time of the service in milliseconds since 1970; undefined when absent or unreadable. */
export function timeOf(value: unknown): number | undefined {
	return readTime(value)?.time;
}

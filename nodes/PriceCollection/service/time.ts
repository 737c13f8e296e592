/*
 * Times as services write them. Date.parse is no reader for them: "in 7" is the first of July 2001 to it, and a time
 * that names no zone is one of the machine that n8n runs on.
 */

/** A time of the service. */
export interface ServiceTime {
	/** Milliseconds since 1970. */
	time: number;
	/** Whether it says of which zone it is. One that does not is read as UTC, in which the service writes its times. */
	hasZone: boolean;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A date of HTTP (RFC 9110, section 5.6.7). Its two obsolete forms are not sent by anything that is alive. */
const HTTP_DATE =
	/^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) GMT$/;
/** No time is written in more characters. */
const LONGEST_TIME = 40;

/** ISO 8601 with its usual liberties: a blank for the T, the zone by name or without colon, no seconds, no time at all. */
const ISO_8601 =
	/^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[T ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?)? ?(?<zone>Z|UTC|GMT|(?<sign>[-+])(?<hours>0\d|1[0-4]):?(?<minutes>[0-5]\d)?)?$/i;

/** The years in which a number of some unit is taken for a time. The units lie so far apart that none can be another. */
const [FIRST, LAST] = [Date.UTC(2000), Date.UTC(2100)];
/** Milliseconds in a unit of which times are counted: seconds, milliseconds, microseconds, nanoseconds. */
const UNITS_MS = [1_000, 1, 1e-3, 1e-6];

type Parts = Readonly<Record<string, string | undefined>>;

/** Milliseconds since 1970 of a time of UTC; undefined for a day or an hour that does not exist. */
function utcTime(year: number, month: number, parts: Parts): number | undefined {
	const [day, hour, minute, second] = [
		Number(parts.day),
		Number(parts.hour ?? 0),
		Number(parts.minute ?? 0),
		Number(parts.second ?? 0),
	] as const;
	const midnight = Date.UTC(year, month, day);
	// A day too many is one of another month.
	const exists = new Date(midnight).getUTCMonth() === month;
	// A leap second is the next one.
	if (!exists || hour > 23 || minute > 59 || second > 60) return undefined;
	return midnight + ((hour * 60 + minute) * 60 + second) * 1_000;
}

/** A date as HTTP writes it, in milliseconds since 1970; undefined for any other text. */
export function readHttpDate(text = ''): number | undefined {
	const parts: Parts | undefined = HTTP_DATE.exec(text.slice(0, LONGEST_TIME).trim())?.groups;
	const month = MONTHS.indexOf(parts?.month ?? '');
	return parts && month !== -1 ? utcTime(Number(parts.year), month, parts) : undefined;
}

function readIso(text: string): ServiceTime | undefined {
	const parts: Parts | undefined = ISO_8601.exec(text)?.groups;
	const time = parts && utcTime(Number(parts.year), Number(parts.month) - 1, parts);
	if (parts === undefined || time === undefined) return undefined;
	const fractionMs = Number(`${parts.fraction ?? ''}000`.slice(0, 3));
	const offset = (Number(parts.hours ?? 0) * 60 + Number(parts.minutes ?? 0)) * 60_000;
	const ahead = parts.sign === '-' ? -offset : offset;
	return { time: time + fractionMs - ahead, hasZone: parts.zone !== undefined };
}

/** A time that is counted from 1970, in whatever unit. */
function readCount(count: number): ServiceTime | undefined {
	const times = UNITS_MS.map((unit) => Math.floor(count * unit));
	const time = times.find((one) => one >= FIRST && one < LAST);
	return time === undefined ? undefined : { time, hasZone: true };
}

/**
 * A time of the service: ISO 8601 (`2026-01-15 08:00:00 UTC` occurs, too), a date of HTTP, or a number that counts from
 * 1970; where it went through a data base on its way, that may have made a Date of it.
 *
 * @returns undefined for everything else: a time that has to be guessed is none
 */
export function readTime(value: unknown): ServiceTime | undefined {
	if (value instanceof Date)
		return Number.isNaN(value.getTime()) ? undefined : { time: value.getTime(), hasZone: true };
	if (typeof value === 'number') return readCount(value);
	if (typeof value !== 'string') return undefined;
	const text = value.slice(0, LONGEST_TIME).trim();
	if (/^\d+(\.\d+)?$/.test(text)) return readCount(Number(text));
	const date = readHttpDate(text);
	return date === undefined ? readIso(text) : { time: date, hasZone: true };
}

/** A time of the service in milliseconds since 1970; undefined when absent or unreadable. */
export function timeOf(value: unknown): number | undefined {
	return readTime(value)?.time;
}

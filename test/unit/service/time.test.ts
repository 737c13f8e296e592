import { readHttpDate, timeOf } from '../../../nodes/PriceCollection/service/time';

const at = (text: string) => Date.parse(text);
const noon = at('2026-10-01T12:00:00Z');

/** Texts that Date.parse accepts as a time, although they are not one. */
const NO_TIMES = [
	...['in 7', '7', '-5', 'retry 1', 'May', '12/11/2026', '2026', '2026-10', '1 Oct 2026'],
	...['x2026-10-01', 'xThu, 01 Oct 2026 12:00:00 GMT', 'Thu, 01 Oct 2026 12:00:00 GMTs'],
	...['2026-10-01', '2026-10-01 12:00:00 CET', '2026-10-01 12:00:00 GMT', '2026-10-01Z'],
	// Days that do not exist.
	...['2026-02-30T12:00:00Z', '2026-02-29 12:00:00 UTC', '2026-04-31T12:00', '2026-06-31T23:00:00-02:00'],
	...['Mon, 30 Feb 2026 12:00:00 GMT', 'Fri, 31 Apr 2026 12:00:00 GMT'],
	...['10 minutes (2026)', '2026-10-01T12:00:00 tomorrow', '2026-10-01T12:00:00Z, 2026-10-01T12:00:00Z'],
];

test('a date of HTTP may be of any month', () => {
	const days = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month, 15));
	// Node writes dates as HTTP does.
	expect(days.map((day) => readHttpDate(new Date(day).toUTCString()))).toEqual(days);
	expect(readHttpDate('Thu, 01 Jan 1970 00:00:01 GMT')).toBe(1_000);
});

test.each([
	...NO_TIMES,
	...['2026-10-01T12:00:00Z', 'Thu, 01 Oct 2026 12:00:00', 'Thu, 01 Oct 2026 12:00:00 CET'],
	...['Thu, 1 Oct 2026 12:00:00 GMT', 'Thu, 00 Oct 2026 12:00:00 GMT', 'Thu, 01 Oct 2026 12:60:00 GMT'],
	'Thu, 01 Oct 2026 12:00:00 GMT, Thu, 01 Oct 2026 12:00:00 GMT',
	// Obsolete forms.
	...['Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'],
])('%s is no date of HTTP', (text) => {
	expect(readHttpDate(text)).toBeUndefined();
});

test.each([
	['2026-10-01T12:00:00Z', noon],
	[' 2026-10-01t12:00:00z ', noon],
	['2026-10-01 12:00:00 UTC', noon],
	['2026-10-01T14:00+02:00', noon],
	['2026-10-01 07:30:00 -0430', noon],
	['2026-10-01T14:00:00+02', noon],
	['2026-10-01T12:00:00.57Z', noon + 570],
	['2026-10-01T12:00:00.1239999Z', noon + 123],
	['Thu, 01 Oct 2026 12:00:00 GMT', noon],
	// The day of the week is wrong.
	['Fri, 01 Oct 2026 12:00:00 GMT', noon],
	['2028-02-29T23:30:00-01:00', Date.UTC(2028, 2, 1, 0, 30)],
	['2026-09-30T24:00:00Z', noon - 12 * 3_600_000],
	[new Date(noon), noon],
	[new Date(1_000), 1_000],
])('%p is a time of the service', (value, time) => {
	expect(timeOf(value, 'unknown')).toBe(time);
	expect(timeOf(value)).toBe(time);
});

test.each([
	['2026-10-01T12:00:00', noon],
	['2026-10-01 12:00', noon],
])('%s is of UTC, but does not say so', (value, time) => {
	expect(timeOf(value)).toBe(time);
	expect(timeOf(value, 'unknown')).toBeUndefined();
});

test.each([
	...[...NO_TIMES, '', '2026-13-01T12:00:00Z', '2026-10-01T25:00:00Z', null, undefined, true, 7, -noon],
	// Seconds and milliseconds since 1970.
	...[noon / 1_000, noon, String(noon / 1_000), String(noon)],
	...[NaN, Infinity, new Date(NaN), {}, [noon]],
])('%p is no time of the service', (value) => {
	expect(timeOf(value)).toBeUndefined();
});

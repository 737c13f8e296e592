import { datingOf, goesBackTo, isOlder, isWithin } from '../../../nodes/PriceCollection/creation/dating';
import type { Job } from '../../../nodes/PriceCollection/service/types';

const SENT_AT = Date.parse('2026-10-01T12:00:00Z');
const [MINUTE, HOUR] = [60_000, 3_600_000];
const LOST = { from: SENT_AT, to: SENT_AT + 2_000, known: new Map<string, number>() };
const READ_AT = SENT_AT + MINUTE;
/** A job dated this long after the request was sent. */
const dated = (afterMs: number, job_id = 'a'): Job => ({
	...{ job_id, status: 'new', created_at: new Date(SENT_AT + afterMs).toISOString() },
});
const UNDATED: Job = { job_id: 'x', status: 'new' };

/** What a list of these jobs says about one that is dated this long after the request. */
function judged(
	jobs: Job[],
	afterMs: number,
	more: { known?: Map<string, number>; replyAheadMs?: number } = {},
) {
	const lost = { ...LOST, known: more.known ?? LOST.known };
	const dating = datingOf(jobs, lost, READ_AT, more.replyAheadMs);
	const time = SENT_AT + afterMs;
	const said = [isOlder(time, lost, dating) && 'older', isWithin(time, lost, dating) && 'in time'];
	return [...said, goesBackTo(time, lost, dating) && 'reached'].filter(Boolean).join(', ');
}

describe('a job of a list with a new one', () => {
	const list = [dated(-2 * HOUR), UNDATED, dated(-MINUTE)];
	test.each([
		['older, reached', -2 * HOUR],
		['older, reached', -5 * MINUTE - 1],
		['', -5 * MINUTE],
		['', -10_001],
		['in time', -10_000],
		['in time', 12_000],
		['', 12_001],
	])('is %j, dated %d ms after the request', (said, afterMs) => {
		expect(judged(list, afterMs)).toBe(said);
	});

	test.each([
		// By a load balancer's clock.
		['', 6 * MINUTE, -5 * MINUTE],
		['older, reached', 6 * MINUTE, -5 * MINUTE - 1],
		['in time', 6 * MINUTE, 6 * MINUTE - 2_000],
		['', 6 * MINUTE, 0],
		['', -6 * MINUTE, -11 * MINUTE],
		['older, reached', -6 * MINUTE, -11 * MINUTE - 1],
		['in time', -6 * MINUTE, -6 * MINUTE + 4_000],
		['', -6 * MINUTE, -6 * MINUTE + 4_001],
		['', 5 * HOUR, -5 * MINUTE],
		['older, reached', 5 * HOUR, -HOUR],
		['in time', -5 * HOUR, -5 * HOUR],
		['', -5 * HOUR, 0],
	])(
		'is %j by both clocks, where that of the replies is %d ms ahead: %d',
		(said, replyAheadMs, afterMs) => {
			expect(judged(list, afterMs, { replyAheadMs })).toBe(said);
		},
	);
});

describe('a job of a list without a new one', () => {
	/** The list may be dated by local time, and this may be the job that we look for. */
	test.each([
		['', -5 * HOUR],
		['', -5 * HOUR + MINUTE],
		['', -5 * HOUR - 45 * MINUTE],
		['older', -5 * HOUR - 5 * MINUTE],
		['older', -5 * HOUR + 7 * MINUTE],
		['', -14 * HOUR],
		['older, reached', -14 * HOUR - 5 * MINUTE - 1],
		['older, reached', -24 * HOUR],
		['', 5 * HOUR],
	])('is %j, dated %d ms after the request', (said, afterMs) => {
		expect(judged([dated(afterMs), dated(-30 * HOUR)], afterMs)).toBe(said);
	});

	test('may be old by any clock where it is unknown since when it was sent', () => {
		const lost = { ...LOST, from: undefined };
		const dating = datingOf([dated(0)], lost, READ_AT);
		const time = SENT_AT - 48 * HOUR;
		expect([
			isOlder(time, lost, dating),
			isWithin(time, lost, dating),
			goesBackTo(time, lost, dating),
		]).toEqual([...[false, false, false]]);
	});
});

describe('known jobs of the run', () => {
	/** One was sent a minute before, and is dated by local time. */
	const known = new Map([
		['known', SENT_AT - MINUTE],
		['earlier', 0],
		['gone', SENT_AT],
	]);
	const list = [dated(-5 * HOUR - MINUTE + 300, 'known'), dated(-3 * HOUR, 'earlier')];
	test.each([
		['in time', -5 * HOUR],
		['in time', -5 * HOUR - 10_000],
		['in time', -5 * HOUR + 4_300],
		['', -5 * HOUR + 4_301],
		['', -5 * HOUR - MINUTE],
		['', -5 * HOUR - 6 * MINUTE],
		['older, reached', -5 * HOUR - 7 * MINUTE - 1],
		['', 0],
	])('calibrate: a job is %j, dated %d ms after the request', (said, afterMs) => {
		expect(judged(list, afterMs, { known, replyAheadMs: 3_000 })).toBe(said);
	});

	test('that are dated apart prove less', () => {
		const apart = [dated(-HOUR - MINUTE, 'known'), dated(0, 'gone')];
		expect(judged(apart, -HOUR, { known })).toBe('in time');
		expect(judged(apart, 1_000, { known })).toBe('in time');
		expect(judged(apart, -HOUR - 6 * MINUTE, { known })).toBe('');
	});
});

import { ENDPOINTS } from '../../../nodes/PriceCollection/service/endpoints';
import type { Problem } from '../../../nodes/PriceCollection/service/problems';
import { delayBeforeRepeat, readRetryAfter } from '../../../nodes/PriceCollection/service/retry';

const problem = (kind: Problem['kind'], more: Partial<Problem> = {}): Problem => ({
	kind,
	endpoint: ENDPOINTS.list,
	effect: 'none',
	...more,
});

describe('a read is repeated', () => {
	test.each([
		'connectionRefused',
		'notSent',
		'hostNotFound',
		'connectionLost',
		'timedOut',
		'truncatedBody',
		'rateLimited',
		'unavailable',
	] as const)('after %s', (kind) => {
		expect(delayBeforeRepeat(problem(kind), 1, false, 0)).toBe(250);
	});

	test.each([
		'unauthorized',
		'jobNotFound',
		'htmlBody',
		'certificate',
		'stopped',
		'addressForbidden',
		'refused',
	] as const)('not after %s', (kind) => {
		expect(delayBeforeRepeat(problem(kind), 1, false, 0)).toBeUndefined();
	});

	test('with pauses that double, between half and all of the ceiling', () => {
		const delays = (random: number) =>
			[1, 2, 3].map((attempt) => delayBeforeRepeat(problem('unavailable'), attempt, false, random));
		expect(delays(0)).toEqual([250, 500, 1000]);
		expect(delays(1)).toEqual([500, 1000, 2000]);
	});

	test('three times at the most', () => {
		expect(delayBeforeRepeat(problem('unavailable'), 4, false, 0)).toBeUndefined();
	});

	test('after the time the service asks for, unless it is longer than two minutes', () => {
		const asked = (retryAfterMs: number) =>
			delayBeforeRepeat(problem('rateLimited', { retryAfterMs }), 1, false, 0);
		expect(asked(0)).toBe(0);
		expect(asked(120_000)).toBe(120_000);
		expect(asked(120_001)).toBeUndefined();
	});
});

describe('a request that changes something is repeated', () => {
	test.each(['connectionRefused', 'hostNotFound', 'rateLimited'] as const)(
		'after %s: nothing was done',
		(kind) => {
			expect(delayBeforeRepeat(problem(kind), 1, true, 0)).toBe(250);
		},
	);

	test.each([
		'connectionLost',
		'timedOut',
		'truncatedBody',
		'unavailable',
		'certificate',
		'notSent',
	] as const)('not after %s', (kind) => {
		expect(delayBeforeRepeat(problem(kind), 1, true, 0)).toBeUndefined();
	});

	test('not when something may have been done, whatever the words', () => {
		expect(delayBeforeRepeat(problem('rateLimited', { effect: 'unknown' }), 1, true, 0)).toBeUndefined();
	});
});

describe('Retry-After', () => {
	const now = Date.parse('2026-10-01T12:00:00Z');
	test.each([
		['7', 7000],
		[' 0 ', 0],
		['1.5', 1500],
		['1.25', 1250],
		['7s', undefined],
		['  ', undefined],
		// Sent twice.
		['1, 1', 1000],
		['3, 120 , 7', 120_000],
		['1, soon', undefined],
		['Thu, 01 Oct 2026 12:00:30 GMT', 30_000],
		['Thu, 01 Oct 2026 11:00:00 GMT', 0],
		// Date.parse takes all of these for times, most of them long past.
		['in 7', undefined],
		['-5', undefined],
		['7 seconds', undefined],
		['wait 120', undefined],
		['2026-10-01T12:00:30Z', undefined],
		['soon', undefined],
		['', undefined],
		[undefined, undefined],
	])('%p is %p', (header, expected) => {
		expect(readRetryAfter(header, now)).toBe(expected);
	});
});

import { ENDPOINTS } from '../../../nodes/PriceCollection/service/endpoints';
import type { Problem } from '../../../nodes/PriceCollection/service/problems';
import { delayBeforeRepeat, readRetryAfter } from '../../../nodes/PriceCollection/service/retry';

/** How long is waited before a read, or a request that changes something, is repeated after a problem. */
function delayAfter(kind: Problem['kind'], more: Partial<Problem> = {}, attempt = 1, random = 0): unknown[] {
	const problem: Problem = { kind, endpoint: ENDPOINTS.list, effect: 'none', ...more };
	return [false, true].map((changes) => delayBeforeRepeat(problem, attempt, changes, random));
}

const NOT = undefined;
test.each<[Problem['kind'], Partial<Problem>, unknown[]]>([
	// What certainly did nothing is repeated in any case.
	['connectionRefused', {}, [250, 250]],
	['hostNotFound', {}, [250, 250]],
	['rateLimited', {}, [250, 250]],
	['rateLimited', { effect: 'unknown' }, [250, NOT]],
	['notSent', {}, [250, NOT]],
	['connectionLost', {}, [250, NOT]],
	['timedOut', {}, [250, NOT]],
	['truncatedBody', {}, [250, NOT]],
	['unavailable', {}, [250, NOT]],
	['certificate', {}, [NOT, NOT]],
	['unauthorized', {}, [NOT, NOT]],
	['jobNotFound', {}, [NOT, NOT]],
	['stopped', {}, [NOT, NOT]],
	['refused', {}, [NOT, NOT]],
	// The time that the service asks for, unless it is longer than two minutes.
	['rateLimited', { retryAfterMs: 0 }, [0, 0]],
	['rateLimited', { retryAfterMs: 120_000 }, [120_000, 120_000]],
	['rateLimited', { retryAfterMs: 120_001 }, [NOT, NOT]],
])('after %s %j a read and a change are repeated in %j', (kind, more, delays) => {
	expect(delayAfter(kind, more)).toEqual(delays);
});

test('a read is repeated three times at the most, with pauses that double, between half and all of the ceiling', () => {
	const delays = (random: number) =>
		[1, 2, 3, 4].map((attempt) => delayAfter('unavailable', {}, attempt, random)[0]);
	expect(delays(0)).toEqual([250, 500, 1000, NOT]);
	expect(delays(1)).toEqual([500, 1000, 2000, NOT]);
});

test.each([
	['7', 7000],
	[' 0 ', 0],
	['1.25', 1250],
	['7s', NOT],
	['  ', NOT],
	// Sent twice.
	['3, 120 , 7', 120_000],
	['1, soon', NOT],
	['Thu, 01 Oct 2026 12:00:30 GMT', 30_000],
	['Thu, 01 Oct 2026 11:00:00 GMT', 0],
	// Date.parse takes all of these for times, most of them long past.
	['in 7', NOT],
	['-5', NOT],
	['wait 120', NOT],
	['2026-10-01T12:00:30Z', NOT],
	['', NOT],
	[NOT, NOT],
])('Retry-After %p is %p', (header, expected) => {
	expect(readRetryAfter(header, Date.parse('2026-10-01T12:00:00Z'))).toBe(expected);
});

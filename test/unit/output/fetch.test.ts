import { downloadEnded, reasonOfEnd } from '../../../nodes/PriceCollection/output/fetch';
import type { ServiceClient } from '../../../nodes/PriceCollection/service/client';
import { failure, success, type Problem } from '../../../nodes/PriceCollection/service/problems';
import type { End } from '../../../nodes/PriceCollection/service/statuses';
import { ENDPOINTS, type JobResults, type Result } from '../../../nodes/PriceCollection/service/types';
import { fixedClock } from '../fixedClock';

const START = 1_800_000_000_000;
const HOUR = 3_600_000;
const JOB = { job_id: 'a1', status: 'x', message: 'source down' };
const RESULT: Result = { query: { value: 'v' }, success: true, content: [1] };
const problem = (kind: Problem['kind'], more: Partial<Problem> = {}) =>
	failure({ kind, endpoint: ENDPOINTS.download, effect: 'none', ...more });
const withResults = (...results: Result[]) => success<JobResults>({ ...JOB, results });

/** A service whose downloads give these replies, the last one for ever, and the times of its attempts. */
function service(replies: Array<Awaited<ReturnType<ServiceClient['download']>>>, lasts = 0) {
	let now = START;
	const times: number[] = [];
	const client = {
		isOutOfTime: () => false,
		clock: { ...fixedClock(() => now), pause: async (pause: number) => void (now += pause) },
		download: async () => {
			times.push(now - START);
			now += lasts;
			return replies[Math.min(times.length, replies.length) - 1] ?? withResults();
		},
	};
	return { client, times };
}

/** A download of a job that ended so, repeated for so long, and the times of its attempts. */
async function downloaded(
	end: End,
	replies: Array<Awaited<ReturnType<ServiceClient['download']>>>,
	forMs = 0,
	lasts = 0,
) {
	const { client, times } = service(replies, lasts);
	return { outcome: await downloadEnded(client, JOB, end, { until: START + forMs }), times };
}

const LAGS = [0, 1_000, 4_000, 13_000];
test.each<[string, Awaited<ReturnType<ServiceClient['download']>>]>([
	['is not finished', problem('notFinished')],
	['has no results yet', problem('notReady')],
	['is not known everywhere', problem('jobNotFound', { reason: 'not found' })],
	['is empty', withResults()],
	['failed', problem('jobFailed', { reason: 'job failed' })],
	['is cancelled by a status code alone', problem('cancelled')],
	['has no such format by a status code alone', problem('formatRefused')],
])('a download of a finished job that %s is repeated for 15 seconds', async (_name, reply) => {
	for (const forMs of [0, HOUR])
		expect(await downloaded('results', [reply], forMs)).toEqual({ outcome: reply, times: LAGS });
	const twice = await downloaded('results', [reply, reply, withResults(RESULT)]);
	expect(twice).toEqual({ outcome: withResults(RESULT), times: LAGS.slice(0, 3) });
});

test.each<[string, Problem['kind'], Partial<Problem>, number]>([
	['for all the time', 'unavailable', {}, 63_000],
	['for all the time', 'unauthorized', { status: 401 }, 63_000],
	['for 45 seconds', 'unauthorized', { reason: 'wrong key' }, 45_000],
	['for 45 seconds', 'forbidden', { reason: 'not yours' }, 45_000],
	['for all the time', 'forbidden', {}, 63_000],
	['never', 'cancelled', { reason: 'job cancelled' }, 0],
	['never', 'formatRefused', { reason: 'no csv' }, 0],
	['never', 'tooLarge', {}, 0],
	['never', 'notStored', {}, 0],
	['never', 'stopped', {}, 0],
])('a download is repeated %s where it is %s: %j', async (_name, kind, more, lastMs) => {
	const steps = [0, 1_000, 4_000, 13_000, 40_000, 70_000];
	const reply = problem(kind, more);
	const { outcome, times } = await downloaded('results', [reply], 69_999);
	expect([outcome, times]).toEqual([reply, steps.filter((at) => at <= lastMs)]);
});

test('a download pauses for 30 seconds at the most, until the time that it is given; how long the downloads take does not count', async () => {
	const refused = problem('unavailable');
	expect((await downloaded('results', [refused], 100_000)).times.slice(-3)).toEqual([
		40_000, 70_000, 100_000,
	]);
	expect((await downloaded('results', [refused], 3_999)).times).toEqual([0, 1_000]);
	expect((await downloaded('results', [problem('notReady')], 0, 6_000)).times).toEqual([
		0, 7_000, 16_000, 31_000,
	]);
});

test('a download is tried once without a time, out of time, and once the execution is stopped', async () => {
	const only = async (more: object, options: object) => {
		const { client, times } = service([problem('notFinished')]);
		await downloadEnded({ ...client, ...more }, JOB, 'results', options);
		return times;
	};
	expect(await only({}, {})).toEqual([0]);
	expect(await only({ isOutOfTime: () => true }, { until: HOUR })).toEqual([0]);
	expect(await only({}, { until: HOUR, signal: AbortSignal.abort() })).toEqual([0]);
});

describe.each<[End, string]>([
	['failed', 'the job failed: source down'],
	['cancelled', 'the job was cancelled'],
])('a job that ended %s', (end, reason) => {
	it('says why its values have no result, in the service\u2019s words if it has any', () => {
		expect(reasonOfEnd(end, JOB)).toBe(reason);
		expect(reasonOfEnd('failed', { job_id: 'a1', status: 'failed' })).toBe('the job failed');
		const listed = { job_id: 'a1', status: 'failed', Errors: ['source down', { text: 'try later' }] };
		expect(reasonOfEnd('failed', listed)).toBe('the job failed: source down; text: try later');
		expect(reasonOfEnd('results', JOB)).toBeUndefined();
	});

	it('gives the results that are still served, even none', async () => {
		for (const served of [withResults(RESULT), withResults()])
			expect(await downloaded(end, [served])).toEqual({ outcome: served, times: [0] });
	});

	it.each(['jobFailed', 'cancelled'] as const)('has no results where the service says %s', async (kind) => {
		const said = await downloaded(end, [problem(kind, { reason: 'no results' })], HOUR);
		expect(said).toEqual({ outcome: withResults(), times: kind === 'cancelled' ? [0] : LAGS });
		// A mere status code may lag behind.
		expect(await downloaded(end, [problem(kind)])).toEqual({ outcome: withResults(), times: LAGS });
		expect((await downloaded(end, [problem(kind), withResults(RESULT)])).outcome).toEqual(
			withResults(RESULT),
		);
	});

	it('is asked again where the download fails for any other reason, which stays the problem', async () => {
		for (const reply of [
			problem('unavailable'),
			problem('htmlBody'),
			problem('refused', { reason: 'x' }),
		])
			expect(await downloaded(end, [reply], 4_000)).toEqual({
				outcome: reply,
				times: [0, 1_000, 4_000],
			});
	});
});

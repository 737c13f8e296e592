import { downloadEnded, reasonOfEnd } from '../../../nodes/PriceCollection/output/fetch';
import type { ServiceClient } from '../../../nodes/PriceCollection/service/client';
import { failure, success, type Problem } from '../../../nodes/PriceCollection/service/problems';
import type { End } from '../../../nodes/PriceCollection/service/statuses';
import { ENDPOINTS, type JobResults, type Result } from '../../../nodes/PriceCollection/service/types';
import { fixedClock } from '../fixedClock';

const JOB = { job_id: 'a1', status: 'x', message: 'source down' };
const RESULT: Result = { query: { value: 'v' }, success: true, content: [1] };
const problem = (kind: Problem['kind'], more: Partial<Problem> = {}) =>
	failure({ kind, endpoint: ENDPOINTS.download, effect: 'none', ...more });
const withResults = (...results: Result[]) => success<JobResults>({ ...JOB, results });

/** A download of a job that ended so, answered with these replies, the last one for ever, and its attempts. */
async function downloaded(end: End, ...replies: Array<Awaited<ReturnType<ServiceClient['download']>>>) {
	let attempts = 0;
	const download = async () => replies[Math.min(attempts++, replies.length - 1)] ?? withResults();
	const client = { clock: fixedClock(), download };
	return { outcome: await downloadEnded(client, JOB, end, { waits: [1, 2, 3] }), attempts };
}

test.each<[string, Awaited<ReturnType<ServiceClient['download']>>]>([
	['not finished', problem('notFinished')],
	['not known everywhere', problem('jobNotFound')],
	['empty', withResults()],
])('a download of a finished job that is %s is repeated', async (_name, reply) => {
	const twice = await downloaded('results', reply, reply, withResults(RESULT));
	expect(twice).toEqual({ outcome: withResults(RESULT), attempts: 3 });
	expect(await downloaded('results', reply)).toEqual({ outcome: reply, attempts: 4 });
});

test('a download is not repeated for other reasons, or once the execution is stopped', async () => {
	expect((await downloaded('results', problem('unauthorized'))).attempts).toBe(1);
	let attempts = 0;
	const download = async () => (attempts++, problem('notFinished'));
	const options = { waits: [1], signal: AbortSignal.abort() };
	await downloadEnded({ clock: fixedClock(), download }, JOB, 'results', options);
	expect(attempts).toBe(1);
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

	it('gives the results that are still served, and none where the service refuses them', async () => {
		expect(await downloaded(end, withResults(RESULT))).toEqual({
			outcome: withResults(RESULT),
			attempts: 1,
		});
		for (const refused of [
			problem('refused', { reason: 'job failed' }),
			problem('jobNotFound', { status: 404 }),
		])
			expect(await downloaded(end, refused)).toEqual({ outcome: withResults(), attempts: 1 });
	});

	it('is asked again where the download fails for the moment', async () => {
		for (const reply of [
			problem('unavailable', { status: 503 }),
			problem('htmlBody', { status: 200 }),
			problem('unauthorized', { status: 401 }),
		])
			expect(await downloaded(end, reply)).toEqual({ outcome: reply, attempts: 1 });
	});
});

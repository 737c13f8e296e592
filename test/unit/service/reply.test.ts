import { failure, success, type Problem } from '../../../nodes/PriceCollection/service/problems';
import { downloadProblem, leavesOpen } from '../../../nodes/PriceCollection/service/reply';
import type { End } from '../../../nodes/PriceCollection/service/statuses';
import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';

const { download, get } = ENDPOINTS;
const refused: Problem = { kind: 'nothingThere', endpoint: download, status: 404, effect: 'none' };
const unknown = failure({ kind: 'jobNotFound', endpoint: get, status: 404, effect: 'none' });
const page = failure({ kind: 'nothingThere', endpoint: get, status: 404, effect: 'none' });
const job = success({ job_id: 'a', status: 'x', message: 'source down' });

describe('what a refused download means', () => {
	test.each<[Problem['kind'], typeof job | typeof page, End | undefined, 'csv' | 'json']>([
		['jobNotFound', unknown, undefined, 'json'],
		['nothingThere', page, undefined, 'json'],
		['notFinished', job, undefined, 'json'],
		['cancelled', job, 'cancelled', 'csv'],
		['jobFailed', job, 'failed', 'json'],
		['notReady', job, 'results', 'json'],
		['formatRefused', job, 'results', 'csv'],
	])('is %s, beside the job', (kind, read, end, format) => {
		for (const status of [404, 406, 410, 415]) {
			const problem = downloadProblem({ ...refused, status }, read, end, format);
			expect(problem).toMatchObject({ kind, status, endpoint: download });
			expect(problem.reason).toBe(kind === 'jobFailed' ? 'source down' : undefined);
		}
	});

	test('is the body itself where that is none of a finished job', () => {
		const odd: Problem = { ...refused, kind: 'unexpectedBody', status: 200 };
		expect(downloadProblem(odd, job, 'results', 'csv')).toEqual(odd);
	});

	test.each<[boolean, Partial<Problem>]>([
		[true, {}],
		[true, { kind: 'jobNotFound', reason: 'not found' }],
		[true, { kind: 'jobNotFound', status: 410 }],
		[true, { kind: 'formatRefused', status: 406 }],
		[true, { kind: 'unexpectedBody', status: 200 }],
		[true, { kind: 'notFinished', status: 200, detail: 'The service answered without content' }],
		[true, { kind: 'notFinished', status: 409, reason: 'job canceled' }],
		[true, { kind: 'notFinished', status: 409 }],
		[false, { kind: 'notFinished', status: 409, reason: 'not finished' }],
		[false, { kind: 'notFinished', status: 200 }],
		[false, { kind: 'unauthorized', status: 401 }],
		[false, { kind: 'unavailable', status: 503 }],
	])('is left open, %s: %j', (isOpen, more) => {
		expect(leavesOpen({ ...refused, ...more })).toBe(isOpen);
	});
});

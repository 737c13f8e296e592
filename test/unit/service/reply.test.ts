import { failure, success, type Problem } from '../../../nodes/PriceCollection/service/problems';
import { downloadProblem, leavesOpen } from '../../../nodes/PriceCollection/service/reply';
import type { End } from '../../../nodes/PriceCollection/service/statuses';
import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';

const { download, get } = ENDPOINTS;
const refused: Problem = { kind: 'nothingThere', endpoint: download, status: 404, effect: 'none' };
const unknown = failure({ kind: 'jobNotFound', endpoint: get, status: 404, effect: 'none' });
const page = failure({ kind: 'nothingThere', endpoint: get, status: 404, effect: 'none' });
const NOT_FINISHED: Partial<Problem> = { kind: 'notFinished', status: 409 };
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
		for (const more of [{ status: 404 }, { status: 406 }, { status: 410 }, NOT_FINISHED]) {
			const said = { ...refused, ...more, reason: 'no', comment: 'really' };
			const comment = kind === 'jobFailed' ? 'source down' : 'really';
			const own = kind === 'nothingThere' ? {} : { kind };
			expect(downloadProblem(said, read, end, format)).toEqual({ ...said, ...own, comment });
		}
	});

	test.each<[Problem['kind'], End | undefined]>([
		['refused', undefined],
		['cancelled', 'cancelled'],
		['jobFailed', 'failed'],
		['refused', 'results'],
	])('is %s for another refusal where the job has ended so: %s', (kind, end) => {
		const other: Problem = { ...refused, kind: 'refused', status: 422 };
		expect(downloadProblem(other, job, end, 'csv').kind).toBe(kind);
	});

	test('is the comment of the refusal where the failed job gives no reason', () => {
		const silent = success({ job_id: 'a', status: 'failed' });
		const said = { ...refused, comment: 'really' };
		expect(downloadProblem(said, silent, 'failed')).toEqual({ ...said, kind: 'jobFailed' });
	});

	test('is the body itself where that is none of a finished job', () => {
		const odd: Problem = { ...refused, kind: 'unexpectedBody', status: 200 };
		expect(downloadProblem(odd, job, 'results', 'csv')).toEqual(odd);
		expect(downloadProblem(odd, job, undefined)).toEqual({ ...odd, kind: 'notFinished' });
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
		[true, { kind: 'refused', status: 400 }],
		[true, { kind: 'forbidden', status: 499 }],
		[false, { kind: 'notFinished', status: 409, reason: 'not finished' }],
		[false, { kind: 'notFinished', status: 200 }],
		[false, { kind: 'unauthorized', status: 401 }],
		[false, { kind: 'rateLimited', status: 429 }],
		[false, { kind: 'unavailable', status: 500 }],
		[false, { kind: 'nothingThere', status: 399 }],
		[false, { kind: 'connectionLost', status: undefined }],
	])('is left open, %s: %j', (isOpen, more) => {
		expect(leavesOpen({ ...refused, ...more })).toBe(isOpen);
	});
});

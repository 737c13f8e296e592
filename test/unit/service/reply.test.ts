import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';
import { isEarly } from '../../../nodes/PriceCollection/service/reply';
import { isOfRunningJob } from '../../../nodes/PriceCollection/service/schemas';

const { create, list, get, download, cancel } = ENDPOINTS;
const results = [{ query: {}, success: true }];

describe('a job that runs', () => {
	test.each<[unknown]>([
		[{ status: 'working' }],
		[{ job_id: 'a', status: 'In-Progress', results: [] }],
		// Partial results of a job that says that it runs are not its results.
		[{ status: 'finishing', results }],
		[{ data: { job: { status: 'queued' } } }],
		[{ status: 'success', data: { status: 'working' } }],
		[{ status: { status: 'new' } }],
		[[{ status: 'new' }]],
		// A status that nobody knows, and no results.
		[{ status: 'odd' }],
	])('is %j', (value) => {
		expect(isOfRunningJob(value)).toBe(true);
	});

	test.each<[unknown]>([
		[{ status: 'finished' }],
		[{ status: 'success', data: { status: 'finished', results: [] } }],
		[{ status: 'working', data: { status: 'Canceled' } }],
		[{ status: 'ok', data: [] }],
		[{ status: 200, job: { job_id: 'a' } }],
		[{ status: 'odd', results }],
		[{ results: [{ status: 'working' }] }],
		[[{ status: 'new' }, { status: 'new' }]],
		[{}],
		[null],
		['working'],
	])('is not %j', (value) => {
		expect(isOfRunningJob(value)).toBe(false);
	});
});

describe('a reply that came too early', () => {
	test.each([200, 202, 204, 299])('is one without content, about one job (%i)', (status) => {
		for (const value of [undefined, null]) {
			for (const endpoint of [get, download]) expect(isEarly(endpoint, status, value)).toBe(true);
			for (const endpoint of [create, list, cancel])
				expect(isEarly(endpoint, status, value)).toBe(false);
		}
	});

	test('is a download that was accepted, or that of a running job', () => {
		expect(isEarly(download, 202, { results })).toBe(true);
		expect(isEarly(download, 200, { status: 'working' })).toBe(true);
		expect(isEarly(download, 200, { results })).toBe(false);
	});

	test('is not a poll that tells of the job, or a refusal', () => {
		expect(isEarly(get, 200, { status: 'working' })).toBe(false);
		expect(isEarly(get, 202, { status: 'working' })).toBe(false);
		for (const status of [300, 404, 503]) expect(isEarly(download, status, undefined)).toBe(false);
	});
});

import fc from 'fast-check';

import type { Job } from '../../../nodes/PriceCollection/service/types';
import { endsInOrder, latestOf, showsStatus } from '../../../nodes/PriceCollection/trigger/listedJobs';

const ended = (job_id: string, terminated_at?: string, created_at?: string): Job => ({
	job_id,
	status: 'finished',
	...(terminated_at === undefined ? {} : { terminated_at }),
	...(created_at === undefined ? {} : { created_at }),
});
const ids = (jobs: Job[]) => endsInOrder(jobs).map((job) => job.job_id);

describe('the order of ends', () => {
	it('is that of terminated_at, whatever the order of the list', () => {
		const [a, b, c] = [
			ended('a', '2026-01-01T00:00:01Z'),
			ended('b', '2026-01-01T00:00:02Z'),
			ended('c', '2026-01-01T00:00:03Z'),
		];
		expect(ids([b, c, a])).toEqual(['a', 'b', 'c']);
	});

	it('is that of the list read backwards within one second', () => {
		const same = '2026-01-01T00:00:01Z';
		expect(ids([ended('c', same), ended('b', same), ended('a', same)])).toEqual(['a', 'b', 'c']);
	});

	it('is that of creation within one second', () => {
		const same = '2026-01-01T00:00:09Z';
		expect(
			ids([ended('a', same, '2026-01-01T00:00:01Z'), ended('b', same, '2026-01-01T00:00:02Z')]),
		).toEqual(['a', 'b']);
	});

	it('is that of the list read backwards where the dates of creation say nothing', () => {
		const [same, early, late] = ['2026-01-01T00:00:09Z', '2026-01-01T00:00:01Z', '2026-01-01T00:00:02Z'];
		expect(ids([ended('b', same, late), ended('a', same, early)])).toEqual(['a', 'b']);
		expect(ids([ended('b', same, early), ended('a', same, early)])).toEqual(['a', 'b']);
		expect(ids([ended('b', same, early), ended('a', same)])).toEqual(['a', 'b']);
	});

	it('puts jobs without a date first where no dated one stands before them', () => {
		expect(ids([ended('c', '2026-01-01T00:00:01Z'), ended('b'), ended('a')])).toEqual(['a', 'b', 'c']);
	});

	it('is that of the list read backwards without dates', () => {
		expect(ids([ended('c'), ended('b'), ended('a')])).toEqual(['a', 'b', 'c']);
	});

	it('keeps a job without date behind the one before it', () => {
		expect(
			ids([ended('c', '2026-01-01T00:00:03Z'), ended('b'), ended('a', '2026-01-01T00:00:01Z')]),
		).toEqual(['a', 'b', 'c']);
	});

	it('leaves out jobs that run', () => {
		expect(ids([{ job_id: 'r', status: 'finishing' }, ended('a')])).toEqual(['a']);
	});

	it('gives every end exactly once', () => {
		const date = fc.option(fc.constantFrom('2026-01-01T00:00:01Z', '2026-01-01T00:00:02Z', 'soon', ''), {
			nil: undefined,
		});
		fc.assert(
			fc.property(fc.array(fc.tuple(date, date)), (dates) => {
				const jobs = dates.map(([end, start], index) => ended(String(index), end, start));
				expect(ids(jobs).sort()).toEqual(jobs.map((job) => job.job_id).sort());
			}),
		);
	});
});

describe('the latest time', () => {
	const jobs = [
		ended('a', '2026-01-01T00:00:02Z', '2026-01-01T00:00:01Z'),
		ended('b', '2026-01-01T00:00:03Z'),
		{ job_id: 'c', status: 'new' },
	];

	it('is that of the kind that is asked for', () => {
		expect(latestOf(jobs, 'created_at')).toBe(Date.parse('2026-01-01T00:00:01Z'));
		expect(latestOf(jobs, 'terminated_at')).toBe(Date.parse('2026-01-01T00:00:03Z'));
	});

	it('is none where nothing is dated', () => {
		expect(latestOf(jobs.slice(2), 'created_at')).toBeUndefined();
	});
});

describe('the status in a list', () => {
	it.each([
		['working', true],
		['', false],
		[' ', false],
		[undefined, false],
		[null, false],
	])('%j tells of the job: %s', (status, shows) => {
		expect(showsStatus({ status })).toBe(shows);
	});
});

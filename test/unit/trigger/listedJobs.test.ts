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

/** So many seconds into a minute. */
const at = (second: number) => `2026-01-01T00:00:0${second}Z`;

describe('the order of ends', () => {
	it.each<[string, Job[]]>([
		['is that of terminated_at', [ended('b', at(2)), ended('c', at(3)), ended('a', at(1))]],
		['is the list backwards within a second', [ended('c', at(1)), ended('b', at(1)), ended('a', at(1))]],
		[
			'is that of creation within a second',
			[ended('a', at(9), at(1)), ended('b', at(9), at(2)), ended('c', at(9), at(3))],
		],
		[
			'is the list backwards where creation says the same',
			[ended('b', at(9), at(1)), ended('a', at(9), at(1))],
		],
		['is the list backwards where creation is not said', [ended('b', at(9), at(1)), ended('a', at(9))]],
		['is the list backwards without dates', [ended('c'), ended('b'), ended('a')]],
		[
			'puts jobs without a date first where none stands before them',
			[ended('c', at(1)), ended('b'), ended('a')],
		],
		[
			'keeps a job without date behind the one before it',
			[ended('c', at(3)), ended('b'), ended('a', at(1))],
		],
		['leaves out jobs that run', [{ job_id: 'r', status: 'finishing' }, ended('b'), ended('a')]],
	])('%s', (_name, jobs) => {
		expect(ids(jobs)).toEqual(
			['a', 'b', 'c'].slice(0, jobs.filter(({ job_id }) => job_id !== 'r').length),
		);
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

import type { Job } from '../../../../nodes/PriceCollection/service/types';
import { endsInOrder, endTime } from '../../../../nodes/PriceCollection/triggers/polling/endsInOrder';

const ids = (jobs: readonly Job[]) => jobs.map(({ job_id }) => job_id);
/** A job that ended and was created at these seconds of one minute. */
const over = (job_id: string, end?: number, start?: number): Job => {
	const at = (second?: number) => second && `2026-01-01T00:00:0${second}Z`;
	return { job_id, status: 'finished', terminated_at: at(end), created_at: at(start) };
};

it.each<[string, Job[]]>([
	['is that of terminated_at', [over('b', 2), over('c', 3), over('a', 1)]],
	['is the list backwards within a second', [over('c', 1), over('b', 1), over('a', 1)]],
	['is that of creation within a second', [over('a', 9, 1), over('b', 9, 2), over('c', 9, 3)]],
	['is the list backwards of one creation', [over('c', 9, 1), over('b', 9, 1), over('a', 9, 1)]],
	['is the list backwards where one is not said', [over('c', 9, 2), over('b', 9, 1), over('a', 9)]],
	['is the list backwards without dates', [over('c'), over('b'), over('a')]],
	['puts jobs without a date first', [over('c', 1), over('b'), over('a')]],
	['keeps a job without date behind the one before it', [over('c', 3), over('b'), over('a', 1)]],
])('the order of ends %s', (_name, jobs) => {
	expect(ids(endsInOrder(jobs))).toEqual(['a', 'b', 'c']);
});

it('a job ended at its end, or else when it was created', () => {
	const start = Date.parse('2026-01-01T00:00:00Z');
	const times = [over('a', 2, 1), over('a', undefined, 1), over('a')].map((job) => endTime(job));
	expect(times).toEqual([start + 2_000, start + 1_000, undefined]);
});

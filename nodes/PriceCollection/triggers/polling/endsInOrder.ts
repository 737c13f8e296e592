import { timeOf } from '../../service/time';
import type { Job } from '../../service/types';

/**
 * Returns when a job ended, or if the service does not say, when it was created. In milliseconds since 1970, by the
 * service's clock.
 */
export function endTime({ terminated_at, created_at }: Job): number | undefined {
	return timeOf(terminated_at) ?? timeOf(created_at);
}

/**
 * Sorts ended jobs, earliest end first: by `terminated_at`, then by creation, then in reverse list order, because the list
 * usually begins with the newest job.
 *
 * @param ended in list order
 */
export function endsInOrder(ended: Iterable<Job>): Job[] {
	let lastEnd = 0;
	const dated = [...ended].reverse().map((job) => {
		// A job without an end date takes the end of its older neighbour in the list.
		lastEnd = timeOf(job.terminated_at) ?? lastEnd;
		return { job, time: lastEnd, created: timeOf(job.created_at) ?? 0 };
	});
	return dated.sort((a, b) => a.time - b.time || a.created - b.created).map(({ job }) => job);
}

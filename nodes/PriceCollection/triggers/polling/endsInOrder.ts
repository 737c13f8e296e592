import { timeOf } from '../../service/time';
import type { Job } from '../../service/types';

/** When a job ended, in milliseconds since 1970 by the service's clock; its creation if the service does not say when. */
export function endTime({ terminated_at, created_at }: Job): number | undefined {
	return timeOf(terminated_at) ?? timeOf(created_at);
}

/**
 * Ended jobs, earliest end first: by `terminated_at`, within a second by creation, otherwise by the list,
 * which usually begins with the latest job.
 *
 * @param ended in the order of the list
 */
export function endsInOrder(ended: Iterable<Job>): Job[] {
	let latest = 0;
	const dated = [...ended].reverse().map((job) => {
		// A job without a date stays after its predecessor in the list.
		latest = timeOf(job.terminated_at) ?? latest;
		return { job, time: latest, created: timeOf(job.created_at) ?? 0 };
	});
	return dated.sort((a, b) => a.time - b.time || a.created - b.created).map(({ job }) => job);
}

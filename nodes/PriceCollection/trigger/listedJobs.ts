import { type Job, terminalStatus } from '../service/types';
import { timeOf } from '../service/time';

/** Whether a list contains the status of a job. */
export function showsStatus({ status }: { status?: unknown }): boolean {
	return typeof status === 'string' && status.trim() !== '';
}

/** The latest value of a timestamp among jobs, in milliseconds since 1970. */
export function latestOf(jobs: readonly Job[], field: 'created_at' | 'terminated_at'): number | undefined {
	const times = jobs.map((job) => timeOf(job[field])).filter((time) => time !== undefined);
	return times.length === 0 ? undefined : times.reduce((latest, time) => Math.max(latest, time));
}

/**
 * Ended jobs, earliest end first: by `terminated_at`, within a second by creation, otherwise by the list,
 * which usually begins with the latest job.
 *
 * @param jobs in the service's order, including running ones
 */
export function endsInOrder(jobs: readonly Job[]): Job[] {
	const ended = jobs.filter((job) => terminalStatus(job.status) !== undefined).reverse();
	let latest = 0;
	const dated = ended.map((job) => {
		// A job without a date stays after its predecessor in the list.
		latest = timeOf(job.terminated_at) ?? latest;
		return { job, time: latest, created: timeOf(job.created_at) ?? 0 };
	});
	return dated.sort((a, b) => a.time - b.time || a.created - b.created).map(({ job }) => job);
}

import { terminalStatus } from '../service/status';
import { timeOf } from '../service/time';
import type { Job } from '../service/types';

/** Whether a list says anything about the state of a job. */
export function showsStatus({ status }: { status?: unknown }): boolean {
	return typeof status === 'string' && status.trim() !== '';
}

/** The latest of a kind of timestamp among jobs, in milliseconds since 1970. */
export function latestOf(jobs: readonly Job[], field: 'created_at' | 'terminated_at'): number | undefined {
	const times = jobs.map((job) => timeOf(job[field])).filter((time) => time !== undefined);
	return times.length === 0 ? undefined : times.reduce((latest, time) => Math.max(latest, time));
}

/** Whether a list that is dated throughout begins with its oldest job. */
function isOldestFirst(jobs: readonly Job[]): boolean {
	const times = jobs.map((job) => timeOf(job.created_at));
	return (times[0] ?? Infinity) < (times.at(-1) ?? 0);
}

/**
 * Ended jobs in the order of their ends, the earliest first: by `terminated_at`, within the same second and where
 * it is absent by the list, which usually begins with the latest job.
 *
 * @param jobs in the service's order, running ones included
 */
export function endsInOrder(jobs: readonly Job[]): Job[] {
	const ended = jobs.filter((job) => terminalStatus(job.status) !== undefined);
	const byList = isOldestFirst(jobs) ? ended : ended.reverse();
	let latest = 0;
	const dated = byList.map((job) => {
		// Without a date a job keeps its place in the list, behind the one before it.
		latest = timeOf(job.terminated_at) ?? latest;
		return { job, time: latest };
	});
	return dated.sort((a, b) => a.time - b.time).map(({ job }) => job);
}

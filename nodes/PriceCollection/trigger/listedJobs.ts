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

/**
 * Ended jobs in the order of their ends, the earliest first: by `terminated_at`, within the same second by creation, and
 * where that says nothing by the list, which usually begins with the latest job.
 *
 * @param jobs in the service's order, running ones included
 */
export function endsInOrder(jobs: readonly Job[]): Job[] {
	const ended = jobs.filter((job) => terminalStatus(job.status) !== undefined).reverse();
	let latest = 0;
	const dated = ended.map((job) => {
		// Without a date a job keeps its place in the list, behind the one before it.
		latest = timeOf(job.terminated_at) ?? latest;
		return { job, time: latest, created: timeOf(job.created_at) ?? 0 };
	});
	return dated.sort((a, b) => a.time - b.time || a.created - b.created).map(({ job }) => job);
}

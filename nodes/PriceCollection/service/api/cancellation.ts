import type { ServiceClient } from './client';
import { fieldOf } from '../names';
import { failure, success, type Outcome, type Problem } from '../problems';
import type { End } from '../statuses';
import type { Job } from '../types';

/** Pauses before further attempts, for services that cancel in the background or do not know a new job at once. */
const RECHECK_DELAYS_MS = [1_000, 3_000];

/** The problem to report if the service refuses to cancel a job as over or unknown, and nothing confirms that. */
export function stillRunningProblem(problem: Problem, { job_id, status }: Job): Problem {
	const statusText = status === '' ? 'could not be read' : `is still "${status}"`;
	return {
		...problem,
		kind: 'refused',
		detail: `The status of job ${job_id} ${statusText}, so it may keep running`,
	};
}

/**
 * Cancels a job and checks its status a few times until it has ended, because the reply alone proves little. If the
 * service does not know the job, cancels again: that may be so for a moment only.
 *
 * @returns the job, and its end if one is known; the problem if the cancellation failed and no status shows an end
 */
export async function cancelAndConfirm(
	client: ServiceClient,
	job: Job,
	stop?: AbortSignal,
): Promise<Outcome<{ job: Job; end?: End }>> {
	let reply = await client.cancelJob(job.job_id);
	const isDenied = () => !reply.ok && reply.problem.kind === 'jobNotFound';
	const isReportedOver = () => !reply.ok && reply.problem.kind === 'jobOver';
	const isRefused = !reply.ok && reply.problem.effect === 'none' && !isReportedOver() && !isDenied();
	let [latest, isRead] = [job, false];
	for (const delay of isRefused ? [0] : [0, ...RECHECK_DELAYS_MS]) {
		await client.clock.pause(delay, stop);
		if (delay > 0 && isDenied()) reply = await client.cancelJob(job.job_id);
		const current = await client.getJob(job.job_id);
		if (current.ok) [latest, isRead] = [{ ...latest, ...current.value }, true];
		const end = client.endOf(latest.status);
		if (end !== undefined) return success({ job: latest, end });
	}
	if (!reply.ok) {
		const shown = isRead ? latest : { ...latest, status: '' };
		return isReportedOver() || isDenied() ? failure(stillRunningProblem(reply.problem, shown)) : reply;
	}
	// No status check showed an end, so the status in the reply counts.
	const status = fieldOf(reply.value, 'status');
	const end = client.endOf(status);
	return success({ job: { ...latest, ...(end && { status: String(status) }) }, end });
}

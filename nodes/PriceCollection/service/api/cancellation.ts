import type { ServiceClient } from './client';
import { fieldOf } from '../names';
import { failure, success, type Outcome, type Problem } from '../problems';
import type { End } from '../statuses';
import type { Job } from '../types';

/** Pauses before further status checks, for services that cancel in the background. */
const RECHECK_DELAYS_MS = [1_000, 3_000];

/** The problem to report if the service refuses to cancel because the job is over, but its status does not show that. */
export function stillRunningProblem(problem: Problem, { job_id, status }: Job): Problem {
	const statusText = status === '' ? 'could not be read' : `is still "${status}"`;
	return {
		...problem,
		kind: 'refused',
		detail: `The status of job ${job_id} ${statusText}, so it may keep running`,
	};
}

/**
 * Cancels a job and checks its status a few times until it has ended, because the reply alone proves little.
 *
 * @returns the job, and its end if one is known; the problem if the cancellation failed and no status shows an end
 */
export async function cancelAndConfirm(
	client: ServiceClient,
	job: Job,
	stop?: AbortSignal,
): Promise<Outcome<{ job: Job; end?: End }>> {
	const reply = await client.cancelJob(job.job_id);
	const isReportedOver = !reply.ok && reply.problem.kind === 'jobOver';
	const isRefused = !reply.ok && reply.problem.effect === 'none' && !isReportedOver;
	let latest = job;
	for (const delay of isRefused ? [0] : [0, ...RECHECK_DELAYS_MS]) {
		await client.clock.pause(delay, stop);
		const current = await client.getJob(job.job_id);
		if (current.ok) latest = { ...latest, ...current.value };
		const end = client.endOf(latest.status);
		if (end !== undefined) return success({ job: latest, end });
	}
	if (!reply.ok) return isReportedOver ? failure(stillRunningProblem(reply.problem, latest)) : reply;
	// No status check showed an end, so the status in the reply counts.
	const status = fieldOf(reply.value, 'status');
	const end = client.endOf(status);
	return success({ job: { ...latest, ...(end && { status: String(status) }) }, end });
}

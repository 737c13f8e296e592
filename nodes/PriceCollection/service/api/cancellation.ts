import type { ServiceClient } from './client';
import { fieldOf } from '../names';
import { failure, success, type Outcome, type Problem } from '../problems';
import type { End } from '../statuses';
import type { Job } from '../types';

/** Pauses before further status checks, in milliseconds, for services that cancel in the background. */
const LOOK_AGAIN_AFTER_MS = [1_000, 3_000];

/** The problem of a cancellation that was refused because the job is over, while its status does not show that. */
export function mayRunOn(problem: Problem, { job_id, status }: Job): Problem {
	const seen = status === '' ? 'could not be read' : `is still "${status}"`;
	return { ...problem, kind: 'refused', detail: `The status of job ${job_id} ${seen}, so it may run on` };
}

/**
 * Cancels a job and checks its status until it has ended, because the reply alone says little.
 *
 * @returns the job, and its end if its status shows one; the problem if the cancellation was refused and the
 * status does not show that the job is over
 */
export async function cancelAndConfirm(
	client: ServiceClient,
	job: Job,
	stop?: AbortSignal,
): Promise<Outcome<{ job: Job; end?: End }>> {
	const reply = await client.cancelJob(job.job_id);
	const saysOver = !reply.ok && reply.problem.kind === 'jobOver';
	const isRefused = !reply.ok && reply.problem.effect === 'none' && !saysOver;
	let last = job;
	for (const wait of isRefused ? [0] : [0, ...LOOK_AGAIN_AFTER_MS]) {
		await client.clock.pause(wait, stop);
		const seen = await client.getJob(job.job_id);
		if (seen.ok) last = { ...last, ...seen.value };
		const end = client.endOf(last.status);
		if (end !== undefined) return success({ job: last, end });
	}
	if (!reply.ok) return saysOver ? failure(mayRunOn(reply.problem, last)) : reply;
	// Without a readable status, the status in the reply counts.
	const status = fieldOf(reply.value, 'status');
	const end = client.endOf(status);
	return success({ job: { ...last, ...(end && { status: String(status) }) }, end });
}

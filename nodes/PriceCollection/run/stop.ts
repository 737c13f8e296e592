import type { IExecuteFunctions } from 'n8n-workflow';

import type { WaitSettings } from '../descriptions/waiting';
import { detachedClient } from '../n8n/client';
import { isStopped } from '../n8n/execution';
import type { ServiceClient } from '../service/client';
import { fieldOf } from '../service/names';
import { failure, success, type Outcome, type Problem } from '../service/problems';
import type { End } from '../service/statuses';
import type { Job } from '../service/types';

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

/**
 * Cancels or names the jobs of a stopped execution. Only n8n's log and the browser's console can show a text
 * then, because the node's output and hints are lost.
 */
async function settleJobs(context: IExecuteFunctions, onStop: WaitSettings['onStop'], jobIds: string[]) {
	const say = (text: string, level: 'info' | 'warn' = 'info') => {
		context.logger[level](`Price Collection: ${text}`);
		context.sendMessageToUI(`Price Collection: ${text}`);
	};
	if (onStop === 'leave') {
		const left = `Its jobs that have not ended keep running at the service: ${jobIds.join(', ')}`;
		say(`the execution was stopped. ${left}. Wait and Download get their results, Cancel ends them.`);
		return;
	}
	// n8n aborts the requests of a stopped execution, so these must be detached from it.
	const client = await detachedClient.call(context);
	for (const jobId of jobIds) {
		const reply = await client.cancelJob(jobId);
		if (reply.ok) say(`the execution was stopped, job ${jobId} was cancelled`);
		else if (reply.problem.kind !== 'jobOver')
			say(`job ${jobId} could not be cancelled and may run on`, 'warn');
	}
}

/**
 * Runs work on jobs. If n8n stops the execution during or before it, cancels the jobs if the user wants that,
 * or names them. Jobs that have left the node are not affected.
 *
 * @param work adds the ID of each job to the list as soon as the job exists
 */
export async function cancellingOnStop<T>(
	context: IExecuteFunctions,
	onStop: WaitSettings['onStop'],
	work: (jobIds: string[]) => Promise<T>,
): Promise<T> {
	const jobIds: string[] = [];
	try {
		return await work(jobIds);
	} finally {
		if (isStopped(context) && jobIds.length > 0)
			settleJobs(context, onStop, jobIds).catch((error: Error) => context.logger.warn(error.message));
	}
}

import type { IExecuteFunctions } from 'n8n-workflow';

import type { WaitSettings } from '../../descriptions/waitSettings';
import type { ServiceClient } from '../../service/client';
import { detachedClient } from '../../n8n/client';
import { isStopped } from '../../n8n/execution';
import { success, type Outcome } from '../../service/problems';
import { type Job, terminalStatus } from '../../service/types';

/** A job after its cancellation; it may have finished instead. */
export type CancelledJob = Job & { cancel_confirmed?: boolean };

/** Pauses before further status checks, in milliseconds, for services that cancel in the background. */
const LOOK_AGAIN_AFTER_MS = [1_000, 3_000];

/**
 * Cancels a job and checks its status until it has ended, because the reply alone says little.
 *
 * @returns the job with `cancel_confirmed`: whether its status shows an end
 */
export async function cancelAndConfirm(client: ServiceClient, job: Job): Promise<Outcome<CancelledJob>> {
	const reply = await client.cancelJob(job.job_id);
	const refused = !reply.ok && reply.problem.effect === 'none';
	let last = job;
	for (const wait of refused ? [0] : [0, ...LOOK_AGAIN_AFTER_MS]) {
		await client.clock.pause(wait);
		const seen = await client.getJob(job.job_id);
		if (seen.ok) last = { ...last, ...seen.value };
		if (terminalStatus(last.status) !== undefined) return success({ ...last, cancel_confirmed: true });
	}
	// If the service says that the job is over, it counts as finished and may have results.
	if (!reply.ok && reply.problem.kind === 'jobOver') return success({ ...last, status: 'finished' });
	if (!reply.ok) return reply;
	const { status } = reply.value;
	// Without a readable status, the status in the reply counts.
	if (terminalStatus(status) !== undefined) last = { ...last, status: String(status) };
	return success({ ...last, cancel_confirmed: terminalStatus(last.status) !== undefined });
}

/**
 * Cancels or names the jobs of a stopped execution. Only n8n's log and the browser's console can show a text
 * then, because the node's output and hints are lost.
 */
async function settleJobs(
	context: IExecuteFunctions,
	onStop: WaitSettings['onStop'],
	jobIds: readonly string[],
): Promise<void> {
	const say = (text: string, level: 'info' | 'warn' = 'info') => {
		context.logger[level](`Price Collection: ${text}`);
		context.sendMessageToUI(`Price Collection: ${text}`);
	};
	if (onStop === 'leave') {
		const advice = 'Wait and Download get their results, Cancel ends them.';
		say(
			`the execution was stopped. Its jobs that have not ended keep running at the service: ${jobIds.join(', ')}. ${advice}`,
		);
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
	let settled = 0;
	const settle = () => {
		const added = jobIds.slice(settled);
		settled = jobIds.length;
		if (added.length === 0) return;
		settleJobs(context, onStop, added).catch((error: Error) => context.logger.warn(error.message));
	};
	let isOurs = true;
	context.onExecutionCancellation(() => isOurs && settle());
	try {
		return await work(jobIds);
	} finally {
		isOurs = false;
		// A creation that was in progress when n8n stopped the execution has only now returned its job.
		if (isStopped(context)) settle();
	}
}

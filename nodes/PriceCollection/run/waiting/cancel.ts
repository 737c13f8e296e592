import type { IExecuteFunctions } from 'n8n-workflow';

import type { WaitSettings } from '../../descriptions/waitSettings';
import type { ServiceClient } from '../../service/client';
import { detachedClient } from '../../n8n/client';
import { isStopped } from '../../n8n/suspend';
import { success, type Outcome } from '../../service/problems';
import { terminalStatus } from '../../service/status';
import type { Job } from '../../service/types';

/** What became of a job that was to be cancelled: it may have finished in the meantime. */
export type CancelledJob = Job & { cancel_confirmed?: boolean };

/** A service that cancels in the background may need this long until the status says so, in milliseconds each. */
const LOOK_AGAIN_AFTER_MS = [1_000, 3_000];

/**
 * Cancels a job and reads its status until that says that it is over, because the reply to a cancel says little.
 *
 * @returns the job with `cancel_confirmed`: whether its status says that it is over
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
	// A job that is over by the service's words is, whatever its status: then there may be results.
	if (!reply.ok && reply.problem.kind === 'jobOver') return success({ ...last, status: 'finished' });
	if (!reply.ok) return reply;
	const { status } = reply.value;
	// Where the status cannot be read, the reply's own word counts.
	if (terminalStatus(status) !== undefined) last = { ...last, status: String(status) };
	return success({ ...last, cancel_confirmed: terminalStatus(last.status) !== undefined });
}

/**
 * Cancels the jobs of a stopped execution, or names them. A stopped execution shows nothing more of its node: its log and
 * the browser's console are left to say something.
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
	// n8n ends the requests of a stopped execution: these must not belong to it.
	const client = await detachedClient.call(context);
	for (const jobId of jobIds) {
		const reply = await client.cancelJob(jobId);
		if (reply.ok) say(`the execution was stopped, job ${jobId} was cancelled`);
		else if (reply.problem.kind !== 'jobOver')
			say(`job ${jobId} could not be cancelled and may run on`, 'warn');
	}
}

/**
 * Does some work on jobs. When n8n stops the execution meanwhile, or has stopped it already, the jobs are cancelled where
 * the user wants it so, and otherwise named. A job that has left the node is not its business any more.
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
		// A job whose creation was on its way when n8n stopped the execution is known only now.
		if (isStopped(context)) settle();
	}
}

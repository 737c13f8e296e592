import type { IExecuteFunctions } from 'n8n-workflow';

import type { WaitSettings } from '../settings/waitSettings';
import { detachedClient } from '../n8n/client';
import { isStopped } from '../n8n/execution';

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

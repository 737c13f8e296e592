import type { IExecuteFunctions } from 'n8n-workflow';

import type { WaitSettings } from '../settings/waitSettings';
import { detachedClient } from '../n8n/client';
import { isStopped } from '../n8n/execution';

/**
 * Cancels or names the jobs of a stopped execution. Writes to n8n's log and the browser's console, because the node's
 * output and hints are lost.
 */
async function settleJobs(context: IExecuteFunctions, onStop: WaitSettings['onStop'], jobIds: string[]) {
	const log = (text: string, level: 'info' | 'warn' = 'info') => {
		context.logger[level](`Price Collection: ${text}`);
		context.sendMessageToUI(`Price Collection: ${text}`);
	};
	if (onStop === 'leave') {
		const left = `Its jobs that have not ended keep running at the service: ${jobIds.join(', ')}`;
		log(`the execution was stopped. ${left}. Wait and Download get their results, Cancel ends them.`);
		return;
	}
	// n8n aborts the requests of a stopped execution, so this client must be detached from it.
	const client = await detachedClient.call(context);
	for (const jobId of jobIds) {
		const reply = await client.cancelJob(jobId);
		if (reply.ok) log(`the execution was stopped, job ${jobId} was cancelled`);
		else if (reply.problem.kind !== 'jobOver')
			log(`job ${jobId} could not be cancelled and may keep running`, 'warn');
	}
}

/**
 * Runs work on jobs. If n8n stops the execution before the work is done, cancels its jobs or names them, as the user
 * chose. A later stop does not affect them.
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

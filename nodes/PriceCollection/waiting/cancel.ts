import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { ServiceClient } from '../service/client';
import { detachedClient } from '../service/client';
import { success } from '../service/problem';
import type { Outcome } from '../service/problem';
import { endOf } from '../service/status';
import type { Job } from '../service/types';

/** What became of a job that was to be cancelled: it may have finished in the meantime. */
export type CancelledJob = Job & { cancel_confirmed?: boolean };

/**
 * Cancels a job and reads its status again, because the reply to a cancel says little.
 *
 * @returns the job with `cancel_confirmed`: whether its status says that it is over
 */
export async function cancelAndConfirm(client: ServiceClient, job: Job): Promise<Outcome<CancelledJob>> {
	const reply = await client.cancelJob(job.job_id);
	const seen = await client.getJob(job.job_id);
	if (seen.ok && endOf(seen.value.status) !== undefined) {
		return success({ ...job, ...seen.value, cancel_confirmed: true });
	}
	if (!reply.ok) return reply;
	const told: IDataObject = reply.value;
	const status = typeof told.status === 'string' ? told.status : job.status;
	return success({ ...job, status, cancel_confirmed: endOf(status) !== undefined });
}

/** Cancels jobs when n8n stops the execution. Nobody is left to hear of it, so failures end here. */
export function cancelOnStop(context: IExecuteFunctions, jobIds: () => string[]): void {
	context.onExecutionCancellation(() => {
		void (async () => {
			// n8n ends the requests of a stopped execution: these must not belong to it.
			const client = await detachedClient.call(context);
			for (const jobId of jobIds()) await client.cancelJob(jobId);
		})();
	});
}

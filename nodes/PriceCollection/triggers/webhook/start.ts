import type { IDataObject, IExecuteFunctions, INodeExecutionData, IWebhookResponseData } from 'n8n-workflow';

import { WEBHOOK_OUTPUTS } from '../../descriptions/results';
import { serviceClient } from '../../n8n/client';
import { apiError } from '../../n8n/errors';
import { RUN } from '../../n8n/nodeFields';
import { downloadOne } from '../../service/api/downloads';
import { isObject, type Job } from '../../service/types';
import { itemsOfJob } from '../jobItems';
import { accountSample } from '../sample';
import { readSettings } from '../settings';
import { CALLER_REPLIES, bodyOf } from './callerReplies';
import type { StartedJobs } from './processedJobs';

/** What a call passes to its execution. */
export type AcceptedCall =
	/** The confirmed job, and the received data. */
	| { job: Job; received_at: string; payload: IDataObject }
	/** A call without a job in the editor, which gets a sample. */
	| { sample: true };

/** The field that carries a call to its execution. */
const CALL_FIELD = 'price_collection_call';

/** Starts a call's execution. n8n itself replies with 200 once it has stored the execution. */
export function start(call: AcceptedCall): IWebhookResponseData {
	const json = { [CALL_FIELD]: call as unknown as IDataObject };
	return { webhookResponse: bodyOf(CALLER_REPLIES.accepted), workflowData: [[{ json }]] };
}

/**
 * Runs as the first step of an execution that a call started. Outputs nothing if the job has started the workflow before,
 * and otherwise what the user chose.
 *
 * @throws NodeApiError if the results cannot be downloaded; *Retry* of the execution tries again
 */
export async function firstStep(
	this: IExecuteFunctions,
	startedJobs: StartedJobs,
): Promise<INodeExecutionData[][]> {
	const items = this.getInputData();
	const call = items[0]?.json[CALL_FIELD] as AcceptedCall | undefined;
	// Pinned data is passed on unchanged.
	if (!isObject(call)) return [items];
	const client = await serviceClient.call(this);
	const settings = readSettings(this, WEBHOOK_OUTPUTS);
	const output = (jsons: readonly IDataObject[]) => [jsons.map((json) => ({ json }))];
	if ('sample' in call) return output(await accountSample(this, client, settings));
	const { job, ...received } = call;
	// Test runs and manual retries always run.
	const isOnce =
		this.getMode() === 'webhook' && settings.fields.flag('options.ignoreDuplicates', RUN, true);
	if (isOnce && !(await startedJobs.record(this, job.job_id))) return [[]];
	const waiting = { ...client, signal: this.getExecutionCancelSignal() };
	const jobItems = await itemsOfJob(client, job, settings, {
		received,
		download: async (ask) => await downloadOne(ask, 0, waiting),
	});
	if (jobItems.kind !== 'results') throw apiError(this.getNode(), jobItems.why);
	return output(jobItems.value);
}

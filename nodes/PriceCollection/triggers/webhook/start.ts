import type { IDataObject, IExecuteFunctions, INodeExecutionData, IWebhookResponseData } from 'n8n-workflow';

import { WEBHOOK_OUTPUTS } from '../../descriptions/results';
import { serviceClient } from '../../n8n/client';
import { apiError } from '../../n8n/errors';
import { RUN } from '../../n8n/parameters';
import { downloadOne } from '../../service/api/download';
import { isObject, type Job } from '../../service/types';
import { accountSample, itemsOfJob, readSettings } from '../items';
import { ANSWERS, bodyOf } from './callerReplies';
import type { StartedJobs } from './processedJobs';

/** What a call hands to its execution. */
export type Started =
	/** The confirmed job, and what was received. */
	| { job: Job; received_at: string; payload: IDataObject }
	/** In the editor: a call without a job, which gets a sample. */
	| { sample: true };

/** The only field of the item between a call and its execution. */
const CALL_FIELD = 'price_collection_call';

/** Starts the execution for a call. n8n answers 200 itself after storing it. */
export function start(call: Started): IWebhookResponseData {
	const json = { [CALL_FIELD]: call as unknown as IDataObject };
	return { webhookResponse: bodyOf(ANSWERS.accepted), workflowData: [[{ json }]] };
}

/**
 * The first step of an execution that a call started: outputs nothing if the job has started the workflow
 * before, and otherwise what the user wants of it.
 *
 * @throws NodeApiError when the results cannot be fetched; *Retry* of the execution fetches them
 */
export async function firstStep(
	this: IExecuteFunctions,
	started: StartedJobs,
): Promise<INodeExecutionData[][]> {
	const items = this.getInputData();
	const call = items[0]?.json[CALL_FIELD] as Started | undefined;
	// Pinned data.
	if (!isObject(call)) return [items];
	const client = await serviceClient.call(this);
	const settings = readSettings(this, WEBHOOK_OUTPUTS);
	const output = (made: readonly IDataObject[]) => [made.map((json) => ({ json }))];
	if ('sample' in call) return output(await accountSample(this, client, settings));
	const { job, ...received } = call;
	// Test runs and manual retries always run.
	const isOnce =
		this.getMode() === 'webhook' && settings.fields.flag('options.ignoreDuplicates', RUN, true);
	if (isOnce && !(await started.record(this, job.job_id))) return [[]];
	const waiting = { ...client, signal: this.getExecutionCancelSignal() };
	const made = await itemsOfJob(client, job, settings, {
		received,
		download: async (ask) => await downloadOne(ask, 0, waiting),
	});
	if (made.kind !== 'results') throw apiError(this.getNode(), made.why);
	return output(made.value);
}

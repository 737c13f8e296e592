import type { IDataObject } from 'n8n-workflow';

import { explain } from '../n8n/errors';
import { retryEarlyDownload } from '../output/fetch';
import { Renderer, type RowChoice } from '../output/rows';
import type { ServiceClient } from '../service/client';
import { success, type Outcome, type Problem } from '../service/problems';
import { terminalStatus } from '../service/status';
import type { Job } from '../service/types';

/*
 * The one place where the triggers meet the renderer of results, which is that of Download.
 */

/** What becomes an item of a trigger, and in which shape. */
export interface ItemSettings {
	output: 'entries' | 'job' | 'notification' | 'results';
	/** How results become rows, for the outputs that download. */
	rows: () => Omit<RowChoice, 'output'>;
	/** How long the service may be silent, in milliseconds. */
	timeoutMs?: number;
	/** Writes to n8n's log what a node would show as a hint: triggers have no hints. */
	remark: (message: string) => void;
}

/** The item for a job whose end is certain and whose results cannot be had: the end itself is not lost. */
function itemWithReason({ job_id, status }: Job, reason: string): IDataObject {
	return { job_id, status, success: false, found: false, reason };
}

export function itemWithProblem(job: Job, problem: Problem): IDataObject {
	const { message, description } = explain(problem);
	return itemWithReason(job, `${message}. ${description}`);
}

/**
 * The items for the end of a job.
 *
 * @param received what a notification has beside the job, fit for an item
 * @param waits how long to wait before each further attempt when the service calls the download too early, in
 * milliseconds; for callers that have no other occasion
 * @returns the problem where a download fails: the caller decides whether there is another attempt
 */
export async function itemsOfJob(
	client: ServiceClient,
	job: Job,
	settings: ItemSettings,
	received: IDataObject = {},
	waits: readonly number[] = [],
): Promise<Outcome<IDataObject[]>> {
	const { job_id, status } = job;
	const { output, timeoutMs } = settings;
	if (output === 'job') return success([job]);
	if (output === 'notification') return success([{ job_id, status, ...received }]);
	if (terminalStatus(status) === 'cancelled')
		return success([itemWithReason(job, 'The job was cancelled')]);
	const fetch = async () => await client.download(job_id, { timeoutMs });
	const download = await retryEarlyDownload(fetch, waits, client.clock);
	if (!download.ok) return download;
	// Such a job has an item as well, because its end is to start the workflow.
	if (download.value.results.length === 0) return success([itemWithReason(job, 'The job has no results')]);
	const choice = { ...settings.rows(), output };
	const renderer = new Renderer(client.clock, choice.fields);
	const { rows, failed } = await renderer.render(download.value, download.value.results, choice);
	for (const remark of renderer.remarks.sentences()) settings.remark(remark);
	return success(failed === undefined ? rows : [itemWithReason(job, failed.reason)]);
}

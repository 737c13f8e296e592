import type { IDataObject } from 'n8n-workflow';

import { Renderer } from '../rows/rows';
import type { ServiceClient } from '../service/api/client';
import type { Download } from '../service/api/download';
import { NO_RESULTS, reasonOf } from '../service/meaning/jobState';
import { explain, type Problem } from '../service/problems';
import type { Job, JobResults } from '../service/types';
import type { TriggerSettings } from './settings';

/** Returns the item for an ended job without available results, so that the end itself is not lost. */
function itemWithReason({ job_id, status }: Job, reason: string): IDataObject {
	return { job_id, status, success: false, found: false, reason };
}

/** Returns the item for an ended job whose results cannot be had, with the problem as its reason. */
export function itemWithProblem(job: Job, problem: Problem): IDataObject {
	const { message, description } = explain(problem);
	return itemWithReason(job, `${message}. ${description}`);
}

/** Requests the results once. */
export type Ask = () => Promise<Download<JobResults>>;

/**
 * Returns the items for a job's end.
 *
 * @param how `received`: the notification's data besides the job. `download`: requests the results, once or repeatedly;
 *   its return value counts
 * @returns the items as results, or why there are none; the caller decides whether to try again
 */
export async function itemsOfJob(
	client: Pick<ServiceClient, 'clock' | 'connection' | 'download' | 'endOf'>,
	job: Job,
	settings: TriggerSettings,
	how: { received?: IDataObject; download: (ask: Ask) => Promise<Download<JobResults>> },
): Promise<Exclude<Download<IDataObject[]>, { kind: 'none' }>> {
	const { job_id, status } = job;
	const { output, timeoutMs } = settings;
	const items = (value: IDataObject[]) => ({ kind: 'results', value, isEmpty: false }) as const;
	if (output === 'job') return items([job]);
	if (output === 'notification') return items([{ job_id, status, ...how.received }]);
	const end = client.endOf(status);
	const known = { jobId: job_id, isOver: end !== undefined };
	const download = await how.download(async () => await client.download(known, { timeoutMs }));
	// A job without results also gets an item, because its end must start the workflow.
	if (download.kind === 'none') return items([itemWithReason(job, download.reason)]);
	if (download.kind !== 'results') return download;
	if (download.isEmpty) return items([itemWithReason(job, reasonOf({ job, end }) ?? NO_RESULTS)]);
	const choice = { ...settings.rows(), output };
	const renderer = new Renderer(client);
	const { rows, failed } = await renderer.render(download.value, download.value.results, choice);
	for (const remark of renderer.remarks.sentences()) settings.remark(remark);
	return items(failed === undefined ? rows : [itemWithReason(job, failed.reason)]);
}

import type { IDataObject } from 'n8n-workflow';

import { retryEarlyDownload } from '../output/fetch';
import { Renderer } from '../output/rows';
import type { ServiceClient } from '../service/client';
import type { Clock } from '../service/clock';
import { explain } from '../n8n/errors';
import { success, type Outcome, type Problem } from '../service/problems';
import { terminalStatus } from '../service/status';
import type { Job, JobResults } from '../service/types';
import { cleanJob } from './clean';
import type { TriggerSettings } from './settings';

/** The item for a job whose end is certain and whose results cannot be had: the end itself is not lost. */
export function itemWithReason(job: Job, reason: string): IDataObject {
	return { job_id: job.job_id, status: job.status, success: false, found: false, reason };
}

/** Why a download failed, in one line for an item. */
export function reasonOf(problem: Problem): string {
	const { message, description } = explain(problem);
	return `${message}. ${description}`;
}

/** A downloaded job as items. A job without results gives one, because its end is to start the workflow. */
export async function itemsOfResults(
	download: JobResults,
	settings: TriggerSettings,
	clock: Clock,
): Promise<IDataObject[]> {
	if (download.results.length === 0) return [itemWithReason(download, 'The job has no results')];
	const output = settings.output === 'entries' ? 'entries' : 'results';
	const renderer = new Renderer(clock, settings.rows.fields);
	const { rows, failed } = await renderer.render(download, download.results, { ...settings.rows, output });
	for (const remark of renderer.remarks.sentences()) settings.remark(remark);
	return failed === undefined ? rows : [itemWithReason(download, failed.reason)];
}

/** What the output Notification gives beside the job. */
export interface Notified {
	/** When the trigger heard of the end, in ISO 8601. */
	at: string;
	/** What it heard, fit for an item. */
	payload: (job: Job) => IDataObject;
}

/** The items for the end of a job that need no download; undefined where one is needed. */
export function itemsOfState(
	job: Job,
	{ output }: TriggerSettings,
	{ at, payload }: Notified,
): IDataObject[] | undefined {
	if (output === 'job') return [job];
	if (output === 'notification') {
		return [{ job_id: job.job_id, status: job.status, received_at: at, payload: payload(job) }];
	}
	return terminalStatus(job.status) === 'cancelled'
		? [itemWithReason(job, 'The job was cancelled')]
		: undefined;
}

/**
 * The items for the end of a job, without secrets.
 *
 * @param waits how long to wait before each further attempt when the service calls the download too early, in
 * milliseconds; for callers that have no other occasion
 * @returns the problem where a download fails: the caller decides whether there is another attempt
 */
export async function itemsOfJob(
	client: ServiceClient,
	job: Job,
	settings: TriggerSettings,
	notified: Notified,
	waits: readonly number[] = [],
): Promise<Outcome<IDataObject[]>> {
	const { clock, dialect } = client;
	const items = itemsOfState(cleanJob(job, dialect.secrets), settings, notified);
	if (items !== undefined) return success(items);
	const fetch = async () => await client.download(job.job_id, { timeoutMs: settings.timeoutMs });
	const download = await retryEarlyDownload(fetch, waits, clock);
	return download.ok ? success(await itemsOfResults(download.value, settings, clock)) : download;
}

import type { IDataObject } from 'n8n-workflow';

import { readBestPrice, readColumns } from '../descriptions/rowFields';
import { explain } from '../n8n/errors';
import { RUN, type Parameters } from '../n8n/parameters';
import { retryEarlyDownload } from '../output/fetch';
import { RowNotes } from '../output/rowNotes';
import { rowsOfJob, type RowChoice } from '../output/rows';
import type { ServiceClient } from '../service/client';
import type { Clock } from '../service/clock';
import { success, type Outcome, type Problem } from '../service/problems';
import { terminalStatus } from '../service/status';
import type { Job, JobResults } from '../service/types';

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

export function readRowChoice(fields: Parameters): Omit<RowChoice, 'output'> {
	return {
		simplify: fields.flag('simplify', RUN, true),
		includeNotFound: fields.flag('options.includeNotFound', RUN, true),
		onFailedResult: fields.choice('options.onFailedResult', RUN, ['include', 'skip'], 'include'),
		contentList: fields.text('options.contentList', RUN) || undefined,
		...readColumns(fields),
		...(fields.flag('bestPrice', RUN, true) && { bestPrice: readBestPrice(fields, RUN) }),
	};
}

/** A downloaded job as items. A job without results gives one, because its end is to start the workflow. */
export async function itemsOfResults(
	download: JobResults,
	settings: ItemSettings,
	clock: Clock,
): Promise<IDataObject[]> {
	if (download.results.length === 0) return [itemWithReason(download, 'The job has no results')];
	const output = settings.output === 'entries' ? 'entries' : 'results';
	const choice = { ...settings.rows(), output } as const;
	const notes = new RowNotes(choice.fields);
	const made = await rowsOfJob(download, choice, clock, notes);
	for (const remark of notes.remarks()) settings.remark(remark);
	return made.ok ? made.rows : [itemWithReason(download, made.failed.reason)];
}

/** The item for a job whose end is certain and whose results cannot be had: the end itself is not lost. */
function itemWithReason({ job_id, status }: Job, reason: string): IDataObject {
	return { job_id, status, success: false, found: false, reason };
}

export function itemWithProblem(job: Job, problem: Problem): IDataObject {
	const { message, description } = explain(problem);
	return itemWithReason(job, `${message}. ${description}`);
}

/** What the output Notification gives beside the job. */
export interface Received {
	/** When the call came, in ISO 8601. */
	at: string;
	/** What was in it, without secrets. */
	payload: IDataObject;
}

/** The items for the end of a job that need no download; undefined where one is needed. */
export function itemsOfState(
	job: Job,
	{ output }: ItemSettings,
	received?: Received,
): IDataObject[] | undefined {
	const { job_id, status } = job;
	if (output === 'job') return [job];
	if (output === 'notification') {
		return [{ job_id, status, received_at: received?.at ?? null, payload: received?.payload ?? {} }];
	}
	return terminalStatus(status) === 'cancelled'
		? [itemWithReason(job, 'The job was cancelled')]
		: undefined;
}

/**
 * The items for the end of a job.
 *
 * @param waits how long to wait before each further attempt when the service calls the download too early, in
 * milliseconds; for callers that have no other occasion
 * @returns the problem where a download fails: the caller decides whether there is another attempt
 */
export async function itemsOfJob(
	client: ServiceClient,
	job: Job,
	settings: ItemSettings,
	received?: Received,
	waits: readonly number[] = [],
): Promise<Outcome<IDataObject[]>> {
	const items = itemsOfState(job, settings, received);
	if (items !== undefined) return success(items);
	const fetch = async () => await client.download(job.job_id, { timeoutMs: settings.timeoutMs });
	const download = await retryEarlyDownload(fetch, waits, client.clock);
	return download.ok ? success(await itemsOfResults(download.value, settings, client.clock)) : download;
}

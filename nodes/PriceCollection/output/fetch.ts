import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { OpenDownload, ServiceClient } from '../service/client';
import type { Clock } from '../service/time';
import { ACCEPT, type DownloadFormat } from '../service/connection';
import { success, type Outcome } from '../service/problems';
import { type Job, type JobResults, terminalStatus } from '../service/types';
import { fileNameOf } from '../service/text';
import type { RowChoice } from './rows';

/** How the user wants an ended job. */
export interface ResultChoice extends Omit<RowChoice, 'output'> {
	output: 'entries' | 'file' | 'job' | 'results' | 'status';
	format: DownloadFormat;
	/** Whether a row includes the fields of the item that asked for it. */
	includeInputFields: boolean;
	/** Name of the binary field for the output File. */
	binaryPropertyName: string;
	/** Name of the file; made from the job's ID when blank. */
	fileName: string;
	timeoutMs?: number;
}

/** Whether results become rows, which can be combined with the items that asked. */
export function makesRows(choice: ResultChoice): choice is ResultChoice & RowChoice {
	return choice.output === 'results' || choice.output === 'entries';
}

/** After "finished", the download may lag behind: pauses before further attempts, in milliseconds. */
export const DOWNLOAD_WAITS_MS: readonly number[] = [1_000, 3_000, 10_000];

/**
 * Repeats a download that is not ready although the service calls the job finished.
 *
 * @param waits how long to wait before each further attempt, in milliseconds
 */
export async function retryEarlyDownload<T>(
	download: () => Promise<Outcome<T>>,
	waits: readonly number[],
	clock: Clock,
	signal?: AbortSignal,
): Promise<Outcome<T>> {
	let outcome = await download();
	for (const wait of waits) {
		// The job was just created, or the reply came from a cache.
		if (outcome.ok || !['notFinished', 'jobNotFound'].includes(outcome.problem.kind)) return outcome;
		await clock.pause(wait, signal);
		if (signal?.aborted === true) return outcome;
		outcome = await download();
	}
	return outcome;
}

/**
 * Fetches the user's choice of output for an ended job: its results, not yet rows, or a single item. A
 * cancelled job has no download, so its object is the output.
 */
export async function fetchJob(
	context: IExecuteFunctions,
	client: ServiceClient,
	job: Job,
	choice: ResultChoice,
): Promise<Outcome<{ results: JobResults } | { item: Pick<INodeExecutionData, 'binary' | 'json'> }>> {
	const { job_id } = job;
	const { format, output, timeoutMs } = choice;
	if (output === 'status' || terminalStatus(job.status) === 'cancelled')
		return success({ item: { json: job } });
	const signal = context.getExecutionCancelSignal();
	const again = async <T>(download: () => Promise<Outcome<T>>) =>
		await retryEarlyDownload(download, DOWNLOAD_WAITS_MS, client.clock, signal);
	if (output === 'file') {
		const file_name = choice.fileName || `${fileNameOf(job_id)}.${format}`;
		const mime_type = ACCEPT[format];
		const { helpers } = context;
		type Body = Parameters<typeof helpers.prepareBinaryData>[0];
		const store = async ({ body }: OpenDownload) =>
			await helpers.prepareBinaryData(body as Body, file_name, mime_type);
		const file = await again(async () => await client.downloadFile(job_id, store, { format, timeoutMs }));
		if (!file.ok) return file;
		const { bytes } = file.value;
		const json = { job_id, file_name, mime_type, ...(bytes !== undefined && { bytes }) };
		return success({ item: { json, binary: { [choice.binaryPropertyName]: file.value } } });
	}
	const download = await again(async () => await client.download(job_id, { format, timeoutMs }));
	if (!download.ok) return download;
	return success(output === 'job' ? { item: { json: download.value } } : { results: download.value });
}

import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { OpenDownload, ServiceClient } from '../service/client';
import type { Clock } from '../service/time';
import { ACCEPT, type DownloadFormat } from '../service/connection';
import { success, type Outcome, type Problem } from '../service/problems';
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

/** A job's results, not yet rows, or a single item for the job. */
export type Fetched = { results: JobResults } | { item: Pick<INodeExecutionData, 'json' | 'binary'> };

/** Whether results become rows, which can be combined with the items that asked. */
export function makesRows(choice: ResultChoice): choice is ResultChoice & RowChoice {
	return choice.output === 'results' || choice.output === 'entries';
}

/** After "finished", the download may lag behind: pauses before further attempts, in milliseconds. */
export const DOWNLOAD_WAITS_MS: readonly number[] = [1_000, 3_000, 10_000];

/** Whether the download may not know an ended job yet: it was just created, or came from a cache. */
function isEarly({ kind }: Problem): boolean {
	return kind === 'notFinished' || kind === 'jobNotFound';
}

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
		if (outcome.ok || !isEarly(outcome.problem)) return outcome;
		await clock.pause(wait, signal);
		if (signal?.aborted === true) return outcome;
		outcome = await download();
	}
	return outcome;
}

async function storeFile(
	context: IExecuteFunctions,
	jobId: string,
	choice: ResultChoice,
	download: OpenDownload,
): Promise<Pick<INodeExecutionData, 'json' | 'binary'>> {
	const fileName = choice.fileName || `${fileNameOf(jobId)}.${choice.format}`;
	const binary = await context.helpers.prepareBinaryData(
		download.body as Parameters<typeof context.helpers.prepareBinaryData>[0],
		fileName,
		ACCEPT[choice.format],
	);
	const json: IDataObject = { job_id: jobId, file_name: fileName, mime_type: ACCEPT[choice.format] };
	if (binary.bytes !== undefined) json.bytes = binary.bytes;
	return { json, binary: { [choice.binaryPropertyName]: binary } };
}

/**
 * Fetches the user's choice of output for a job.
 *
 * @param job as last seen; a cancelled job has no download, so its object is the output
 * @param patient whether the job is known to be finished, so that "not finished" is retried
 */
export async function fetchJob(
	context: IExecuteFunctions,
	client: ServiceClient,
	job: Job,
	choice: ResultChoice,
	patient: boolean,
): Promise<Outcome<Fetched>> {
	const jobId = job.job_id;
	if (choice.output === 'status' || terminalStatus(job.status) === 'cancelled')
		return success({ item: { json: job } });
	const { format, timeoutMs } = choice;
	const signal = context.getExecutionCancelSignal();
	const again = async <T>(download: () => Promise<Outcome<T>>) =>
		patient
			? await retryEarlyDownload(download, DOWNLOAD_WAITS_MS, client.clock, signal)
			: await download();
	if (choice.output === 'file') {
		const store = async (download: OpenDownload) => await storeFile(context, jobId, choice, download);
		const file = await again(async () => await client.downloadFile(jobId, store, { format, timeoutMs }));
		return file.ok ? success({ item: file.value }) : file;
	}
	const download = await again(async () => await client.download(jobId, { format, timeoutMs }));
	if (!download.ok) return download;
	return success(
		choice.output === 'job' ? { item: { json: download.value } } : { results: download.value },
	);
}

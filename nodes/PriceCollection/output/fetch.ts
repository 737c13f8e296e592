import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { CallOptions, OpenDownload, ServiceClient } from '../service/client';
import type { Clock } from '../service/time';
import { ACCEPT, type DownloadFormat } from '../service/connection';
import { fieldOf } from '../service/names';
import { failure, success, traitsOf, type Outcome, type Problem } from '../service/problems';
import type { End } from '../service/statuses';
import type { Job, JobResults } from '../service/types';
import { fileNameOf, reasonIn } from '../service/text';
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
 * Repeats a download that is not ready although the service calls the job finished: because the job was just
 * created, the reply came from a cache, or the results are still being written.
 *
 * @param waits how long to wait before each further attempt, in milliseconds
 */
async function retryEarlyDownload<T>(
	download: () => Promise<Outcome<T>>,
	isEmpty: (value: T) => boolean,
	waits: readonly number[],
	clock: Clock,
	signal?: AbortSignal,
): Promise<Outcome<T>> {
	let outcome = await download();
	for (const wait of waits) {
		const isEarly = outcome.ok
			? isEmpty(outcome.value)
			: ['jobNotFound', 'notFinished', 'notReady'].includes(outcome.problem.kind);
		if (!isEarly) return outcome;
		await clock.pause(wait, signal);
		if (signal?.aborted === true) return outcome;
		outcome = await download();
	}
	return outcome;
}

/** Why values of a job have no result; undefined for a job that ended with results. */
export function reasonOfEnd(end: End | undefined, job: Job): string | undefined {
	if (end === 'cancelled') return 'the job was cancelled';
	if (end !== 'failed') return undefined;
	const said = reasonIn(fieldOf(job, 'reason'));
	return said === undefined ? 'the job failed' : `the job failed: ${said}`;
}

/** Whether a refused download only says that a job without results has none. */
function saysNone({ kind, reason, status = 0 }: Problem): boolean {
	const { accountWide, retry } = traitsOf({ kind });
	const isAnswer = reason !== undefined || (status >= 400 && status < 500);
	return isAnswer && !accountWide && retry === 'never';
}

/**
 * Downloads an ended job. One that failed or was cancelled may still have results; if not, that is no error.
 *
 * @param waits pauses before further attempts at results that are not ready, in milliseconds
 */
export async function downloadEnded(
	client: Pick<ServiceClient, 'clock' | 'download'>,
	job: Job,
	end: End | undefined,
	{ waits, signal, ...options }: CallOptions & { waits: readonly number[]; signal?: AbortSignal },
): Promise<Outcome<JobResults>> {
	const isWithout = reasonOfEnd(end, job) !== undefined;
	const fetch = async () => await client.download(job.job_id, options);
	const isEmpty = ({ results }: JobResults) => results.length === 0;
	const download = await retryEarlyDownload(fetch, isEmpty, isWithout ? [] : waits, client.clock, signal);
	const isNone = !download.ok && isWithout && saysNone(download.problem);
	return isNone ? success({ ...job, results: [] }) : download;
}

/** Fetches the user's choice of output for an ended job: its results, not yet rows, or a single item. */
export async function fetchJob(
	context: IExecuteFunctions,
	client: ServiceClient,
	job: Job,
	end: End | undefined,
	choice: ResultChoice,
): Promise<Outcome<{ results: JobResults } | { item: Pick<INodeExecutionData, 'binary' | 'json'> }>> {
	const { job_id } = job;
	const { format, output, timeoutMs } = choice;
	if (output === 'status') return success({ item: { json: job } });
	const signal = context.getExecutionCancelSignal();
	if (output === 'file') {
		const file_name = choice.fileName || `${fileNameOf(job_id)}.${format}`;
		const mime_type = ACCEPT[format];
		const { helpers } = context;
		type Body = Parameters<typeof helpers.prepareBinaryData>[0];
		const store = async ({ body }: OpenDownload) =>
			await helpers.prepareBinaryData(body as Body, file_name, mime_type);
		const waits = reasonOfEnd(end, job) === undefined ? DOWNLOAD_WAITS_MS : [];
		const fetch = async () => await client.downloadFile(job_id, store, { format, timeoutMs });
		const file = await retryEarlyDownload(fetch, () => false, waits, client.clock, signal);
		if (!file.ok && waits.length === 0 && saysNone(file.problem)) {
			const kind = end === 'cancelled' ? 'cancelled' : 'jobFailed';
			return failure({ ...file.problem, kind, reason: reasonIn(fieldOf(job, 'reason')) });
		}
		if (!file.ok) return file;
		const { bytes } = file.value;
		const json = { job_id, file_name, mime_type, ...(bytes !== undefined && { bytes }) };
		return success({ item: { json, binary: { [choice.binaryPropertyName]: file.value } } });
	}
	const options = { format, timeoutMs, waits: DOWNLOAD_WAITS_MS, signal };
	const download = await downloadEnded(client, job, end, options);
	if (!download.ok) return download;
	return success(output === 'job' ? { item: { json: download.value } } : { results: download.value });
}

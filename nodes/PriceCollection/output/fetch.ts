import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { CallOptions, OpenDownload, ServiceClient } from '../service/client';
import { ACCEPT, type DownloadFormat } from '../service/connection';
import { fieldOf } from '../service/names';
import { success, traitsOf, type Outcome, type Problem, type ProblemKind } from '../service/problems';
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
	/** Those that rows begin with; all when empty. */
	inputFields: readonly string[];
	/** What the columns of a row hold beside these fields where there is no answer. */
	emptyValues: 'emptyText' | 'null';
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

/** For how long the results may lag behind the status of their job, in milliseconds. */
const LAGS_FOR_MS = 15_000;
/** For how long results are asked for that the service denies, and at least for those of which nothing is proven. */
export const REPEATS_FOR_MS = 45_000;
const [FIRST_PAUSE_MS, PAUSE_FACTOR, LONGEST_PAUSE_MS] = [1_000, 3, 30_000];

/** What a download may bring while the results are not there yet. */
const LAGGING: readonly ProblemKind[] = [
	...(['cancelled', 'formatRefused', 'jobFailed', 'jobNotFound', 'notFinished', 'notReady'] as const),
];

/** For how long it makes sense to repeat a download that brought this, in milliseconds. */
function patienceFor({ kind, reason }: Problem): number {
	if (kind === 'tooLarge' || kind === 'notStored' || kind === 'stopped') return 0;
	// A cancelled job has no results to lose, and a format does not come.
	if ((kind === 'cancelled' || kind === 'formatRefused') && reason !== undefined) return 0;
	if (LAGGING.includes(kind)) return LAGS_FOR_MS;
	const isDenied = traitsOf({ kind }).job === 'gone' || kind === 'unauthorized';
	return isDenied && reason !== undefined ? REPEATS_FOR_MS : Infinity;
}

/** Whether a download that failed so may succeed at any later time. */
export const provesNothing = (problem: Problem) => patienceFor(problem) === Infinity;

/** What a download takes besides the options of its request. */
interface Patience {
	/**
	 * Until when it is repeated if it brought nothing that proves anything, in milliseconds since 1970. Absent: it is
	 * tried once, even if the results only lag behind.
	 */
	until?: number;
	signal?: AbortSignal;
}

/** Repeats a download, with growing pauses, as long as that makes sense. */
async function patiently<T>(
	{ clock, isOutOfTime }: Pick<ServiceClient, 'clock' | 'isOutOfTime'>,
	download: () => Promise<Outcome<T>>,
	isEmpty: (value: T) => boolean,
	{ until, signal }: Patience,
): Promise<Outcome<T>> {
	// What it takes until a status call is allowed does not count.
	let waited = 0;
	for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * PAUSE_FACTOR, LONGEST_PAUSE_MS)) {
		const outcome = await download();
		if (outcome.ok && !isEmpty(outcome.value)) return outcome;
		const patience = outcome.ok ? LAGS_FOR_MS : patienceFor(outcome.problem);
		const isLate = patience > LAGS_FOR_MS && clock.now() + pause > (until ?? 0);
		const isLast = until === undefined || isLate || waited + pause > patience;
		if (isLast || isOutOfTime() || signal?.aborted === true) return outcome;
		await clock.pause(pause, signal);
		waited += pause;
	}
}

/** Why values of a job have no result; undefined for a job that ended with results. */
export function reasonOfEnd(end: End | undefined, job: Job): string | undefined {
	if (end === 'cancelled') return 'the job was cancelled';
	if (end !== 'failed') return undefined;
	const said = reasonIn(fieldOf(job, 'reason'));
	return said === undefined ? 'the job failed' : `the job failed: ${said}`;
}

/** Whether a failed download says that the job has no results. */
const saysNone = ({ kind }: Problem) => kind === 'cancelled' || kind === 'jobFailed';

/** Downloads an ended job. One that failed or was cancelled may still have results; if not, that is no error. */
export async function downloadEnded(
	client: Pick<ServiceClient, 'clock' | 'download' | 'isOutOfTime'>,
	job: Job,
	end: End | undefined,
	{ until, signal, ...options }: CallOptions & Patience,
): Promise<Outcome<JobResults>> {
	const isWithout = reasonOfEnd(end, job) !== undefined;
	const fetch = async () => await client.download(job.job_id, options);
	const isEmpty = ({ results }: JobResults) => results.length === 0 && !isWithout;
	const download = await patiently(client, fetch, isEmpty, { until, signal });
	const isNone = !download.ok && isWithout && saysNone(download.problem);
	return isNone ? success({ ...job, results: [] }) : download;
}

/**
 * Fetches the user's choice of output for an ended job: its results, not yet rows, or a single item.
 *
 * @param until until when a download that proves nothing is repeated, in milliseconds since 1970
 */
export async function fetchJob(
	context: IExecuteFunctions,
	client: ServiceClient,
	job: Job,
	end: End | undefined,
	choice: ResultChoice,
	until: number,
): Promise<Outcome<{ results: JobResults } | { item: Pick<INodeExecutionData, 'binary' | 'json'> }>> {
	const { job_id } = job;
	const { format, output, timeoutMs } = choice;
	if (output === 'status') return success({ item: { json: job } });
	const patience = { until, signal: context.getExecutionCancelSignal() };
	if (output === 'file') {
		const file_name = choice.fileName || `${fileNameOf(job_id)}.${format}`;
		const mime_type = ACCEPT[format];
		const { helpers } = context;
		type Body = Parameters<typeof helpers.prepareBinaryData>[0];
		const store = async ({ body }: OpenDownload) =>
			await helpers.prepareBinaryData(body as Body, file_name, mime_type);
		const fetch = async () => await client.storeFile(job_id, store, { format, timeoutMs });
		const file = await patiently(client, fetch, () => false, patience);
		if (!file.ok) return file;
		const { bytes } = file.value;
		const json = { job_id, file_name, mime_type, ...(bytes !== undefined && { bytes }) };
		return success({ item: { json, binary: { [choice.binaryPropertyName]: file.value } } });
	}
	const download = await downloadEnded(client, job, end, { format, timeoutMs, ...patience });
	if (!download.ok) return download;
	return success(output === 'job' ? { item: { json: download.value } } : { results: download.value });
}

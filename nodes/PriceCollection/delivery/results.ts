import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { canLeaveRunning } from '../descriptions/waiting';
import { isTool } from '../n8n/execution';
import { isWired, leadsToWait } from '../n8n/wiring';
import { compactJob } from '../rows/compact';
import { StepRunner } from '../rows/steps';
import type { CallOptions, OpenDownload } from '../service/api/client';
import { ACCEPT } from '../service/formats';
import { downloads, type DownloadPolicy } from '../service/api/downloads';
import type { Download } from '../service/api/download';
import { denialIn, isOver, reasonOf } from '../service/meaning/jobState';
import { traitsOf, type Problem } from '../service/problems';
import { fileNameOf } from '../service/text';
import { ENDPOINTS, type JobResults, type Result } from '../service/types';
import { makesRows, type ResultChoice } from '../settings/resultChoice';
import { answersOf } from './pairing';
import { inputIndexesOf, without, type JobRecord, type Run } from '../run/record';
import { STILL_RUNNING_OUTPUT } from '../run/tickets';
import { errorOf } from './jobErrors';
import type { Delivery, JobOutcome } from './jobOutcome';
import { lateReason, rowsWithout } from './overdue';

/** A job's download: its results, or an item with the results as a file. */
type Downloaded = { results: JobResults } | { item: Pick<INodeExecutionData, 'binary' | 'json'> };

function choiceOf({ choices }: Run, record: JobRecord): ResultChoice {
	return choices.byItem?.[inputIndexesOf(record)[0] ?? 0] ?? choices.first;
}

/** For Download: makes an account-wide problem that no retry fixes final, so that a refused key is sent only once. */
function finalIfAccountWide(download: Download<Downloaded>): Download<Downloaded> {
	if (download.kind !== 'denied' && download.kind !== 'notYet') return download;
	const { accountWide, retry } = traitsOf(download.why);
	return accountWide && retry === 'never' ? { kind: 'impossible', why: download.why } : download;
}

/**
 * Requests the results of a job once, in the form that the user chose.
 *
 * @param turn how long a status call may wait for its turn, if one is needed
 */
async function askOnce(
	run: Run,
	record: JobRecord,
	turn?: CallOptions['turn'],
): Promise<Download<Downloaded>> {
	const { context, client } = run;
	const choice = choiceOf(run, record);
	const { format, timeoutMs } = choice;
	const { job_id } = record.job;
	const job = { jobId: job_id, isOver: isOver(record) && record.isEndListed !== true };
	if (choice.output !== 'file') {
		const download = await client.download(job, { format, timeoutMs, turn });
		return download.kind === 'results' ? { ...download, value: { results: download.value } } : download;
	}
	const file_name = choice.fileName || `${fileNameOf(job_id)}.${format}`;
	const mime_type = ACCEPT[format];
	const { helpers } = context;
	type Body = Parameters<typeof helpers.prepareBinaryData>[0];
	const store = async ({ body }: OpenDownload) =>
		await helpers.prepareBinaryData(body as Body, file_name, mime_type);
	const file = await client.storeFile(job, store, { format, timeoutMs, turn });
	if (file.kind !== 'results') return file;
	const { bytes } = file.value;
	const json = { job_id, file_name, mime_type, ...(bytes !== undefined && { bytes }) };
	return { ...file, value: { item: { json, binary: { [choice.binaryPropertyName]: file.value } } } };
}

/** When to stop requesting the results of a job, in milliseconds since 1970; 0 for as early as possible. */
function retryDeadlineOf({ context, wait }: Run, { deadline }: JobRecord): number {
	if (wait === undefined) return 0;
	const isRetriedElsewhere = wait.mode !== 'poll' && leadsToWait(context, STILL_RUNNING_OUTPUT);
	return isRetriedElsewhere ? 0 : deadline;
}

/** Leaves the job as running: this download proves nothing about it. */
const NOTHING_KNOWN: Download<Downloaded> = {
	kind: 'impossible',
	why: { kind: 'notFinished', endpoint: ENDPOINTS.download, effect: 'none' },
};

/** The expected number of results: one per value. For a job that was created elsewhere, it is a guess. */
const sizeOf = ({ request }: JobRecord) => request?.values.length ?? 20;

/** Whether every lookup failed for a reason that services of this kind do not charge for; "not found" is an answer. */
function isUnanswered(results: readonly Result[]): boolean {
	const isUncharged = ({ success, reason }: Result) =>
		!success && !/not.?found/i.test(String(reason ?? '').slice(0, 1_000));
	return results.length > 0 && results.every(isUncharged);
}

/** A job as one item; in compact form if an agent reads it. */
async function jobItem(
	{ run, reader }: Delivery,
	record: JobRecord,
	job: IDataObject,
): Promise<Pick<INodeExecutionData, 'json'>> {
	if (!isTool(run.context)) return { json: job };
	const { bestPrice } = choiceOf(run, record);
	const compact = compactJob(job, bestPrice, reader, record.request?.parameters);
	return { json: await new StepRunner(run.client.clock).run(compact) };
}

/** Turns a job's results into its output. Rows go to the table, fields to the report. */
async function outputResults(
	delivery: Delivery,
	record: JobRecord,
	downloaded: Downloaded,
	reason?: string,
): Promise<JobOutcome> {
	const { run, table, report } = delivery;
	if ('item' in downloaded) return { record, item: downloaded.item };
	const { results } = downloaded;
	const choice = choiceOf(run, record);
	if (isUnanswered(results.results)) run.onUnanswered?.(record.job.job_id);
	const root = without(results, 'results');
	if (choice.output === 'fields') {
		await report.add(results.results);
		return { record, root };
	}
	if (!makesRows(choice)) return { record, item: await jobItem(delivery, record, results) };
	await table.add(answersOf(record, results, delivery, reason));
	return { record, root };
}

/** The output of a job that is over but whose results are not available yet: another node may fetch them. */
async function lateOutput(delivery: Delivery, record: JobRecord, why: Problem): Promise<JobOutcome> {
	const { run } = delivery;
	const { context, client, wait } = run;
	record.trouble = why;
	const isInTime = record.deadline > client.clock.now();
	if (wait !== undefined && wait.mode !== 'poll' && isInTime && leadsToWait(context, STILL_RUNNING_OUTPUT))
		return { record, isWaitedForElsewhere: true };
	const wasGivenUpHere = record.timedOutNodes.includes(context.getNode().name);
	const wantsStillRunning = wait?.onDeadline === 'stillRunning' && !wasGivenUpHere;
	const hasStillRunning = wait !== undefined && (isTool(context) || canLeaveRunning(wait));
	const canGoToStillRunning =
		hasStillRunning && (isTool(context) || isWired(context, STILL_RUNNING_OUTPUT) !== false);
	if (canGoToStillRunning && (wantsStillRunning || client.isOutOfTime())) return { record };
	const rows = await rowsWithout(delivery, record, lateReason(record));
	return rows ?? { record, error: errorOf(run, record, why) };
}

/** Turns an interpreted download into the job's output. */
async function outputOf(
	delivery: Delivery,
	record: JobRecord,
	download: Download<Downloaded>,
): Promise<JobOutcome> {
	const { run } = delivery;
	switch (download.kind) {
		case 'results':
			return await outputResults(delivery, record, download.value, reasonOf(record));
		case 'notYet':
			return await lateOutput(delivery, record, download.why);
		case 'none': {
			record.end = download.end;
			// Download does not wait, and a file needs content, so a job without results is an error.
			if (run.wait === undefined || choiceOf(run, record).output === 'file')
				return { record, error: errorOf(run, record, download.why) };
			const results = { ...record.job, results: [] };
			return await outputResults(delivery, record, { results }, download.reason);
		}
		default:
			if (denialIn(download.why) === 'gone') record.problem = download.why;
			return { record, error: errorOf(run, record, download.why) };
	}
}

/** Downloads the results of jobs, with retries, until n8n stops the execution; see `downloads`. */
function downloadsOf(
	{ context, client }: Run,
	records: readonly JobRecord[],
	once: DownloadPolicy<JobRecord, Downloaded>['ask'],
	deadlineOf: DownloadPolicy<JobRecord, Downloaded>['retryUntil'],
) {
	const scope = { ...client, signal: context.getExecutionCancelSignal() };
	return downloads(records, { ask: once, retryUntil: deadlineOf, sizeOf }, scope);
}

/**
 * Yields the outcomes of ended jobs in the order in which their results arrive. The table sorts the rows by item.
 *
 * @throws NodeApiError for the first job whose results cannot be fetched, unless the node continues after failures
 */
export async function* outcomesOf(
	delivery: Delivery,
	records: readonly JobRecord[],
): AsyncGenerator<JobOutcome> {
	const { run } = delivery;
	const isStatus = run.choices.first.output === 'status';
	if (isStatus)
		for (const record of records) yield { record, item: await jobItem(delivery, record, record.job) };
	const once = async (record: JobRecord) => {
		const download = await askOnce(run, record);
		return run.wait === undefined ? finalIfAccountWide(download) : download;
	};
	const fetched = downloadsOf(run, isStatus ? [] : records, once, (record) => retryDeadlineOf(run, record));
	for await (const [record, download] of fetched) yield await outputOf(delivery, record, download);
}

/**
 * Yields the jobs that were never checked, because the run has more jobs than the service allows status calls, if a
 * download shows that they are over.
 */
export async function* outcomesOfUnchecked(
	delivery: Delivery,
	running: readonly JobRecord[],
): AsyncGenerator<JobOutcome> {
	const { run } = delivery;
	if (run.choices.first.output === 'status') return;
	const unchecked = running.filter(
		({ checkedAt, trouble }) => checkedAt === undefined && trouble === undefined,
	);
	const once = async (record: JobRecord) => {
		const download = await askOnce(run, record, { until: run.client.clock.now() });
		return download.kind === 'results' && !download.isEmpty ? download : NOTHING_KNOWN;
	};
	for await (const [record, download] of downloadsOf(run, unchecked, once, () => 0)) {
		if (download.kind !== 'results') continue;
		record.end = 'results';
		yield await outputOf(delivery, record, download);
	}
}

/**
 * The output of a job after a single download, without waiting for results.
 *
 * @param none what it means if there are no results; its reason also goes to the values without one
 */
export async function outcomeNow(
	delivery: Delivery,
	record: JobRecord,
	none: Extract<Download<never>, { kind: 'none' }>,
): Promise<JobOutcome> {
	const { run } = delivery;
	if (choiceOf(run, record).output === 'status')
		return { record, item: await jobItem(delivery, record, record.job) };
	const download = await askOnce(run, record);
	if (download.kind === 'results')
		return await outputResults(delivery, record, download.value, none.reason);
	return await outputOf(delivery, record, none);
}

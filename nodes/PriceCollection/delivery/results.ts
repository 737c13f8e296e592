import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { canLeaveRunning } from '../descriptions/waiting';
import { isTool } from '../n8n/execution';
import type { NodeError } from '../n8n/errors';
import { isWired, leadsToWait } from '../n8n/wiring';
import { compactJob } from '../rows/compact';
import type { FieldReport } from '../rows/fieldReport';
import { StepRunner } from '../rows/steps';
import type { CallOptions, OpenDownload } from '../service/api/client';
import { ACCEPT } from '../service/connection';
import { downloads, type DownloadPolicy, type Download } from '../service/api/download';
import { denialIn, isOver, reasonOf } from '../service/meaning/jobState';
import { traitsOf, type Problem } from '../service/problems';
import { fileNameOf } from '../service/text';
import { ENDPOINTS, type JobResults, type Result } from '../service/types';
import { makesRows, type ResultChoice } from '../settings/resultChoice';
import { answersOf, type Matching } from './pairing';
import { inputIndexesOf, without, type JobRecord, type Run } from '../run/record';
import type { RowTable } from './rowTable';
import { errorOf, lateReason } from './texts';
import { STILL_RUNNING_OUTPUT } from './tickets';

/** The output of a job: rows, one item, or an error. None of them if it still runs, or its results are not there yet. */
export interface JobOutcome {
	record: JobRecord;
	/** Whether this node does not give it up, although it has no output now. */
	isOpen?: boolean;
	/** The download without its results, which are rows already. */
	root?: IDataObject;
	item?: Pick<INodeExecutionData, 'binary' | 'json'>;
	error?: NodeError;
}

/** What the steps of a delivery share. */
export interface Delivery extends Matching {
	run: Run;
	table: RowTable;
	/** The fields of all results, where the user wants to see those. */
	report: FieldReport;
}

/** What is downloaded for a job: its results, or an item that holds them as a file. */
type Downloaded = { results: JobResults } | { item: Pick<INodeExecutionData, 'binary' | 'json'> };

function choiceOf({ choices }: Run, record: JobRecord): ResultChoice {
	return choices.byItem?.[inputIndexesOf(record)[0] ?? 0] ?? choices.first;
}

/** What no repetition changes where a job is only downloaded: a key that the service refuses is sent once. */
function forDownloadAlone(download: Download<Downloaded>): Download<Downloaded> {
	if (download.kind !== 'denied' && download.kind !== 'notYet') return download;
	const { accountWide, retry } = traitsOf(download.why);
	return accountWide && retry === 'never' ? { kind: 'impossible', why: download.why } : download;
}

/**
 * Asks once for the results of a job, in the form that the user has chosen.
 *
 * @param turn until when a status call that is needed for that waits for its turn
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

/** Until when the results of a job are asked for, in milliseconds since 1970; 0 for the shortest time. */
function untilOf({ context, wait }: Run, { deadline }: JobRecord): number {
	if (wait === undefined) return 0;
	const isTakenUp = wait.mode !== 'poll' && leadsToWait(context, STILL_RUNNING_OUTPUT);
	return isTakenUp ? 0 : deadline;
}

/** What a download leaves of a job that may still run: it stays one that runs. */
const NOTHING_KNOWN: Download<Downloaded> = {
	kind: 'impossible',
	why: { kind: 'notFinished', endpoint: ENDPOINTS.download, effect: 'none' },
};

/** How many results a job probably has: one for each value. Of a job that was created elsewhere that is not known. */
const sizeOf = ({ request }: JobRecord) => request?.values.length ?? 20;

/** Whether nothing was answered, for reasons that services of this kind do not charge. */
function isUnanswered(results: readonly Result[]): boolean {
	const isUncharged = ({ success, reason }: Result) =>
		!success && !/not.?found/i.test(String(reason ?? '').slice(0, 1_000));
	return results.length > 0 && results.every(isUncharged);
}

/** A job as an item; as a tool, in the form for an agent. */
async function jobItem(
	{ run, reader }: Delivery,
	record: JobRecord,
	job: IDataObject,
): Promise<Pick<INodeExecutionData, 'json'>> {
	if (!isTool(run.context)) return { json: job };
	const compact = compactJob(job, choiceOf(run, record).bestPrice, reader);
	return { json: await new StepRunner(run.client.clock).run(compact) };
}

/** The output of a job from its results: rows go to the table. */
async function output(
	delivery: Delivery,
	record: JobRecord,
	fetched: Downloaded,
	reason?: string,
): Promise<JobOutcome> {
	const { run, table, report } = delivery;
	if ('item' in fetched) return { record, item: fetched.item };
	const { results } = fetched;
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

/**
 * The rows of a job that has none at its deadline, with the reason. Undefined where nothing else has ended: a run without
 * any results is an error.
 */
export async function rowsWithout(
	delivery: Delivery,
	record: JobRecord,
	reason: string,
): Promise<JobOutcome | undefined> {
	const { run, table } = delivery;
	const hasOthers = run.records.some((other) => other !== record && other.end !== undefined);
	if (run.wait?.onDeadline !== 'rows' || !makesRows(run.choices.first) || !hasOthers) return undefined;
	await table.add(answersOf(record, { ...record.job, results: [] }, delivery, reason));
	return { record, root: record.job };
}

/** The output of a job that is over while its results are not there: another node may get them. */
async function lateOutput(delivery: Delivery, record: JobRecord, why: Problem): Promise<JobOutcome> {
	const { run } = delivery;
	const { context, client, wait } = run;
	record.trouble = why;
	const isTimely = record.deadline > client.clock.now();
	if (wait !== undefined && wait.mode !== 'poll' && isTimely && leadsToWait(context, STILL_RUNNING_OUTPUT))
		return { record, isOpen: true };
	const isGivenUp = record.timedOutNodes.includes(context.getNode().name);
	const isWanted = wait?.onDeadline === 'stillRunning' && !isGivenUp;
	const canLeave = wait !== undefined && (isTool(context) || canLeaveRunning(wait));
	const isTaken = canLeave && (isTool(context) || isWired(context, STILL_RUNNING_OUTPUT) !== false);
	if (isTaken && (isWanted || client.isOutOfTime())) return { record };
	const rows = await rowsWithout(delivery, record, lateReason(record));
	return rows ?? { record, error: errorOf(run, record, why) };
}

/** The output of a job, once what its download means is known. */
async function outputOf(
	delivery: Delivery,
	record: JobRecord,
	download: Download<Downloaded>,
): Promise<JobOutcome> {
	const { run } = delivery;
	switch (download.kind) {
		case 'results':
			return await output(delivery, record, download.value, reasonOf(record));
		case 'notYet':
			return await lateOutput(delivery, record, download.why);
		case 'none': {
			record.end = download.end;
			// Download does not wait for the end of a job, so that one without results is an error.
			if (run.wait === undefined || choiceOf(run, record).output === 'file')
				return { record, error: errorOf(run, record, download.why) };
			const results = { ...record.job, results: [] };
			return await output(delivery, record, { results }, download.reason);
		}
		default:
			if (denialIn(download.why) === 'gone') record.problem = download.why;
			return { record, error: errorOf(run, record, download.why) };
	}
}

/** Asks for the results of jobs until they count, or n8n stops the execution; see `downloads`. */
function downloadsOf(
	{ context, client }: Run,
	records: readonly JobRecord[],
	once: DownloadPolicy<JobRecord, Downloaded>['ask'],
	until: DownloadPolicy<JobRecord, Downloaded>['untilOf'],
) {
	const waiting = { ...client, signal: context.getExecutionCancelSignal() };
	return downloads(records, { ask: once, untilOf: until, sizeOf }, waiting);
}

/**
 * Gives out ended jobs in the order in which their results come; the rows of all stand in the order of the items.
 *
 * @throws NodeApiError for the first job whose results cannot be had, unless the node continues after failures
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
		return run.wait === undefined ? forDownloadAlone(download) : download;
	};
	const fetched = downloadsOf(run, isStatus ? [] : records, once, (record) => untilOf(run, record));
	for await (const [record, download] of fetched) yield await outputOf(delivery, record, download);
}

/**
 * Gives out the jobs whose status nobody told, because more jobs were waited for than may be asked: those of which a
 * download says that they are over.
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

/** The output of a job that this node has cancelled, without waiting for results. */
export async function cancelledOutput(delivery: Delivery, record: JobRecord): Promise<JobOutcome> {
	const { run } = delivery;
	const { job, end } = record;
	const cancelled = reasonOf({ job, end: 'cancelled' }) ?? '';
	const doubt = `the cancellation of job ${job.job_id} was accepted, but its status does not show it yet`;
	const reason = end === undefined ? doubt : cancelled;
	if (choiceOf(run, record).output === 'status')
		return { record, item: await jobItem(delivery, record, record.job) };
	const download = await askOnce(run, record);
	if (download.kind === 'results') return await output(delivery, record, download.value, reason);
	const why: Problem = { kind: 'cancelled', endpoint: ENDPOINTS.download, effect: 'none' };
	return await outputOf(delivery, record, { kind: 'none', end: 'cancelled', reason, why });
}

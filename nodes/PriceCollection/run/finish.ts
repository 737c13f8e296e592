import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { apiError, failedResultError, inputError, type NodeError } from '../n8n/errors';
import { isTool } from '../n8n/execution';
import { counted, hint } from '../n8n/hints';
import { errorItem } from '../n8n/items';
import { isWired } from '../n8n/wiring';
import { fetchJob, makesRows } from '../output/fetch';
import { compactJob, compactRows } from '../output/answer';
import { Renderer } from '../output/rows';
import type { Problem } from '../service/problems';
import { type Job, type JobResults, type Result, terminalStatus } from '../service/types';
import { assemble, type PlacedRows } from './lookup/assemble';
import {
	linkOf,
	placeOf,
	placesOf,
	without,
	type Aside,
	type JobRecord,
	type Requester,
} from './lookup/record';
import { summaryOf, unsentText } from './report';
import { besideRequesters, choiceAt, rowChoiceAt } from './resultChoice';
import { forAgent, STILL_RUNNING, ticketItems, troubleNote, type Run } from './tickets';
import { cancelAndConfirm } from './waiting/cancel';

/** A run whose jobs are being output. */
interface Leaving extends Run {
	/** IDs of the jobs that were cancelled meanwhile. */
	cancelled: string[];
}

/** The output of a job: the rows of its download, one item, or an error. None of them if it still runs. */
interface JobOutcome {
	record: JobRecord;
	download?: JobResults;
	item?: Pick<INodeExecutionData, 'binary' | 'json'>;
	error?: NodeError;
}

/** An item, and the index of the input item at which it is output. */
interface PlacedItem {
	at: number;
	item: INodeExecutionData;
}

/**
 * The sentence of an error that names the jobs, so that no ID is lost: the failed job if the node continues
 * and outputs the others, all jobs if it stops.
 */
function jobsText({ context, records, cancelled }: Leaving, record?: JobRecord): string {
	const named = context.continueOnFail() ? (record === undefined ? [] : [record]) : records;
	const ids = named.map(({ job }) => job.job_id).filter((jobId) => !cancelled.includes(jobId));
	const gone = cancelled.length === 0 ? '' : `Cancelled before: ${cancelled.join(', ')}. `;
	if (ids.length === 0) return gone.trim();
	return `${gone}${ids.length === 1 ? 'Job' : 'Jobs of this run'}: ${ids.join(', ')}. Nothing is lost: Wait and Download get the results of existing jobs at no extra cost.`;
}

/** An error item. n8n adds the fields of the first linked item, which must be from this node's input. */
function errorAt(at: number, requesters: readonly Requester[], json: IDataObject): PlacedItem {
	const elsewhere = requesters.filter(({ source }) => source !== undefined);
	return { at, item: { json, pairedItem: linkOf([{ item: at }, ...elsewhere]) } };
}

/** The error of a failed job, unless it stops the node. */
function failed(run: Leaving, record: JobRecord, error: NodeError): JobOutcome {
	if (!run.context.continueOnFail()) throw error;
	return { record, error };
}

function failedBy(run: Leaving, record: JobRecord, problem: Problem): JobOutcome {
	const more = jobsText(run, record);
	return failed(run, record, apiError(run.context.getNode(), problem, placesOf(record), more));
}

/** Fetches what the user wants from a finished job. */
async function fetchEnded(run: Leaving, record: JobRecord, seen: Job): Promise<JobOutcome> {
	const { context, client, choices } = run;
	const choice = choiceAt(choices, placesOf(record)[0] ?? 0);
	const fetched = await fetchJob(context, client, seen, choice);
	if (!fetched.ok) {
		const isLate = isTool(context) && fetched.problem.kind === 'timedOut';
		return isLate ? { record } : failedBy(run, record, fetched.problem);
	}
	if ('results' in fetched.value) return { record, download: fetched.value.results };
	const { item } = fetched.value;
	return {
		record,
		item: isTool(context) ? { ...item, json: compactJob(item.json, choice.bestPrice) } : item,
	};
}

/** The items of a job without rows: errors and named jobs per input item, a requested job once. */
function itemsOf({ record, item, error }: JobOutcome): PlacedItem[] {
	if (item === undefined && error === undefined) return [];
	const { request, requesters } = record;
	const isShared = error === undefined && request !== undefined;
	return placesOf(record).flatMap((at, index) => {
		if (isShared && index > 0) return [];
		const own = isShared ? requesters : requesters.filter((one) => placeOf(one) === at);
		if (error) return [errorAt(at, own, errorItem(error, at).json)];
		return [{ at, item: { ...item, json: { ...item?.json }, pairedItem: linkOf(own) } }];
	});
}

/** The error for a failed result, if the user chose to fail its item. */
function failedRowError(run: Leaving, { failed, at }: PlacedRows): NodeError | undefined {
	if (failed === undefined) return undefined;
	const node = run.context.getNode();
	const { value, reason, jobId } = failed;
	const said = value === null ? 'A value' : `"${value}"`;
	const error =
		jobId === undefined
			? inputError(node, `${said} was ${reason}`, 'Nothing was paid for it.', at)
			: failedResultError(node, failed, jobId, at);
	if (run.records.length > 1) error.description = `${error.description ?? ''} ${jobsText(run)}`.trim();
	return error;
}

/**
 * Renders all downloads as rows. If the node stops at failures, the first failed row stops it.
 *
 * @returns the rows with their counts, and remarks about them
 */
async function renderAll(run: Leaving, outcomes: readonly JobOutcome[], asides: readonly Aside[]) {
	const { context, client, choices } = run;
	const renderer = new Renderer(client.clock);
	const answered = outcomes.flatMap(({ record, download }) => (download ? [{ record, download }] : []));
	const rowsAt = (at: number, requesters: Requester[]) => rowChoiceAt(choices, at, requesters);
	const shown = makesRows(choices.first) ? asides : [];
	const made = await assemble(answered, shown, rowsAt, renderer);
	const stopping = context.continueOnFail() ? undefined : made.placed.find((row) => row.failed);
	const error = stopping && failedRowError(run, stopping);
	if (error !== undefined) throw error;
	const results = answered.flatMap(({ download }) => download.results);
	return { ...made, results, remarks: renderer.remarks };
}

/** Rows as items, combined with the fields of the items that asked for them. */
function itemsOfRows(run: Leaving, placed: readonly PlacedRows[], results: Result[]): PlacedItem[] {
	const { context, choices } = run;
	const beside = besideRequesters(run);
	return placed.flatMap((row) => {
		const { at, requesters } = row;
		const error = failedRowError(run, row);
		if (error !== undefined) return [errorAt(at, requesters, errorItem(error, at).json)];
		const choice = rowChoiceAt(choices, at, requesters);
		const rows = isTool(context) ? compactRows(row.rows, choice, results) : row.rows;
		const pairedItem = linkOf(requesters);
		return beside(requesters, rows).map((json) => ({ at, item: { json, pairedItem } }));
	});
}

/** The error for a job that still runs at its deadline, or whose output leads nowhere. */
function runningError(run: Leaving, record: JobRecord, isLost: boolean): NodeError {
	const { job_id, status } = record.job;
	const state =
		status === '' ? `The status of job ${job_id} was unknown` : `Job ${job_id} was still ${status}`;
	const [what, advice] = isLost
		? [
				', and nothing is connected to the output Still Running',
				'Connect Still Running to a Price Collection node set to Wait, and the Still Running output of that node to itself.',
			]
		: [' at the deadline', 'Raise Max Wait, or set On Deadline to Cancel Job.'];
	const keeps = `It keeps running at the service. ${advice}`;
	const description = [troubleNote(record), keeps, jobsText(run, record)].filter(Boolean).join(' ');
	return inputError(run.context.getNode(), `${state}${what}`, description, placesOf(record));
}

/** Handles a job that still runs at its deadline as the user chose. */
async function handleRunning(run: Leaving, record: JobRecord): Promise<JobOutcome> {
	const { context, client, wait, cancelled } = run;
	// An item that returns to the node that gave it up is in a loop, which must end.
	const loops = record.givenUpBy.includes(context.getNode().name);
	const wanted = loops && wait.onDeadline === 'stillRunning' ? 'error' : wait.onDeadline;
	// An agent gets this in the answer itself.
	const isLost = wanted === 'stillRunning' && !isTool(context) && isWired(context, STILL_RUNNING) === false;
	if (wanted === 'error' || isLost) return failed(run, record, runningError(run, record, isLost));
	if (wanted === 'stillRunning') return { record };
	const reply = await cancelAndConfirm(client, record.job);
	if (!reply.ok) return failedBy(run, record, reply.problem);
	const job = reply.value;
	if (terminalStatus(job.status) === 'finished') return await fetchEnded(run, record, job);
	const doubt = `The service accepted the cancellation of job ${job.job_id}, but its status does not show it yet.`;
	if (job.cancel_confirmed === false) hint(context, doubt, 'warning');
	cancelled.push(job.job_id);
	return { record, item: { json: job } };
}

/**
 * Outputs the jobs of a run whose wait is over: rows with the fields of the items that asked, one item for a
 * job without rows, errors according to the node's settings, and running jobs on the second output. Jobs are
 * cancelled last, when certainly no other job stops the node with an error that names them as running.
 *
 * @param open jobs that another node waits for; they go to Still Running unchanged
 * @returns both outputs; an agent only reads the first output of a tool
 * @throws NodeApiError or NodeOperationError that names all jobs, unless the node continues
 */
export async function finish(run: Run, open: readonly JobRecord[] = []): Promise<INodeExecutionData[][]> {
	const { context, client, records } = run;
	const leaving: Leaving = { ...run, cancelled: [] };
	const asides = [...run.asides, ...records.flatMap((record) => record.asides ?? [])];
	const outcomes = records.flatMap((record) =>
		record.problem === undefined ? [] : [failedBy(leaving, record, record.problem)],
	);
	const known = records.filter(({ problem }) => problem === undefined);
	const isOver = ({ job }: JobRecord) => terminalStatus(job.status) !== undefined;
	for (const record of known.filter(isOver)) outcomes.push(await fetchEnded(leaving, record, record.job));
	const running = known.filter((record) => !isOver(record));
	// Rows that stop the node must do so before a job is cancelled.
	if (run.wait.onDeadline === 'cancel' && running.length > 0) await renderAll(leaving, outcomes, asides);
	for (const record of running) outcomes.push(await handleRunning(leaving, record));
	const { placed, counts, results, remarks } = await renderAll(leaving, outcomes, asides);
	const errors = asides.flatMap((aside) =>
		aside.error === undefined ? [] : [errorAt(placeOf(aside), [aside], aside.error)],
	);
	const output = [...errors, ...outcomes.flatMap(itemsOf), ...itemsOfRows(leaving, placed, results)];
	const left = outcomes.filter(({ download, item, error }) => !(download ?? item ?? error));
	// The output of items without a job is already part of this output.
	const withoutAsides = left.map(({ record }) => without(record, 'asides'));
	const tickets = ticketItems(run, withoutAsides, true);
	for (const text of remarks.sentences()) hint(context, text, 'warning');
	const { first } = run.choices;
	const unsent = unsentText(asides, makesRows(first) && first.onFailedResult === 'include');
	if (unsent !== undefined) hint(context, unsent, 'warning');
	const given = outcomes.flatMap(({ record, download, item }) => {
		const root = download ?? item?.json;
		return root === undefined || leaving.cancelled.includes(record.job.job_id) ? [] : [{ record, root }];
	});
	if (given.length > 0) hint(context, summaryOf(given, counts, client.connection));
	if (tickets.length > 0) hint(context, `On the output Still Running: ${counted(tickets.length, 'job')}.`);
	// The sort is stable, so the order within an input item is kept.
	const finished = output.sort((a, b) => a.at - b.at).map(({ item }) => item);
	const stillRunning = [...tickets, ...ticketItems(run, open, false)];
	return isTool(context) ? [[...finished, ...stillRunning.map(forAgent)]] : [finished, stillRunning];
}

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { apiError, failedResultError, inputError, type NodeError } from '../n8n/errors';
import { counted, hint } from '../n8n/hints';
import { errorItem } from '../n8n/items';
import { isTool } from '../n8n/tool';
import { isWired } from '../n8n/wiring';
import { fetchJob, makesRows } from '../output/fetch';
import { leanJob, leanRows } from '../output/lean';
import { Renderer } from '../output/rows';
import type { Problem } from '../service/problems';
import { terminalStatus } from '../service/status';
import type { Job } from '../service/types';
import { assemble, type AnsweredJob, type PlacedRows } from './lookup/assemble';
import { linkOf, placeOf, placesOf, without } from './lookup/record';
import type { Aside, JobRecord, Requester } from './lookup/record';
import { summaryOf, unsentText, type GivenOut } from './report';
import { besideRequesters, choiceAt, rowChoiceAt } from './resultChoice';
import { STILL_RUNNING, type Run } from './run';
import { forAgent, ticketItems, troubleNote } from './tickets';
import { cancelAndConfirm } from './waiting/cancel';

/** A delivery on its way. */
interface Delivery extends Run {
	output: Array<{ at: number; item: INodeExecutionData }>;
	/** Downloads that become rows. */
	answered: AnsweredJob[];
	given: GivenOut[];
	/** IDs of the jobs that were cancelled on the way. */
	cancelled: string[];
	/** What leaves by Still Running. */
	running: JobRecord[];
}

/**
 * The sentence of an error that names the jobs, so that no ID is lost: the failed one where the node goes on and gives
 * out the others, all of them where it stops.
 */
function jobsText({ context, records, cancelled }: Delivery, record?: JobRecord): string {
	const named = context.continueOnFail() ? (record === undefined ? [] : [record]) : records;
	const ids = named.map(({ job }) => job.job_id).filter((jobId) => !cancelled.includes(jobId));
	const gone = cancelled.length === 0 ? '' : `Cancelled before: ${cancelled.join(', ')}. `;
	if (ids.length === 0) return gone.trim();
	return `${gone}${ids.length === 1 ? 'Job' : 'Jobs of this run'}: ${ids.join(', ')}. Nothing is lost: Wait and Download get the results of existing jobs at no extra cost.`;
}

/** Adds an error item. n8n adds the fields of the first linked item, which must be one of this node's input. */
function addError(
	{ output }: Delivery,
	at: number,
	requesters: readonly Requester[],
	json: IDataObject,
): void {
	const elsewhere = requesters.filter(({ source }) => source !== undefined);
	output.push({ at, item: { json, pairedItem: linkOf([{ item: at }, ...elsewhere]) } });
}

/** Gives an error to every item that the job concerns, or stops the node. */
function fail(delivery: Delivery, record: JobRecord, error: NodeError): void {
	if (!delivery.context.continueOnFail()) throw error;
	for (const [at, requesters] of byPlace(record))
		addError(delivery, at, requesters, errorItem(error, at).json);
}

function failWith(delivery: Delivery, record: JobRecord, problem: Problem): void {
	const more = jobsText(delivery, record);
	fail(delivery, record, apiError(delivery.context.getNode(), problem, placesOf(record), more));
}

/** The requesters of a job by the item at which its output for them stands. */
function byPlace(record: JobRecord): Array<[at: number, requesters: Requester[]]> {
	return placesOf(record).map((at) => [at, record.requesters.filter((one) => placeOf(one) === at)]);
}

/** Fetches what the user wants of a job that is over. */
async function fetchEnded(delivery: Delivery, record: JobRecord, seen: Job): Promise<void> {
	const { context, client, choices } = delivery;
	const choice = choiceAt(choices, placesOf(record)[0] ?? 0);
	const fetched = await fetchJob(context, client, seen, choice, true);
	if (!fetched.ok) {
		const isLate = isTool(context) && fetched.problem.kind === 'timedOut';
		if (isLate) delivery.running.push(record);
		else failWith(delivery, record, fetched.problem);
		return;
	}
	if ('results' in fetched.value) {
		const { results } = fetched.value;
		delivery.given.push({ record, root: results });
		delivery.answered.push({ record, download: results });
		return;
	}
	const { item } = fetched.value;
	delivery.given.push({ record, root: item.json });
	give(delivery, record, isTool(context) ? { ...item, json: leanJob(item.json, choice) } : item);
}

/** Gives an item for a job: who asked for values shares it; who names the job gets one of its own. */
function give({ output }: Delivery, record: JobRecord, item: INodeExecutionData): void {
	const { request, requesters } = record;
	const [at = 0] = placesOf(record);
	for (const [place, own] of request === undefined ? byPlace(record) : [[at, requesters] as const])
		output.push({ at: place, item: { ...item, json: { ...item.json }, pairedItem: linkOf(own) } });
}

/** The error for a failed result that the user chose to fail its item. */
function failedRowError(delivery: Delivery, { failed, at }: PlacedRows): NodeError | undefined {
	if (failed === undefined) return undefined;
	const node = delivery.context.getNode();
	const { value, reason, jobId } = failed;
	const said = value === null ? 'A value' : `"${value}"`;
	const error =
		jobId === undefined
			? inputError(node, `${said} was ${reason}`, 'Nothing was paid for it.', at)
			: failedResultError(node, failed, jobId, at);
	if (delivery.records.length > 1)
		error.description = `${error.description ?? ''} ${jobsText(delivery)}`.trim();
	return error;
}

/**
 * All downloads as rows. Where the node stops at failures, it does so for the first failed row.
 *
 * @returns what becomes of them when it goes on, and what is to be said about them
 */
async function makeRows(delivery: Delivery, asides: readonly Aside[]) {
	const { context, client, choices, answered } = delivery;
	const renderer = new Renderer(client.clock, choices.first.fields);
	const rowsAt = (at: number, requesters: Requester[]) => rowChoiceAt(choices, at, requesters);
	const shown = makesRows(choices.first) ? asides : [];
	const made = await assemble(answered, shown, rowsAt, renderer);
	const failed = context.continueOnFail() ? undefined : made.placed.find((row) => row.failed !== undefined);
	const error = failed && failedRowError(delivery, failed);
	if (error !== undefined) throw error;
	return { ...made, remarks: renderer.remarks };
}

/** Puts rows into the output. */
function emitRows(delivery: Delivery, placed: readonly PlacedRows[]): void {
	const { context, output, choices, answered } = delivery;
	const results = answered.flatMap(({ download }) => download.results);
	const beside = besideRequesters(delivery);
	for (const row of placed) {
		const { at, requesters } = row;
		const error = failedRowError(delivery, row);
		if (error !== undefined) addError(delivery, at, requesters, errorItem(error, at).json);
		const choice = choiceAt(choices, at);
		const rows = isTool(context) && makesRows(choice) ? leanRows(row.rows, choice, results) : row.rows;
		const pairedItem = linkOf(requesters);
		for (const json of beside(requesters, rows)) {
			output.push({ at, item: { json, pairedItem } });
		}
	}
}

/** The error for a job that is not over at its deadline, or that would leave by an output that leads nowhere. */
function runningError(delivery: Delivery, record: JobRecord, isLost: boolean): NodeError {
	const { job_id, status } = record.job;
	const state = `Job ${job_id} was ${status === '' ? 'not known to be over' : `still ${status}`}`;
	const [what, advice] = isLost
		? [
				', and nothing is connected to the output Still Running',
				'Connect Still Running to a Price Collection node set to Wait, and the Still Running output of that node to itself.',
			]
		: [' at the deadline', 'Raise Max Wait, or set On Deadline to Cancel Job.'];
	const sentences = [
		troubleNote(record),
		`It keeps running at the service. ${advice}`,
		jobsText(delivery, record),
	];
	const description = sentences.filter((text) => text !== undefined && text !== '').join(' ');
	return inputError(delivery.context.getNode(), `${state}${what}`, description, placesOf(record));
}

/** Does with a job that is not over at its deadline what the user wants. */
async function handleRunning(delivery: Delivery, record: JobRecord): Promise<void> {
	const { context, client, wait } = delivery;
	// Seen again after it was given up here, the item goes round in a loop that must end.
	const loops = record.givenUpBy.includes(context.getNode().name);
	const wanted = loops && wait.onDeadline === 'stillRunning' ? 'error' : wait.onDeadline;
	// An agent is told in the answer itself.
	const isLost = wanted === 'stillRunning' && !isTool(context) && isWired(context, STILL_RUNNING) === false;
	if (wanted === 'error' || isLost) return fail(delivery, record, runningError(delivery, record, isLost));
	if (wanted === 'stillRunning') {
		delivery.running.push(record);
		return;
	}
	const cancelled = await cancelAndConfirm(client, record.job);
	if (!cancelled.ok) return failWith(delivery, record, cancelled.problem);
	if (terminalStatus(cancelled.value.status) === 'finished') {
		return await fetchEnded(delivery, record, cancelled.value);
	}
	const { job_id, cancel_confirmed } = cancelled.value;
	const doubt = `The service accepted the cancellation of job ${job_id}, but its status does not show it yet.`;
	if (cancel_confirmed === false) hint(context, doubt, 'warning');
	delivery.cancelled.push(job_id);
	give(delivery, record, { json: cancelled.value });
}

/**
 * Gives out the jobs of a run whose wait is over: rows beside the items that asked, one item for a job without rows,
 * errors as the node's settings say, and what still runs by the second output. Jobs are cancelled last: nothing is before
 * it is certain that no other job stops the node with an error that names it as safe.
 *
 * @param open jobs that are waited for elsewhere and leave by Still Running as they are
 * @returns both outputs; of a tool, the agent reads the first one only
 * @throws NodeApiError or NodeOperationError that names all jobs, unless the node goes on after failures
 */
export async function finish(run: Run, open: readonly JobRecord[] = []): Promise<INodeExecutionData[][]> {
	const { context, client, records } = run;
	const delivery = { ...run, output: [], answered: [], given: [], cancelled: [], running: [] } as Delivery;
	const asides = [...run.asides, ...records.flatMap((record) => record.asides ?? [])];
	for (const aside of asides)
		if (aside.error !== undefined) addError(delivery, placeOf(aside), [aside], aside.error);
	for (const record of records)
		if (record.problem !== undefined) failWith(delivery, record, record.problem);
	const known = records.filter(({ problem }) => problem === undefined);
	const isOver = ({ job }: JobRecord) => terminalStatus(job.status) !== undefined;
	for (const record of known.filter(isOver)) await fetchEnded(delivery, record, record.job);
	const running = known.filter((record) => !isOver(record));
	// Rows that stop the node do so before a job is cancelled.
	if (run.wait.onDeadline === 'cancel' && running.length > 0) await makeRows(delivery, asides);
	for (const record of running) await handleRunning(delivery, record);
	const { placed, counts, remarks } = await makeRows(delivery, asides);
	emitRows(delivery, placed);
	// What they brought along besides has left with this output.
	const left = delivery.running.map((record) => without(record, 'asides'));
	const tickets = ticketItems(run, left, true);
	for (const text of remarks.sentences()) hint(context, text, 'warning');
	const { first } = run.choices;
	const unsent = unsentText(asides, makesRows(first) && first.onFailedResult === 'include');
	if (unsent !== undefined) hint(context, unsent, 'warning');
	if (delivery.given.length > 0) hint(context, summaryOf(delivery.given, counts, client.dialect));
	if (tickets.length > 0)
		hint(context, `Not over yet: ${counted(tickets.length, 'job')}, see the output Still Running.`);
	// Stable: what stands at the same item stays in its order.
	const finished = delivery.output.sort((a, b) => a.at - b.at).map(({ item }) => item);
	const stillRunning = [...tickets, ...ticketItems(run, open, false)];
	return isTool(context) ? [[...finished, ...stillRunning.map(forAgent)]] : [finished, stillRunning];
}

import type { IDataObject, IExecuteFunctions, INodeExecutionData, IPairedItemData } from 'n8n-workflow';

import { apiError, failedResultError, inputError, type NodeError } from '../n8n/errors';
import { counted, hint } from '../n8n/hints';
import { errorItem } from '../n8n/items';
import { linkedTo, OutputByItem } from '../n8n/pairing';
import { isTool } from '../n8n/tool';
import { isWired } from '../n8n/wiring';
import { fetchJob, makesRows, type ResultChoice } from '../output/fetch';
import { leanJob, leanRows } from '../output/lean';
import { RowNotes } from '../output/rowNotes';
import { rowsOfJob, summarise, unclearListsHint, unclearListsOf, type RowChoice } from '../output/rows';
import type { ServiceClient } from '../service/client';
import { estimatedCredits } from '../service/credits';
import { terminalStatus } from '../service/status';
import type { Job, JobResults } from '../service/types';
import { assemble, type ItemRows, type RunCounts } from './lookup/assemble';
import { wrongJobError } from './recover';
import type { UnsentValue } from './lookup/plan';
import type { RunJob } from './stored/suspendedRun';
import { withoutTicket } from './stored/ticket';
import { remarkOnRun, sizeOf, Tally, unsentHint } from './tally';
import { cancelAndConfirm } from './waiting/cancel';
import { deadlineError, unwiredError } from './waiting/deadline';
import type { JobState } from './waiting/poll';
import type { WaitSettings } from './waiting/settings';

/** The output by which jobs leave that are not over; the first one is for what is finished. */
export const STILL_RUNNING = 1;

/** Where the rows of whoever asked go. */
interface Place {
	/** The item of this node's input that stands for it. */
	item: number;
	/** What its rows are linked to. */
	pairedItem: IPairedItemData | IPairedItemData[];
}

/** Who asked for what in jobs whose rows are joined, so that everybody's rows come in their order. */
export interface Askers {
	/** The values that each of them asked for, by the index of the item that asked. */
	values: ReadonlyMap<number, string[]>;
	/** Values of theirs that were not sent, whose rows stand among the others. */
	unsent: readonly UnsentValue[];
	placeOf: (item: number) => Place;
}

/** A job, its links and its latest state: what `collect` and `wait` alike have to give out. */
export interface JobToDeliver {
	state: JobState;
	/** The input items of this node that it is about: they get its errors, and its output stands at the first one. */
	items: readonly number[];
	/** What one item for the whole job is linked to. */
	links: IPairedItemData[];
	/** What was asked for in it; absent for a job that was created elsewhere. */
	lookup?: Pick<RunJob, 'planned' | 'evidence'> & { askers: Askers };
	onDeadline: WaitSettings['onDeadline'];
	stillRunningItem: () => INodeExecutionData;
}

interface Delivery {
	context: IExecuteFunctions;
	client: ServiceClient;
	choice: ResultChoice;
	jobs: readonly JobToDeliver[];
	output: OutputByItem;
	tally: Tally;
	/** Downloads that become rows. */
	downloads: Array<{ job: JobToDeliver; download: JobResults }>;
	/** Those whose rows are given out. */
	askers: Set<Askers>;
	/** What is worth telling about the rows. */
	notes: RowNotes;
	/** IDs of the jobs that were cancelled on the way. */
	cancelled: string[];
	/** As a tool: jobs that are over, whose results did not come in time for the answer. */
	late: JobToDeliver[];
}

const idOf = ({ state }: JobToDeliver) => state.job.job_id;

/**
 * The sentence of an error that names the jobs, so that no ID is lost: the failed one where the node goes on and gives
 * out the others, all of them where it stops.
 */
function jobsText({ context, jobs, cancelled }: Delivery, job?: JobToDeliver): string {
	const named = context.continueOnFail() ? (job === undefined ? [] : [job]) : jobs;
	const ids = named.map(idOf).filter((jobId) => !cancelled.includes(jobId));
	const gone = cancelled.length === 0 ? '' : `Cancelled before: ${cancelled.join(', ')}. `;
	if (ids.length === 0) return gone.trim();
	return `${gone}${ids.length === 1 ? 'Job' : 'Jobs of this run'}: ${ids.join(', ')}. Nothing is lost: Wait and Download take up jobs without new costs.`;
}

/** Gives an error to every item that the job concerns, or stops the node. */
function fail({ context, output }: Delivery, { items }: JobToDeliver, error: NodeError): void {
	if (!context.continueOnFail()) throw error;
	for (const item of items) output.add(item, errorItem(error, item));
}

function failJob(delivery: Delivery, job: JobToDeliver, problem: NonNullable<JobState['problem']>): void {
	const more = jobsText(delivery, job);
	fail(delivery, job, apiError(delivery.context.getNode(), problem, job.items, more));
}

function addJobItem(
	{ output }: Delivery,
	{ items, links }: JobToDeliver,
	item: Pick<INodeExecutionData, 'json' | 'binary'>,
): void {
	output.add(items[0] ?? 0, { ...item, pairedItem: linkedTo(links) });
}

async function fetchEnded(delivery: Delivery, job: JobToDeliver, seen: Job): Promise<void> {
	const { context, client, choice, tally, downloads } = delivery;
	const { lookup, items } = job;
	const fetched = await fetchJob(context, client, seen, choice, true);
	if (!fetched.ok) {
		const isLate = isTool(context) && fetched.problem.kind === 'timedOut';
		if (isLate) delivery.late.push(job);
		else failJob(delivery, job, fetched.problem);
		return;
	}
	const root = 'item' in fetched.value ? fetched.value.item.json : fetched.value.results;
	if (lookup?.evidence === 'results') {
		const more = jobsText(delivery, job);
		const wrong = wrongJobError(context.getNode(), lookup.planned, root, items, more);
		if (wrong !== undefined) return fail(delivery, job, wrong);
	}
	const { values, parameters } = lookup?.planned ?? {};
	const estimate = values && parameters && estimatedCredits(parameters, values.length, client.dialect);
	tally.addJob(
		{ source: parameters?.source, ...root },
		values?.length ?? sizeOf({ ...seen, ...root }),
		estimate,
	);
	if ('item' in fetched.value) {
		const { item } = fetched.value;
		addJobItem(delivery, job, isTool(context) ? { json: leanJob(item.json, choice) } : item);
	} else downloads.push({ job, download: fetched.value.results });
}

/** Rows with the place of each item that they are for. */
interface PlacedRows {
	rows: Array<Pick<ItemRows, 'rows' | 'failed'> & { place: Place }>;
	counts: RunCounts;
	/** Results that belong to no value that was asked for. */
	unmatched: number;
}

/** All rows of the jobs of some askers, joined: beside the items that asked. */
async function rowsForAskers(
	{ client, downloads, notes }: Delivery,
	askers: Askers,
	choice: RowChoice,
): Promise<PlacedRows> {
	const answered = downloads.flatMap(({ job: { lookup }, download }) =>
		lookup?.askers === askers ? [{ planned: lookup.planned, download }] : [],
	);
	const { items, counts, strays } = await assemble(answered, askers, choice, client.clock, notes);
	const rows: PlacedRows['rows'] = items.map((item) => ({ ...item, place: askers.placeOf(item.item) }));
	// What nobody asked for stands behind the last one who asked for something in the same job, and is linked to them all.
	for (const stray of strays) {
		const places = stray.items.map(askers.placeOf);
		const pairedItem = linkedTo(places.flatMap((place) => place.pairedItem));
		rows.push({ rows: stray.rows, place: { item: places.at(-1)?.item ?? 0, pairedItem } });
	}
	return { rows, counts, unmatched: strays.reduce((sum, { results }) => sum + results, 0) };
}

/** All rows of a job that was created elsewhere, for every item that names it. */
async function rowsForNamers(
	{ client, notes }: Delivery,
	{ items: [item = 0], links, state }: JobToDeliver,
	download: JobResults,
	choice: RowChoice,
): Promise<PlacedRows> {
	const made = await rowsOfJob(download, choice, client.clock, notes);
	const rows = made.ok ? made.rows : [];
	const failed = made.ok ? undefined : { ...made.failed, jobId: download.job_id };
	const unanswered = sizeOf({ ...state.job, ...download }) - download.results.length;
	return {
		rows: links.map((pairedItem) => ({ rows, failed, place: { item, pairedItem } })),
		counts: { ...summarise(download.results), unanswered },
		unmatched: 0,
	};
}

/** The error for a failed result that the user chose to fail its item. */
function failedRowError(
	delivery: Delivery,
	{ failed, place }: PlacedRows['rows'][number],
): NodeError | undefined {
	if (failed === undefined) return undefined;
	const node = delivery.context.getNode();
	const { value, reason, jobId } = failed;
	const said = value === null ? 'A value' : `"${value}"`;
	const error =
		jobId === undefined
			? inputError(node, `${said} was ${reason}`, 'Nothing was paid for it.', place.item)
			: failedResultError(node, failed, jobId, place.item);
	error.description = `${error.description ?? ''} ${jobsText(delivery)}`.trim();
	return error;
}

/** All downloads as rows. Where the node stops at failures, it does so for the first failed row. */
async function placeRows(delivery: Delivery): Promise<PlacedRows[]> {
	const { context, choice, downloads } = delivery;
	if (!makesRows(choice)) return [];
	delivery.notes = new RowNotes(choice.fields);
	const placed: PlacedRows[] = [];
	for (const askers of delivery.askers) placed.push(await rowsForAskers(delivery, askers, choice));
	for (const { job, download } of downloads) {
		if (job.lookup === undefined) placed.push(await rowsForNamers(delivery, job, download, choice));
	}
	if (context.continueOnFail()) return placed;
	const failed = placed.flatMap(({ rows }) => rows).find((row) => row.failed !== undefined);
	const error = failed && failedRowError(delivery, failed);
	if (error !== undefined) throw error;
	return placed;
}

/** The link of an error item: n8n adds the fields of the first linked item, which must be one of this node's input. */
function errorLink({ item, pairedItem }: Place): INodeExecutionData['pairedItem'] {
	const links = [pairedItem].flat();
	return links.every(({ sourceOverwrite }) => sourceOverwrite === undefined)
		? pairedItem
		: [{ item }, ...links];
}

/** Says what was not sent, which its rows say as well where there are rows. */
function remarkOnUnsent({ context, choice, askers }: Delivery): void {
	const unsent = [...askers].flatMap((one) => one.unsent);
	const rows = makesRows(choice) ? choice.onFailedResult : 'none';
	if (unsent.length > 0) hint(context, unsentHint(unsent, rows), 'warning');
}

/** Puts rows into the output, and what they say into the tally. */
function emitRows(delivery: Delivery, placed: readonly PlacedRows[]): void {
	const { context, output, tally, choice, downloads } = delivery;
	const results = downloads.flatMap(({ download }) => download.results);
	const shaped = (rows: IDataObject[]) =>
		isTool(context) && makesRows(choice) ? leanRows(rows, choice, results) : rows;
	for (const { counts } of placed) tally.addCounts(counts);
	for (const row of placed.flatMap(({ rows }) => rows)) {
		const { rows, place } = row;
		const error = failedRowError(delivery, row);
		if (error !== undefined) {
			output.add(place.item, { ...errorItem(error, place.item), pairedItem: errorLink(place) });
			continue;
		}
		for (const json of shaped(rows)) output.add(place.item, { json, pairedItem: place.pairedItem });
	}
	const unclear = makesRows(choice) ? unclearListsOf(results, choice) : undefined;
	if (unclear !== undefined) hint(context, unclearListsHint(unclear), 'warning');
	for (const remark of delivery.notes.remarks()) hint(context, remark, 'warning');
	const unmatched = placed.reduce((sum, one) => sum + one.unmatched, 0);
	const doubt = `${counted(unmatched, 'result')} cannot be told to belong to a value that was asked for: rows of their own, linked to all items of the job.`;
	if (unmatched > 0) hint(context, doubt, 'warning');
}

/** Does with a job that is not over at its deadline what the user wants. True: it leaves by Still Running. */
async function handleRunning(delivery: Delivery, job: JobToDeliver): Promise<boolean> {
	const { context, client } = delivery;
	const { items, state, onDeadline } = job;
	// An agent is told in the answer itself.
	const isLost =
		onDeadline === 'stillRunning' && !isTool(context) && isWired(context, STILL_RUNNING) === false;
	if (onDeadline === 'stillRunning' && !isLost) return true;
	if (onDeadline === 'error' || isLost) {
		const errorFor = isLost ? unwiredError : deadlineError;
		fail(delivery, job, errorFor(context, state, items, jobsText(delivery, job)));
		return false;
	}
	const cancelled = await cancelAndConfirm(client, state.job);
	if (!cancelled.ok) {
		failJob(delivery, job, cancelled.problem);
	} else if (terminalStatus(cancelled.value.status) === 'finished') {
		await fetchEnded(delivery, job, cancelled.value);
	} else {
		const doubt = `The service accepted the cancelling of job ${idOf(job)}, but its status does not say so yet.`;
		if (cancelled.value.cancel_confirmed === false) hint(context, doubt, 'warning');
		delivery.cancelled.push(idOf(job));
		addJobItem(delivery, job, { json: cancelled.value });
	}
	return false;
}

/**
 * Gives out jobs whose wait is over, for `collect` and `wait` alike: rows beside the items that asked, one item for a
 * job without rows, errors as the node's settings say, and what still runs by the second output. Jobs are cancelled
 * last: nothing is before it is certain that no other job stops the node with an error that names it as safe.
 *
 * @param errors the JSON of an error item for each input item that could not be asked for
 * @param present those whose rows are given out whatever becomes of the jobs; others with the first of their jobs
 * @returns both outputs, as an agent gets them where the node is its tool
 * @throws NodeApiError or NodeOperationError that names all jobs, unless the node goes on after failures
 */
export async function deliver(
	context: IExecuteFunctions,
	client: ServiceClient,
	choice: ResultChoice,
	jobs: readonly JobToDeliver[],
	errors: ReadonlyArray<{ item: number; json: IDataObject }>,
	present: readonly Askers[] = [],
): Promise<INodeExecutionData[][]> {
	const delivery: Delivery = {
		...{ context, client, choice, jobs },
		...{
			output: new OutputByItem(),
			tally: new Tally(client.dialect.testSource),
			downloads: [],
			cancelled: [],
			late: [],
		},
		...{ askers: new Set(present), notes: new RowNotes() },
	};
	for (const { item, json } of errors) delivery.output.add(item, { json, pairedItem: { item } });
	for (const job of jobs) if (job.state.problem !== undefined) failJob(delivery, job, job.state.problem);
	const known = jobs.filter(({ state }) => state.problem === undefined);
	const isOver = ({ state }: JobToDeliver) => terminalStatus(state.job.status) !== undefined;
	for (const job of known.filter(isOver)) await fetchEnded(delivery, job, job.state.job);
	const leave = ({ lookup }: JobToDeliver) => lookup && delivery.askers.add(lookup.askers);
	for (const job of jobs) if (job.state.problem !== undefined || isOver(job)) leave(job);
	let rows = await placeRows(delivery);
	const placed = delivery.downloads.length + delivery.askers.size;
	const stillRunning: INodeExecutionData[] = [];
	for (const job of known.filter((one) => !isOver(one))) {
		if (await handleRunning(delivery, job)) stillRunning.push(job.stillRunningItem());
		else leave(job);
	}
	// A job that was to be cancelled may have finished instead: its rows belong among the others.
	if (delivery.downloads.length + delivery.askers.size > placed) rows = await placeRows(delivery);
	for (const job of delivery.late) stillRunning.push(job.stillRunningItem());
	emitRows(delivery, rows);
	remarkOnUnsent(delivery);
	remarkOnRun(context, delivery.tally, stillRunning.length);
	return outputsFor(context, delivery.output.inInputOrder(), stillRunning);
}

/** What an agent is told about a job that is not answered yet. */
const ASK_AGAIN =
	'This is no answer yet. Ask exactly the same again in a minute: that goes on with this job and costs nothing. A tool for Wait takes it up by its job_id as well.';

/** A Still Running item as an agent reads it: its deadline has passed, and n8n hands it to no other node. */
function forAgent(item: INodeExecutionData): INodeExecutionData {
	const { note, ...json } = withoutTicket(item.json);
	delete json.deadline;
	return { ...item, json: { ...json, note: [note, ASK_AGAIN].filter(Boolean).join(' ') } };
}

/**
 * Both outputs as n8n is to get them. Of a tool, the agent reads the first one only, and has no use for what links
 * items.
 */
export function outputsFor(
	context: IExecuteFunctions,
	finished: INodeExecutionData[],
	stillRunning: INodeExecutionData[],
): INodeExecutionData[][] {
	return isTool(context) ? [[...finished, ...stillRunning.map(forAgent)]] : [finished, stillRunning];
}

import type { IDataObject, IExecuteFunctions, INodeExecutionData, IPairedItemData } from 'n8n-workflow';

import { apiError, failedResultError, type NodeError } from '../n8n/errors';
import { counted, hint } from '../n8n/hints';
import { errorItem } from '../n8n/items';
import { linkedTo, OutputByItem } from '../n8n/pairing';
import { isTool } from '../n8n/suspend';
import { fetchJob, makesRows, type ResultChoice } from '../output/fetch';
import { leanRow } from '../output/lean';
import { RowNotes } from '../output/rowNotes';
import { rowsOfJob, summarise, unclearListsHint, unclearListsOf, type RowChoice } from '../output/rows';
import type { ServiceClient } from '../service/client';
import { terminalStatus } from '../service/status';
import type { Job, JobResults } from '../service/types';
import { assemble, type ItemRows, type RunCounts } from './lookup/assemble';
import { wrongJobError } from './recover';
import type { RunJob } from './stored/suspendedRun';
import { withoutTicket } from './stored/ticket';
import { remarkOnRun, Tally } from './tally';
import { cancelAndConfirm } from './waiting/cancel';
import { deadlineError } from './waiting/deadline';
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
	/** What is worth telling about the rows. */
	notes: RowNotes;
	/** IDs of the jobs that were cancelled on the way. */
	cancelled: string[];
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
	for (const item of items) output.add(item, errorItem(error, [item]));
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
	if (!fetched.ok) return failJob(delivery, job, fetched.problem);
	const root = 'item' in fetched.value ? fetched.value.item.json : fetched.value.results;
	if (lookup?.evidence === 'results') {
		const more = jobsText(delivery, job);
		const wrong = wrongJobError(context.getNode(), lookup.planned, root, items, more);
		if (wrong !== undefined) return fail(delivery, job, wrong);
	}
	const answers = Array.isArray(root.results) ? root.results.length : 0;
	tally.addJob(
		{ source: lookup?.planned.parameters.source, ...root },
		lookup?.planned.values.length ?? answers,
	);
	if ('item' in fetched.value) addJobItem(delivery, job, fetched.value.item);
	else downloads.push({ job, download: fetched.value.results });
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
	const { items, counts, strays } = await assemble(answered, askers.values, choice, client.clock, notes);
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
	{ items: [item = 0], links }: JobToDeliver,
	download: JobResults,
	choice: RowChoice,
): Promise<PlacedRows> {
	const made = await rowsOfJob(download, choice, client.clock, notes);
	const rows = made.ok ? made.rows : [];
	const failed = made.ok ? undefined : { ...made.failed, jobId: download.job_id };
	return {
		rows: links.map((pairedItem) => ({ rows, failed, place: { item, pairedItem } })),
		counts: { ...summarise(download.results), unanswered: 0 },
		unmatched: 0,
	};
}

/** The error for a failed result that the user chose to fail its item. */
function failedRowError(
	delivery: Delivery,
	{ failed, place }: PlacedRows['rows'][number],
): NodeError | undefined {
	if (failed === undefined) return undefined;
	const error = failedResultError(delivery.context.getNode(), failed, failed.jobId, place.item);
	error.description = `${error.description ?? ''} ${jobsText(delivery)}`.trim();
	return error;
}

/** All downloads as rows. Where the node stops at failures, it does so for the first failed row. */
async function placeRows(delivery: Delivery): Promise<PlacedRows[]> {
	const { context, choice, downloads } = delivery;
	if (!makesRows(choice)) return [];
	delivery.notes = new RowNotes(choice.fields);
	const placed: PlacedRows[] = [];
	for (const askers of new Set(downloads.map(({ job }) => job.lookup?.askers))) {
		if (askers !== undefined) placed.push(await rowsForAskers(delivery, askers, choice));
	}
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

/** Puts rows into the output, and what they say into the tally. */
function emitRows(delivery: Delivery, placed: readonly PlacedRows[]): void {
	const { context, output, tally, choice, downloads } = delivery;
	const lean = isTool(context);
	for (const { counts } of placed) tally.addCounts(counts);
	for (const row of placed.flatMap(({ rows }) => rows)) {
		const { rows, place } = row;
		const error = failedRowError(delivery, row);
		if (error !== undefined) {
			output.add(place.item, { ...errorItem(error, [place.item]), pairedItem: errorLink(place) });
			continue;
		}
		for (const json of rows)
			output.add(place.item, { json: lean ? leanRow(json) : json, pairedItem: place.pairedItem });
	}
	const results = downloads.flatMap(({ download }) => download.results);
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
	if (onDeadline === 'stillRunning') return true;
	if (onDeadline === 'error') {
		fail(delivery, job, deadlineError(context, state, items, jobsText(delivery, job)));
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
 * @returns both outputs, as an agent gets them where the node is its tool
 * @throws NodeApiError or NodeOperationError that names all jobs, unless the node goes on after failures
 */
export async function deliver(
	context: IExecuteFunctions,
	client: ServiceClient,
	choice: ResultChoice,
	jobs: readonly JobToDeliver[],
	errors: ReadonlyArray<{ item: number; json: IDataObject }>,
): Promise<INodeExecutionData[][]> {
	const delivery: Delivery = {
		...{ context, client, choice, jobs },
		...{
			output: new OutputByItem(),
			tally: new Tally(client.dialect.testSource),
			downloads: [],
			cancelled: [],
			notes: new RowNotes(),
		},
	};
	for (const { item, json } of errors) delivery.output.add(item, { json, pairedItem: { item } });
	for (const job of jobs) if (job.state.problem !== undefined) failJob(delivery, job, job.state.problem);
	const known = jobs.filter(({ state }) => state.problem === undefined);
	const isOver = ({ state }: JobToDeliver) => terminalStatus(state.job.status) !== undefined;
	for (const job of known.filter(isOver)) await fetchEnded(delivery, job, job.state.job);
	let rows = await placeRows(delivery);
	const before = delivery.downloads.length;
	const stillRunning: INodeExecutionData[] = [];
	for (const job of known) {
		if (isOver(job) || !(await handleRunning(delivery, job))) continue;
		stillRunning.push(job.stillRunningItem());
	}
	// A job that was to be cancelled may have finished instead: its rows belong among the others.
	if (delivery.downloads.length > before) rows = await placeRows(delivery);
	emitRows(delivery, rows);
	remarkOnRun(context, delivery.tally, stillRunning.length);
	return outputsFor(context, delivery.output.inInputOrder(), stillRunning);
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
	if (!isTool(context)) return [finished, stillRunning];
	const plain = stillRunning.map((item) => ({ ...item, json: withoutTicket(item.json) }));
	return [[...finished, ...plain]];
}

import type { IExecuteFunctions, INodeExecutionData, IPairedItemData } from 'n8n-workflow';

import type { WaitSettings } from '../descriptions/waiting';
import { errorItem } from '../n8n/items';
import type { NodeError } from '../n8n/items';
import { mistakenError } from './wrongJob';
import { assemble } from './lookup/assemble';
import { giveRows } from './emitRows';
import type { Tally } from './hints';
import type { Slots } from '../n8n/pairing';
import { fetchJob, makesRows } from '../output/fetch';
import type { ResultChoice } from '../output/fetch';
import { rowsOfJob } from '../output/jobItems';
import { summarise } from '../output/rows';
import type { RowChoice } from '../output/rows';
import type { ServiceClient } from '../service/client';
import { apiError } from '../n8n/errors';
import { endOf } from '../service/status';
import type { Job, JobResults } from '../service/types';
import { atDeadline } from './waiting/deadline';
import type { JobState } from './waiting/poll';
import type { Origin, Ticket } from './stored/ticket';

/** A job that input items of `wait` name. */
export interface TakenUp {
	/** As the first of them describes it. */
	job: Job;
	/** The input items that name it. */
	items: number[];
	/** What the first of them says. */
	ticket: Ticket;
	/** Until when to wait, in milliseconds since 1970. */
	deadline: number;
}

/** Where the items of a run of `wait` go. */
export interface TakeUp {
	context: IExecuteFunctions;
	client: ServiceClient;
	choice: ResultChoice;
	slots: Slots;
	/** The jobs of the run. */
	jobs: readonly TakenUp[];
	tally: Tally;
}

/** The sentence that names the jobs of the run where the node stops; where it goes on, each speaks for itself. */
export function jobsText({ context, jobs }: TakeUp): string {
	if (context.continueOnFail() || jobs.length < 2) return '';
	const ids = jobs.map(({ job }) => job.job_id).join(', ');
	return `Jobs of this run: ${ids}. Nothing is lost: Wait and Download take up jobs without new costs.`;
}

/** Gives an error to input items, or stops the node. */
export function failItems({ context, slots }: TakeUp, items: readonly number[], error: NodeError): void {
	if (!context.continueOnFail()) throw error;
	for (const item of items) slots.add(item, errorItem(error, [item]));
}

/**
 * What the output of a job is linked to: the items that named it, or those that stood behind them before a
 * suspension cut the links.
 */
export function linksOf({ items, ticket }: TakenUp): IPairedItemData[] {
	const { origin, namedBy } = ticket;
	if (origin?.source !== undefined) {
		const { asked, source } = origin;
		return asked.map(({ item }) => ({ item, sourceOverwrite: source }));
	}
	if (namedBy !== undefined) {
		return namedBy.items.map((item) => ({ item, sourceOverwrite: namedBy.source }));
	}
	return items.map((item) => ({ item }));
}

/** The links as an item carries them: a single one stands for itself. */
export function pairedWith(links: IPairedItemData[]): INodeExecutionData['pairedItem'] {
	const [only, ...more] = links;
	return only !== undefined && more.length === 0 ? only : links;
}

/** The rows of a job that `collect` created: beside the items that asked there, as if Collect had waited. */
async function giveOriginRows(
	up: TakeUp,
	{ items: [named = 0] }: TakenUp,
	origin: Origin,
	download: JobResults,
	choice: RowChoice,
): Promise<void> {
	const { parameters, key, values, asked, source } = origin;
	const planned = { parameters, key, values, items: asked.map(({ item }) => item), group: 0 };
	const byItem = new Map(asked.map((entry) => [entry.item, entry.values]));
	const { items, counts } = await assemble([{ planned, download }], byItem, choice);
	up.tally.addCounts(counts);
	const placeOf = (item: number) => ({
		item: named,
		pairedItem: source === undefined ? { item: named } : { item, sourceOverwrite: source },
	});
	giveRows(up.context, up.slots, items, placeOf, jobsText(up));
}

/** All rows of a job that was created elsewhere, for every item that names it. */
async function giveJobRows(
	up: TakeUp,
	taken: TakenUp,
	download: JobResults,
	choice: RowChoice,
): Promise<void> {
	const [named = 0] = taken.items;
	const made = await rowsOfJob(download, choice);
	const jobId = taken.job.job_id;
	up.tally.addCounts({ ...summarise(download.results), unanswered: 0 });
	for (const pairedItem of linksOf(taken)) {
		const rows = made.ok
			? { item: named, rows: made.rows }
			: { item: named, rows: [], failed: { ...made.failed, jobId } };
		giveRows(up.context, up.slots, [rows], () => ({ item: named, pairedItem }), jobsText(up));
	}
}

/**
 * Gives out a job that has ended.
 *
 * @param job as last seen
 * @throws NodeApiError or NodeOperationError, unless the node goes on after failures
 */
export async function giveOut(up: TakeUp, taken: TakenUp, job: Job): Promise<void> {
	const { context, client, choice, slots } = up;
	const { items, ticket } = taken;
	const [first = 0] = items;
	const fetched = await fetchJob(context, client, job, choice, true);
	if (!fetched.ok) {
		const more = `Job ${job.job_id} is over; Download fetches its results without new costs. ${jobsText(up)}`;
		failItems(up, items, apiError(context.getNode(), fetched.problem, first, more.trim()));
		return;
	}
	const { origin } = ticket;
	const root = 'item' in fetched.value ? fetched.value.item.json : fetched.value.results;
	if (origin !== undefined) {
		const { adopted, parameters, key, values } = origin;
		const planned = { parameters, key, values, items: [], group: 0 };
		const mistaken = mistakenError(context, { planned, job, adopted }, root.results, first, jobsText(up));
		if (mistaken !== undefined) {
			failItems(up, items, mistaken);
			return;
		}
	}
	const results = Array.isArray(root.results) ? root.results.length : 0;
	up.tally.addJob(root, origin?.values.length ?? results);
	if ('item' in fetched.value) {
		slots.add(first, { ...fetched.value.item, pairedItem: pairedWith(linksOf(taken)) });
	} else if (makesRows(choice)) {
		const download = fetched.value.results;
		if (origin === undefined) await giveJobRows(up, taken, download, choice);
		else await giveOriginRows(up, taken, origin, download, choice);
	}
}

/**
 * A job that is not over at its deadline.
 *
 * @returns whether it is to be given out as still running
 */
export async function settleRunning(
	up: TakeUp,
	taken: TakenUp,
	state: JobState,
	onDeadline: WaitSettings['onDeadline'],
): Promise<boolean> {
	const { context, client } = up;
	const [first = 0] = taken.items;
	// Seen again after it was given up here, the item goes round in a loop that must end.
	const loops = taken.ticket.givenUpBy === context.getNode().name;
	const wanted = loops && onDeadline === 'stillRunning' ? 'error' : onDeadline;
	const end = await atDeadline(context, client, state, wanted, first, jobsText(up));
	if (end.kind === 'stillRunning') return true;
	if (end.kind === 'failed') failItems(up, taken.items, end.error);
	else if (endOf(end.job.status) === 'finished') await giveOut(up, taken, end.job);
	else up.slots.add(first, { json: end.job, pairedItem: pairedWith(linksOf(taken)) });
	return false;
}

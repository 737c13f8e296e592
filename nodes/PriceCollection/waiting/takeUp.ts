import type { IDataObject, IExecuteFunctions, INodeExecutionData, IPairedItemData } from 'n8n-workflow';

import { errorItem } from '../actions/itemRunner';
import type { NodeError } from '../actions/itemRunner';
import { assemble } from '../collection/assemble';
import { pairedTo, Slots } from '../collection/slots';
import { fetchJob, makesRows } from '../output/fetch';
import type { Fetched, ResultChoice } from '../output/fetch';
import { rowsOfJob } from '../output/jobItems';
import { leanRow } from '../output/lean';
import type { RowChoice } from '../output/rows';
import type { ServiceClient } from '../service/client';
import { apiError, failedResultError } from '../service/errors';
import type { JobResults } from '../service/types';
import { isTool } from './park';
import type { JobState } from './poll';
import type { Origin, Ticket } from './ticket';

/** A job that input items of `wait` name. */
export interface TakenUp {
	jobId: string;
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
}

/** Gives an error to input items, or stops the node. */
export function failItems({ context, slots }: TakeUp, items: number[], error: NodeError): void {
	if (!context.continueOnFail()) throw error;
	for (const item of items) slots.add(item, errorItem(error, [item]));
}

interface LinkedRow {
	row: IDataObject;
	pairedItem: IPairedItemData;
}

/** The rows of a job that `collect` created: beside the items that asked there, as if Collect had waited. */
async function rowsOfOrigin(
	{ context }: TakeUp,
	taken: TakenUp,
	origin: Origin,
	download: JobResults,
	choice: RowChoice,
): Promise<LinkedRow[]> {
	const { parameters, key, values, asked, source } = origin;
	const planned = { parameters, key, values, items: asked.map(({ item }) => item), group: 0 };
	const byItem = new Map(asked.map((entry) => [entry.item, entry.values]));
	const { items } = await assemble([{ planned, download }], byItem, choice);
	const [named = 0] = taken.items;
	return items.flatMap(({ item, rows, failed }) => {
		if (failed !== undefined) throw failedResultError(context.getNode(), failed, taken.jobId, named);
		// The link would otherwise end here: the ticket's own link to the items was cut by the suspension.
		const pairedItem = source === undefined ? { item: named } : { item, sourceOverwrite: source };
		return rows.map((row) => ({ row, pairedItem }));
	});
}

async function rowsFor(
	up: TakeUp,
	taken: TakenUp,
	download: JobResults,
	choice: RowChoice,
): Promise<LinkedRow[]> {
	const { origin } = taken.ticket;
	if (origin !== undefined) return await rowsOfOrigin(up, taken, origin, download, choice);
	const made = await rowsOfJob(download, choice);
	if (!made.ok)
		throw failedResultError(up.context.getNode(), made.failed, taken.jobId, taken.items[0] ?? 0);
	return taken.items.flatMap((item) => made.rows.map((row) => ({ row, pairedItem: { item } })));
}

async function addFetched(up: TakeUp, taken: TakenUp, fetched: Fetched): Promise<void> {
	const { choice, slots } = up;
	const [first = 0] = taken.items;
	if ('item' in fetched) {
		slots.add(first, { ...fetched.item, pairedItem: pairedTo(taken.items) });
		return;
	}
	if (!makesRows(choice)) return;
	const rows = await rowsFor(up, taken, fetched.results, choice);
	const shape = isTool(up.context) ? leanRow : (row: IDataObject) => row;
	for (const { row, pairedItem } of rows) slots.add(first, { json: shape(row), pairedItem });
}

/**
 * Gives out a job that has ended.
 *
 * @throws NodeApiError or NodeOperationError, unless the node goes on after failures
 */
export async function giveOut(up: TakeUp, taken: TakenUp, { job }: JobState): Promise<void> {
	const { context, client, choice } = up;
	const fetched = await fetchJob(context, client, job, choice, true);
	if (!fetched.ok) {
		const more = `Job ${taken.jobId} is over; Download fetches its results without new costs.`;
		failItems(up, taken.items, apiError(context.getNode(), fetched.problem, taken.items[0], more));
		return;
	}
	const failure = await addFetched(up, taken, fetched.value).then(
		() => undefined,
		(error: NodeError) => error,
	);
	if (failure !== undefined) failItems(up, taken.items, failure);
}

/** The item for a job that is still running, linked to the items that named it. */
export function linked(json: IDataObject, { items }: TakenUp): INodeExecutionData {
	return { json, pairedItem: pairedTo(items) };
}

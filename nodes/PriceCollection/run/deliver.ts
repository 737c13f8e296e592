import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { errorItem } from '../n8n/items';
import type { NodeError } from '../n8n/items';
import type { WaitSettings } from '../descriptions/waiting';
import { fetchJob, makesRows } from '../output/fetch';
import type { Fetched, ResultChoice } from '../output/fetch';
import type { ServiceClient } from '../service/client';
import { apiError } from '../n8n/errors';
import { endOf } from '../service/status';
import type { Job } from '../service/types';
import { atDeadline, troubleNote } from './waiting/deadline';
import type { JobState } from './waiting/poll';
import { originOf, stillRunningItem } from './stored/ticket';
import { mistakenError } from './wrongJob';
import { assemble } from './lookup/assemble';
import type { AnsweredJob } from './lookup/assemble';
import { giveRows } from './emitRows';
import { hint, remarkOnRun, Tally } from './hints';
import { countValues } from './prepare';
import type { CollectRun, RunJob } from './stored/run';
import { pairedTo, Slots } from '../n8n/pairing';

/** How a run is given out. */
export interface SettleSettings {
	choice: ResultChoice;
	onDeadline: WaitSettings['onDeadline'];
}

/** A run on its way out. */
interface Settlement extends SettleSettings {
	context: IExecuteFunctions;
	client: ServiceClient;
	run: CollectRun;
	slots: Slots;
	/** Entries of the run with their latest state. */
	stillRunning: Array<{ entry: RunJob; note?: string }>;
	answered: AnsweredJob[];
	tally: Tally;
}

/**
 * The jobs that an error has to name, so that no ID is lost: the failed one where the node goes on and gives out the
 * others, all of the run where it stops.
 */
function jobsText({ context, run }: Settlement, entry?: RunJob): string {
	const named = context.continueOnFail() ? (entry === undefined ? [] : [entry]) : run.jobs;
	if (named.length === 0) return '';
	const ids = named.map(({ job }) => job.job_id).join(', ');
	return `${named.length === 1 ? 'Job' : 'Jobs of this run'}: ${ids}. Nothing is lost: Wait and Download take up jobs without new costs.`;
}

/** Gives an error to every item that it concerns, or stops the node. */
function fail({ context, slots }: Settlement, items: readonly number[], error: NodeError): void {
	if (!context.continueOnFail()) throw error;
	for (const item of items) slots.add(item, errorItem(error, [item]));
}

/** The one item that stands for a job. */
function addJobItem(
	{ slots }: Settlement,
	{ planned }: RunJob,
	item: Pick<INodeExecutionData, 'json' | 'binary'>,
): void {
	slots.add(planned.items[0] ?? 0, { ...item, pairedItem: pairedTo(planned.items) });
}

function addFetched(settlement: Settlement, entry: RunJob, fetched: Fetched): void {
	const { context, tally, answered } = settlement;
	const { planned } = entry;
	const root = 'item' in fetched ? fetched.item.json : fetched.results;
	const more = jobsText(settlement, entry);
	const mistaken = mistakenError(context, entry, root.results, planned.items[0] ?? 0, more);
	if (mistaken !== undefined) {
		fail(settlement, planned.items, mistaken);
		return;
	}
	tally.addJob(root, countValues([planned]));
	if ('item' in fetched) addJobItem(settlement, entry, fetched.item);
	else answered.push({ planned, download: fetched.results });
}

async function settleEnded(settlement: Settlement, entry: RunJob, job: Job): Promise<void> {
	const { context, client, choice } = settlement;
	const { items } = entry.planned;
	const fetched = await fetchJob(context, client, job, choice, true);
	if (fetched.ok) {
		addFetched(settlement, entry, fetched.value);
		return;
	}
	const more = jobsText(settlement, entry);
	fail(settlement, items, apiError(context.getNode(), fetched.problem, items[0], more));
}

/** A job that is not over at the deadline. */
async function settleRunning(settlement: Settlement, entry: RunJob, state: JobState): Promise<void> {
	const { context, client, onDeadline } = settlement;
	const { items } = entry.planned;
	const more = jobsText(settlement, entry);
	const end = await atDeadline(context, client, state, onDeadline, items[0] ?? 0, more);
	if (end.kind === 'failed') fail(settlement, items, end.error);
	else if (end.kind === 'stillRunning') {
		settlement.stillRunning.push({ entry: { ...entry, job: state.job }, note: troubleNote(state) });
	} else if (endOf(end.job.status) === 'finished') await settleEnded(settlement, entry, end.job);
	else addJobItem(settlement, entry, { json: end.job });
}

/**
 * The Still Running items for jobs of a run.
 *
 * @param webhookUrlParameter the wire parameter that holds the callback URL, which is nobody's business
 * @param givenUpBy the name of the node where its deadline will have passed when the items leave it
 */
export function runningItems(
	run: CollectRun,
	entries: ReadonlyArray<{ entry: RunJob; note?: string }>,
	webhookUrlParameter: string,
	givenUpBy?: string,
): INodeExecutionData[] {
	const asked = new Map(run.asked);
	return entries.map(({ entry, note }) => ({
		json: stillRunningItem(entry.job, run.deadline, {
			origin: originOf(entry, asked, run.source, [webhookUrlParameter]),
			note,
			givenUpBy,
		}),
		pairedItem: pairedTo(entry.planned.items),
	}));
}

/** Turns all downloads of the run into rows, each beside the item that asked. */
async function addRows(settlement: Settlement): Promise<void> {
	const { context, choice, answered, run, slots, tally } = settlement;
	if (!makesRows(choice) || answered.length === 0) return;
	const { items, counts, unmatched } = await assemble(answered, new Map(run.asked), choice);
	const placeOf = (item: number) => ({ item, pairedItem: { item } });
	giveRows(context, slots, items, placeOf, jobsText(settlement));
	tally.addCounts(counts);
	if (unmatched > 0) {
		hint(
			context,
			`${unmatched} results belong to no value that was asked for and were left out. Output set to Job shows them.`,
			'warning',
		);
	}
}

/**
 * Gives out a run whose wait is over: rows beside the items that asked, one item for a job without rows, what
 * still runs by the second output, and errors as the node's settings say.
 *
 * @param states the jobs of the run as last seen, in the run's order
 * @throws NodeApiError or NodeOperationError that names all jobs of the run, unless the node goes on
 */
export async function settle(
	context: IExecuteFunctions,
	client: ServiceClient,
	run: CollectRun,
	states: readonly JobState[],
	settings: SettleSettings,
): Promise<INodeExecutionData[][]> {
	const slots = new Slots();
	const settlement: Settlement = {
		...{ context, client, run, ...settings, slots },
		...{ stillRunning: [], answered: [], tally: new Tally() },
	};
	for (const { item, json } of run.errors) slots.add(item, { json, pairedItem: { item } });
	for (const [index, entry] of run.jobs.entries()) {
		const state = states[index] ?? { job: entry.job };
		const { items } = entry.planned;
		if (state.problem !== undefined) {
			const more = jobsText(settlement, entry);
			fail(settlement, items, apiError(context.getNode(), state.problem, items[0], more));
		} else if (endOf(state.job.status) === undefined) {
			await settleRunning(settlement, entry, state);
		} else {
			await settleEnded(settlement, entry, state.job);
		}
	}
	await addRows(settlement);
	remarkOnRun(context, settlement.tally, settlement.stillRunning.length);
	const { webhookUrlParameter } = client.dialect;
	const { name } = context.getNode();
	return [slots.inInputOrder(), runningItems(run, settlement.stillRunning, webhookUrlParameter, name)];
}

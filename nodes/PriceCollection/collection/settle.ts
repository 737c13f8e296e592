import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { errorItem } from '../actions/itemRunner';
import type { NodeError } from '../actions/itemRunner';
import type { WaitSettings } from '../actions/common/waiting';
import { fetchJob, makesRows } from '../output/fetch';
import type { Fetched, ResultChoice } from '../output/fetch';
import { leanRow } from '../output/lean';
import type { ServiceClient } from '../service/client';
import { apiError, failedResultError, inputError } from '../service/errors';
import { endOf } from '../service/status';
import type { Job } from '../service/types';
import { cancelAndConfirm } from '../waiting/cancel';
import { isTool } from '../waiting/park';
import type { JobState } from '../waiting/poll';
import { originOf, stillRunningItem } from '../waiting/ticket';
import { assemble } from './assemble';
import type { AnsweredJob } from './assemble';
import { creditsOf, hint, runSummary } from './hints';
import { countValues } from './prepare';
import type { PlannedJob } from './plan';
import type { CollectRun, RunJob } from './run';
import { pairedTo, Slots } from './slots';

/** What a run is given out with. */
interface Settlement {
	context: IExecuteFunctions;
	client: ServiceClient;
	run: CollectRun;
	choice: ResultChoice;
	onDeadline: WaitSettings['onDeadline'];
	slots: Slots;
	stillRunning: INodeExecutionData[];
	answered: AnsweredJob[];
	roots: IDataObject[];
}

/** All jobs of a run, for texts: whatever fails, no ID is lost. */
function jobsText(run: CollectRun): string {
	return `Jobs of this run: ${run.jobs.map(({ job }) => job.job_id).join(', ')}. Their results are not lost: Wait and Download take them up without new costs.`;
}

/** Gives an error to the items that it concerns, or stops the node. */
function fail(settlement: Settlement, planned: PlannedJob, error: NodeError): void {
	if (!settlement.context.continueOnFail()) throw error;
	settlement.slots.add(planned.items[0] ?? 0, errorItem(error, planned.items));
}

/** The one item that stands for a job. */
function addJobItem(
	settlement: Settlement,
	planned: PlannedJob,
	item: Pick<INodeExecutionData, 'json' | 'binary'>,
): void {
	settlement.slots.add(planned.items[0] ?? 0, { ...item, pairedItem: pairedTo(planned.items) });
}

function addFetched(settlement: Settlement, { planned }: RunJob, fetched: Fetched): void {
	if ('item' in fetched) {
		settlement.roots.push(fetched.item.json);
		addJobItem(settlement, planned, fetched.item);
		return;
	}
	const { results, ...root } = fetched.results;
	settlement.roots.push(root);
	settlement.answered.push({ planned, download: { ...root, results } as AnsweredJob['download'] });
}

async function settleEnded(settlement: Settlement, entry: RunJob, job: Job): Promise<void> {
	const { context, client, choice, run } = settlement;
	const fetched = await fetchJob(context, client, job, choice, true);
	if (fetched.ok) addFetched(settlement, entry, fetched.value);
	else
		fail(
			settlement,
			entry.planned,
			apiError(context.getNode(), fetched.problem, entry.planned.items[0], jobsText(run)),
		);
}

/** A job that is not over at the deadline. */
async function settleRunning(settlement: Settlement, entry: RunJob, job: Job): Promise<void> {
	const { context, client, run, onDeadline } = settlement;
	const { planned } = entry;
	if (onDeadline === 'cancel') {
		const cancelled = await cancelAndConfirm(client, job);
		if (!cancelled.ok) {
			fail(
				settlement,
				planned,
				apiError(context.getNode(), cancelled.problem, planned.items[0], jobsText(run)),
			);
		} else if (endOf(cancelled.value.status) === 'finished') {
			await settleEnded(settlement, entry, cancelled.value);
		} else {
			addJobItem(settlement, planned, { json: cancelled.value });
		}
		return;
	}
	if (onDeadline === 'error') {
		fail(
			settlement,
			planned,
			inputError(
				context.getNode(),
				`Job ${job.job_id} was still ${job.status} at the deadline`,
				`It runs on. Raise Max Wait, or take it up with the Wait operation. ${jobsText(run)}`,
				planned.items[0],
			),
		);
		return;
	}
	settlement.stillRunning.push(runningItem(settlement.client, run, { planned, job }));
}

/** The Still Running item of a job of this run. */
export function runningItem(
	client: ServiceClient,
	run: CollectRun,
	{ planned, job }: { planned: PlannedJob; job: Job },
	more: { note?: string } = {},
): INodeExecutionData {
	const { webhookUrlParameter } = client.dialect;
	const origin = originOf(planned, new Map(run.asked), run.source, [webhookUrlParameter]);
	return {
		json: stillRunningItem(job, run.deadline, { origin, ...more }),
		pairedItem: pairedTo(planned.items),
	};
}

/** Turns all downloads of the run into rows, each beside the item that asked. */
async function addRows(settlement: Settlement): Promise<void> {
	const { context, choice, answered, run, slots } = settlement;
	if (!makesRows(choice) || answered.length === 0) return;
	const assembly = await assemble(answered, new Map(run.asked), choice);
	const shape = isTool(context) ? leanRow : (row: IDataObject) => row;
	for (const { item, rows, failed } of assembly.items) {
		if (failed !== undefined) {
			const error = failedResultError(context.getNode(), failed, failed.jobId, item);
			if (!context.continueOnFail()) throw error;
			slots.add(item, errorItem(error, [item]));
			continue;
		}
		for (const row of rows) slots.add(item, { json: shape(row), pairedItem: { item } });
	}
	const values = countValues(answered.map(({ planned }) => planned));
	hint(context, runSummary(answered.length, values, assembly.counts, creditsOf(settlement.roots)));
	if (assembly.unmatched > 0) {
		hint(
			context,
			`${assembly.unmatched} results belong to no value that was asked for and were left out. Output set to Job shows them.`,
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
	choice: ResultChoice,
	onDeadline: WaitSettings['onDeadline'],
): Promise<INodeExecutionData[][]> {
	const slots = new Slots();
	const settlement: Settlement = {
		...{ context, client, run, choice, onDeadline, slots },
		stillRunning: [],
		answered: [],
		roots: [],
	};
	for (const { items, json } of run.errors) {
		slots.add(items[0] ?? 0, {
			json,
			pairedItem: pairedTo(items),
		});
	}
	for (const [index, entry] of run.jobs.entries()) {
		const { job, problem } = states[index] ?? { job: entry.job, problem: undefined };
		if (problem !== undefined) {
			const error = apiError(context.getNode(), problem, entry.planned.items[0], jobsText(run));
			fail(settlement, entry.planned, error);
		} else if (endOf(job.status) === undefined) {
			await settleRunning(settlement, entry, job);
		} else {
			await settleEnded(settlement, entry, job);
		}
	}
	await addRows(settlement);
	return [slots.inInputOrder(), settlement.stillRunning];
}

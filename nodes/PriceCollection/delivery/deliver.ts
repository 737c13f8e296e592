import type { INodeExecutionData } from 'n8n-workflow';

import { canLeaveRunning } from '../descriptions/waiting';
import { isTool } from '../n8n/execution';
import { hint } from '../n8n/hints';
import { FieldReport } from '../rows/fieldReport';
import { Renderer } from '../rows/rows';
import { isOver } from '../service/meaning/jobState';
import { makesRows } from '../settings/resultChoice';
import { atDeadline } from './deadline';
import { rowTableOf } from './inputFields';
import { unsentItems, inInputOrder, itemsOf, reportItems, rowItems } from './outputItems';
import { answersToUnsent, askedBy } from './pairing';
import { allUnsent, type JobRecord, type Run } from '../run/record';
import { outcomesOf, outcomesOfUnchecked, type Delivery, type JobOutcome } from './results';
import { sayUnknownStatuses, summarize } from './summary';
import { errorOf } from './texts';
import { forAgent, ticketItems } from './tickets';

/**
 * The outputs of a node, Finished and Still Running, and the jobs that are over while another node must get their
 * results. Where no job can leave still running, there is one output, and of a tool, because an agent reads no other.
 */
export interface Delivered {
	outputs: INodeExecutionData[][];
	late: JobRecord[];
}

/**
 * Outputs the jobs of a run whose wait is over: rows with the fields of the items that asked, one item for a
 * job without rows, errors according to the node's settings, and running jobs on the second output. The order: jobs
 * that are known to fail, values that were not sent, ended jobs, and at last running ones. So jobs are only cancelled
 * when certainly no other job stops the node with an error that names them as running.
 *
 * @param open jobs that another node waits for; they go to Still Running unchanged
 * @throws NodeApiError or NodeOperationError that names all jobs, unless the node continues
 */
export async function deliver(run: Run, open: readonly JobRecord[] = []): Promise<Delivered> {
	const { context, client, records, choices } = run;
	const unsent = allUnsent(run);
	const renderer = new Renderer(client);
	const { reader } = renderer.origin;
	const table = rowTableOf(run, renderer);
	const report = new FieldReport(reader, renderer.runner);
	const delivery: Delivery = { run, table, report, reader, isAsked: askedBy(records) };
	const outcomes: JobOutcome[] = [];
	const add = async (given: AsyncIterable<JobOutcome>) => {
		for await (const outcome of given) outcomes.push(outcome);
	};

	for (const record of records)
		if (record.problem) outcomes.push({ record, error: errorOf(run, record, record.problem) });
	if (makesRows(choices.first)) await table.add(answersToUnsent(unsent));
	// Download does not look at the status of its jobs.
	const isEnded = (record: JobRecord) => run.wait === undefined || isOver(record);
	await add(
		outcomesOf(
			delivery,
			records.filter((record) => !record.problem && isEnded(record)),
		),
	);
	await add(
		outcomesOfUnchecked(
			delivery,
			records.filter((record) => !isEnded(record)),
		),
	);
	const running = records.filter((record) => !isEnded(record));
	sayUnknownStatuses(run, running);
	// Rows that stop the node must do so before a job is cancelled.
	if (run.wait?.onDeadline === 'cancel' && running.length > 0) rowItems(run, table);
	for (const record of running) outcomes.push(await atDeadline(delivery, record));
	const rows = [...rowItems(run, table), ...reportItems(run, report)];

	const none = outcomes.filter(({ root, item, error }) => !(root ?? item ?? error));
	const late = none.filter(({ isOpen }) => isOpen === true).map(({ record }) => record);
	const timedOut = none.filter(({ isOpen }) => isOpen !== true).map(({ record }) => record);
	// What is output beside these jobs is output now.
	const withUnsentOutput = (all: readonly JobRecord[]) =>
		all.map((one) => ({ ...one, isUnsentOutput: true }));
	const tickets = ticketItems(run, withUnsentOutput(timedOut), true);
	for (const text of renderer.remarks.sentences()) hint(context, text, 'warning');
	summarize(run, table.counts, { unsent, outcomes, tickets: tickets.length });
	const ofJobs = inRunOrder(records, outcomes).flatMap(itemsOf);
	const finished = inInputOrder([...unsentItems(unsent), ...ofJobs, ...rows]);
	const stillRunning = [...tickets, ...ticketItems(run, [...open, ...withUnsentOutput(late)], false)];
	if (isTool(context)) return { outputs: [[...finished, ...stillRunning.map(forAgent)]], late };
	const hasSecond = run.wait !== undefined && canLeaveRunning(run.wait);
	return { outputs: hasSecond ? [finished, stillRunning] : [finished], late };
}

function inRunOrder(records: readonly JobRecord[], outcomes: readonly JobOutcome[]): JobOutcome[] {
	const order = new Map(records.map((record, index) => [record, index]));
	const rank = ({ record }: JobOutcome) => order.get(record) ?? 0;
	return outcomes.toSorted((a, b) => rank(a) - rank(b));
}

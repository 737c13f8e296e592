import type { INodeExecutionData } from 'n8n-workflow';

import { isTool } from '../n8n/execution';
import { counted, hint } from '../n8n/hints';
import { Renderer } from '../output/rows';
import { isOver, unknownStatusText } from '../service/jobState';
import type { Assembly } from './assemble';
import { makesRows } from './choices';
import { atDeadline } from './deadline';
import { assemblyOf } from './inputFields';
import { asideItems, itemsOf, rowItems } from './outputItems';
import { allAsides, type Aside, type JobRecord, type Run } from './record';
import { outputsOf, type JobOutcome } from './results';
import { summaryOf, unsentText } from './summary';
import { errorOf } from './texts';
import { forAgent, ticketItems } from './tickets';

/**
 * The outputs of a node, Finished and Still Running, and the jobs that are over while another node must get their
 * results. A tool has one output, because an agent reads no other.
 */
export interface Delivery {
	outputs: INodeExecutionData[][];
	late: JobRecord[];
}

/** Shows what the run as a whole has to say, below its output. */
function remark(
	{ context, client, choices: { first } }: Run,
	{ counts }: Assembly,
	{ asides, outcomes, tickets }: { asides: Aside[]; outcomes: JobOutcome[]; tickets: number },
): void {
	const unsent = unsentText(asides, makesRows(first) && first.onFailedResult === 'include');
	if (unsent !== undefined) hint(context, unsent, 'warning');
	const given = outcomes.flatMap(({ record, item, root = item?.json }) =>
		root === undefined ? [] : [{ record, root }],
	);
	if (given.length > 0) hint(context, summaryOf(given, counts, client.connection));
	if (tickets === 0) return;
	const next = 'A Price Collection node set to Wait, connected there, gets the results.';
	hint(context, `On the output Still Running: ${counted(tickets, 'job')}. ${next}`);
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
export async function deliver(run: Run, open: readonly JobRecord[] = []): Promise<Delivery> {
	const { context, client, records } = run;
	const { first } = run.choices;
	const asides = allAsides(run);
	const renderer = new Renderer(client.clock);
	const assembly = assemblyOf(run, renderer);
	const outcomes: JobOutcome[] = [];
	for (const record of records)
		if (record.problem) outcomes.push({ record, error: errorOf(run, record, record.problem) });
	for (const aside of makesRows(first) ? asides : []) await assembly.addUnsent(aside);
	// Download does not look at the status of its jobs.
	const isRunning = (record: JobRecord) => run.wait !== undefined && !isOver(record);
	const running = records.filter(isRunning);
	const ended = records.filter((record) => !record.problem && !isRunning(record));
	for await (const outcome of outputsOf(run, assembly, ended)) outcomes.push(outcome);
	const unknown = unknownStatusText(
		running.map(({ job }) => job),
		client.knowsStatus,
	);
	if (unknown !== undefined) hint(context, unknown, 'warning');
	// Rows that stop the node must do so before a job is cancelled.
	if (run.wait?.onDeadline === 'cancel' && running.length > 0) rowItems(run, assembly);
	for (const record of running) outcomes.push(await atDeadline(run, assembly, record));
	const rows = rowItems(run, assembly);

	const none = outcomes.filter(({ root, item, error }) => !(root ?? item ?? error));
	const late = none.filter(({ isOpen }) => isOpen === true).map(({ record }) => record);
	const givenUp = none.filter(({ isOpen }) => isOpen !== true).map(({ record }) => record);
	// What is output beside these jobs is output now.
	const without = (all: readonly JobRecord[]) => all.map((one) => ({ ...one, areAsidesOutput: true }));
	const tickets = ticketItems(run, without(givenUp), true);
	for (const text of renderer.remarks.sentences()) hint(context, text, 'warning');
	remark(run, assembly, { asides, outcomes, tickets: tickets.length });
	const order = new Map(records.map((record, index) => [record, index]));
	const rank = ({ record }: JobOutcome) => order.get(record) ?? 0;
	const inOrder = outcomes.toSorted((a, b) => rank(a) - rank(b));
	// The sort is stable, so the order within an input item is kept.
	const placed = [...asideItems(asides), ...inOrder.flatMap(itemsOf), ...rows].sort((a, b) => a.at - b.at);
	const finished = placed.map(({ item }) => item);
	const stillRunning = [...tickets, ...ticketItems(run, [...open, ...without(late)], false)];
	const outputs = isTool(context)
		? [[...finished, ...stillRunning.map(forAgent)]]
		: [finished, stillRunning];
	return { outputs, late };
}

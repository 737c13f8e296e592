import type { INodeExecutionData } from 'n8n-workflow';

import { canLeaveRunning } from '../descriptions/waiting';
import { isTool } from '../n8n/execution';
import { hint } from '../n8n/hints';
import { FieldReport } from '../rows/fieldReport';
import { Renderer } from '../rows/rows';
import { isOver } from '../service/meaning/jobState';
import { makesRows } from '../settings/resultChoice';
import { allUnsent, type JobRecord, type Run } from '../run/record';
import { storeLinks } from '../run/tickets';
import { requestedIn } from '../values/match';
import { outcomesAtDeadline } from './deadline';
import { errorOf } from './jobErrors';
import type { Delivery, JobOutcome } from './jobOutcome';
import { inInputOrder, itemsOf, reportItems, unsentItems } from './outputItems';
import { outcomesOf, outcomesOfUnchecked } from './results';
import { rowItems, rowTableOf } from './rowTable';
import { summarize } from './summary';
import { forAgent, ticketItems } from './tickets';

/**
 * The outputs of a node: Finished and Still Running. There is only one output if no job can leave still running, and in
 * tools, because an agent reads only the first. `late`: jobs that are over, but whose results another node must fetch.
 */
export interface Delivered {
	outputs: INodeExecutionData[][];
	late: JobRecord[];
}

/**
 * Outputs the jobs of a run whose wait is over: rows with the fields of their requesting items, one item for a job
 * without rows, errors according to the node's settings, and running jobs on the second output. It handles failed jobs
 * first, then values that were not sent, ended jobs, and running jobs last. So it cancels a job only when none of the
 * others can still stop the node with an error that lists that job as running.
 *
 * @param open jobs that another node waits for; they go to Still Running unchanged
 * @throws NodeApiError or NodeOperationError that names all jobs, unless the node continues after failures
 */
export async function deliver(run: Run, open: readonly JobRecord[] = []): Promise<Delivered> {
	const { context, client, records, choices } = run;
	const unsent = allUnsent(run);
	const outcomes: JobOutcome[] = [];
	const collect = async (source: AsyncIterable<JobOutcome>) => {
		for await (const outcome of source) outcomes.push(outcome);
	};

	for (const record of records)
		if (record.problem) outcomes.push({ record, error: errorOf(run, record, record.problem) });
	const renderer = new Renderer(client);
	const { reader } = renderer.origin;
	const table = rowTableOf(run, renderer);
	if (makesRows(choices.first)) await table.addUnsent(unsent);
	const report = new FieldReport(reader, renderer.runner);
	const delivery: Delivery = { run, table, report, reader, isRequested: requestedIn(records) };
	// Download does not check the status of its jobs.
	const isEnded = (record: JobRecord) => run.wait === undefined || isOver(record);
	await collect(
		outcomesOf(
			delivery,
			records.filter((record) => !record.problem && isEnded(record)),
		),
	);
	await collect(
		outcomesOfUnchecked(
			delivery,
			records.filter((record) => !isEnded(record)),
		),
	);
	await collect(
		outcomesAtDeadline(
			delivery,
			records.filter((record) => !isEnded(record)),
		),
	);
	const rows = rowItems(run, table);

	const withoutOutput = outcomes.filter(({ root, item, error }) => !(root ?? item ?? error));
	const late = withoutOutput
		.filter(({ isWaitedForElsewhere }) => isWaitedForElsewhere === true)
		.map(({ record }) => record);
	const timedOut = withoutOutput
		.filter(({ isWaitedForElsewhere }) => isWaitedForElsewhere !== true)
		.map(({ record }) => record);
	// This node outputs `unsent` now, so the next node must not output it again.
	const withUnsentOutput = (all: readonly JobRecord[]) =>
		all.map((one) => ({ ...one, wasUnsentOutput: true }));
	const givenUp = withUnsentOutput(timedOut);
	storeLinks(run, givenUp);
	for (const text of renderer.remarks.sentences()) hint(context, text, 'warning');
	summarize(run, table.counts, { unsent, outcomes, tickets: givenUp.length });
	const jobItems = inRunOrder(records, outcomes).flatMap(itemsOf);
	const finished = inInputOrder([
		...unsentItems(unsent),
		...jobItems,
		...rows,
		...reportItems(run, report),
	]);
	const passedOn = [...open, ...withUnsentOutput(late)];
	storeLinks(run, passedOn);
	const stillRunning = [...ticketItems(run, givenUp, true), ...ticketItems(run, passedOn, false)];
	if (isTool(context)) return { outputs: [[...finished, ...stillRunning.map(forAgent)]], late };
	const hasSecondOutput = run.wait !== undefined && canLeaveRunning(run.wait);
	return { outputs: hasSecondOutput ? [finished, stillRunning] : [finished], late };
}

function inRunOrder(records: readonly JobRecord[], outcomes: readonly JobOutcome[]): JobOutcome[] {
	const order = new Map(records.map((record, index) => [record, index]));
	const rank = ({ record }: JobOutcome) => order.get(record) ?? 0;
	return outcomes.toSorted((a, b) => rank(a) - rank(b));
}

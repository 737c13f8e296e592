import { isTool } from '../n8n/execution';
import { hint } from '../n8n/hints';
import { unlessItStops } from '../n8n/items';
import { isWired } from '../n8n/wiring';
import type { JobRecord, Run } from '../run/record';
import { STILL_RUNNING_OUTPUT } from '../run/tickets';
import { cancelAndConfirm } from '../service/api/cancellation';
import { reasonOf } from '../service/meaning/jobState';
import type { Problem } from '../service/problems';
import { ENDPOINTS } from '../service/types';
import { errorOf } from './jobErrors';
import type { Delivery, JobOutcome } from './jobOutcome';
import { rowsWithout, runningError, runningReason, unknownStatusesText } from './overdue';
import { outcomeNow, outcomesOf } from './results';
import { rowItems } from './rowTable';

/** The output of a job that this node has cancelled, without waiting for results. */
async function cancelledOutput(delivery: Delivery, record: JobRecord): Promise<JobOutcome> {
	const { job, end } = record;
	const cancelled = reasonOf({ job, end: 'cancelled' }) ?? '';
	const unconfirmed = `the cancellation of job ${job.job_id} was accepted, but its status does not show it yet`;
	const reason = end === undefined ? unconfirmed : cancelled;
	const why: Problem = { kind: 'cancelled', endpoint: ENDPOINTS.download, effect: 'none' };
	return await outcomeNow(delivery, record, { kind: 'none', end: 'cancelled', reason, why });
}

/** Shows a hint about statuses that this node does not know. */
function hintUnknownStatuses(run: Run, records: readonly JobRecord[]): void {
	const unknown = unknownStatusesText(run, records);
	if (unknown !== undefined) hint(run.context, unknown, 'warning');
}

/** Cancels a job that is still running at its deadline, and outputs the results it has. */
async function cancelAtDeadline(delivery: Delivery, record: JobRecord): Promise<JobOutcome> {
	const { run } = delivery;
	const { context, client } = run;
	const reply = await cancelAndConfirm(client, record.job, context.getExecutionCancelSignal());
	if (!reply.ok) return { record, error: errorOf(run, record, reply.problem) };
	const { job, end } = reply.value;
	Object.assign(record, { job, end, isCancelledHere: end === 'cancelled' });
	if (end === undefined) {
		const warning = `The service accepted the cancellation of job ${job.job_id}, but its status does not show it yet.`;
		hint(context, warning, 'warning');
		hintUnknownStatuses(run, [record]);
	}
	if (end === undefined || end === 'cancelled') return await cancelledOutput(delivery, record);
	for await (const outcome of outcomesOf(delivery, [record])) return outcome;
	return { record };
}

/**
 * Handles a job that is still running at its deadline: returns rows with the reason, an error, or what the job has after
 * its cancellation. An outcome without output becomes a Still Running item.
 */
async function atDeadline(delivery: Delivery, record: JobRecord): Promise<JobOutcome> {
	const { run } = delivery;
	const { client, context, wait } = run;
	// A job that returns to the node that gave it up is in a loop, which must end.
	const isInLoop = record.timedOutNodes.includes(context.getNode().name);
	const onDeadline = isInLoop && wait?.onDeadline === 'stillRunning' ? 'error' : wait?.onDeadline;
	// Before its deadline, a job only comes here if the node would have to sleep, and no node would resume the job.
	const isEarly = wait?.mode === 'durable' && record.deadline > client.clock.now();
	// An agent needs no connection: its answer includes Still Running items.
	const isLost =
		(onDeadline === 'stillRunning' || isEarly) &&
		!isTool(context) &&
		isWired(context, STILL_RUNNING_OUTPUT) === false;
	const rows = isLost ? undefined : await rowsWithout(delivery, record, runningReason(record));
	if (rows !== undefined) return rows;
	if (onDeadline === 'error' || onDeadline === 'rows' || isLost)
		return { record, error: unlessItStops(context, runningError(run, record, isLost)) };
	return onDeadline === 'cancel' ? await cancelAtDeadline(delivery, record) : { record };
}

/**
 * Yields the outcomes of the jobs that are still running at their deadline.
 *
 * @throws NodeApiError or NodeOperationError for the first job or row that fails, unless the node continues after failures
 */
export async function* outcomesAtDeadline(
	delivery: Delivery,
	running: readonly JobRecord[],
): AsyncGenerator<JobOutcome> {
	const { run, table } = delivery;
	hintUnknownStatuses(run, running);
	// A failed row that stops the node must do so before a job is cancelled.
	if (run.wait?.onDeadline === 'cancel' && running.length > 0) rowItems(run, table);
	for (const record of running) yield await atDeadline(delivery, record);
}

import { isTool } from '../n8n/execution';
import { hint } from '../n8n/hints';
import { unlessItStops } from '../n8n/items';
import { isWired } from '../n8n/wiring';
import type { JobRecord } from '../run/record';
import { cancelledOutput, outcomesOf, rowsWithout, type Delivery, type JobOutcome } from './results';
import { cancelAndConfirm } from '../service/api/cancellation';
import { errorOf, runningError, runningReason } from './texts';
import { STILL_RUNNING_OUTPUT } from './tickets';

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
	}
	if (end === undefined || end === 'cancelled') return await cancelledOutput(delivery, record);
	for await (const outcome of outcomesOf(delivery, [record])) return outcome;
	return { record };
}

/**
 * Handles a job that is still running at its deadline: returns rows with the reason, an error, or what the job has after
 * its cancellation. An outcome without output becomes a Still Running item.
 */
export async function atDeadline(delivery: Delivery, record: JobRecord): Promise<JobOutcome> {
	const { run } = delivery;
	const { context, wait } = run;
	// A job that returns to the node that gave it up is in a loop, which must end.
	const isInLoop = record.timedOutNodes.includes(context.getNode().name);
	const onDeadline = isInLoop && wait?.onDeadline === 'stillRunning' ? 'error' : wait?.onDeadline;
	// An agent needs no connection: its answer includes Still Running items.
	const isLost =
		onDeadline === 'stillRunning' && !isTool(context) && isWired(context, STILL_RUNNING_OUTPUT) === false;
	const rows = await rowsWithout(delivery, record, runningReason(record));
	if (rows !== undefined) return rows;
	if (onDeadline === 'error' || onDeadline === 'rows' || isLost)
		return { record, error: unlessItStops(context, runningError(run, record, isLost)) };
	return onDeadline === 'cancel' ? await cancelAtDeadline(delivery, record) : { record };
}

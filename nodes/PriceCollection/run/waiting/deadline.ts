import type { IExecuteFunctions } from 'n8n-workflow';

import type { WaitSettings } from './settings';
import { apiError, explain, inputError, type NodeError } from '../../n8n/errors';
import { hint } from '../../n8n/hints';
import type { ServiceClient } from '../../service/client';
import { cancelAndConfirm, type CancelledJob } from './cancel';
import type { JobState } from './poll';

/** What becomes of a job that is not over at its deadline. */
export type AtDeadline =
	| { kind: 'cancelled'; job: CancelledJob }
	| { kind: 'failed'; error: NodeError }
	| { kind: 'stillRunning' };

/** Why the latest look at a job brought nothing; undefined when it brought something. */
export function troubleNote({ trouble }: JobState): string | undefined {
	return trouble === undefined
		? undefined
		: `The latest look at the job failed: ${explain(trouble).message}.`;
}

/** The error for a job that is not over at its deadline. */
function deadlineError(context: IExecuteFunctions, state: JobState, item: number, more: string): NodeError {
	const { job_id, status } = state.job;
	const message = `Job ${job_id} was ${status === '' ? 'not known to be over' : `still ${status}`} at the deadline`;
	const advice = 'It runs on at the service. Raise Max Wait, or set On Deadline to Cancel Job.';
	const sentences = [troubleNote(state), advice, more].filter((text) => text !== undefined && text !== '');
	return inputError(context.getNode(), message, sentences.join(' '), item);
}

/**
 * Does with a job what the user wants at its deadline.
 *
 * @param item the input item to name in an error
 * @param more further facts for an error, such as the ids of other jobs
 */
export async function atDeadline(
	context: IExecuteFunctions,
	client: ServiceClient,
	state: JobState,
	onDeadline: WaitSettings['onDeadline'],
	item: number,
	more: string,
): Promise<AtDeadline> {
	if (onDeadline === 'stillRunning') return { kind: 'stillRunning' };
	if (onDeadline === 'error') return { kind: 'failed', error: deadlineError(context, state, item, more) };
	const cancelled = await cancelAndConfirm(client, state.job);
	if (!cancelled.ok) {
		return { kind: 'failed', error: apiError(context.getNode(), cancelled.problem, item, more) };
	}
	if (cancelled.value.cancel_confirmed === false) {
		hint(
			context,
			`The service accepted the cancelling of job ${state.job.job_id}, but its status does not say so yet.`,
			'warning',
		);
	}
	return { kind: 'cancelled', job: cancelled.value };
}

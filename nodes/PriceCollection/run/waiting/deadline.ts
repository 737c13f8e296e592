import type { IExecuteFunctions } from 'n8n-workflow';

import { explain, inputError, type NodeError } from '../../n8n/errors';
import type { JobState } from './poll';

/** Why the latest look at a job brought nothing; undefined when it brought something. */
export function troubleNote({ trouble }: JobState): string | undefined {
	return trouble && `The latest look at the job failed: ${explain(trouble).message}.`;
}

/**
 * The error for a job that is not over at its deadline.
 *
 * @param items the input items that asked for the job
 * @param more further facts, such as the IDs of other jobs
 */
export function deadlineError(
	context: IExecuteFunctions,
	state: JobState,
	items: readonly number[],
	more: string,
): NodeError {
	const { job_id, status } = state.job;
	const message = `Job ${job_id} was ${status === '' ? 'not known to be over' : `still ${status}`} at the deadline`;
	const advice = 'It runs on at the service. Raise Max Wait, or set On Deadline to Cancel Job.';
	const sentences = [troubleNote(state), advice, more].filter((text) => text !== undefined && text !== '');
	return inputError(context.getNode(), message, sentences.join(' '), items);
}

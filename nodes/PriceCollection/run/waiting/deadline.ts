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
	const message = `${stateOf(state)} at the deadline`;
	const advice = 'It runs on at the service. Raise Max Wait, or set On Deadline to Cancel Job.';
	return stillRunningError(context, state, items, [message, advice, more]);
}

/**
 * The error for a job that would leave by Still Running, where nothing is wired to that output: it would be lost
 * without a word. Parameters as for {@link deadlineError}.
 */
export function unwiredError(
	context: IExecuteFunctions,
	state: JobState,
	items: readonly number[],
	more: string,
): NodeError {
	const message = `${stateOf(state)}, and nothing is wired to the output Still Running`;
	const advice =
		'It runs on at the service. Wire Still Running to a Price Collection node set to Wait, and the Still Running output of that node to itself.';
	return stillRunningError(context, state, items, [message, advice, more]);
}

/** "Job … was still working". */
function stateOf({ job: { job_id, status } }: JobState): string {
	return `Job ${job_id} was ${status === '' ? 'not known to be over' : `still ${status}`}`;
}

function stillRunningError(
	context: IExecuteFunctions,
	state: JobState,
	items: readonly number[],
	[message, advice, more]: [string, string, string],
): NodeError {
	const sentences = [troubleNote(state), advice, more].filter((text) => text !== undefined && text !== '');
	return inputError(context.getNode(), message, sentences.join(' '), items);
}

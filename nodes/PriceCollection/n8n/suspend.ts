import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isTool } from './tool';

/**
 * The shortest wait that n8n suspends for reliably: the leader looks for due executions once a minute, and what
 * is due sooner than that comes late or twice.
 */
export const SHORTEST_SUSPENSION_MS = 65_000;

/** Whether n8n can suspend this execution: not a tool, and not n8n's new engine, which cannot resume yet. */
export function canSuspend(context: IExecuteFunctions): boolean {
	const settings: IDataObject = { ...context.getWorkflowSettings() };
	return !isTool(context) && settings.engineType !== 'v2';
}

/** Whether n8n has stopped this execution: nothing that it gives out is looked at any more. */
export function isStopped(context: IExecuteFunctions): boolean {
	return context.getExecutionCancelSignal()?.aborted === true;
}

/**
 * Suspends the execution until the given time (milliseconds since 1970), without holding a worker. What flows on then
 * is both outputs as given here; the node itself does not run again.
 */
export async function suspend(
	context: IExecuteFunctions,
	finished: INodeExecutionData[],
	stillRunning: INodeExecutionData[],
	until: number,
): Promise<INodeExecutionData[][]> {
	const entry = context.getExecuteData();
	// n8n hands on the input of a suspended node, and only its first output, unless told otherwise. Copies, because it
	// empties the returned lists when it sorts out items for the error output.
	entry.data.main = [[...finished], [...stillRunning]];
	// It links what flows on by position: to the wrong items, and better not at all.
	if (finished.length > 0) entry.source = null;
	context.setMetadata({ forwardAllOutputs: true });
	await context.putExecutionToWait(new Date(until));
	return [finished, stillRunning];
}

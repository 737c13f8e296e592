import { N8N_NODES_API_VERSION } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { workflowSettings } from './internals';

/**
 * The shortest wait that n8n suspends for reliably: the leader looks for due executions once a minute, and what
 * is due sooner than that comes late or twice.
 */
export const SHORTEST_SUSPENSION_MS = 65_000;

/**
 * Before 2.39 n8n hands on the first output of a suspended node only, so that Still Running is lost at the timer. No context
 * tells its version; n8n-workflow has this number since the same release.
 */
const HANDS_ON_ALL_OUTPUTS = typeof N8N_NODES_API_VERSION === 'number';

/**
 * Why n8n cannot suspend an execution of this node, as a sentence for its user; undefined where it can.
 *
 * @param handsOnAllOutputs whether both outputs flow on after a suspension
 */
export function obstacleToSuspending(
	context: IExecuteFunctions,
	handsOnAllOutputs = HANDS_ON_ALL_OUTPUTS,
): string | undefined {
	if (!handsOnAllOutputs) return 'Before version 2.39, n8n cannot suspend this node without losing jobs.';
	const settings: IDataObject = { ...workflowSettings(context) };
	return settings.engineType === 'v2'
		? 'This workflow runs on an engine that cannot suspend executions yet.'
		: undefined;
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

/** The address that resumes this execution at this node: n8n's signed one, with the node as last part of the path. */
export function resumeUrl(context: IExecuteFunctions): string {
	const { $execution } = context.getWorkflowDataProxy(0) as unknown as { $execution: IDataObject };
	const url = new URL(String($execution.resumeUrl));
	url.pathname = `${url.pathname.replace(/\/$/, '')}/${context.getNode().id}`;
	return url.href;
}

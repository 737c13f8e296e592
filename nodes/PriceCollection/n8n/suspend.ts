import { N8N_NODES_API_VERSION } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { workflowSettings } from './internals';

/**
 * The shortest reliable suspension: n8n's leader looks for due executions once a minute, and earlier ones
 * resume late or twice.
 */
export const SHORTEST_SUSPENSION_MS = 65_000;

/**
 * Before 2.39, n8n only passes on the first output of a suspended node, so Still Running is lost at the
 * timer. No context has n8n's version, but n8n-workflow has had this number since that release.
 */
const HANDS_ON_ALL_OUTPUTS = typeof N8N_NODES_API_VERSION === 'number';

/**
 * Why n8n cannot suspend an execution of this node, as a sentence; undefined when it can.
 *
 * @param handsOnAllOutputs whether n8n passes on both outputs after a suspension
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

/** Whether n8n has stopped this execution, so that its output is ignored. */
export function isStopped(context: IExecuteFunctions): boolean {
	return context.getExecutionCancelSignal()?.aborted === true;
}

/**
 * Suspends the execution until the given time (milliseconds since 1970) without occupying a worker. n8n then
 * passes on both outputs as given here; the node itself does not run again.
 */
export async function suspend(
	context: IExecuteFunctions,
	finished: INodeExecutionData[],
	stillRunning: INodeExecutionData[],
	until: number,
): Promise<INodeExecutionData[][]> {
	const entry = context.getExecuteData();
	// By default n8n passes on the input of a suspended node, and only its first output. Uses copies, because
	// it empties the returned lists when it separates items for the error output.
	entry.data.main = [[...finished], [...stillRunning]];
	// n8n would link the items by position, which would be wrong; no links are better.
	if (finished.length > 0) entry.source = null;
	context.setMetadata({ forwardAllOutputs: true });
	await context.putExecutionToWait(new Date(until));
	return [finished, stillRunning];
}

/** The address that resumes this execution at this node: n8n's signed one, followed by the node's ID. */
export function resumeUrl(context: IExecuteFunctions): string {
	const { $execution } = context.getWorkflowDataProxy(0) as unknown as { $execution: IDataObject };
	const url = new URL(String($execution.resumeUrl));
	url.pathname = `${url.pathname.replace(/\/$/, '')}/${context.getNode().id}`;
	return url.href;
}

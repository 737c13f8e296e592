import { N8N_NODES_API_VERSION } from 'n8n-workflow';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IRunExecutionData,
	ISourceData,
	IWebhookFunctions,
} from 'n8n-workflow';

import { workflowSettings } from './execution';

/*
 * Suspends and resumes this execution. Private members of n8n are checked before use;
 * `docs/contributing/decisions.md` explains why each one is needed.
 */

/**
 * The shortest reliable suspension: n8n's leader looks for due executions once a minute, and shorter suspensions end
 * late or twice.
 */
export const SHORTEST_SUSPENSION_MS = 65_000;

/**
 * Returns a sentence that explains why n8n cannot suspend this execution; undefined if it can. Before 2.39, n8n only
 * passes on the first output of a suspended node, so Still Running is lost when the timer fires. No context has n8n's
 * version, but n8n-workflow has exported N8N_NODES_API_VERSION since 2.39.
 */
export function obstacleToSuspending(
	context: IExecuteFunctions,
	passesOnAllOutputs = typeof N8N_NODES_API_VERSION === 'number',
): string | undefined {
	if (!passesOnAllOutputs) return 'Before version 2.39, n8n cannot suspend this node without losing jobs.';
	return workflowSettings(context).engineType === 'v2'
		? 'This workflow runs on an engine that cannot suspend executions yet.'
		: undefined;
}

/**
 * Suspends the execution until a time (milliseconds since 1970) without occupying a worker. n8n then passes on
 * `finished` and `stillRunning`; the node itself does not run again.
 */
export async function suspend(
	context: IExecuteFunctions,
	finished: INodeExecutionData[],
	stillRunning: INodeExecutionData[],
	until: number,
): Promise<INodeExecutionData[][]> {
	const entry = context.getExecuteData();
	// By default n8n passes on a suspended node's input, and only through its first output. The copy is needed because
	// n8n empties the returned lists when it moves items to the error output.
	entry.data.main = [finished, [...stillRunning]];
	// When n8n wakes, it disables this entry's node. Other queue entries must not share the object.
	entry.node = { ...entry.node };
	// n8n would link the items by position, which is wrong here; no links are better.
	if (finished.length > 0) entry.source = null;
	context.setMetadata({ forwardAllOutputs: true });
	await context.putExecutionToWait(new Date(until));
	// Returns no finished items: with Retry On Fail, n8n would rerun the node at once if the first one had an error.
	return [[], stillRunning];
}

/**
 * Makes `execute()` run again after the suspension that follows, with `item` as its input. n8n only passes on a suspended
 * node's output, so this queues the node once more behind it.
 *
 * @returns false if this n8n does not give access to its queue
 */
export function runAgainLater(context: IExecuteFunctions, item: IDataObject): boolean {
	const { runExecutionData } = context as unknown as { runExecutionData?: IRunExecutionData };
	const stack = runExecutionData?.executionData?.nodeExecutionStack;
	const { node, source } = context.getExecuteData();
	stack?.unshift({ node, source, data: { main: [[{ json: item }]] } });
	return stack !== undefined;
}

/** Returns the URL that resumes this execution at this node: n8n's signed URL with the node's ID added to its path. */
export function resumeUrl(context: IExecuteFunctions): string {
	const { $execution } = context.getWorkflowDataProxy(0) as unknown as { $execution: IDataObject };
	const url = new URL(String($execution.resumeUrl));
	url.pathname = `${url.pathname.replace(/\/$/, '')}/${context.getNode().id}`;
	return url.href;
}

/** Returns the suspended node's stored context, which `webhook()` cannot access directly. */
export function storedByNode(context: IWebhookFunctions): unknown {
	// Braces in the name could end the expression.
	const name = JSON.stringify(context.getNode().name).replaceAll('{', '\\u007b').replaceAll('}', '\\u007d');
	return context.evaluateExpression(`{{ $(${name}).context }}`, 0);
}

/**
 * Makes a suspended node's `execute()` run again, once, with `item` as its input.
 *
 * @param source the source of its input before the suspension, for n8n's item linking
 * @param isQueuedRun whether an item is the one that {@link runAgainLater} queued; its entry is then removed
 * @returns the input to return to n8n; undefined in n8n versions where the node cannot run again
 */
export function runAgain(
	context: IWebhookFunctions,
	item: IDataObject,
	source: ISourceData | undefined,
	isQueuedRun: (queued: IDataObject | undefined) => boolean,
): INodeExecutionData[][] | undefined {
	const { runExecutionData } = context as unknown as { runExecutionData?: IRunExecutionData };
	const stack = runExecutionData?.executionData?.nodeExecutionStack;
	const entry = stack?.[0];
	if (stack === undefined || entry === undefined) return undefined;
	if (isQueuedRun(stack[1]?.data.main?.[0]?.[0]?.json)) stack.splice(1, 1);
	entry.node.disabled = false;
	if (source !== undefined) entry.source = { main: [source] };
	return [[{ json: item }]];
}

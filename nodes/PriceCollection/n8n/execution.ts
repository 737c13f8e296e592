import { N8N_NODES_API_VERSION } from 'n8n-workflow';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IPollFunctions,
	IRunExecutionData,
	ISourceData,
	IWebhookFunctions,
	IWorkflowSettings,
} from 'n8n-workflow';

import { now } from './clock';
import { isSavedApart } from './triggerMemory';

/*
 * How this execution runs, ends and suspends. Private members of n8n are checked before use;
 * `docs/contributing/decisions.md` explains why each one is needed.
 */

/** How long a tool may take: agents and MCP clients give up after 60 seconds, including the transfer. */
export const TOOL_ANSWERS_WITHIN_MS = 58_000;
/** How long a tool waits for jobs by default. The remaining time is for downloading their results. */
export const TOOL_MAX_WAIT_MS = 50_000;

/** Whether this is a tool of an AI agent. A tool cannot be suspended, and agents only read its first output. */
export function isTool(context: IExecuteFunctions): boolean {
	return context.isToolExecution?.() === true || context.getNode().type.endsWith('Tool');
}

/** Returns the source of this node's input; undefined if n8n does not provide it, as in tools. */
export function inputSource(context: IExecuteFunctions): ISourceData | undefined {
	return context.getExecuteData().source?.main?.[0] ?? undefined;
}

/** Whether n8n runs this node only for the first of several items (Execute Once). */
export function isFirstOfSeveral(context: IExecuteFunctions): boolean {
	const source = context.getNode().executeOnce === true ? inputSource(context) : undefined;
	return source !== undefined && (linkedItems(context, source) ?? []).length > 1;
}

/** Returns the items that a node output in this execution; undefined if they are no longer available. */
export function linkedItems(
	context: IExecuteFunctions,
	{ previousNode, previousNodeOutput, previousNodeRun }: ISourceData,
): INodeExecutionData[] | undefined {
	try {
		const { $items } = context.getWorkflowDataProxy(0);
		return $items(previousNode, previousNodeOutput ?? 0, previousNodeRun ?? 0) as INodeExecutionData[];
	} catch {
		// n8n throws if the node was deleted or has not run.
		return undefined;
	}
}

/** Returns the workflow's settings; empty in n8n versions that do not provide them (most of 1.x, and 2.0). */
function workflowSettings(context: Partial<IExecuteFunctions>): IWorkflowSettings & { engineType?: unknown } {
	return context.getWorkflowSettings?.() ?? {};
}

/** Whether n8n has stopped this execution and will ignore its output. */
export function isStopped(context: IExecuteFunctions): boolean {
	return context.getExecutionCancelSignal()?.aborted === true;
}

/**
 * Whether this is a sub-workflow whose caller waits for its rows. If it sleeps, n8n only returns what the last node
 * output in its last run.
 */
export function isAwaitedByCaller(context: IExecuteFunctions): boolean {
	const { runExecutionData } = context as unknown as { runExecutionData?: IRunExecutionData };
	const caller = runExecutionData?.parentExecution;
	return caller !== undefined && caller.shouldResume !== false;
}

/**
 * Returns when this execution's first run started, however often it was retried, in milliseconds since 1970.
 * Undefined in n8n versions without this value, and in those that reset it on retry.
 */
export function startOfFirstRun(context: IExecuteFunctions): number | undefined {
	const { establishedAt, source } = context.getExecutionContext?.() ?? {};
	return source === 'retry' ? undefined : establishedAt;
}

/**
 * Returns when a timeout ends this execution, in milliseconds since 1970; undefined if there is no timeout. This is
 * n8n's own deadline or the end of the workflow's timeout, whichever comes first. The timeout counts from the first run,
 * or from the first node if n8n does not say when that started.
 */
export function executionEndsAt(context: IExecuteFunctions): number | undefined {
	const { additionalData, runExecutionData } = context as unknown as {
		additionalData?: { executionTimeoutTimestamp?: number };
		runExecutionData?: IRunExecutionData;
	};
	const n8nDeadline = additionalData?.executionTimeoutTimestamp;
	const seconds = Number(workflowSettings(context).executionTimeout ?? NaN);
	if (!(seconds > 0)) return n8nDeadline;
	// A manual retry keeps the first attempt's data, but gets the full time again.
	const isRetry = context.getMode() === 'retry';
	const runs = isRetry ? [] : Object.values(runExecutionData?.resultData.runData ?? {}).flat();
	const firstRunStart = isRetry ? undefined : startOfFirstRun(context);
	const start = Math.min(now(), firstRunStart ?? Infinity, ...runs.map(({ startTime }) => startTime));
	return Math.min(n8nDeadline ?? Infinity, start + seconds * 1000);
}

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
 * node's output, so this queues the node once more behind it. The entry has a copy of the node, because n8n disables the
 * original.
 *
 * @returns false if this n8n does not give access to its queue
 */
export function runAgainLater(context: IExecuteFunctions, item: IDataObject): boolean {
	const { runExecutionData } = context as unknown as { runExecutionData?: IRunExecutionData };
	const stack = runExecutionData?.executionData?.nodeExecutionStack;
	const { node, source } = context.getExecuteData();
	stack?.unshift({ node: { ...node }, source, data: { main: [[{ json: item }]] } });
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

/** Emits items. n8n reports the outcome to `done`. */
type Emit = (
	data: INodeExecutionData[][],
	response?: unknown,
	done?: { resolve(): void; reject(error: Error): void },
) => void;

/**
 * Watches whether n8n stores the items that polls emit: it saves the trigger's state separately from the execution, and
 * saving the execution may fail. Watches a reused context only once. Does nothing if n8n saves both together, or has no
 * `__emit`.
 *
 * @param onEmit called when items are emitted; returns a function to call if n8n could not store them
 */
export function watchEmissions(context: IPollFunctions, onEmit: () => () => void): void {
	const poll = context as unknown as { __emit?: Emit & { isWatched?: true } };
	const emit = poll.__emit;
	if (!isSavedApart(context) || emit === undefined || emit.isWatched) return;
	const watched: Emit = (data, response, done) => {
		const onFailure = onEmit();
		emit(data, response, {
			resolve: () => done?.resolve(),
			reject: (error) => {
				// An execution that a user stopped has been stored.
				if (!/Cancelled/.test(error.constructor.name)) onFailure();
				done?.reject(error);
			},
		});
	};
	poll.__emit = Object.assign(watched, { isWatched: true as const });
}

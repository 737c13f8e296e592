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
 * How this execution runs, ends and suspends. Members of n8n that are not public are checked before use;
 * `docs/contributing/decisions.md` gives the reason for each.
 */

/** Agents and MCP clients give up on a tool after 60 seconds, including the transfer. */
export const TOOL_ANSWERS_WITHIN_MS = 58_000;
/** How long a tool waits for jobs by default; the rest of the time is for fetching their results. */
export const TOOL_MAX_WAIT_MS = 50_000;

/** Whether this is a tool of an AI agent, which cannot be suspended and only reads the first output. */
export function isTool(context: IExecuteFunctions): boolean {
	return context.isToolExecution?.() === true || context.getNode().type.endsWith('Tool');
}

/** The node that provides this node's input; absent when n8n does not say, as in tools. */
export function inputSource(context: IExecuteFunctions): ISourceData | undefined {
	return context.getExecuteData().source?.main?.[0] ?? undefined;
}

/** Whether n8n runs this node for the first of several items only (Execute Once). */
export function isFirstOfSeveral(context: IExecuteFunctions): boolean {
	const source = context.getNode().executeOnce === true ? inputSource(context) : undefined;
	return source !== undefined && (linkedItems(context, source) ?? []).length > 1;
}

/** The items that a node output in this execution; undefined when they are no longer available. */
export function linkedItems(
	context: IExecuteFunctions,
	{ previousNode, previousNodeOutput, previousNodeRun }: ISourceData,
): INodeExecutionData[] | undefined {
	try {
		const { $items } = context.getWorkflowDataProxy(0);
		return $items(previousNode, previousNodeOutput ?? 0, previousNodeRun ?? 0) as INodeExecutionData[];
	} catch {
		// n8n throws for a node that was deleted or has not run.
		return undefined;
	}
}

/** The workflow's settings; empty in versions of n8n that do not provide them (most of 1.x, and 2.0). */
function workflowSettings(context: Partial<IExecuteFunctions>): IWorkflowSettings & { engineType?: unknown } {
	return context.getWorkflowSettings?.() ?? {};
}

/** Whether n8n has stopped this execution, so that its output is ignored. */
export function isStopped(context: IExecuteFunctions): boolean {
	return context.getExecutionCancelSignal()?.aborted === true;
}

/**
 * Whether another execution waits for the rows of this one, a sub-workflow. If this one sleeps meanwhile, n8n only hands
 * over what the last node output in its last run.
 */
export function isAwaitedByCaller(context: IExecuteFunctions): boolean {
	const { runExecutionData } = context as unknown as { runExecutionData?: IRunExecutionData };
	const caller = runExecutionData?.parentExecution;
	return caller !== undefined && caller.shouldResume !== false;
}

/**
 * When the first run of this execution began, across any number of retries, in milliseconds since 1970.
 * Undefined in versions of n8n that do not have it, or do not keep it: those begin it anew in a retry.
 */
export function startOfFirstRun(context: IExecuteFunctions): number | undefined {
	const { establishedAt, source } = context.getExecutionContext?.() ?? {};
	return source === 'retry' ? undefined : establishedAt;
}

/**
 * When n8n's timeout ends this execution, in milliseconds since 1970; undefined without a timeout. If n8n
 * does not state the time, the workflow's own timeout counts from its first node.
 */
export function executionEndsAt(context: IExecuteFunctions): number | undefined {
	const { additionalData, runExecutionData } = context as unknown as {
		additionalData?: { executionTimeoutTimestamp?: number };
		runExecutionData?: IRunExecutionData;
	};
	const told = additionalData?.executionTimeoutTimestamp;
	const seconds = Number(workflowSettings(context).executionTimeout ?? NaN);
	if (!(seconds > 0)) return told;
	// A manual retry keeps the data of the first attempt, but has the full time again.
	const isRetry = context.getMode() === 'retry';
	const runs = isRetry ? [] : Object.values(runExecutionData?.resultData.runData ?? {}).flat();
	const begun = isRetry ? undefined : startOfFirstRun(context);
	const start = Math.min(now(), begun ?? Infinity, ...runs.map(({ startTime }) => startTime));
	return Math.min(told ?? Infinity, start + seconds * 1000);
}

/**
 * The shortest reliable suspension: n8n's leader looks for due executions once a minute, and earlier ones
 * resume late or twice.
 */
export const SHORTEST_SUSPENSION_MS = 65_000;

/**
 * Why n8n cannot suspend an execution of this node, as a sentence; undefined when it can. No context has n8n's
 * version, but n8n-workflow has had this number since 2.39. Before, n8n only passes on the first output of a
 * suspended node, so Still Running is lost at the timer.
 */
export function obstacleToSuspending(
	context: IExecuteFunctions,
	handsOnAllOutputs = typeof N8N_NODES_API_VERSION === 'number',
): string | undefined {
	if (!handsOnAllOutputs) return 'Before version 2.39, n8n cannot suspend this node without losing jobs.';
	return workflowSettings(context).engineType === 'v2'
		? 'This workflow runs on an engine that cannot suspend executions yet.'
		: undefined;
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
	// By default n8n passes on the input of a suspended node, and only its first output. Uses a copy, because
	// it empties the returned lists when it separates items for the error output.
	entry.data.main = [finished, [...stillRunning]];
	// On waking n8n disables the node of this entry, which must not be that of other entries in the queue.
	entry.node = { ...entry.node };
	// n8n would link the items by position, which would be wrong; no links are better.
	if (finished.length > 0) entry.source = null;
	context.setMetadata({ forwardAllOutputs: true });
	await context.putExecutionToWait(new Date(until));
	// With Retry On Fail, n8n would run the node again at once if its first item had an error.
	return [[], stillRunning];
}

/**
 * Lets `execute()` run again at the end of the suspension that follows, with this item as its input. n8n only hands on
 * the output of a suspended node, so the node is queued once more behind it, as a copy, because n8n disables the first.
 *
 * @returns whether it will
 */
export function runAgainLater(context: IExecuteFunctions, item: IDataObject): boolean {
	const { runExecutionData } = context as unknown as { runExecutionData?: IRunExecutionData };
	const stack = runExecutionData?.executionData?.nodeExecutionStack;
	const { node, source } = context.getExecuteData();
	stack?.unshift({ node: { ...node }, source, data: { main: [[{ json: item }]] } });
	return stack !== undefined;
}

/** The address that resumes this execution at this node: n8n's signed one, followed by the node's ID. */
export function resumeUrl(context: IExecuteFunctions): string {
	const { $execution } = context.getWorkflowDataProxy(0) as unknown as { $execution: IDataObject };
	const url = new URL(String($execution.resumeUrl));
	url.pathname = `${url.pathname.replace(/\/$/, '')}/${context.getNode().id}`;
	return url.href;
}

/** The suspended node's context, to which `webhook()` has no direct access. */
export function storedByNode(context: IWebhookFunctions): unknown {
	// Braces in the name would end the expression.
	const name = JSON.stringify(context.getNode().name).replaceAll('{', '\\u007b').replaceAll('}', '\\u007d');
	return context.evaluateExpression(`{{ $(${name}).context }}`, 0);
}

/**
 * Lets `execute()` of a suspended node run again with this item as its input, and only so.
 *
 * @param source the node that provided its input before the suspension, for n8n's item linking
 * @param isAgain whether this is the item of {@link runAgainLater}, which is then not needed any more
 * @returns the input to return to n8n; undefined in versions of n8n where the node cannot run again
 */
export function runAgain(
	context: IWebhookFunctions,
	item: IDataObject,
	source: ISourceData | undefined,
	isAgain: (later: IDataObject | undefined) => boolean,
): INodeExecutionData[][] | undefined {
	const { runExecutionData } = context as unknown as { runExecutionData?: IRunExecutionData };
	const stack = runExecutionData?.executionData?.nodeExecutionStack;
	const entry = stack?.[0];
	if (stack === undefined || entry === undefined) return undefined;
	if (isAgain(stack[1]?.data.main?.[0]?.[0]?.json)) stack.splice(1, 1);
	entry.node.disabled = false;
	if (source !== undefined) entry.source = { main: [source] };
	return [[{ json: item }]];
}

/** Emits items; `done` are n8n's callbacks for the outcome. */
type Emit = (
	data: INodeExecutionData[][],
	response?: unknown,
	done?: { resolve(): void; reject(error: Error): void },
) => void;

/**
 * Watches whether the items of polls are stored: n8n saves the trigger's state at the same time as the
 * execution, and the latter may fail. Watches a reused context once; without the member, it does nothing.
 *
 * @param begun called when items are emitted; returns a function to call if storing them failed
 */
export function watchEmissions(context: IPollFunctions, begun: () => () => void): void {
	const poll = context as unknown as { __emit?: Emit & { isWatched?: true } };
	const emit = poll.__emit;
	if (!isSavedApart(context) || emit === undefined || emit.isWatched) return;
	const watched: Emit = (data, response, done) => {
		const failed = begun();
		emit(data, response, {
			resolve: () => done?.resolve(),
			reject: (error) => {
				// An execution that a user stops was stored before.
				if (!/Cancelled/.test(error.constructor.name)) failed();
				done?.reject(error);
			},
		});
	};
	poll.__emit = Object.assign(watched, { isWatched: true as const });
}

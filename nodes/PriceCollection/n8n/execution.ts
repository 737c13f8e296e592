import type {
	IExecuteFunctions,
	INodeExecutionData,
	IRunExecutionData,
	ISourceData,
	IWorkflowSettings,
} from 'n8n-workflow';

import { now } from './clock';

/*
 * Facts about this execution: how it runs and when it ends. Private members of n8n are checked before use;
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
export function workflowSettings(
	context: Partial<IExecuteFunctions>,
): IWorkflowSettings & { engineType?: unknown } {
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

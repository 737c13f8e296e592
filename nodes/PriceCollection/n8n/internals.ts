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

/*
 * Non-public members of n8n. Each is checked before use, and its comment says what happens in versions of n8n
 * without it; `docs/decisions.md` gives the reason for each.
 */

/**
 * Lets `execute()` of a suspended node run again with this item as its input.
 *
 * @param source the node that provided its input before the suspension, for n8n's item linking
 * @returns the input to return to n8n; undefined in versions of n8n where the node cannot run again
 */
export function runAgain(
	context: IWebhookFunctions,
	item: IDataObject,
	source: ISourceData | undefined,
): INodeExecutionData[][] | undefined {
	const { runExecutionData } = context as unknown as { runExecutionData?: IRunExecutionData };
	const entry = runExecutionData?.executionData?.nodeExecutionStack[0];
	if (entry === undefined) return undefined;
	entry.node.disabled = false;
	if (source !== undefined) entry.source = { main: [source] };
	return [[{ json: item }]];
}

/** The suspended node's context, to which `webhook()` has no direct access. */
export function storedByNode(context: IWebhookFunctions): unknown {
	// Braces in the name would end the expression.
	const name = JSON.stringify(context.getNode().name).replaceAll('{', '\\u007b').replaceAll('}', '\\u007d');
	return context.evaluateExpression(`{{ $(${name}).context }}`, 0);
}

/**
 * When the first run of this execution began, across any number of retries, in milliseconds since 1970.
 * Undefined in older versions of n8n, which have no such context.
 */
export function startOfFirstRun(context: IExecuteFunctions): number | undefined {
	return context.getExecutionContext?.()?.establishedAt;
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

/** n8n's callbacks for the outcome of an emission. */
interface Emission {
	resolve(): void;
	reject(error: Error): void;
}
type Emit = (data: INodeExecutionData[][], response?: unknown, done?: Emission) => void;

/**
 * Watches whether the items of polls are stored: n8n saves the trigger's state at the same time as the
 * execution, and the latter may fail. Watches a reused context once; without the member, it does nothing.
 *
 * @param begun called when items are emitted; returns a function to call if storing them failed
 */
export function watchEmissions(context: IPollFunctions, begun: () => () => void): void {
	const poll = context as unknown as { __emit?: Emit & { isWatched?: true } };
	const emit = poll.__emit;
	if (emit === undefined || emit.isWatched) return;
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

/** The workflow's settings; empty in versions of n8n that do not provide them (most of 1.x, and 2.0). */
export function workflowSettings(context: Partial<IExecuteFunctions>): IWorkflowSettings {
	return context.getWorkflowSettings?.() ?? {};
}

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
 * Members of n8n that are not public. Each is looked for before it is used, and says what happens in an n8n without
 * it; `docs/decisions.md` says why each is needed.
 */

/**
 * Lets `execute()` of a suspended node run again, with this item as its input.
 *
 * @param source the node whose items were its input before the suspension, for n8n's item linking
 * @returns the input to hand over; undefined in an n8n where the node cannot run again
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

/** What the node of a suspended execution keeps in its context, to which n8n gives `webhook()` no access of its own. */
export function storedByNode(context: IWebhookFunctions): unknown {
	// Braces in the name would end the expression.
	const name = JSON.stringify(context.getNode().name).replaceAll('{', '\\u007b').replaceAll('}', '\\u007d');
	return context.evaluateExpression(`{{ $(${name}).context }}`, 0);
}

/**
 * When the execution began that this one is, or that it retries, be it by a retry of a retry, in milliseconds since 1970.
 * Undefined where n8n does not tell: an older one keeps no such context.
 */
export function startOfFirstRun(context: IExecuteFunctions): number | undefined {
	return context.getExecutionContext?.()?.establishedAt;
}

/**
 * When n8n ends this execution because it takes too long, in milliseconds since 1970; undefined where it never does. n8n
 * sets a time at its start; where it does not tell that, the workflow's own limit counts from the first node on.
 */
export function executionEndsAt(context: IExecuteFunctions): number | undefined {
	const { additionalData, runExecutionData } = context as unknown as {
		additionalData?: { executionTimeoutTimestamp?: number };
		runExecutionData?: IRunExecutionData;
	};
	const told = additionalData?.executionTimeoutTimestamp;
	const seconds = Number(workflowSettings(context).executionTimeout ?? NaN);
	if (!(seconds > 0)) return told;
	// A retry by hand keeps what the first try has noted, but has all of its time.
	const isRetry = context.getMode() === 'retry';
	const runs = isRetry ? [] : Object.values(runExecutionData?.resultData.runData ?? {}).flat();
	const begun = isRetry ? undefined : startOfFirstRun(context);
	const start = Math.min(now(), begun ?? Infinity, ...runs.map(({ startTime }) => startTime));
	return Math.min(told ?? Infinity, start + seconds * 1000);
}

/** What n8n hands a poll's items over with, and who hears how that went. */
interface Emission {
	resolve(): void;
	reject(error: Error): void;
}
type Emit = (data: INodeExecutionData[][], response?: unknown, done?: Emission) => void;

/**
 * Watches what becomes of the items of polls: n8n keeps the trigger's memory and stores the execution at the same time,
 * and the second may fail. A context that is used for many polls is watched once. Without the member nobody hears of it.
 *
 * @param begun called when the items are handed over; it gives what to do when they could not be stored
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
				// An execution that somebody stops was stored before.
				if (!/Cancelled/.test(error.constructor.name)) failed();
				done?.reject(error);
			},
		});
	};
	poll.__emit = Object.assign(watched, { isWatched: true as const });
}

/** The settings of the workflow; empty in an n8n that does not tell them (most of 1.x, and 2.0). */
export function workflowSettings(context: Partial<IExecuteFunctions>): IWorkflowSettings {
	return context.getWorkflowSettings?.() ?? {};
}

import type {
	IDataObject,
	INodeExecutionData,
	IPollFunctions,
	IRunExecutionData,
	ISourceData,
	IWebhookFunctions,
} from 'n8n-workflow';

import { isObject } from '../service/types';

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

/** The static data of the whole workflow, of which n8n shows a node only its own part. */
function staticDataOf(context: IPollFunctions | IWebhookFunctions): { staticData?: IDataObject } | undefined {
	return (context as unknown as { workflow?: { staticData?: IDataObject } }).workflow;
}

/** Puts memory of nodes into the static data of their workflow, beside what else stands there. */
function putIn(staticData: IDataObject, memories: ReadonlyMap<string, IDataObject>): void {
	for (const [nodeName, memory] of memories) {
		const key = `node:${nodeName}`;
		const own = staticData[key];
		staticData[key] = { ...(isObject(own) ? own : {}), ...memory };
	}
}

/**
 * Makes n8n save the static data of the workflow with its answer to a call. It would do so for a change, but from the
 * second execution on the execution that it starts shares the object and resets the mark of the change first. So the
 * workflow of this call gets a copy of its own, marked as n8n marks it. What is saved is asked for when n8n saves, which
 * is after it has stored the execution: so that can be saved, too. In an n8n without the member duplicates are told
 * apart until the process ends.
 *
 * @param memories by the name of the node, as they are to be saved
 */
export function saveStaticData(
	context: IWebhookFunctions,
	memories: () => ReadonlyMap<string, IDataObject>,
): void {
	const workflow = staticDataOf(context);
	if (workflow?.staticData === undefined) return;
	const copy = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
	Object.defineProperty(copy, '__dataChanged', { value: true, writable: true });
	Object.defineProperty(copy, 'toJSON', {
		value: () => {
			const saved = { ...copy };
			putIn(saved, memories());
			return saved;
		},
	});
	workflow.staticData = copy;
}

/**
 * Puts what other nodes of the workflow remember into the static data that n8n saves after a poll: it keeps the copy of
 * the activation in memory and saves it whole. Without the member, the last one to save wins.
 */
export function keepOtherMemories(context: IPollFunctions, memories: ReadonlyMap<string, IDataObject>): void {
	const staticData = staticDataOf(context)?.staticData;
	if (staticData !== undefined) putIn(staticData, memories);
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
export function watchEmissions(context: IPollFunctions, begun: () => (() => void) | undefined): void {
	const poll = context as unknown as { __emit?: Emit & { isWatched?: true } };
	const emit = poll.__emit;
	if (emit === undefined || emit.isWatched) return;
	const watched: Emit = (data, response, done) => {
		const failed = begun();
		emit(data, response, {
			resolve: () => done?.resolve(),
			reject: (error) => {
				// An execution that somebody stops was stored before.
				if (!/Cancelled/.test(error.constructor.name)) failed?.();
				done?.reject(error);
			},
		});
	};
	poll.__emit = Object.assign(watched, { isWatched: true as const });
}

import type { IDataObject, IExecuteFunctions, INodeExecutionData, ISourceData } from 'n8n-workflow';

import { yieldToEventLoop } from './clock';
import { asNodeError, type NodeError } from './errors';

/** An operation on one input item. */
export type ItemOperation = (this: IExecuteFunctions, index: number) => Promise<INodeExecutionData[]>;

/** So many items are read before n8n's event loop gets its turn: an expression costs up to a millisecond. */
const READ_AT_A_STRETCH = 50;

/**
 * The item that stands for a failure under Continue On Fail and on the error output: `error`, what happened, and
 * `message`, what to do and all facts. n8n recognises it by exactly these names; given the error itself as well, it
 * would throw the message away.
 */
export function errorItem(error: NodeError, item: number): INodeExecutionData {
	const json: IDataObject = { error: error.message };
	if (error.description) json.message = error.description;
	return { json, pairedItem: { item } };
}

/**
 * Does something for every input item; a failure concerns its item only. The one place that decides between an error item,
 * which also stands for the error output, and stopping the node.
 *
 * @throws the first error, unless the node goes on after failures
 */
export async function forEachItem(
	context: IExecuteFunctions,
	work: (item: number) => Promise<void> | void,
	onError: (failed: INodeExecutionData, item: number) => void,
): Promise<void> {
	for (const item of context.getInputData().keys()) {
		if (item % READ_AT_A_STRETCH === READ_AT_A_STRETCH - 1) await yieldToEventLoop();
		try {
			await work(item);
		} catch (thrown) {
			const error = asNodeError(context, thrown, item);
			if (!context.continueOnFail()) throw error;
			onError(errorItem(error, item), item);
		}
	}
}

/** Runs an operation for every input item. */
export async function runForEachItem(
	this: IExecuteFunctions,
	operation: ItemOperation,
): Promise<INodeExecutionData[]> {
	const output: INodeExecutionData[] = [];
	const add = async (item: number) => {
		for (const given of await operation.call(this, item)) output.push(given);
	};
	await forEachItem(this, add, (failed) => output.push(failed));
	return output;
}

/**
 * Runs an operation over all input items at once. What it throws concerns all of them: where the node goes on
 * after failures, each gets it as its error item. n8n itself would pass the input on as if it had succeeded.
 */
export async function runForAllItems(
	this: IExecuteFunctions,
	operation: (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>,
): Promise<INodeExecutionData[][]> {
	try {
		return await operation.call(this);
	} catch (thrown) {
		const error = asNodeError(this, thrown);
		if (!this.continueOnFail()) throw error;
		return [this.getInputData().map((_, item) => errorItem(error, item))];
	}
}

/** The node whose items are this node's input; absent where n8n does not say, as in tools. */
export function sourceOf(context: IExecuteFunctions): ISourceData | undefined {
	return context.getExecuteData().source?.main?.[0] ?? undefined;
}

/** The items that a node has given out in this execution; undefined where it does not hold them any more. */
export function linkedItems(
	context: IExecuteFunctions,
	{ previousNode, previousNodeOutput, previousNodeRun }: ISourceData,
): INodeExecutionData[] | undefined {
	try {
		const { $items } = context.getWorkflowDataProxy(0);
		return $items(previousNode, previousNodeOutput ?? 0, previousNodeRun ?? 0) as INodeExecutionData[];
	} catch {
		// n8n throws for a node that is gone, or has not run.
		return undefined;
	}
}

import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { yieldToEventLoop } from './clock';
import { asNodeError, type NodeError } from './errors';

/** An operation that runs for one input item. */
export type ItemOperation = (this: IExecuteFunctions, index: number) => Promise<INodeExecutionData[]>;

/** How many items to read before yielding to the event loop; an expression takes up to 1 ms. */
const ITEMS_PER_TURN = 50;

/**
 * Returns the item that reports a failure with Continue On Fail or on the error output: `error` says what happened,
 * `message` gives the details and what to do. n8n requires these names, and discards `message` if the item also contains
 * the error itself.
 */
export function errorItem(error: NodeError, item: number): INodeExecutionData {
	const json: IDataObject = { error: error.message };
	if (error.description) json.message = error.description;
	return { json, pairedItem: { item } };
}

/**
 * Decides what an error does: it stops the node, or the caller turns it into an error item (also for the error output).
 *
 * @returns the error if the node continues after failures
 * @throws the error otherwise
 */
export function unlessItStops(context: IExecuteFunctions, error: NodeError): NodeError {
	if (context.continueOnFail()) return error;
	throw error;
}

/**
 * Runs `work` for every input item. A failure affects only its item.
 *
 * @throws the first error, unless the node continues after failures
 */
export async function forEachItem(
	context: IExecuteFunctions,
	work: (item: number) => Promise<void> | void,
	onError: (failed: INodeExecutionData, item: number) => void,
): Promise<void> {
	for (const item of context.getInputData().keys()) {
		if (item % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await yieldToEventLoop();
		try {
			await work(item);
		} catch (thrown) {
			const error = unlessItStops(context, asNodeError(context, thrown, item));
			onError(errorItem(error, item), item);
		}
	}
}

/** Runs an operation for every input item and returns all output; see {@link forEachItem} for errors. */
export async function runForEachItem(
	this: IExecuteFunctions,
	operation: ItemOperation,
): Promise<INodeExecutionData[]> {
	const output: INodeExecutionData[] = [];
	const add = async (item: number) => {
		for (const row of await operation.call(this, item)) output.push(row);
	};
	await forEachItem(this, add, (failed) => output.push(failed));
	return output;
}

/**
 * Runs an operation once for all input items. An error affects all of them: if the node continues after failures, each
 * input item gets an error item, because n8n itself would pass the input on as if it had succeeded.
 *
 * @throws the error, unless the node continues after failures
 */
export async function runForAllItems(
	this: IExecuteFunctions,
	operation: (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>,
): Promise<INodeExecutionData[][]> {
	try {
		return await operation.call(this);
	} catch (thrown) {
		const error = unlessItStops(this, asNodeError(this, thrown));
		return [this.getInputData().map((_, item) => errorItem(error, item))];
	}
}

import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { yieldToEventLoop } from './clock';
import { asNodeError, type NodeError } from './errors';

/** An operation for one input item. */
export type ItemOperation = (this: IExecuteFunctions, index: number) => Promise<INodeExecutionData[]>;

/** How many items are read before the event loop gets its turn; an expression takes up to 1 ms. */
const READ_AT_A_STRETCH = 50;

/**
 * The item for a failure with Continue On Fail and on the error output: `error` says what happened, `message`
 * what to do and all facts. n8n requires these names; if the error itself were included, it would discard the
 * message.
 */
export function errorItem(error: NodeError, item: number): INodeExecutionData {
	const json: IDataObject = { error: error.message };
	if (error.description) json.message = error.description;
	return { json, pairedItem: { item } };
}

/**
 * The only place that decides what an error does: it stops the node, or becomes an item (also for the error
 * output) of the input item that it concerns.
 *
 * @returns the error, if the node continues after failures
 * @throws the error otherwise
 */
export function unlessItStops(context: IExecuteFunctions, error: NodeError): NodeError {
	if (context.continueOnFail()) return error;
	throw error;
}

/**
 * Runs work for every input item; a failure affects only its item.
 *
 * @throws the first error, unless the node continues after failures
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
			const error = unlessItStops(context, asNodeError(context, thrown, item));
			onError(errorItem(error, item), item);
		}
	}
}

/** Runs an operation for every input item; see {@link forEachItem} for errors. */
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
 * Runs an operation once for all input items. An error affects all of them: if the node continues, each gets
 * it as error item, because n8n itself would pass the input on as if it had succeeded.
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

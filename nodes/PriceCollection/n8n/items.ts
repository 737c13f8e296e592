import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { asNodeError, type NodeError } from './errors';

/** An operation on one input item. */
export type ItemOperation = (this: IExecuteFunctions, index: number) => Promise<INodeExecutionData[]>;

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
 * Runs an operation for every input item. The one place that decides between the error output, an error item and
 * stopping the node.
 */
export async function runForEachItem(
	this: IExecuteFunctions,
	operation: ItemOperation,
): Promise<INodeExecutionData[]> {
	const output: INodeExecutionData[] = [];
	for (const index of this.getInputData().keys()) {
		try {
			for (const item of await operation.call(this, index)) output.push(item);
		} catch (thrown) {
			const error = asNodeError(this, thrown, index);
			if (!this.continueOnFail()) throw error;
			output.push(errorItem(error, index));
		}
	}
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

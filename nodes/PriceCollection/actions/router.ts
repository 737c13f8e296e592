import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { inputError } from '../n8n/errors';
import { runForAllItems, runForEachItem } from '../n8n/items';
import type { ItemOperation } from '../n8n/items';
import * as cancel from './job/cancel.operation';
import * as collect from './job/collect.operation';
import * as create from './job/create.operation';
import * as download from './job/download.operation';
import * as get from './job/get.operation';
import * as getAll from './job/getAll.operation';
import * as wait from './job/wait.operation';
import * as convertParameters from './migration/convertParameters.operation';
import * as convertWorkflow from './migration/convertWorkflow.operation';
import * as getMonth from './usage/getMonth.operation';
import * as getToday from './usage/getToday.operation';

/** An operation works item by item, or over all items at once with a pairing of its own. */
type Operation =
	{ execute: ItemOperation } | { executeAll: (this: IExecuteFunctions) => Promise<INodeExecutionData[][]> };

interface Operations {
	job: Record<'cancel' | 'collect' | 'create' | 'download' | 'get' | 'getAll' | 'wait', Operation>;
	migration: Record<'convertParameters' | 'convertWorkflow', Operation>;
	usage: Record<'getMonth' | 'getToday', Operation>;
}

const OPERATIONS: Operations = {
	job: { cancel, collect, create, download, get, getAll, wait },
	migration: { convertParameters, convertWorkflow },
	usage: { getMonth, getToday },
};

/** Runs the operation that the node is set to. */
export async function router(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const resource = String(this.getNodeParameter('resource', 0));
	const name = String(this.getNodeParameter('operation', 0));
	const operations: Partial<Record<string, Partial<Record<string, Operation>>>> = { ...OPERATIONS };
	const operation = operations[resource]?.[name];
	if (operation === undefined) {
		throw inputError(
			this.getNode(),
			`There is no operation "${name}" of "${resource}"`,
			'Choose Resource and Operation from the lists.',
		);
	}
	if ('executeAll' in operation) return await runForAllItems.call(this, operation.executeAll);
	return [await runForEachItem.call(this, operation.execute)];
}

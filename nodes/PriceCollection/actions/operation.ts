import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { ItemOperation } from '../n8n/items';

interface OperationTraits {
	/** Its name in the list of operations. */
	name: string;
	/** Its name in the list of the node's actions. */
	action: string;
	description: string;
	/** The description for agents, if they need to know more than `description`. */
	toolDescription?: string;
	/** Its fields. The registry adds the conditions for resource and operation. */
	fields: INodeProperties[];
}

export interface OperationPerItem extends OperationTraits {
	execute: ItemOperation;
}

/** An operation over all items at once, with its own item pairing. */
export interface OperationOverAll extends OperationTraits {
	executeAll: (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>;
}

export type Operation = OperationPerItem | OperationOverAll;

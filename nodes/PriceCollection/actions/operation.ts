import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { ItemOperation } from '../n8n/items';

interface OperationTraits {
	/** In the list of operations. */
	name: string;
	/** In the list of the node's actions. */
	action: string;
	description: string;
	/** What an agent is told whose tool it is, where the description leaves out what an agent must know. */
	toolDescription?: string;
	/** Its fields. When they are shown is the registry's business, but for conditions of their own. */
	fields: INodeProperties[];
	/** The names of its outputs, where it has more than one. */
	outputs?: readonly string[];
}

export interface OperationPerItem extends OperationTraits {
	execute: ItemOperation;
}

/** An operation that works over all items at once, with a pairing of its own. */
export interface OperationOverAll extends OperationTraits {
	executeAll: (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>;
}

export type Operation = OperationPerItem | OperationOverAll;

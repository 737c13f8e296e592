import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { ItemOperation } from '../n8n/items';

/** What an operation does: for each item, or over all items at once with its own item pairing. */
export type Execution =
	{ execute: ItemOperation } | { executeAll: (this: IExecuteFunctions) => Promise<INodeExecutionData[][]> };

/** What an operation says of itself, and how to load what it does: n8n loads all descriptions when it starts. */
export interface Operation {
	/** Its name in the list of operations. */
	name: string;
	/** Its name in the list of the node's actions. */
	action: string;
	description: string;
	/** The description for agents, if they need to know more than `description`. */
	toolDescription?: string;
	/** Its fields. The registry adds the conditions for resource and operation. */
	fields: INodeProperties[];
	load: () => Promise<Execution>;
}

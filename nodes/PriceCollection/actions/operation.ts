import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { ItemOperation } from '../n8n/items';

/** An operation's code: `execute` runs for each item, `executeAll` once for all items, with its own item pairing. */
export type Execution =
	{ execute: ItemOperation } | { executeAll: (this: IExecuteFunctions) => Promise<INodeExecutionData[][]> };

/** An operation's description, and how to load its code: n8n loads all descriptions when it starts. */
export interface Operation {
	/** The label in the list of operations. */
	name: string;
	/** The label in the list of the node's actions. */
	action: string;
	description: string;
	/** The description for agents, if `description` is not enough for them. */
	toolDescription?: string;
	/** The fields. The registry (`operations.ts`) adds the conditions for resource and operation. */
	fields: INodeProperties[];
	load: () => Promise<Execution>;
}

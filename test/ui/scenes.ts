import type { IConnections, IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { locator } from '../e2e/harness/collecting';
import { NODE_TYPE, createCredential, n8n } from '../e2e/harness/e2e';
import { node } from '../engine/workflow';

/** A sheet as shops have them: numbers, a cell that is blank, and a GTIN whose last digit is mistyped. */
export const SHEET: IDataObject[] = [
	{ sku: 'A-1', gtin: 4006381333931 },
	{ sku: 'A-2', gtin: '' },
	{ sku: 'A-3', gtin: 4006381333932 },
	{ sku: 'A-4', gtin: 5901234123457 },
];

/** What to collect, for a node that is set to Collect or Create. */
export const WHAT: INodeParameters = {
	topic: 'product_and_offers',
	source: locator('name', 'google_shopping'),
	country: locator('code', 'de'),
};

/** A node of this package, set to an operation on jobs. */
export function jobNode(name: string, operation: string, more: INodeParameters, position: [number, number]) {
	return node(name, NODE_TYPE, { resource: 'job', operation, ...more }, { position });
}

/**
 * Saves a workflow whose nodes all have a credential for the sandbox, and whose node `Start` gives the sheet.
 *
 * @returns its id
 */
export async function saveWorkflow(nodes: INode[], connections: IConnections = {}): Promise<string> {
	const credentials = { priceCollectionApi: await createCredential() };
	const { id } = await n8n().createWorkflow({
		name: 'Prices',
		nodes: [
			node('Start', 'n8n-nodes-base.manualTrigger'),
			...nodes.map((one) => ({ ...one, credentials })),
		],
		connections,
		pinData: { Start: SHEET.map((json) => ({ json })) },
	});
	return id;
}

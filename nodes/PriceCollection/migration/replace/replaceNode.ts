import type { IDataObject } from 'n8n-workflow';

import type { Findings } from '../json/findings';
import { continuesOnError, isRecord, type WorkflowNode } from '../json/workflowJson';

/** Type name of the node that replaces a request. */
export const NODE_TYPE = 'n8n-nodes-price-collection.priceCollection';

const DROPPED = ['parameters', 'credentials', 'extendsCredential', 'webhookId', 'type', 'typeVersion'];
const DROPPED_OPTIONS = ['batching', 'batchSize', 'batchInterval'];

/** Reports an HTTP Request node's options that the new node drops, and errors that it words differently. */
function reportDropped(node: WorkflowNode, findings: Findings): void {
	const { options } = node.parameters;
	const dropped = DROPPED_OPTIONS.filter((name) => isRecord(options) && name in options);
	if (dropped.length > 0) {
		const message = `"${dropped.join('", "')}" was removed: the node itself observes the limits of the service.`;
		findings.changes.push({ node: node.name, parameter: 'options', message });
	}
	if (!continuesOnError(node)) return;
	findings.warnings.push({
		node: node.name,
		message: 'The node continues after an error, and the text in "error" has changed.',
		suggestion: 'Check the nodes that read "error".',
	});
}

/** Turns a node into a Price Collection node that keeps its ID, name, position, notes and settings. */
export function replaceNode(node: WorkflowNode, parameters: IDataObject, findings: Findings): void {
	reportDropped(node, findings);
	const credential = isRecord(node.credentials) ? node.credentials.priceCollectionApi : undefined;
	for (const name of DROPPED) delete node[name];
	Object.assign(node, { type: NODE_TYPE, typeVersion: 1, parameters });
	if (credential !== undefined) node.credentials = { priceCollectionApi: credential };
	const operation = `${String(parameters.resource)}, ${String(parameters.operation)}`;
	findings.changes.push({
		node: node.name,
		message: `The node became a Price Collection node (${operation}).`,
	});
}

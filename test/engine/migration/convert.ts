import type { ConvertedWorkflow, ConvertOptions } from '../../../nodes/PriceCollection/migration/workflow';
import { convertWorkflow } from '../../../nodes/PriceCollection/migration/workflow';
import type { WorkflowNode } from '../../../nodes/PriceCollection/migration/json/workflowJson';

export { links } from './build';

export const LEGACY = 'https://api.legacy.example';

/** A node of n8n's own. */
export const node = (
	name: string,
	type: string,
	parameters: object = {},
	more: Partial<WorkflowNode> = {},
): WorkflowNode => ({
	id: name,
	name,
	type: `n8n-nodes-base.${type}`,
	typeVersion: 1,
	position: [0, 0],
	parameters: parameters as WorkflowNode['parameters'],
	...more,
});

const pairs = (parameters: Record<string, unknown>) => ({
	parameters: Object.entries(parameters).map(([name, value]) => ({ name, value })),
});

export const createNode = (name = 'Create', more: Partial<WorkflowNode> = {}): WorkflowNode =>
	node(
		name,
		'httpRequest',
		{
			method: 'POST',
			url: `${LEGACY}/jobs`,
			sendBody: true,
			bodyParameters: pairs({
				source: 'test',
				country: 'de',
				key: 'gtin',
				values: '={{ $json.gtin }}',
			}),
		},
		{ typeVersion: 4.2, ...more },
	);

export const getNode = (name: string, path: string, more: Partial<WorkflowNode> = {}): WorkflowNode =>
	node(name, 'httpRequest', { url: `=${LEGACY}${path}` }, { typeVersion: 4.2, ...more });

export const statusNode = (name = 'Status', more?: Partial<WorkflowNode>) =>
	getNode(name, '/jobs/{{ $json.job_id }}', more);
export const downloadNode = (name = 'Download', more?: Partial<WorkflowNode>) =>
	getNode(name, '/products/bulk/{{ $json.job_id }}', more);

export const ifNode = (name = 'Finished?') =>
	node(name, 'if', {
		conditions: { string: [{ value1: '={{ $json.status }}', value2: 'finished' }] },
	});

/** A Set node with one field. */
export const setNode = (name: string, value: string): WorkflowNode =>
	node(name, 'set', { assignments: { assignments: [{ name: 'x', value }] } }, { typeVersion: 3.4 });

export function convert(
	nodes: WorkflowNode[],
	connections: object,
	conversion: ConvertOptions['conversion'] = 'replaceNodes',
	more: object = {},
): ConvertedWorkflow {
	const converted = convertWorkflow(
		{ nodes, connections, ...more },
		{ conversion, baseUrl: 'https://api.example.test', legacyBaseUrl: LEGACY },
	);
	if ('problem' in converted) throw new Error(converted.problem);
	return converted;
}

export const messages = (entries: ReadonlyArray<{ message: string }>): string[] =>
	entries.map(({ message }) => message);

/** `Name operation` of every Price Collection node, `Name type` of every other one. */
export const kinds = ({ workflow }: ConvertedWorkflow): string[] =>
	workflow.nodes.map(
		({ name, type, parameters }) =>
			`${name} ${String(parameters.operation ?? type.replace('n8n-nodes-base.', ''))}`,
	);

/** What a node holds after a conversion. */
export function nodeOf({ workflow }: ConvertedWorkflow, name: string): WorkflowNode {
	const found = workflow.nodes.find((one) => one.name === name);
	if (!found) throw new Error(`There is no node ${name}`);
	return found;
}

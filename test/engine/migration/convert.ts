import type { ConvertedWorkflow, ConvertOptions } from '../../../nodes/PriceCollection/migration/workflow';
import { convertWorkflow } from '../../../nodes/PriceCollection/migration/workflow';
import type { WorkflowNode } from '../../../nodes/PriceCollection/migration/json/workflowJson';
import * as build from './build';

export const { links, OLD_URL: LEGACY } = build;

type More = Partial<WorkflowNode>;
const withMore = (one: object, more: More = {}) => ({ ...one, ...more }) as WorkflowNode;

/** One of n8n's own nodes. */
export const node = (name: string, type: string, parameters: object = {}, more?: More): WorkflowNode =>
	withMore(build.node(name, type, parameters), more);

/** A request without a key. */
const request = (name: string, asked: build.Request, more?: More) =>
	withMore(build.http(name, { key: 'none', ...asked }), more);
const LOOKUP = { source: 'test', country: 'de', key: 'gtin', values: '={{ $json.gtin }}' };
export const createNode = (name = 'Create', more?: More): WorkflowNode =>
	request(name, { method: 'POST', path: '/jobs', body: LOOKUP }, more);
export const getNode = (name: string, path: string, more?: More): WorkflowNode =>
	request(name, { path }, more);
export const statusNode = (name = 'Status', more?: More) => getNode(name, '/jobs/{{ $json.job_id }}', more);
export const downloadNode = (name = 'Download', more?: More) =>
	getNode(name, '/products/bulk/{{ $json.job_id }}', more);

export const ifNode = (name = 'Finished?') =>
	withMore(build.oldIf(name, { string: [{ value1: '={{ $json.status }}', value2: 'finished' }] }));

/** A Set node with one field. */
export const setNode = (name: string, value: string): WorkflowNode => withMore(build.set(name, { x: value }));

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

/** A node after the conversion. */
export function nodeOf({ workflow }: ConvertedWorkflow, name: string): WorkflowNode {
	const found = workflow.nodes.find((one) => one.name === name);
	if (!found) throw new Error(`There is no node ${name}`);
	return found;
}

import type { IDataObject } from 'n8n-workflow';

/** A node as it stands in a workflow's JSON; what is not named here is kept as it came. */
export interface WorkflowNode {
	id?: string;
	name: string;
	type: string;
	typeVersion: number;
	position?: unknown;
	parameters: IDataObject;
	credentials?: unknown;
	disabled?: boolean;
	onError?: string;
	[more: string]: unknown;
}

/** One end of a connection. */
export interface Target {
	node: string;
	type: string;
	index: number;
}

/** Node name to kind of output (`main`, `ai_tool` …) to output number to the inputs it feeds. */
export type Connections = Record<string, Record<string, Array<Target[] | null> | undefined>>;

export interface WorkflowJson {
	nodes: WorkflowNode[];
	connections: Connections;
	pinData?: Record<string, unknown> | null;
	[more: string]: unknown;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const isNode = (value: unknown): value is Record<string, unknown> =>
	isRecord(value) && typeof value.name === 'string' && typeof value.type === 'string';

const isTarget = (value: unknown): value is Target => isRecord(value) && typeof value.node === 'string';

function isConnections(value: unknown): value is Connections {
	if (!isRecord(value)) return false;
	return Object.values(value).every(
		(kinds) =>
			isRecord(kinds) &&
			Object.values(kinds).every(
				(outputs) =>
					Array.isArray(outputs) &&
					outputs.every(
						(output) => output === null || (Array.isArray(output) && output.every(isTarget)),
					),
			),
	);
}

/** A deep copy of plain data; several times faster than `structuredClone`, which can do more. */
export function copied<T>(value: T): T;
export function copied(value: unknown): unknown {
	if (Array.isArray(value)) return value.map((one: unknown) => copied(one));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copied(one)]));
}

/** A workflow, or a sentence that says why the value is none. */
export type ReadWorkflow = { workflow: WorkflowJson } | { problem: string };

/**
 * Checks that a value is a workflow and copies it. A workflow inside `data` or `workflow` (as some
 * programs wrap it) is taken out.
 */
export function readWorkflow(value: unknown): ReadWorkflow {
	if (!isRecord(value)) return { problem: 'it is not an object' };
	if (!('nodes' in value)) {
		const inner = value.workflow ?? value.data;
		return isRecord(inner) ? readWorkflow(inner) : { problem: 'it has no "nodes"' };
	}
	const { nodes, connections = {}, pinData } = value;
	if (!Array.isArray(nodes)) return { problem: '"nodes" is not a list' };
	if (!nodes.every(isNode)) return { problem: 'a node in "nodes" has no name or no type' };
	if (!isConnections(connections)) return { problem: '"connections" is not what n8n writes' };
	const copy = copied({ ...value, nodes, connections });
	const typed = copy.nodes.map((node) => ({
		...node,
		name: String(node.name),
		type: String(node.type),
		typeVersion: typeof node.typeVersion === 'number' ? node.typeVersion : 1,
		parameters: (isRecord(node.parameters) ? node.parameters : {}) as IDataObject,
	}));
	const pinned = pinData === undefined ? {} : { pinData: isRecord(pinData) ? copied(pinData) : null };
	return { workflow: { ...copy, ...pinned, nodes: typed } };
}

/** The `main` outputs of a node: per output the inputs it feeds. */
export const mainOutputs = (connections: Connections, node: string): Target[][] =>
	(connections[node]?.main ?? []).map((targets) => targets ?? []);

/** Names of the nodes whose `main` outputs feed a node, with the output's number. */
export function mainSources(connections: Connections, node: string): Array<{ node: string; output: number }> {
	return Object.keys(connections).flatMap((source) =>
		mainOutputs(connections, source).flatMap((targets, output) =>
			targets.some((target) => target.node === node) ? [{ node: source, output }] : [],
		),
	);
}

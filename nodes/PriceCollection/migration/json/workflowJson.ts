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

export interface Workflow {
	nodes: WorkflowNode[];
	connections: Connections;
	pinData?: Record<string, unknown> | null;
	[more: string]: unknown;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** What lies under a path of names; undefined when the path ends before. */
export const within = (value: unknown, ...path: string[]): unknown =>
	path.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), value);

const isNode = (value: unknown): value is Record<string, unknown> =>
	isRecord(value) && typeof value.name === 'string' && typeof value.type === 'string';

const isTarget = (value: unknown): value is Target => isRecord(value) && typeof value.node === 'string';

const isOutputs = (value: unknown): boolean =>
	Array.isArray(value) &&
	value.every((output) => output === null || (Array.isArray(output) && output.every(isTarget)));

const isConnections = (value: unknown): value is Connections =>
	isRecord(value) &&
	Object.values(value).every((kinds) => isRecord(kinds) && Object.values(kinds).every(isOutputs));

/**
 * Checks that a value is a workflow and copies it. A workflow inside `data` or `workflow` (as some programs wrap it)
 * is taken out. Gives a sentence that says why where the value is none.
 */
export function readWorkflow(value: unknown): { workflow: Workflow } | { problem: string } {
	if (!isRecord(value)) return { problem: 'it is not an object' };
	if (!('nodes' in value)) {
		const inner = value.workflow ?? value.data;
		return isRecord(inner) ? readWorkflow(inner) : { problem: 'it has no "nodes"' };
	}
	const { nodes, connections = {} } = value;
	if (!Array.isArray(nodes)) return { problem: '"nodes" is not a list' };
	if (!nodes.every(isNode)) return { problem: 'a node in "nodes" has no name or no type' };
	if (!isConnections(connections)) return { problem: '"connections" is not what n8n writes' };
	const copy = JSON.parse(JSON.stringify({ ...value, connections })) as Workflow;
	for (const node of copy.nodes) {
		if (typeof node.typeVersion !== 'number') node.typeVersion = 1;
		if (!isRecord(node.parameters)) node.parameters = {};
	}
	return { workflow: copy };
}

/** The `main` outputs of a node: per output the inputs it feeds. */
export const outputsOf = ({ connections }: Workflow, name: string): Target[][] =>
	(connections[name]?.main ?? []).map((targets) => targets ?? []);

/** Names of the nodes that a node's `main` outputs feed. */
export const targetsOf = (workflow: Workflow, name: string): string[] =>
	outputsOf(workflow, name).flatMap((targets) => targets.map(({ node }) => node));

/** Names of the nodes whose `main` outputs feed a node. */
export const sourcesOf = (workflow: Workflow, name: string): string[] =>
	Object.keys(workflow.connections).filter((source) => targetsOf(workflow, source).includes(name));

/** Calls every connection's end that leads to a node by another name. */
export function redirect({ connections }: Workflow, from: string, to: string): void {
	for (const target of Object.values(connections).flatMap((kinds) => Object.values(kinds).flat(2))) {
		if (target?.node === from) target.node = to;
	}
}

/**
 * Whether parameters name a node in quotes or as `$node.Name`, in whatever way code reads nodes.
 * @param text the parameters as JSON
 */
export function mentions(text: string, name: string): boolean {
	if (!text.includes(name.slice(0, 3))) return false;
	const quoted = [`'${name}'`, `\`${name}\``, `'${name.replace(/'/g, "\\'")}'`, JSON.stringify(name)];
	return [`$node.${name}.`, ...quoted].some((one) => text.includes(JSON.stringify(one).slice(1, -1)));
}

/** A name that no node of the workflow has. */
export function freeName({ nodes }: Workflow, wanted: string): string {
	const taken = new Set(nodes.map(({ name }) => name));
	let name = wanted;
	for (let number = 2; taken.has(name); number++) name = `${wanted} ${number}`;
	return name;
}

/** Whether two nodes' settings say to go on after an error, in any of n8n's ways to say it. */
export const goesOn = (node: WorkflowNode): boolean =>
	node.continueOnFail === true || (node.onError !== undefined && node.onError !== 'stopWorkflow');

import type { IDataObject } from 'n8n-workflow';

import { textsWithPaths } from './texts';

/** A node in a workflow's JSON; it may have more fields. */
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

/** The input that a connection leads to. */
export interface Target {
	node: string;
	type: string;
	index: number;
}

/** Node name → kind of output (`main`, `ai_tool` …) → output index → connected inputs. */
export type Connections = Record<string, Record<string, Array<Target[] | null> | undefined>>;

export interface Workflow {
	nodes: WorkflowNode[];
	connections: Connections;
	pinData?: Record<string, unknown> | null;
	[more: string]: unknown;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path of property names; undefined if the path does not exist. */
export const within = (value: unknown, ...path: string[]): unknown =>
	path.reduce<unknown>((parent, name) => (isRecord(parent) ? parent[name] : undefined), value);

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
 * Whether n8n has evaluated a workflow's expressions, as it does when exported JSON is pasted into a field that takes
 * expressions. An evaluated expression leaves just "=": we look for such texts in a workflow without any expression.
 */
function hasLostExpressions(parameters: unknown): boolean {
	const expressions = textsWithPaths(parameters).filter(({ text }) => text.startsWith('='));
	return expressions.length > 0 && expressions.every(({ text }) => text.trim() === '=');
}

/**
 * Checks that a value is a workflow, and copies it. Unwraps a workflow in `workflow` or `data`, as some programs export
 * it. For any other value, returns the problem as a clause, such as "it is not an n8n workflow".
 */
export function readWorkflow(value: unknown): { workflow: Workflow } | { problem: string } {
	if (!isRecord(value)) return { problem: 'it is not an n8n workflow' };
	if (!('nodes' in value)) {
		const inner = value.workflow ?? value.data;
		return isRecord(inner)
			? readWorkflow(inner)
			: { problem: 'it is not an n8n workflow, because it has no "nodes"' };
	}
	const { nodes, connections = {} } = value;
	if (!Array.isArray(nodes)) return { problem: '"nodes" is not a list' };
	if (!nodes.every(isNode)) return { problem: 'a node in "nodes" has no name or no type' };
	if (!isConnections(connections)) return { problem: '"connections" does not have the format of n8n' };
	if (hasLostExpressions(nodes.map(({ parameters }) => parameters)))
		return {
			problem:
				'its expressions are lost: their parameters hold only "=". Export the workflow again and paste its JSON into this field, or read it with the n8n node',
		};
	const copy = JSON.parse(JSON.stringify({ ...value, connections })) as Workflow;
	for (const node of copy.nodes) {
		if (typeof node.typeVersion !== 'number') node.typeVersion = 1;
		if (!isRecord(node.parameters)) node.parameters = {};
	}
	return { workflow: copy };
}

/** The inputs that each `main` output of a node is connected to. */
export const connectedInputs = ({ connections }: Workflow, name: string): Target[][] =>
	(connections[name]?.main ?? []).map((targets) => targets ?? []);

/** Names of the nodes that a node's `main` outputs lead to. */
export const targetsOf = (workflow: Workflow, name: string): string[] =>
	connectedInputs(workflow, name).flatMap((targets) => targets.map(({ node }) => node));

/** Names of the nodes whose `main` outputs lead to a node. */
export const sourcesOf = (workflow: Workflow, name: string): string[] =>
	Object.keys(workflow.connections).filter((source) => targetsOf(workflow, source).includes(name));

/** Redirects all connections that lead to one node to another node. */
export function redirect({ connections }: Workflow, from: string, to: string): void {
	for (const target of Object.values(connections).flatMap((kinds) => Object.values(kinds).flat(2))) {
		if (target?.node === from) target.node = to;
	}
}

/**
 * Whether parameters name a node, in quotes or as `$node.Name`.
 *
 * @param text the parameters as JSON
 */
export function mentions(text: string, name: string): boolean {
	// Most names are in no text. Letters and digits are written the same in every notation.
	if (!text.includes(/[\p{L}\p{N}]+/u.exec(name)?.[0] ?? '')) return false;
	const quoted = [`'${name}'`, `\`${name}\``, `'${name.replace(/'/g, "\\'")}'`, JSON.stringify(name)];
	return [`$node.${name}.`, ...quoted].some((one) => text.includes(JSON.stringify(one).slice(1, -1)));
}

/** Returns `wanted`, with a number if a node already has that name. */
export function freeName({ nodes }: Workflow, wanted: string): string {
	const taken = new Set(nodes.map(({ name }) => name));
	let name = wanted;
	for (let number = 2; taken.has(name); number++) name = `${wanted} ${number}`;
	return name;
}

/** Whether a node continues after an error, by either of n8n's settings for it. */
export const continuesOnError = (node: WorkflowNode): boolean =>
	node.continueOnFail === true || (node.onError !== undefined && node.onError !== 'stopWorkflow');

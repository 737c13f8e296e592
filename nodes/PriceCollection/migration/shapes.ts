import { isExpression } from './template';
import { isSet, keepsInput, writtenNames } from './setNode';
import type { Connections, WorkflowNode } from './workflowJson';
import { isRecord, mainOutputs, mainSources } from './workflowJson';

/** How items that come from version 1 results look after the conversion. */
export interface Shape {
	/**
	 * `root`: the downloaded object, `products` then and `results` now. `row`: one element of it.
	 * `status`: the job object, which has neither.
	 */
	kind: 'root' | 'row' | 'status';
	/** Field names that lead to the object. */
	prefix: readonly string[];
	/** Fields that a Set node on the way put over those of the object. */
	own: ReadonlySet<string>;
	/** False after nodes whose output cannot be known, such as Code. */
	certain: boolean;
}

export const shape = (kind: Shape['kind'], prefix: readonly string[] = [], certain = true): Shape => ({
	kind,
	prefix,
	own: new Set(),
	certain,
});

/** What flows: nothing known yet, items of no interest, or a shape. */
type Flow = Shape | 'other' | undefined;

const same = (a: Shape, b: Shape): boolean =>
	a.kind === b.kind &&
	a.certain === b.certain &&
	a.prefix.join('.') === b.prefix.join('.') &&
	[...a.own].sort().join() === [...b.own].sort().join();

/** Items of two kinds at once: nothing is certain any more. */
function join(a: Flow, b: Flow): Flow {
	if (a === undefined || b === undefined) return a ?? b;
	if (a === 'other' || b === 'other') {
		if (a === b) return a;
		const known = a === 'other' ? b : a;
		return known === 'other' ? known : { ...known, certain: false };
	}
	return same(a, b) ? a : { ...a, certain: false };
}

const PASSING = new Set(
	'if switch filter noOp wait limit sort removeDuplicates splitInBatches stopAndError'
		.split(' ')
		.map((name) => `n8n-nodes-base.${name}`),
);
const CODE = new Set(['code', 'function', 'functionItem'].map((name) => `n8n-nodes-base.${name}`));

/** The parameter that holds a Code node's JavaScript, if the node is one. */
export function codeParameter(node: WorkflowNode): string | undefined {
	if (!CODE.has(node.type)) return undefined;
	return ['jsCode', 'functionCode', 'pythonCode'].find((name) => typeof node.parameters[name] === 'string');
}

export const isSplitOut = (node: WorkflowNode): boolean =>
	node.type === 'n8n-nodes-base.splitOut' ||
	(node.type === 'n8n-nodes-base.itemLists' &&
		(node.parameters.operation ?? 'splitOutItems') === 'splitOutItems' &&
		(node.parameters.resource ?? 'itemList') === 'itemList');

/** The field that a Split Out node splits, or undefined when it is an expression or several. */
export function splitField(node: WorkflowNode): string | undefined {
	const field = node.parameters.fieldToSplitOut;
	if (typeof field !== 'string' || isExpression(field) || field.includes(',')) return undefined;
	return field.trim();
}

/** Whether a Split Out node gives the elements alone, not inside a field beside others. */
export function splitsPlainly(node: WorkflowNode): boolean {
	const { include = 'noOtherFields', options } = node.parameters;
	const destination = isRecord(options) ? options.destinationFieldName : undefined;
	return include === 'noOtherFields' && (destination === undefined || destination === '');
}

function afterSplit(node: WorkflowNode, input: Shape): Flow {
	const field = splitField(node);
	if (field === undefined) return { ...input, certain: false };
	if (input.kind !== 'root' || field !== [...input.prefix, 'products'].join('.')) return 'other';
	if (splitsPlainly(node)) return shape('row', [], input.certain);
	const { options } = node.parameters;
	const destination = isRecord(options) ? options.destinationFieldName : undefined;
	const name = typeof destination === 'string' && destination !== '' ? destination : field;
	return shape('row', [name], input.certain);
}

/** What a node gives when it gets items of a shape. */
function through(node: WorkflowNode, input: Shape): Flow {
	if (node.disabled === true || PASSING.has(node.type)) return input;
	if (isSplitOut(node)) return afterSplit(node, input);
	if (codeParameter(node) !== undefined) return { ...input, certain: false };
	if (node.type === 'n8n-nodes-base.merge') {
		return (node.parameters.mode ?? 'append') === 'append' ? input : { ...input, certain: false };
	}
	if (!isSet(node) || !keepsInput(node)) return 'other';
	return { ...input, own: new Set([...input.own, ...writtenNames(node)]) };
}

/** What each node gets and gives, by node name. */
export interface Flows {
	input: ReadonlyMap<string, Shape>;
	output: ReadonlyMap<string, Shape>;
}

interface Source {
	node: string;
	output: number;
}

interface Graph {
	sources: ReadonlyMap<string, readonly Source[]>;
	origins: ReadonlyMap<string, Shape>;
	/** Loop Over Items nodes: the number of their "done" output and what comes back to them. */
	loops: ReadonlyMap<string, { done: number; back: ReadonlySet<string> }>;
}

const inputOf = (name: string, graph: Graph, output: ReadonlyMap<string, Flow>): Flow => {
	const sources = graph.sources.get(name) ?? [];
	const back = graph.loops.get(name)?.back;
	const flows = sources
		.filter((source) => !back?.has(source.node))
		.flatMap((source) => {
			const loop = graph.loops.get(source.node);
			// What leaves a loop at its end is what came back to it.
			if (loop?.done === source.output) return [...loop.back].map((one) => output.get(one));
			return [output.get(source.node)];
		});
	return flows.reduce<Flow>(join, undefined);
};

/** What leads back to a node among what feeds it. */
function backTo(name: string, connections: Connections): Set<string> {
	const reached = new Set<string>();
	const open = [name];
	for (let at = open.pop(); at !== undefined; at = open.pop()) {
		for (const { node } of mainOutputs(connections, at).flat()) {
			if (reached.has(node)) continue;
			reached.add(node);
			open.push(node);
		}
	}
	const sources = mainSources(connections, name).map(({ node }) => node);
	return new Set(sources.filter((node) => reached.has(node)));
}

function loopsOf(nodes: readonly WorkflowNode[], connections: Connections): Graph['loops'] {
	const loops = nodes.filter(({ type }) => type === 'n8n-nodes-base.splitInBatches');
	return new Map(
		loops.map(({ name, typeVersion }) => [
			name,
			{ done: typeVersion >= 3 ? 0 : 1, back: backTo(name, connections) },
		]),
	);
}

function outputOf(node: WorkflowNode, graph: Graph, input: Flow): Flow {
	const origin = node.disabled === true ? undefined : graph.origins.get(node.name);
	if (origin) return origin;
	if ((graph.sources.get(node.name) ?? []).length === 0) return 'other';
	return input === undefined || input === 'other' ? input : through(node, input);
}

const equal = (a: Flow, b: Flow): boolean =>
	a === b || (typeof a === 'object' && typeof b === 'object' && same(a, b));

const shapesOf = (flows: ReadonlyMap<string, Flow>): Map<string, Shape> => {
	const entries = [...flows].filter((entry): entry is [string, Shape] => typeof entry[1] === 'object');
	return new Map(entries);
};

/**
 * Follows the results of `origins` (node name to what it gives) through the workflow, until nothing
 * changes any more. Call it on the workflow as it was, before field names are rewritten.
 */
export function followShapes(
	nodes: readonly WorkflowNode[],
	connections: Connections,
	origins: ReadonlyMap<string, Shape>,
): Flows {
	const sources = new Map(nodes.map(({ name }) => [name, mainSources(connections, name)]));
	const graph: Graph = { sources, origins, loops: loopsOf(nodes, connections) };
	const output = new Map<string, Flow>();
	// Every node can change twice at most (to certain, to uncertain), so this always ends.
	for (let round = 0, changed = true; changed && round <= nodes.length * 2; round++) {
		changed = false;
		for (const node of nodes) {
			const next = outputOf(node, graph, inputOf(node.name, graph, output));
			if (equal(next, output.get(node.name))) continue;
			output.set(node.name, next);
			changed = true;
		}
	}
	const input = new Map(nodes.map(({ name }) => [name, inputOf(name, graph, output)]));
	return { input: shapesOf(input), output: shapesOf(output) };
}

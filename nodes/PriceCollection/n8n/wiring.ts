import type { IExecuteFunctions, INode, IRunExecutionData, NodeTypeAndVersion, Workflow } from 'n8n-workflow';

/** The private members of n8n's contexts that this file reads. */
interface ContextInternals {
	runExecutionData?: Pick<IRunExecutionData, 'startData'>;
	workflow?: Partial<Pick<Workflow, 'connectionsBySourceNode' | 'getNode'>>;
}

/** Where an output's items go. */
interface Destination {
	/** The enabled nodes that the items reach. */
	receivers: INode[];
	/** A disabled node of this type on the way: n8n would pass the items to its first output, as if they were rows. */
	disabledNode?: INode;
}

/**
 * Returns where an output leads, directly or through other nodes; undefined if n8n does not provide the connections. A
 * disabled node passes its input to its first output. The search stops at nodes of the same type as this one.
 */
function destinationOf(context: IExecuteFunctions, output: number): Destination | undefined {
	const { workflow } = context as unknown as ContextInternals;
	const { connectionsBySourceNode: connections } = workflow ?? {};
	if (connections === undefined) return undefined;
	const { name, type } = context.getNode();
	const found: Destination = { receivers: [] };
	const visited = new Set<string>();
	const follow = (outputs: ReadonlyArray<Array<{ node: string }> | null | undefined>): void => {
		for (const { node } of outputs.flatMap((wires) => wires ?? [])) {
			const next = workflow?.getNode?.(node);
			if (!next || visited.has(node)) continue;
			visited.add(node);
			const isDisabled = next.disabled === true;
			if (!isDisabled) found.receivers.push(next);
			if (isDisabled && next.type === type) found.disabledNode ??= next;
			const outputsOfNext = connections[node]?.main ?? [];
			if (next.type !== type) follow(isDisabled ? outputsOfNext.slice(0, 1) : outputsOfNext);
		}
	};
	follow([connections[name]?.main?.[output]]);
	return found;
}

/** Returns the name of a disabled node of this type behind an output (see {@link Destination.disabledNode}), if any. */
export function disabledNodeBehind(context: IExecuteFunctions, output: number): string | undefined {
	return destinationOf(context, output)?.disabledNode?.name;
}

/**
 * Whether an output leads to a node of this type that is set to Wait, and to no disabled one. If n8n does not provide the
 * connections, any enabled node of this type behind any output counts.
 */
export function leadsToWait(context: IExecuteFunctions, output: number): boolean {
	const { name, type } = context.getNode();
	const destination = destinationOf(context, output);
	if (destination === undefined) {
		return context.getChildNodes(name).some((node) => node.type === type && !node.disabled);
	}
	const { receivers, disabledNode } = destination;
	const isWait = (node: INode) => node.type === type && node.parameters?.operation === 'wait';
	return disabledNode === undefined && receivers.some(isWait);
}

/**
 * Whether an output leads to an enabled node, and to no disabled node of this type, which would pass its items on as rows.
 * Undefined if n8n does not provide the connections, and if nothing is connected in an editor run up to a chosen node:
 * there n8n cuts off the rest of the workflow.
 */
export function isWired(context: IExecuteFunctions, output: number): boolean | undefined {
	const destination = destinationOf(context, output);
	if (destination === undefined) return undefined;
	if (destination.disabledNode !== undefined) return false;
	if (destination.receivers.length > 0) return true;
	const { runExecutionData } = context as unknown as ContextInternals;
	return runExecutionData?.startData?.destinationNode === undefined ? false : undefined;
}

const LOOP_TYPE = 'n8n-nodes-base.splitInBatches';

/** Returns the name of the Loop Over Items node around this node: it leads here, and this node leads back to it. */
export function loopAround(context: IExecuteFunctions): string | undefined {
	const { name } = context.getNode();
	const descendants = new Set(context.getChildNodes(name).map((node) => node.name));
	const isLoop = (node: NodeTypeAndVersion) =>
		node.type === LOOP_TYPE && !node.disabled && descendants.has(node.name);
	return context.getParentNodes(name).find(isLoop)?.name;
}

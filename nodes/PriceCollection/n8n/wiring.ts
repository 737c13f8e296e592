import type { IExecuteFunctions, INode, IRunExecutionData, NodeTypeAndVersion, Workflow } from 'n8n-workflow';

/** The members of n8n's contexts that are read here; they are not public. */
interface ContextInternals {
	runExecutionData?: Pick<IRunExecutionData, 'startData'>;
	workflow?: Partial<Pick<Workflow, 'connectionsBySourceNode' | 'getNode'>>;
}

/** Where the items of an output go. */
interface Destination {
	/** The enabled nodes that receive them. */
	receivers: INode[];
	/** A disabled node of this package: n8n would pass them on by its first output, as if they were rows. */
	passer?: INode;
}

/**
 * Where one of this node's outputs leads, directly or through others; undefined when n8n does not provide its
 * connections. A disabled node passes its input to its first output. The search ends at nodes of this package.
 */
function destinationOf(context: IExecuteFunctions, output: number): Destination | undefined {
	const { workflow } = context as unknown as ContextInternals;
	const { connectionsBySourceNode: connections } = workflow ?? {};
	if (connections === undefined) return undefined;
	const { name, type } = context.getNode();
	const found: Destination = { receivers: [] };
	const passed = new Set<string>();
	const follow = (outputs: ReadonlyArray<Array<{ node: string }> | null | undefined>): void => {
		for (const { node } of outputs.flatMap((wires) => wires ?? [])) {
			const next = workflow?.getNode?.(node);
			if (!next || passed.has(node)) continue;
			passed.add(node);
			const isDisabled = next.disabled === true;
			if (!isDisabled) found.receivers.push(next);
			if (isDisabled && next.type === type) found.passer ??= next;
			const outputsOfNext = connections[node]?.main ?? [];
			if (next.type !== type) follow(isDisabled ? outputsOfNext.slice(0, 1) : outputsOfNext);
		}
	};
	follow([connections[name]?.main?.[output]]);
	return found;
}

/** The name of a disabled node of this package behind an output: n8n would pass the items on by its first output, as rows. */
export function disabledPasser(context: IExecuteFunctions, output: number): string | undefined {
	return destinationOf(context, output)?.passer?.name;
}

/**
 * Whether one of this node's outputs leads to a node of this package that is set to Wait. If n8n does not
 * provide its connections, any node of this package behind any output counts.
 */
export function leadsToWait(context: IExecuteFunctions, output: number): boolean {
	const { name, type } = context.getNode();
	const destination = destinationOf(context, output);
	if (destination === undefined) {
		return context.getChildNodes(name).some((node) => node.type === type && !node.disabled);
	}
	const { receivers, passer } = destination;
	const isWait = (node: INode) => node.type === type && node.parameters?.operation === 'wait';
	return passer === undefined && receivers.some(isWait);
}

/**
 * Whether an enabled node is connected to one of this node's outputs, and gets its items as what they are. Undefined when
 * n8n does not say: without the members, and in editor runs up to a chosen node, where n8n cuts off the rest of the
 * workflow.
 */
export function isWired(context: IExecuteFunctions, output: number): boolean | undefined {
	const destination = destinationOf(context, output);
	if (destination === undefined) return undefined;
	if (destination.passer !== undefined) return false;
	if (destination.receivers.length > 0) return true;
	const { runExecutionData } = context as unknown as ContextInternals;
	return runExecutionData?.startData?.destinationNode === undefined ? false : undefined;
}

const LOOP_TYPE = 'n8n-nodes-base.splitInBatches';

/** The name of the Loop Over Items node whose loop this node is in: one that leads here, and to which this node leads back. */
export function loopAround(context: IExecuteFunctions): string | undefined {
	const { name } = context.getNode();
	const behind = new Set(context.getChildNodes(name).map((node) => node.name));
	const isLoop = (node: NodeTypeAndVersion) =>
		node.type === LOOP_TYPE && !node.disabled && behind.has(node.name);
	return context.getParentNodes(name).find(isLoop)?.name;
}

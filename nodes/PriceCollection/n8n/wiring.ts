import type { IExecuteFunctions, INode, IRunExecutionData, Workflow } from 'n8n-workflow';

/** The members of n8n's contexts that are read here; they are not public. */
interface Run {
	runExecutionData?: Pick<IRunExecutionData, 'startData'>;
	workflow?: Partial<Pick<Workflow, 'connectionsBySourceNode' | 'getNode'>>;
}

/**
 * The nodes that receive one of this node's outputs, directly or through others; undefined when n8n does not
 * provide its connections. A disabled node passes its input to its first output, which is the rows output for
 * a node of this package. The search ends at nodes of this package.
 */
function receiversOf(context: IExecuteFunctions, output: number): INode[] | undefined {
	const { workflow } = context as unknown as Run;
	const { connectionsBySourceNode: connections } = workflow ?? {};
	if (connections === undefined) return undefined;
	const { name, type } = context.getNode();
	const receivers = new Map<string, INode>();
	const passed = new Set<string>();
	const follow = (outputs: ReadonlyArray<Array<{ node: string }> | null | undefined>): void => {
		for (const { node } of outputs.flatMap((wires) => wires ?? [])) {
			const next = workflow?.getNode?.(node);
			if (!next || passed.has(node)) continue;
			passed.add(node);
			if (next.disabled !== true) receivers.set(node, next);
			const outputsOfNext = connections[node]?.main ?? [];
			if (next.type !== type)
				follow(next.disabled === true ? outputsOfNext.slice(0, 1) : outputsOfNext);
		}
	};
	follow([connections[name]?.main?.[output]]);
	return [...receivers.values()];
}

/**
 * Whether one of this node's outputs leads to a node of this package that is set to Wait. If n8n does not
 * provide its connections, any node of this package behind any output counts.
 */
export function leadsToWait(context: IExecuteFunctions, output: number): boolean {
	const { name, type } = context.getNode();
	const receivers = receiversOf(context, output);
	if (receivers === undefined) {
		return context.getChildNodes(name).some((node) => node.type === type && !node.disabled);
	}
	return receivers.some((node) => node.type === type && node.parameters?.operation === 'wait');
}

/**
 * Whether an enabled node is connected to one of this node's outputs. Undefined when n8n does not say:
 * without the members, and in editor runs up to a chosen node, where n8n cuts off the rest of the workflow.
 */
export function isWired(context: IExecuteFunctions, output: number): boolean | undefined {
	const receivers = receiversOf(context, output);
	if (receivers === undefined) return undefined;
	if (receivers.length > 0) return true;
	const { runExecutionData } = context as unknown as Run;
	return runExecutionData?.startData?.destinationNode === undefined ? false : undefined;
}

/** Whether only disabled nodes are connected to an output: n8n would pass its items on as rows. */
export function isDisabledBehind(context: IExecuteFunctions, output: number): boolean {
	const { workflow } = context as unknown as Run;
	const wires = workflow?.connectionsBySourceNode?.[context.getNode().name]?.main?.[output] ?? [];
	return wires.length > 0 && receiversOf(context, output)?.length === 0;
}

import type { IExecuteFunctions } from 'n8n-workflow';

/** What this reads of n8n's Workflow, which is not public. */
interface Wired {
	connectionsBySourceNode?: Record<string, { main?: Array<Array<{ node: string }> | null> } | undefined>;
	getNode?: (name: string) => { type: string; disabled?: boolean } | null;
	getChildNodes?: (name: string) => string[];
}

/**
 * Whether a node of this package stands somewhere behind one of this node's outputs and is not disabled. In an n8n that does not tell which
 * output a node is wired to, one behind any output counts.
 */
export function leadsToOwnNode(context: IExecuteFunctions, output: number): boolean {
	const { name, type } = context.getNode();
	const isOwn = (node?: { type: string; disabled?: boolean } | null) =>
		node?.type === type && node.disabled !== true;
	const { workflow = {} } = context as unknown as { workflow?: Wired };
	const { connectionsBySourceNode, getNode, getChildNodes } = workflow;
	if (connectionsBySourceNode === undefined || getNode === undefined || getChildNodes === undefined) {
		return context.getChildNodes(name).some(isOwn);
	}
	const next = connectionsBySourceNode[name]?.main?.[output] ?? [];
	const behind = next.flatMap(({ node }) => [node, ...getChildNodes.call(workflow, node)]);
	return behind.some((node) => isOwn(getNode.call(workflow, node)));
}

/** What this reads of a run, which is not public. */
interface Run {
	runExecutionData?: { startData?: { destinationNode?: unknown } };
	workflow?: Wired;
}

/**
 * Whether anything that is not disabled is wired to one of this node's outputs. Undefined where n8n does not tell: in an n8n without the
 * members, and in a run of the editor up to a chosen node, from whose workflow n8n cuts what lies beyond.
 */
export function isWired(context: IExecuteFunctions, output: number): boolean | undefined {
	const { runExecutionData, workflow } = context as unknown as Run;
	const connections = workflow?.connectionsBySourceNode;
	if (connections === undefined) return undefined;
	const { name, type } = context.getNode();
	const seen = new Set<string>();
	const reaches = (from: string, index: number): boolean =>
		(connections[from]?.main?.[index] ?? []).some(({ node }) => {
			const next = workflow?.getNode?.(node);
			if (next?.disabled !== true) return true;
			// n8n hands on what a disabled node gets by its first output, which of ours is that of the rows.
			if (next.type === type || seen.has(node)) return false;
			seen.add(node);
			return reaches(node, 0);
		});
	if (reaches(name, output)) return true;
	return runExecutionData?.startData?.destinationNode === undefined ? false : undefined;
}

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

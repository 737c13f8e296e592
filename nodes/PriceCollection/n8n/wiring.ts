import type { IExecuteFunctions, INodeParameters } from 'n8n-workflow';

interface WiredNode {
	type: string;
	disabled?: boolean;
	parameters?: INodeParameters;
}

/** What this reads of n8n's Workflow and of a run, which is not public. */
interface Run {
	runExecutionData?: { startData?: { destinationNode?: unknown } };
	workflow?: {
		connectionsBySourceNode?: Record<
			string,
			{ main?: Array<Array<{ node: string }> | null> } | undefined
		>;
		getNode?: (name: string) => WiredNode | null;
	};
}

/**
 * The nodes that get what leaves by one of this node's outputs, as they are or through others; undefined in an n8n that does
 * not tell. n8n hands on what a disabled node gets by its first output, which of a node of this package is that of the rows:
 * nothing of ours goes there, and nothing goes on behind a node of this package.
 */
function receiversOf(context: IExecuteFunctions, output: number): WiredNode[] | undefined {
	const { workflow } = context as unknown as Run;
	const { connectionsBySourceNode: connections } = workflow ?? {};
	if (connections === undefined) return undefined;
	const { name, type } = context.getNode();
	const receivers = new Map<string, WiredNode>();
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
 * Whether a node of this package that is set to Wait gets what leaves by one of this node's outputs. In an n8n that does not
 * tell, any node of this package behind any output counts.
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
 * Whether anything that is not disabled is wired to one of this node's outputs. Undefined where n8n does not tell: in an n8n
 * without the members, and in a run of the editor up to a chosen node, from whose workflow n8n cuts what lies beyond.
 */
export function isWired(context: IExecuteFunctions, output: number): boolean | undefined {
	const receivers = receiversOf(context, output);
	if (receivers === undefined) return undefined;
	if (receivers.length > 0) return true;
	const { runExecutionData } = context as unknown as Run;
	return runExecutionData?.startData?.destinationNode === undefined ? false : undefined;
}

/** Whether only disabled nodes are wired to one of this node's outputs: n8n would hand its items on as rows. */
export function isDisabledBehind(context: IExecuteFunctions, output: number): boolean {
	const { workflow } = context as unknown as Run;
	const wires = workflow?.connectionsBySourceNode?.[context.getNode().name]?.main?.[output] ?? [];
	return wires.length > 0 && receiversOf(context, output)?.length === 0;
}

import type { IConnections, INode, INodeParameters } from 'n8n-workflow';

/** A node of a workflow; id, position and version are filled in. */
export function node(
	name: string,
	type: string,
	parameters: INodeParameters = {},
	more: Partial<INode> = {},
): INode {
	return {
		id: `id-${name.toLowerCase().replaceAll(' ', '-')}`,
		name,
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		...more,
	};
}

/**
 * Connections by name: `connect({ Start: ['Collect'], Collect: ['Done', 'Running'] })` wires output 0
 * of Collect to Done and output 1 to Running. An array in place of a name wires one output to several
 * nodes.
 */
export function connect(wires: Record<string, Array<string | string[]>>): IConnections {
	const output = (targets: string | string[]) =>
		[targets].flat().map((target) => ({ node: target, type: 'main' as const, index: 0 }));
	return Object.fromEntries(
		Object.entries(wires).map(([from, outputs]) => [from, { main: outputs.map(output) }]),
	);
}

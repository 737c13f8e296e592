import type { IDataObject } from 'n8n-workflow';

import { codeParameter, mapCode, mapTexts } from '../json/texts';
import type { SetField } from '../json/setNode';
import { fieldsBehind } from '../json/setNode';
import type { Workflow, WorkflowNode } from '../json/workflowJson';
import { sourcesOf } from '../json/workflowJson';
import { nodeReads, readPath } from './parse';

type ChangeCode = (code: string) => string;

/** How code begins to read a node by its name. */
const NAMING = /[$_](\(|node\b|items\b)/;

/** Goes through all JavaScript of a node that may read others by name: expressions and Code. */
function eachCode(node: WorkflowNode, change: ChangeCode): void {
	const codeIn = codeParameter(node);
	node.parameters = mapTexts(node.parameters, (text) => {
		if (!NAMING.test(text)) return text;
		const isCode = codeIn !== undefined && text === node.parameters[codeIn];
		return isCode ? change(text) : mapCode(text, change);
	}) as IDataObject;
}

/**
 * Why reads of some nodes could not be led to another node: a field that it does not have, or code that cannot be
 * followed. `allowed` has the fields that may be read of each. Undefined when all can be led there.
 */
export function readObstacle(
	nodes: readonly WorkflowNode[],
	allowed: ReadonlyMap<string, readonly string[]>,
): string | undefined {
	let obstacle: string | undefined;
	for (const node of nodes) {
		eachCode(node, (code) => {
			const reads = nodeReads(code);
			const named = [...allowed.keys()].find((name) => code.includes(name));
			if (!reads && named !== undefined)
				obstacle ??= `"${node.name}" reads "${named}" in a way that cannot be followed`;
			for (const { node: read, field = '' } of reads ?? []) {
				if (read === undefined)
					obstacle ??= `"${node.name}" reads a node by a name that is put together`;
				else if (allowed.get(read)?.includes(field) === false)
					obstacle ??= `"${node.name}" reads "${read}"`;
			}
			return code;
		});
	}
	return obstacle;
}

/** Lets every read of some nodes read another one. */
export function renameReads(nodes: readonly WorkflowNode[], from: readonly string[], to: string): void {
	for (const node of nodes) {
		eachCode(node, (code) => {
			if (!from.some((name) => code.includes(name))) return code;
			let result = code;
			const reads = (nodeReads(code) ?? []).filter(
				(read) => read.node !== undefined && from.includes(read.node),
			);
			for (const { start, end, isBare } of reads.sort((a, b) => b.start - a.start)) {
				const quote = code[start] === "'" ? `'${to.replace(/['\\]/g, '\\$&')}'` : JSON.stringify(to);
				const before = result.slice(0, isBare ? start - 1 : start);
				result = before + (isBare ? `[${quote}]` : quote) + result.slice(end);
			}
			return result;
		});
	}
}

/** The fields of Set nodes that an expression of the node `reader` reads; undefined when that cannot be told. */
export function fieldsRead(code: string, reader: string, workflow: Workflow): SetField[] | undefined {
	const path = readPath(code);
	if (!path || path.variable !== undefined) return undefined;
	const [name, deeper] = path.fields;
	const from = path.node === undefined ? sourcesOf(workflow, reader) : [path.node];
	if (typeof name !== 'string' || deeper !== undefined || from.length === 0) return undefined;
	return fieldsBehind(workflow, from, name);
}

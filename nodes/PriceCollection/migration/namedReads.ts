import type { IDataObject } from 'n8n-workflow';

import { findReferences, mentionsNode } from './references';
import { codeParameter } from './shapes';
import { mapCode, mapTexts } from './texts';
import type { WorkflowNode } from './workflowJson';

type ChangeCode = (code: string, isCodeNode: boolean) => string;

/** Goes through the code of a node that mentions others by their names. */
function eachCode(node: WorkflowNode, names: readonly string[], change: ChangeCode): void {
	const codeIn = codeParameter(node);
	node.parameters = mapTexts(node.parameters, (text) => {
		if (!names.some((name) => mentionsNode(text, name))) return text;
		const isCode = codeIn !== undefined && text === node.parameters[codeIn];
		return isCode ? change(text, true) : mapCode(text, (code) => change(code, false));
	}) as IDataObject;
}

const quoted = (name: string): string[] => [JSON.stringify(name), `'${name.replace(/'/g, "\\'")}'`];

const occurrences = (code: string, name: string): number =>
	quoted(name).reduce((sum, text) => sum + code.split(text).length - 1, 0);

/** A node's first fields that others read by its name; undefined stands for a read that cannot be followed. */
export type NamedReads = ReadonlyMap<string, ReadonlyArray<string | undefined>>;

/** What nodes read of those with the given names, wherever the name is written out. */
export function readsOfNodes(nodes: readonly WorkflowNode[], names: readonly string[]): NamedReads {
	const found = new Map<string, Array<string | undefined>>(names.map((name) => [name, []]));
	for (const node of nodes) {
		eachCode(node, names, (code, isCodeNode) => {
			const references = findReferences(code, isCodeNode);
			for (const [name, fields] of found) {
				if (!mentionsNode(code, name)) continue;
				const reads = references.filter((reference) => reference.node === name);
				fields.push(...reads.map((reference) => reference.segments[0]?.name));
				if (reads.length < Math.max(1, occurrences(code, name))) fields.push(undefined);
			}
			return code;
		});
	}
	return found;
}

/** Lets every read of some nodes read another one. Only for reads that can all be followed. */
export function renameReads(nodes: readonly WorkflowNode[], from: readonly string[], to: string): void {
	for (const node of nodes) {
		eachCode(node, from, (code, isCodeNode) => {
			let result = code;
			const references = findReferences(code, isCodeNode);
			const reads = references.filter(({ node: read }) => read !== undefined && from.includes(read));
			for (const { nameAt } of reads.reverse()) {
				if (nameAt) result = renameAt(result, nameAt, to);
			}
			return result;
		});
	}
}

/** Writes a name over another one; `$node.Name` becomes `$node["Name"]`, as any name fits there. */
function renameAt(code: string, at: { start: number; end: number }, to: string): string {
	const quote = code[at.start];
	const after = code.slice(at.end);
	if (quote === "'") return `${code.slice(0, at.start)}'${to.replace(/['\\]/g, '\\$&')}'${after}`;
	const written = JSON.stringify(to);
	if (quote === '"') return code.slice(0, at.start) + written + after;
	return `${code.slice(0, at.start - 1)}[${written}]${after}`;
}

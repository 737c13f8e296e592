import type { IDataObject } from 'n8n-workflow';

import { mapCode, mapTexts } from './readers';
import { findReferences, mentionsNode } from './references';
import { codeParameter } from './shapes';
import type { WorkflowNode } from './workflowJson';

const eachCode = (node: WorkflowNode, change: (code: string, isCodeNode: boolean) => string): void => {
	const codeIn = codeParameter(node);
	const changeText = (text: string, path: string): string =>
		path === codeIn ? change(text, true) : mapCode(text, (code) => change(code, false));
	node.parameters = mapTexts(node.parameters, '', changeText) as IDataObject;
};

const quoted = (name: string): string[] => [JSON.stringify(name), `'${name.replace(/'/g, "\\'")}'`];

const occurrences = (code: string, name: string): number =>
	quoted(name).reduce((sum, text) => sum + code.split(text).length - 1, 0);

/** First field of every read of a node that can be followed; `undefined` for one that cannot. */
export function readsOfNode(nodes: readonly WorkflowNode[], name: string): Array<string | undefined> {
	const fields: Array<string | undefined> = [];
	for (const node of nodes) {
		eachCode(node, (code, isCodeNode) => {
			if (!mentionsNode(code, name)) return code;
			const reads = findReferences(code, isCodeNode).filter((reference) => reference.node === name);
			fields.push(...reads.map((reference) => reference.segments[0]?.name));
			if (reads.length < Math.max(1, occurrences(code, name))) fields.push(undefined);
			return code;
		});
	}
	return fields;
}

/** Lets every read of a node read another one. Only for reads that can all be followed. */
export function renameReads(nodes: readonly WorkflowNode[], from: string, to: string): void {
	for (const node of nodes) {
		eachCode(node, (code, isCodeNode) => {
			let result = code;
			const reads = findReferences(code, isCodeNode).filter((reference) => reference.node === from);
			for (const { nameAt } of reads.reverse()) {
				if (!nameAt) continue;
				const short = result[nameAt.start] !== '"' && result[nameAt.start] !== "'";
				const before = short ? result.slice(0, nameAt.start - 1) : result.slice(0, nameAt.start);
				const written = JSON.stringify(to).replace(/"/g, result[nameAt.start] === "'" ? "'" : '"');
				result = `${before}${short ? `[${written}]` : written}${result.slice(nameAt.end)}`;
			}
			return result;
		});
	}
}

import type { IDataObject } from 'n8n-workflow';

import { AS_PRODUCTS, hintFor, rewriteReference } from './fields';
import { findReferences } from './references';
import type { Reference } from './references';
import type { Report } from './report';
import { lineAt } from './report';
import type { Flows, Shape } from './shapes';
import { codeParameter } from './shapes';
import type { ChangeText, TextPath } from './texts';
import { mapCode, mapTexts } from './texts';
import type { WorkflowNode } from './workflowJson';

/** Where a piece of code stands, for the report. */
interface Place {
	node: WorkflowNode;
	parameter: TextPath;
	/** The whole text and where the code begins in it, to count lines. */
	text: string;
	offset: number;
	isCodeNode: boolean;
}

const shapeOf = (reference: Reference, { node }: Place, flows: Flows): Shape | undefined =>
	reference.node === undefined ? flows.input.get(node.name) : flows.output.get(reference.node);

/** The same read without `?.`, which n8n's expressions do not understand inside template literals. */
function withoutChaining(base: string, path: string): string {
	const at = path.indexOf('.content?.');
	if (at < 0) return base + path;
	const rest = path.slice(at + '.content?.'.length);
	return `(${base}${path.slice(0, at)}.content ?? {})${rest.startsWith('[') ? rest : `.${rest}`}`;
}

/** Rewrites the old fields that a piece of code reads for certain; reports these and all others. */
function rewriteCode(code: string, place: Place, flows: Flows, report: Report): string {
	let result = '';
	let at = 0;
	for (const reference of findReferences(code, place.isCodeNode)) {
		const shape = shapeOf(reference, place, flows);
		const rewriting = shape && rewriteReference(reference, shape);
		if (!rewriting || reference.start < at) continue;
		const line = lineAt(place.text, place.offset + reference.start);
		const about = { node: place.node.name, parameter: place.parameter.toString(), line };
		if (!('text' in rewriting)) {
			report.warnings.push({ ...about, ...rewriting });
			continue;
		}
		const before = code.slice(reference.pathStart, reference.end).trim();
		const after = rewriting.text.replace(AS_PRODUCTS, '.map(… as before …)');
		report.changes.push({ ...about, message: `"${before}" is read as "${after}" now.` });
		// An index may read an old field itself.
		const path = rewriteCode(rewriting.text, place, flows, report);
		const base = code.slice(reference.start, reference.pathStart);
		const read = !place.isCodeNode && code.includes('`') ? withoutChaining(base, path) : base + path;
		result += code.slice(at, reference.start) + read;
		at = reference.end;
	}
	return result + code.slice(at);
}

/** Reads `products` out of an object, in whatever way; a variable of that name is no matter. */
const OLD_LIST = /\.\s*products\b|["'`]products["'`]|[{,]\s*products\s*[,}:=]/;

const IS_COMMENT = /^\s*(\/\/|\*|\/\*|#)/;

/** Lists the lines of a Code node that may read old fields in ways that were not followed. */
function listLines(code: string, node: WorkflowNode, parameter: string, flows: Flows, report: Report): void {
	const input = flows.input.get(node.name);
	const named = [...flows.output].filter(
		([name]) => code.includes(`'${name}'`) || code.includes(`"${name}"`),
	);
	const kinds = new Set(
		[...(input ? [input] : []), ...named.map(([, shape]) => shape)].map(({ kind }) => kind),
	);
	for (const kind of kinds) {
		const reads = kind === 'row' ? /\bjson\s*(\??\.|\[)/ : OLD_LIST;
		const certain = new Set(findReferences(code, true).map(({ start }) => lineAt(code, start)));
		for (const [index, line] of code.split('\n').entries()) {
			const isRead = reads.test(line) && !IS_COMMENT.test(line);
			if (!isRead || (kind === 'row' && certain.has(index + 1))) continue;
			report.warnings.push({
				node: node.name,
				parameter,
				line: index + 1,
				message: `Code may read an old field: ${line.trim()}`,
				suggestion: hintFor(kind),
			});
		}
	}
}

/** Rewrites and lists what the nodes read of results, in expressions and in Code nodes. */
export function rewriteReaders(nodes: readonly WorkflowNode[], flows: Flows, report: Report): void {
	if (flows.output.size === 0) return;
	for (const node of nodes) {
		const codeIn = codeParameter(node);
		const change: ChangeText = (text, parameter) => {
			if (codeIn !== undefined && text === node.parameters[codeIn]) {
				if (codeIn === 'pythonCode') {
					listLines(text, node, codeIn, flows, report);
					return text;
				}
				const place = { node, parameter, text, offset: 0, isCodeNode: true };
				const code = rewriteCode(text, place, flows, report);
				listLines(code, node, codeIn, flows, report);
				return code;
			}
			return mapCode(text, (code, offset) =>
				rewriteCode(code, { node, parameter, text, offset, isCodeNode: false }, flows, report),
			);
		};
		node.parameters = mapTexts(node.parameters, change) as IDataObject;
	}
}

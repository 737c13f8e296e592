import { closeOf, codeMask, stringLiteral } from './scan';

/** A step of a path into an item: `.name`, `["name"]`, `[0]`, `[i]`. */
export interface Segment {
	/** Name of a field, or undefined for an index. */
	name?: string;
	/** The step as it stands, `?.` included. */
	text: string;
	start: number;
	end: number;
}

/** A place in code that reads an item's JSON. */
export interface Reference {
	/** Name of the node that is read, or undefined for the node's own input. */
	node?: string;
	/** Where the node's name stands, quotes included. */
	nameAt?: { start: number; end: number };
	start: number;
	/** Where the path begins, after `.json`. */
	pathStart: number;
	segments: Segment[];
	/** After the path; a method that is called there is not part of it. */
	end: number;
	/** Name of the method called on what was read. */
	method?: string;
	/** Whether the place is written to. */
	isTarget: boolean;
}

const NAME = String.raw`("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`;
const CALL = String.raw`\(\s*\d*\s*(?:,\s*\d+\s*)*\)`;
const ITEM = String.raw`\??\.(?:item|first${CALL}|last${CALL}|itemMatching\([^()]*\)|pairedItem\([^()]*\)|all${CALL}\[[^\]]*\])`;
const JSON_STEP = String.raw`\??\.json(?![\w$])`;

/** What an expression can read an item's JSON with; the named group tells the node. */
const BASES: ReadonlyArray<readonly [begins: string, base: RegExp]> = [
	['$json', /\$json(?![\w$])/g],
	['$input', new RegExp(String.raw`\$input${ITEM}${JSON_STEP}`, 'g')],
	['$(', new RegExp(String.raw`\$\(\s*${NAME}\s*\)${ITEM}${JSON_STEP}`, 'g')],
	['$node[', new RegExp(String.raw`\$node\[\s*${NAME}\s*\]${JSON_STEP}`, 'g')],
	['$node.', /\$node\.([A-Za-z_$][\w$]*)\.json(?![\w$])/g],
	['$items', new RegExp(String.raw`\$items\(\s*${NAME}[^()]*\)\[[^\]]*\]${JSON_STEP}`, 'g')],
];

/** What only Code and Function nodes know: the list of their input items. */
const CODE_BASE = ['items', new RegExp(String.raw`items\[\s*\d+\s*\]${JSON_STEP}`, 'g')] as const;

const nameStep = /^\s*(\??\.)\s*([A-Za-z_$][\w$]*)/;

/** Reads one step at a position; undefined when the path ends there. */
function stepAt(code: string, at: number, mask: boolean[]): Segment | undefined {
	const dot = nameStep.exec(code.slice(at, at + 120));
	if (dot) {
		const [text, , name] = dot;
		return { name, text: text.trim(), start: at, end: at + text.length };
	}
	const open = code.startsWith('?.[', at) ? at + 2 : at;
	if (code[open] !== '[') return undefined;
	const end = closeOf(code, open, mask);
	if (end === undefined) return undefined;
	const name = stringLiteral(code.slice(open + 1, end - 1));
	return { ...(name === undefined ? {} : { name }), text: code.slice(at, end), start: at, end };
}

const WRITES = /^\s*(=(?![=>])|[-+*/|&?]{1,2}=(?!=)|\+\+|--)/;
const MUTATORS = new Set(['push', 'pop', 'shift', 'unshift', 'splice', 'fill', 'copyWithin', 'reverse']);

function referenceAt(code: string, match: RegExpExecArray, mask: boolean[]): Reference {
	const start = match.index;
	const pathStart = start + match[0].length;
	const segments: Segment[] = [];
	let end = pathStart;
	for (let step = stepAt(code, end, mask); step; step = stepAt(code, end, mask)) {
		segments.push(step);
		end = step.end;
	}
	let method: string | undefined;
	const last = segments.at(-1);
	if (last?.name !== undefined && /^\s*(\?\.)?\(/.test(code.slice(end))) {
		method = last.name;
		end = last.start;
		segments.pop();
	}
	const isTarget =
		WRITES.test(code.slice(end, end + 20)) ||
		(method !== undefined && MUTATORS.has(method)) ||
		/(?:\bdelete|\+\+|--)\s*$/.test(code.slice(Math.max(0, start - 10), start));
	const reference = { start, pathStart, segments, end, isTarget, ...(method ? { method } : {}) };
	const quoted = match[1];
	if (quoted === undefined) return reference;
	const nameStart = start + match[0].indexOf(quoted);
	const nameAt = { start: nameStart, end: nameStart + quoted.length };
	return { ...reference, node: stringLiteral(quoted) ?? quoted, nameAt };
}

/**
 * Finds the places of a JavaScript text that read an item's JSON and can be followed, in order.
 * @param isCodeNode whether the text is a whole Code or Function node rather than an expression
 */
export function findReferences(code: string, isCodeNode = false): Reference[] {
	const bases = (isCodeNode ? [...BASES, CODE_BASE] : BASES).filter(([begins]) => code.includes(begins));
	if (bases.length === 0 || !code.includes('json')) return [];
	const mask = codeMask(code);
	const found = new Map<number, Reference>();
	for (const [, base] of bases) {
		for (const match of code.matchAll(base)) {
			const inName =
				/[\w$.]/.test(code[match.index - 1] ?? '') && !code.slice(0, match.index).endsWith('...');
			if (mask[match.index] && !inName) found.set(match.index, referenceAt(code, match, mask));
		}
	}
	return [...found.values()].sort((a, b) => a.start - b.start);
}

/** Names of nodes that a text reads, in whatever way; for what cannot be followed. */
export function mentionsNode(code: string, name: string): boolean {
	if (!code.includes('$')) return false;
	if (code.includes(name))
		return [`"${name}"`, `'${name}'`, `$node.${name}.`].some((text) => code.includes(text));
	return (
		/["'\\]/.test(name) &&
		(code.includes(JSON.stringify(name)) || code.includes(name.replace(/'/g, "\\'")))
	);
}

import { isRecord } from '../json/workflowJson';
import { bare, fixedText, isNumeric, parseExpression, pathOf } from './parse';
import type { Code } from './parse';
import type { Part, Template } from './template';
import { codeOf, flattenCode, isExpression, parseTemplate, renderTemplate, soleCode } from './template';

/** A parameter of a request. A text value is an n8n parameter value: `=…` holds expressions. */
export interface Entry {
	name: string;
	value: unknown;
	/** How the value stood in the text it was read from; used as long as the value is not changed. */
	raw?: string;
	/** What else belongs to its row in the node. */
	row?: Record<string, unknown>;
	/** Set when the value is code that only fits where it stands, because it writes JSON or form text itself. */
	isBound?: boolean;
}

/**
 * Objects that stand as text in a parameter: JSON, JSON with `{{ … }}` in it, and JavaScript
 * object literals inside one expression. They are read into entries and written back with
 * everything that was not changed exactly as it stood.
 */
export interface ObjectText {
	entries: Entry[];
	/** Writes the parameter's value anew. */
	write: (entries: readonly Entry[]) => unknown;
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

const entriesOf = (record: Record<string, unknown>): Entry[] =>
	Object.entries(record).map(([name, value]) => ({ name, value }));

const objectOf = (entries: readonly Entry[]): Record<string, unknown> =>
	Object.fromEntries(entries.map(({ name, value }) => [name, value]));

/** A value in JSON text: an expression is written as JSON by itself. */
function jsonValue({ value, raw }: Entry): string {
	if (raw !== undefined) return raw;
	return isExpression(value) ? `{{ JSON.stringify(${codeOf(value)}) }}` : JSON.stringify(value ?? null);
}

const jsonText = (entries: readonly Entry[]): string =>
	`{\n${entries.map((entry) => `  ${JSON.stringify(entry.name)}: ${jsonValue(entry)}`).join(',\n')}\n}`;

/**
 * Marks of expressions while the text around them is read as JSON, within and outside a string:
 * characters for private use, which no parameter has by accident.
 */
const IN_STRING = (index: number): string => `\uE000${index}\uE000`;
const BARE = (index: number): string => `"\uE001${index}\uE001"`;
const MARKS = /"\uE001(\d+)\uE001"|\uE000(\d+)\uE000/g;
const SOLE_MARK = /^\uE001(\d+)\uE001$/;

function marked(parts: Template): string {
	let text = '';
	for (const [index, part] of parts.entries()) {
		if ('text' in part) text += part.text;
		else {
			const quotes = text.replace(/\\./g, '').split('"').length - 1;
			text += quotes % 2 === 1 ? IN_STRING(index) : BARE(index);
		}
	}
	return text;
}

/** The code behind `JSON.stringify(…)` of one argument: what it encodes, undefined for other code. */
function stringified(code: string): string | undefined {
	const node = parseExpression(code);
	if (node?.type !== 'CallExpression' || node.arguments.length !== 1) return undefined;
	const [argument] = node.arguments;
	const isCall = code.slice(node.callee.start, node.callee.end).replace(/\s/g, '') === 'JSON.stringify';
	return isCall && argument ? code.slice(argument.start, argument.end) : undefined;
}

/** Reads the values of JSON with holes; what a hole writes is decoded, or its entry is bound to the text. */
class JsonHoles {
	isBound = false;

	constructor(private readonly parts: Template) {}

	private code(index: string | undefined): string {
		const part = this.parts[Number(index)];
		return part && 'code' in part ? part.code : '';
	}

	/** Text with marks as it stood in the parameter. */
	restored(text: string): string {
		return text.replace(
			MARKS,
			(_all, one?: string, other?: string) => `{{ ${this.code(one ?? other)} }}`,
		);
	}

	/** The value of a hole that is no string: code that gives it. */
	private bareCode(code: string): string {
		const inner = stringified(code);
		if (inner !== undefined) return inner;
		const node = parseExpression(code);
		if (!node || !(pathOf(node) || isNumeric(node))) this.isBound = true;
		return code;
	}

	/** A text with holes in it, as an n8n parameter value. */
	private textValue(text: string): string {
		const parts = text.split(/\uE000(\d+)\uE000/).map((piece, index): Part => {
			if (index % 2 === 0) return { text: piece };
			const code = this.code(piece);
			if (!pathOf(parseExpression(code))) this.isBound = true;
			return { code };
		});
		return renderTemplate(parts);
	}

	/** A value as JavaScript; never with `}}`, which would end an expression. */
	private literal(value: unknown): string {
		if (Array.isArray(value)) return `[${value.map((one) => this.literal(one)).join(', ')}]`;
		if (isRecord(value)) {
			const rows = Object.entries(value).map(
				([name, one]) => `${JSON.stringify(name)}: ${this.literal(one)}`,
			);
			return `{ ${rows.join(', ')} }`;
		}
		return codeOf(this.value(value));
	}

	value(value: unknown): unknown {
		if (typeof value === 'object' && value !== null) {
			const hasHoles = /[\uE000\uE001]/.test(JSON.stringify(value));
			return hasHoles ? `={{ ${this.literal(value)} }}` : value;
		}
		if (typeof value !== 'string') return value;
		const sole = SOLE_MARK.exec(value)?.[1];
		return sole === undefined ? this.textValue(value) : `={{ ${this.bareCode(this.code(sole))} }}`;
	}
}

function readJsonTemplate(value: string): ObjectText | undefined {
	const parts = parseTemplate(value);
	const record = parseJson(marked(parts));
	if (!isRecord(record)) return undefined;
	const entries = Object.entries(record).map(([name, given]): Entry => {
		const holes = new JsonHoles(parts);
		const entry = { name, value: holes.value(given), raw: holes.restored(JSON.stringify(given)) };
		return holes.isBound ? { ...entry, isBound: true } : entry;
	});
	return { entries, write: (changed) => `=${jsonText(changed)}` };
}

/** The value of a piece of code, as an n8n parameter value. */
function valueOf(node: Code, code: string): unknown {
	const inner = bare(node);
	const text = fixedText(inner);
	if (text !== undefined) return renderTemplate([{ text }]);
	const source = code.slice(node.start, node.end);
	if (inner.type === 'Literal' || inner.type === 'UnaryExpression') {
		const value = parseJson(source);
		if (value !== undefined) return value;
	}
	return renderTemplate(inner.type === 'TemplateLiteral' ? flattenCode(source) : [{ code: source }]);
}

/** An expression that is one object literal, bare, in brackets or in `JSON.stringify`. */
function readObjectLiteral(value: string): ObjectText | undefined {
	const code = soleCode(value);
	const node = code === undefined ? undefined : parseExpression(code);
	if (!node || code === undefined) return undefined;
	const isStringified = node.type === 'CallExpression' && /^JSON\s*\.\s*stringify\b/.test(code);
	const [first, ...more] = isStringified ? node.arguments : [node];
	const object = first && bare(first);
	if (object?.type !== 'ObjectExpression' || object.properties.length === 0) return undefined;
	if (!more.every((argument) => argument.type === 'Literal')) return undefined;
	const entries: Entry[] = [];
	for (const property of object.properties) {
		if (property.type === 'SpreadElement' || property.computed || property.kind !== 'init')
			return undefined;
		const { key, value: given } = property;
		const name = key.type === 'Identifier' ? key.name : fixedText(key);
		if (name === undefined || property.method) return undefined;
		entries.push({ name, value: valueOf(given, code), raw: code.slice(given.start, given.end) });
	}
	const write = (changed: readonly Entry[]): string => {
		const rows = changed.map(
			(entry) => `${JSON.stringify(entry.name)}: ${entry.raw ?? codeOf(entry.value)}`,
		);
		const [before, after] = [code.slice(0, object.start), code.slice(object.end)];
		return `={{ ${before}{ ${rows.join(', ')} }${after.startsWith('}') ? ' ' : ''}${after} }}`;
	};
	return { entries, write };
}

/** Reads an object out of a parameter's value; undefined when it is put together in another way. */
export function readObjectText(value: unknown): ObjectText | undefined {
	if (isRecord(value)) return { entries: entriesOf(value), write: objectOf };
	if (typeof value !== 'string' || value.trim() === '') return undefined;
	if (isExpression(value)) return readObjectLiteral(value) ?? readJsonTemplate(value);
	const record = parseJson(value);
	if (!isRecord(record)) return undefined;
	return { entries: entriesOf(record), write: (changed) => JSON.stringify(objectOf(changed), null, 2) };
}

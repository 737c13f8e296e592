import { isRecord } from '../json/workflowJson';
import type { ESTree } from '../../../../vendor/meriyah';

import {
	unwrapped,
	type Code,
	fixedText,
	isNumeric,
	parseExpression,
	expressionPath,
	rangeOf,
	sliceOf,
} from './parse';
import { codeOf, flattenCode, isExpression, type Part, renderTemplate, soleCode } from './template';

/** A parameter of a request. A text value is an n8n parameter value: `=…` contains expressions. */
export interface Entry {
	name: string;
	value: unknown;
	/** The value as written in the original text; used while the value is unchanged. */
	raw?: string;
	/** Other fields of its row in the node. */
	row?: Record<string, unknown>;
	/** Set when the value is code that only works in its place, because it writes JSON or form text. */
	isBound?: boolean;
}

/**
 * Objects written as text in a parameter: JSON, JSON with `{{ … }}` in it, and JavaScript object literals
 * inside one expression. They are read into entries, and everything unchanged is written back as it was.
 */
export interface ObjectText {
	entries: Entry[];
	/** Returns the parameter's new value. */
	write: (entries: readonly Entry[]) => unknown;
}

function parsedLiteral(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/** A value, and whether it is bound to the surrounding text. */
type BoundValue = Pick<Entry, 'value' | 'isBound'>;

/** The entries of an object in `source`; undefined when one of them has no plain name. */
function objectEntries(
	object: ESTree.ObjectExpression,
	source: string,
	read: (node: Code) => BoundValue,
): Entry[] | undefined {
	const entries: Entry[] = [];
	for (const property of object.properties) {
		if (property.type !== 'Property' || property.computed || property.method) return undefined;
		const { key, value, kind } = property;
		const name = key.type === 'Identifier' ? key.name : fixedText(key);
		if (name === undefined || kind !== 'init') return undefined;
		entries.push({ name, ...read(value), raw: sliceOf(source, value) });
	}
	return entries;
}

/** Returns a function that writes an object in place of the original one. */
const writer =
	(source: string, object: ESTree.ObjectExpression, write: (value: unknown) => string) =>
	(entries: readonly Entry[]): string => {
		const [start, end] = rangeOf(object);
		const rows = entries.map(
			({ name, value, raw }) => `  ${JSON.stringify(name)}: ${raw ?? write(value)}`,
		);
		return `${source.slice(0, start)}{\n${rows.join(',\n')}\n}${source.slice(end)}`;
	};

/** Placeholders for holes while the text is parsed: private-use characters, unused in parameters. */
const [FIRST, NEXT] = ['\uE000', '\uE001'];

/** JSON with holes as JavaScript of the same length, and the code of the holes by position. */
function maskHoles(text: string): { masked: string; holes: Map<number, string> } {
	const holes = new Map<number, string>();
	let quotes = 0;
	const masked = text.replace(
		/\\.|"|\{\{([\s\S]{0,10000}?)\}\}/g,
		(all, code: string | undefined, at: number) => {
			if (all === '"') quotes++;
			if (code === undefined) return all;
			holes.set(at, code.trim());
			const [first, next] = quotes % 2 === 1 ? [FIRST, NEXT] : ['$', '_'];
			return first + next.repeat(all.length - 1);
		},
	);
	return { masked, holes };
}

/** The argument of a call of `name`, such as `JSON.stringify(…)`; undefined for other code. */
export function encodedBy(name: string, code: string): string | undefined {
	const node = parseExpression(code);
	if (node?.type !== 'CallExpression') return undefined;
	const [argument, more] = node.arguments;
	const isCall = sliceOf(code, node.callee) === name;
	return isCall && argument && !more ? sliceOf(code, argument) : undefined;
}

/** A value of JSON with holes: encoded holes are decoded; code that builds text itself is bound to it. */
function jsonValue(node: Code, masked: string, holes: ReadonlyMap<number, string>): BoundValue {
	const inner = unwrapped(node);
	const [start, end] = rangeOf(inner);
	const inside = [...holes].filter(([at]) => at >= start && at < end).map(([, code]) => code);
	const value: unknown = parsedLiteral(sliceOf(masked, inner));
	if (inside.length === 0)
		return { value: typeof value === 'string' ? renderTemplate([{ text: value }]) : value };
	if (inner.type === 'Identifier') {
		const [code = ''] = inside;
		const encoded = encodedBy('JSON.stringify', code);
		const hole = parseExpression(code);
		const isBound = encoded === undefined && !(hole && (expressionPath(hole) || isNumeric(hole)));
		return { value: `={{ ${encoded ?? code} }}`, isBound };
	}
	if (inner.type === 'ArrayExpression') {
		const all = inner.elements.map((one) => (one ? jsonValue(one, masked, holes) : { value: null }));
		const value = `={{ [${all.map((one) => codeOf(one.value)).join(', ')}] }}`;
		return { value, isBound: all.some(({ isBound }) => isBound) };
	}
	const texts = String(value).split(/\uE000\uE001*/);
	const parts = texts.flatMap((text, at): Part[] => [
		{ text },
		...(inside[at] === undefined ? [] : [{ code: inside[at] }]),
	]);
	const isBound =
		typeof value !== 'string' || !inside.every((code) => expressionPath(parseExpression(code)));
	return { value: renderTemplate(parts), isBound };
}

function readJsonTemplate(text: string): ObjectText | undefined {
	const { masked, holes } = maskHoles(text);
	const object = parseExpression(masked);
	if (object?.type !== 'ObjectExpression') return undefined;
	const entries = objectEntries(object, text, (node) => jsonValue(node, masked, holes));
	const write = writer(text, object, (value) =>
		isExpression(value) ? `{{ JSON.stringify(${codeOf(value)}) }}` : JSON.stringify(value ?? null),
	);
	return entries && { entries, write: (changed) => `=${write(changed)}` };
}

/** The value of a piece of code as an n8n parameter value. */
function codeValue(node: Code, code: string): BoundValue {
	const inner = unwrapped(node);
	const source = sliceOf(code, node);
	const text = fixedText(inner);
	if (text !== undefined) return { value: renderTemplate([{ text }]) };
	const value =
		inner.type === 'Literal' || inner.type === 'UnaryExpression' ? parsedLiteral(source) : undefined;
	if (value !== undefined) return { value };
	return {
		value: renderTemplate(inner.type === 'TemplateLiteral' ? flattenCode(source) : [{ code: source }]),
	};
}

/** An expression that is a single object literal, bare, in parentheses or in `JSON.stringify`. */
function readObjectLiteral(code: string): ObjectText | undefined {
	const node = parseExpression(code);
	const isStringified = node?.type === 'CallExpression' && /^JSON\s*\.\s*stringify\b/.test(code);
	const [first, ...more] = isStringified ? node.arguments : [node];
	const object = first && unwrapped(first);
	if (object?.type !== 'ObjectExpression' || !more.every((one) => one?.type === 'Literal'))
		return undefined;
	const entries = objectEntries(object, code, (value) => codeValue(value, code));
	const write = writer(code, object, codeOf);
	return entries && { entries, write: (changed) => `={{ ${write(changed)} }}` };
}

/** Reads an object from a parameter's value; undefined when it is built in another way. */
export function readObjectText(value: unknown): ObjectText | undefined {
	const record = typeof value === 'string' && !isExpression(value) ? parsedLiteral(value) : value;
	if (isRecord(record)) {
		const entries = Object.entries(record).map(([name, one]) => ({ name, value: one }));
		const objectOf = (changed: readonly Entry[]) =>
			Object.fromEntries(changed.map((one) => [one.name, one.value]));
		const write = (changed: readonly Entry[]) =>
			record === value ? objectOf(changed) : JSON.stringify(objectOf(changed), null, 2);
		return { entries, write };
	}
	if (!isExpression(value)) return undefined;
	const code = soleCode(value);
	return (code === undefined ? undefined : readObjectLiteral(code)) ?? readJsonTemplate(value.slice(1));
}

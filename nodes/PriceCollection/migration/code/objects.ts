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

/** A request parameter. A string value is an n8n parameter value: one that starts with `=` contains expressions. */
export interface Entry {
	name: string;
	value: unknown;
	/** The value as written in the original text, for writing it back. Rules that change the value clear this. */
	raw?: string;
	/** The other fields of its row in the node's parameters. */
	row?: Record<string, unknown>;
	/** True if the value is code that only works where it is, because it may output JSON or form text. */
	isBound?: boolean;
}

/**
 * An object in a parameter: a plain object, JSON, JSON with `{{ … }}` in it, or a JavaScript object literal inside
 * one expression. Writing keeps unchanged values as they were, but reformats the object around them.
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

/** Reads an object's entries from `source`; undefined unless every property is a plain `name: value`. */
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

/** Returns a function that replaces the original object in `source` with one written from entries. */
const writer =
	(source: string, object: ESTree.ObjectExpression, write: (value: unknown) => string) =>
	(entries: readonly Entry[]): string => {
		const [start, end] = rangeOf(object);
		const rows = entries.map(
			({ name, value, raw }) => `  ${JSON.stringify(name)}: ${raw ?? write(value)}`,
		);
		return `${source.slice(0, start)}{\n${rows.join(',\n')}\n}${source.slice(end)}`;
	};

/** Placeholders for holes inside strings: private-use characters, which parameters are not expected to contain. */
const [FIRST, NEXT] = ['\uE000', '\uE001'];

/** Replaces the holes in JSON to get JavaScript of the same length. Also returns each hole's code by position. */
function maskHoles(text: string): { masked: string; holes: Map<number, string> } {
	const holes = new Map<number, string>();
	let quotes = 0;
	const masked = text.replace(
		/\\.|"|\{\{([\s\S]{0,10000}?)\}\}/g,
		(match, code: string | undefined, position: number) => {
			if (match === '"') quotes++;
			if (code === undefined) return match;
			holes.set(position, code.trim());
			const [first, next] = quotes % 2 === 1 ? [FIRST, NEXT] : ['$', '_'];
			return first + next.repeat(match.length - 1);
		},
	);
	return { masked, holes };
}

/** The code of the only argument in a call of `name`, such as `JSON.stringify(…)`; undefined for other code. */
export function encodedBy(name: string, code: string): string | undefined {
	const node = parseExpression(code);
	if (node?.type !== 'CallExpression') return undefined;
	const [argument, second] = node.arguments;
	const isCall = sliceOf(code, node.callee) === name;
	return isCall && argument && !second ? sliceOf(code, argument) : undefined;
}

/** Reads a value of JSON with holes. Unwraps `JSON.stringify`; other code that may write JSON itself makes it bound. */
function jsonValue(node: Code, masked: string, holes: ReadonlyMap<number, string>): BoundValue {
	const inner = unwrapped(node);
	const [start, end] = rangeOf(inner);
	const holeCodes = [...holes]
		.filter(([position]) => position >= start && position < end)
		.map(([, code]) => code);
	const value: unknown = parsedLiteral(sliceOf(masked, inner));
	if (holeCodes.length === 0)
		return { value: typeof value === 'string' ? renderTemplate([{ text: value }]) : value };
	if (inner.type === 'Identifier') {
		const [code = ''] = holeCodes;
		const stringifiedCode = encodedBy('JSON.stringify', code);
		const hole = parseExpression(code);
		const isBound = stringifiedCode === undefined && !(hole && (expressionPath(hole) || isNumeric(hole)));
		return { value: `={{ ${stringifiedCode ?? code} }}`, isBound };
	}
	if (inner.type === 'ArrayExpression') {
		const elements = inner.elements.map((one) => (one ? jsonValue(one, masked, holes) : { value: null }));
		const value = `={{ [${elements.map((one) => codeOf(one.value)).join(', ')}] }}`;
		return { value, isBound: elements.some(({ isBound }) => isBound) };
	}
	const texts = String(value).split(/\uE000\uE001*/);
	const parts = texts.flatMap((text, index): Part[] => [
		{ text },
		...(holeCodes[index] === undefined ? [] : [{ code: holeCodes[index] }]),
	]);
	const isBound =
		typeof value !== 'string' || !holeCodes.every((code) => expressionPath(parseExpression(code)));
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

/** Converts a property's code to an n8n parameter value. */
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

/** Reads code that is a single object literal, bare, in parentheses or in `JSON.stringify`. */
function readObjectLiteral(code: string): ObjectText | undefined {
	const node = parseExpression(code);
	const isStringified = node?.type === 'CallExpression' && /^JSON\s*\.\s*stringify\b/.test(code);
	const [first, ...others] = isStringified ? node.arguments : [node];
	const object = first && unwrapped(first);
	if (object?.type !== 'ObjectExpression' || !others.every((one) => one?.type === 'Literal'))
		return undefined;
	const entries = objectEntries(object, code, (value) => codeValue(value, code));
	const write = writer(code, object, codeOf);
	return entries && { entries, write: (changed) => `={{ ${write(changed)} }}` };
}

/** Reads the object in a parameter's value; undefined if it is none of the kinds in {@link ObjectText}. */
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

import { withoutEnd } from '../../text';
import { objectFrom } from '../../types';

/** What both parsers return for invalid text. `truncated`: the end is missing. */
export interface InvalidText {
	ok: false;
	/** For people. May contain names from the document, but none of its text. */
	detail: string;
	truncated: boolean;
}

/** The deepest nesting of objects and lists: more than the ten or so levels of results, and safe for recursion. */
export const MAX_DEPTH = 64;

const NOT_JSON = 'The JSON is not well-formed';

export const TOO_DEEP = `nested more than ${MAX_DEPTH} levels deep`;

/**
 * Parses JSON. Numbers that a double would change become text. A repeated name in an object gets a list of its values,
 * as in XML.
 */
export async function parseJson(
	text: string,
	yieldToEventLoop: () => Promise<void>,
): Promise<{ ok: true; value: unknown } | InvalidText> {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (error) {
		// The engine's message is not shown: it quotes the body, which may contain secrets.
		const [match, position] = /Unexpected token|position (\d+)/.exec(String(error)) ?? [];
		const truncated = match === undefined || Number(position) >= text.trimEnd().length;
		return { ok: false, detail: truncated ? 'The JSON ends in the middle' : NOT_JSON, truncated };
	}
	await yieldToEventLoop();
	const fields = countFields(value, MAX_DEPTH);
	const isComplete = fields === countNames(text) && !(await hasInexactNumber(text, yieldToEventLoop));
	if (isComplete) return { ok: true, value };
	value = undefined;
	if (!Number.isNaN(fields)) value = await parseExactly(text, yieldToEventLoop);
	if (value !== undefined) return { ok: true, value };
	return { ok: false, detail: `The JSON is ${TOO_DEEP}`, truncated: false };
}

/** The number of fields in a value at all depths; NaN if it is nested more than `levels` deep. */
function countFields(value: unknown, levels: number): number {
	if (typeof value !== 'object' || value === null) return 0;
	if (levels === 0) return NaN;
	let fields = 0;
	if (Array.isArray(value)) for (const inner of value) fields += countFields(inner, levels - 1);
	// for…in is safe: objects from JSON.parse inherit no fields. Object.values would create far too many lists.
	else
		for (const name in value)
			fields += 1 + countFields((value as Record<string, unknown>)[name], levels - 1);
	return fields;
}

/** The number of names in JSON, including repeated ones. May be too high, because strings can contain similar text. */
function countNames(text: string): number {
	let names = 0;
	for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
		let end = colon - 1;
		while (isBlank(text.charCodeAt(end))) end--;
		if (text[end] === '"') names++;
	}
	return names;
}

const isBlank = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Numbers that a double may change, by their number of digits or their exponent. Also matches in strings. */
const LONG_NUMBER = /(?<=^|[[:,\s])-?\d(?:[\d.]{15}[-+.\dEe]*|[\d.]*[Ee][-+]?\d{3,})/g;

/** Numbers or characters to process before yielding to the event loop: a few milliseconds of work. */
const [NUMBERS_PER_TURN, CHARACTERS_PER_TURN] = [10_000, 200_000];

async function hasInexactNumber(text: string, yieldToEventLoop: () => Promise<void>): Promise<boolean> {
	let numbers = 0;
	for (const [literal] of text.matchAll(LONG_NUMBER)) {
		if (!isExactNumber(literal)) return true;
		if (++numbers % NUMBERS_PER_TURN === 0) await yieldToEventLoop();
	}
	return false;
}

const INTEGER = /^[-+]?\d+$/;
const DECIMAL = /^[-+]?(\d+)(?:\.(\d+))?(?:e[-+]?\d+)?$/i;
/** Numbers with more digits count as inexact: toExponential accepts at most 100. */
const MOST_DIGITS = 100;

/** Whether a double keeps every digit of a number. One wrong digit in an identifier means another product. */
export function isExactNumber(literal: string): boolean {
	if (INTEGER.test(literal)) return Number.isSafeInteger(Number(literal));
	const number = Number(literal);
	if (String(number) === literal) return true;
	const [, integer, decimals = ''] = DECIMAL.exec(literal) ?? [];
	if (integer === undefined) return true;
	const digits = withoutEnd(integer + decimals, '0').replace(/^0+/, '');
	if (digits === '' || digits.length > MOST_DIGITS) return digits === '';
	const [significand = ''] = Math.abs(number)
		.toExponential(digits.length - 1)
		.split('e');
	return significand.replace('.', '') === digits;
}

/** A list, or an object if it has `names`, that is not closed yet. */
class OpenContainer {
	readonly values: unknown[] = [];
	constructor(readonly names?: string[]) {}
}

/**
 * Parses valid JSON and keeps every digit and all values of repeated names. Takes several times as long as JSON.parse,
 * so it is only for documents that need it. Undefined if nested too deep, which an earlier value of a repeated name may
 * be although JSON.parse's result is not.
 */
async function parseExactly(text: string, yieldToEventLoop: () => Promise<void>): Promise<unknown> {
	let inner = new OpenContainer();
	const outer: OpenContainer[] = [];
	let nextYieldAt = CHARACTERS_PER_TURN;
	for (let position = 0; position < text.length;) {
		const character = text[position] ?? '';
		let end = position + 1;
		if (character === '[' || character === '{') {
			if (outer.push(inner) > MAX_DEPTH) return undefined;
			inner = new OpenContainer(character === '{' ? [] : undefined);
		} else if (character === ']' || character === '}') {
			const { names, values } = inner;
			inner = outer.pop() ?? inner;
			inner.values.push(names ? objectFrom(names, values) : values);
		} else if (!TOKEN_SEPARATORS.includes(character)) {
			const isString = character === '"';
			end = isString ? endOfString(text, position) : endOfLiteral(text, position);
			// Parsed even if the substring would do, because a substring keeps the whole text in memory.
			const literal = text.slice(position, end);
			const value: unknown = JSON.parse(isString || isExactNumber(literal) ? literal : `"${literal}"`);
			// In an object, each name comes before its value.
			if (inner.names?.length === inner.values.length) inner.names.push(String(value));
			else inner.values.push(value);
		}
		position = end;
		if (position < nextYieldAt) continue;
		nextYieldAt = position + CHARACTERS_PER_TURN;
		await yieldToEventLoop();
	}
	return inner.values[0];
}

const TOKEN_SEPARATORS = ',: \n\r\t';
const LITERAL = /[-+.\w]+/y;

/** The end of the number or word that begins at `start` in valid JSON. */
function endOfLiteral(text: string, start: number): number {
	LITERAL.lastIndex = start;
	LITERAL.test(text);
	return LITERAL.lastIndex;
}

/** The end of the string that begins at `start` in valid JSON. */
function endOfString(text: string, start: number): number {
	let end = text.indexOf('"', start + 1);
	while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
	return end + 1;
}

/** Whether a character in a string follows an odd number of backslashes. */
function isEscaped(text: string, position: number): boolean {
	let firstBackslash = position;
	while (text[firstBackslash - 1] === '\\') firstBackslash--;
	return (position - firstBackslash) % 2 === 1;
}

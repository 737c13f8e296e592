import { withoutEnd } from '../../text';
import { objectFrom } from '../../types';

/** What both parsers return for invalid text; `truncated` when the end is missing. */
export interface InvalidText {
	ok: false;
	/** For people; may contain names from the document, never its texts. */
	detail: string;
	truncated: boolean;
}

/** Deepest nesting of objects and lists: results need about ten levels, and recursion stays safe. */
export const MAX_DEPTH = 64;

const NOT_JSON = 'The JSON is not well-formed';

export const TOO_DEEP = `nested more than ${MAX_DEPTH} levels deep`;

/**
 * Parses JSON. Numbers that a double would change are kept as text, and a name that an object repeats has the list of
 * its values, as in XML.
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
		const [place, at] = /Unexpected token|position (\d+)/.exec(String(error)) ?? [];
		const truncated = place === undefined || Number(at) >= text.trimEnd().length;
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

/** The number of fields in a value at any depth; NaN where it is nested more than so many levels deep. */
function countFields(value: unknown, levels: number): number {
	if (typeof value !== 'object' || value === null) return 0;
	if (levels === 0) return NaN;
	let fields = 0;
	if (Array.isArray(value)) for (const inner of value) fields += countFields(inner, levels - 1);
	// Objects of JSON.parse have only own fields, and are far too many for lists of their values.
	else
		for (const name in value)
			fields += 1 + countFields((value as Record<string, unknown>)[name], levels - 1);
	return fields;
}

/** The number of names in JSON, repeated ones included. Texts may contain what looks like one, so it may be too high. */
function countNames(text: string): number {
	let names = 0;
	for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
		let end = at - 1;
		while (isBlank(text.charCodeAt(end))) end--;
		if (text[end] === '"') names++;
	}
	return names;
}

const isBlank = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Numbers with so many digits, or with such an exponent, that a double may change them. They may be in a text. */
const LONG_NUMBER = /(?<=^|[[:,\s])-?\d(?:[\d.]{15}[-+.\dEe]*|[\d.]*[Ee][-+]?\d{3,})/g;

/** Numbers or characters after which the event loop gets its turn: a few milliseconds of work. */
const [NUMBERS_AT_A_STRETCH, CHARACTERS_AT_A_STRETCH] = [10_000, 200_000];

async function hasInexactNumber(text: string, yieldToEventLoop: () => Promise<void>): Promise<boolean> {
	let numbers = 0;
	for (const [literal] of text.matchAll(LONG_NUMBER)) {
		if (!isExactNumber(literal)) return true;
		if (++numbers % NUMBERS_AT_A_STRETCH === 0) await yieldToEventLoop();
	}
	return false;
}

const INTEGER = /^[-+]?\d+$/;
const DECIMAL = /^[-+]?(\d+)(?:\.(\d+))?(?:e[-+]?\d+)?$/i;
/** The most digits that JavaScript writes of a number. */
const MOST_DIGITS = 100;

/** Whether a double keeps every digit of a number: one wrong digit of an identifier means another product. */
export function isExactNumber(literal: string): boolean {
	if (INTEGER.test(literal)) return Number.isSafeInteger(Number(literal));
	const number = Number(literal);
	if (String(number) === literal) return true;
	const [, whole, decimals = ''] = DECIMAL.exec(literal) ?? [];
	if (whole === undefined) return true;
	const digits = withoutEnd(whole + decimals, '0').replace(/^0+/, '');
	if (digits === '' || digits.length > MOST_DIGITS) return digits === '';
	const [kept = ''] = Math.abs(number)
		.toExponential(digits.length - 1)
		.split('e');
	return kept.replace('.', '') === digits;
}

/** A list or an object that is not closed yet. */
class Open {
	readonly values: unknown[] = [];
	constructor(readonly names?: string[]) {}
}

/**
 * Parses valid JSON with every digit and all values of repeated names. It takes several times as long as JSON.parse, so
 * it is for documents that need it. Undefined where a value that JSON.parse leaves out is nested too deep.
 */
async function parseExactly(text: string, yieldToEventLoop: () => Promise<void>): Promise<unknown> {
	let inner = new Open();
	const outer: Open[] = [];
	let pause = CHARACTERS_AT_A_STRETCH;
	for (let at = 0; at < text.length;) {
		const mark = text[at] ?? '';
		let end = at + 1;
		if (mark === '[' || mark === '{') {
			if (outer.push(inner) > MAX_DEPTH) return undefined;
			inner = new Open(mark === '{' ? [] : undefined);
		} else if (mark === ']' || mark === '}') {
			const { names, values } = inner;
			inner = outer.pop() ?? inner;
			inner.values.push(names ? objectFrom(names, values) : values);
		} else if (!TOKEN_SEPARATORS.includes(mark)) {
			const isText = mark === '"';
			end = isText ? endOfText(text, at) : endOfWord(text, at);
			// Parsed even where the substring would do, because that keeps the whole text in memory.
			const word = text.slice(at, end);
			const part: unknown = JSON.parse(isText || isExactNumber(word) ? word : `"${word}"`);
			// In an object, each name comes before its value.
			if (inner.names?.length === inner.values.length) inner.names.push(String(part));
			else inner.values.push(part);
		}
		at = end;
		if (at < pause) continue;
		pause = at + CHARACTERS_AT_A_STRETCH;
		await yieldToEventLoop();
	}
	return inner.values[0];
}

const TOKEN_SEPARATORS = ',: \n\r\t';
const WORD = /[-+.\w]+/y;

/** Where the number or word of valid JSON ends that begins at a place. */
function endOfWord(text: string, at: number): number {
	WORD.lastIndex = at;
	WORD.test(text);
	return WORD.lastIndex;
}

/** Where the text of valid JSON ends that begins at a place. */
function endOfText(text: string, at: number): number {
	let end = text.indexOf('"', at + 1);
	while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
	return end + 1;
}

/** Whether a character of a text follows an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
	let start = at;
	while (text[start - 1] === '\\') start--;
	return (at - start) % 2 === 1;
}

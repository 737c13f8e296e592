import { isObject } from '../../service/types';

/** The values of one input item, or why they cannot be read (a sentence for the user). */
type ValuesRead = { ok: true; values: string[] } | { ok: false; reason: string };

const LINE_BREAK = /\r\n|\n|\r/;

/**
 * Reads the parameter `values`: text with one value per line, a number, or (from an expression) a list of
 * both. Values are trimmed, blanks and repeats are dropped, the order is kept. Nothing at all gives an
 * empty list: whether that is allowed is the caller's decision. Never throws.
 */
export function readValues(raw: unknown): ValuesRead {
	const values = new Set<string>();
	for (const element of Array.isArray(raw) ? raw : [raw]) {
		const text = textOf(element);
		if (!text.ok) return text;
		for (const line of text.text.split(LINE_BREAK)) {
			const value = line.trim();
			// What JavaScript makes of an object inside a text: asking for it would only cost money.
			if (value === '[object Object]') return refused('an object');
			if (value !== '') values.add(value);
		}
	}
	return { ok: true, values: [...values] };
}

/**
 * What makes two asked values one purchase: the same text, and for GTINs the same number, because the
 * service itself adds and strips their leading zeros.
 */
export function identityOf(key: string, value: string): string {
	return key === 'gtin' ? withoutLeadingZeros(value) : value;
}

/** A text of digits without its leading zeros; any other text as it is. */
export function withoutLeadingZeros(text: string): string {
	return /^0\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : text;
}

/** A value as it counts: a number and the text of the same number ask for the same; what is undefined is not sent. */
function leveled(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(leveled);
	if (!isObject(value)) return value === null || value === undefined ? value : String(value);
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return Object.fromEntries(entries.map(([name, inner]) => [name, leveled(inner)]));
}

/** The same text for equal parameters, whatever the order of their names, and whether numbers are written as text. */
export function canonical(parameters: Readonly<Record<string, unknown>>): string {
	return JSON.stringify(leveled(parameters));
}

function textOf(element: unknown): { ok: true; text: string } | { ok: false; reason: string } {
	if (element === undefined || element === null) return { ok: true, text: '' };
	if (typeof element === 'string') return { ok: true, text: element };
	if (typeof element === 'bigint') return { ok: true, text: element.toString() };
	if (Array.isArray(element)) return refused('a list inside a list');
	if (typeof element !== 'number') return refused(isObject(element) ? 'an object' : `a ${typeof element}`);
	// Beyond 2^53 the last digits are already lost, and with them the product that was meant.
	if (Math.abs(element) <= Number.MAX_SAFE_INTEGER) return { ok: true, text: String(element) };
	const reason = `The value ${element} is not an exact number: give long identifiers as text`;
	return { ok: false, reason };
}

function refused(what: string): { ok: false; reason: string } {
	return {
		ok: false,
		reason: `Values must be text with one value per line, or a list of texts and numbers, but there is ${what}`,
	};
}

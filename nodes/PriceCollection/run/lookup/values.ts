import { isObject } from '../../service/types';

/** One value of an input item: its text, and why it cannot be looked up, if so. */
export interface ReadValue {
	text: string;
	problem?: string;
}

const LINE_BREAK = /\r\n|\n|\r/;
/** How many characters of an invalid cell its row shows. */
const LONGEST_SHOWN = 100;

/** Why a cell cannot be a value; undefined if it can. */
function problemOf(cell: unknown): string | undefined {
	if (cell === undefined || cell === null || typeof cell === 'string' || typeof cell === 'bigint')
		return undefined;
	if (typeof cell === 'number') {
		if (!Number.isFinite(cell)) return 'it is not a number';
		// Beyond 2^53 the last digits are lost, so the number names another product.
		return Math.abs(cell) <= Number.MAX_SAFE_INTEGER
			? undefined
			: 'it is not an exact number: give long identifiers as text';
	}
	if (typeof cell !== 'object') return `it is a ${typeof cell}`;
	return Array.isArray(cell) ? 'it is a list inside a list' : 'it is an object or a date';
}

/**
 * Reads the parameter `values`: text with one value per line, a number, or (from an expression) a list of
 * both. Trims values, drops blanks and repeats, keeps the order. Never throws.
 */
export function readValues(raw: unknown): ReadValue[] {
	const values = new Map<string, ReadValue>();
	for (const cell of Array.isArray(raw) ? (raw as unknown[]) : [raw]) {
		const problem = problemOf(cell);
		const text =
			problem !== undefined && typeof cell === 'object' ? JSON.stringify(cell) : String(cell ?? '');
		const lines = problem === undefined ? text.split(LINE_BREAK) : [text.slice(0, LONGEST_SHOWN)];
		for (const line of lines.map((one) => one.trim())) {
			if (line === '') continue;
			// JavaScript's text for an object; looking it up would waste money.
			const lost = line === '[object Object]' ? 'it is an object' : problem;
			if (!values.has(line)) values.set(line, { text: line, problem: lost });
		}
	}
	return [...values.values()];
}

/**
 * What identifies a purchase: the text, or for GTINs the number, because the service itself adds and strips
 * leading zeros.
 */
export function identityOf(key: string, value: string): string {
	return key === 'gtin' ? withoutLeadingZeros(value) : value;
}

/** A text of digits without its leading zeros; other texts unchanged. */
export function withoutLeadingZeros(text: string): string {
	return /^0\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : text;
}

/** The same text for equal parameters, regardless of their order and of numbers written as text. */
export function canonical(parameters: Readonly<Record<string, unknown>>): string {
	return JSON.stringify(parameters, (_name, value: unknown) => {
		if (!isObject(value))
			return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
		return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
	});
}

/** A text without repeated and surrounding spaces. */
export function spaced(text: string): string {
	return text.replace(/\s+/g, ' ').trim();
}

/** A text with case, width, composition and spaces normalised. */
export function levelled(text: string): string {
	// Identifiers, the most frequent values, need no Unicode.
	if (/^[\w-]*$/.test(text)) return text.toLowerCase();
	// Down, up and down again also unifies letters without a one-to-one case, such as both sharp s.
	const caseless = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase();
	return spaced(caseless.normalize('NFKC'));
}

/** Also drops accents and punctuation, unless nothing else is left. */
export function folded(text: string): string {
	const plain = levelled(text).normalize('NFD').replace(/\p{M}/gu, '');
	const words = plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
	return withoutLeadingZeros(words === '' ? plain : words);
}

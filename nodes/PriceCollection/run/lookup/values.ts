import { isObject } from '../../service/types';

/** One value of an input item: its text, and why it cannot be asked for, if so. */
export interface ReadValue {
	text: string;
	problem?: string;
}

const LINE_BREAK = /\r\n|\n|\r/;
/** Characters of a cell that is no value, in its row. */
const LONGEST_SHOWN = 100;

/** Why a cell can be no value; undefined for one that can. */
function problemOf(cell: unknown): string | undefined {
	if (cell === undefined || cell === null || typeof cell === 'string' || typeof cell === 'bigint')
		return undefined;
	if (typeof cell === 'number') {
		if (!Number.isFinite(cell)) return 'it is not a number';
		// Beyond 2^53 the last digits are already lost, and with them the product that was meant.
		return Math.abs(cell) <= Number.MAX_SAFE_INTEGER
			? undefined
			: 'it is not an exact number: give long identifiers as text';
	}
	if (typeof cell !== 'object') return `it is a ${typeof cell}`;
	return Array.isArray(cell) ? 'it is a list inside a list' : 'it is an object or a date';
}

/**
 * Reads the parameter `values`: text with one value per line, a number, or (from an expression) a list of both. Values are
 * trimmed, blanks and repeats are dropped, the order is kept. Never throws.
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
			// What JavaScript makes of an object inside a text: asking for it would only cost money.
			const lost = line === '[object Object]' ? 'it is an object' : problem;
			if (!values.has(line)) values.set(line, { text: line, problem: lost });
		}
	}
	return [...values.values()];
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

/** The same text for equal parameters, whatever the order of their names, and whether numbers are written as text. */
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

/** A text without its case, width, composition and repeated spaces. */
export function levelled(text: string): string {
	// Identifiers, by far the most of what is asked, need no Unicode.
	if (/^[\w-]*$/.test(text)) return text.toLowerCase();
	// Down, up and down again: so letters without a single other case, such as both sharp s, become the same.
	const caseless = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase();
	return spaced(caseless.normalize('NFKC'));
}

/** A text without accents and punctuation as well; one of nothing else stays what it is. */
export function folded(text: string): string {
	const plain = levelled(text).normalize('NFD').replace(/\p{M}/gu, '');
	const words = plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
	return withoutLeadingZeros(words === '' ? plain : words);
}

import { createHash } from 'node:crypto';

import { filledGtin, isObject } from '../../service/types';

/** One value of an input item: its text, and why it cannot be looked up, if so. */
export interface ReadValue {
	text: string;
	problem?: string;
}

/** What is wrong with a value, and the advice as a sentence. */
export type Complaint = [what: string, advice: string];

const LINE_BREAK = /\r\n|\n|\r/;
/** How many characters of an invalid cell its row shows. */
const LONGEST_SHOWN = 100;

/** Why a cell cannot be a value; undefined if it can. */
function problemOf(cell: unknown): string | undefined {
	if (Array.isArray(cell)) return 'it is a list inside a list';
	if (typeof cell === 'boolean') return 'it is a boolean';
	if (typeof cell === 'object' && cell !== null) return 'it is an object or a date';
	if (typeof cell !== 'number') return undefined;
	if (!Number.isFinite(cell)) return 'it is not a number';
	// Beyond 2^53 the last digits are lost, so the number names another product.
	const isExact = Math.abs(cell) <= Number.MAX_SAFE_INTEGER;
	return isExact ? undefined : 'it is not an exact number: give long identifiers as text';
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

/** Why a text is not a GTIN-8, -12, -13 or -14, with or without its leading zeros, if so. */
export function gtinProblem(value: string): string | undefined {
	if (!/^\d+$/.test(value)) return 'it contains something other than digits';
	if (value.length < 7 || value.length > 14) return 'it does not have 7 to 14 digits';
	if (/^0+$/.test(value)) return 'it consists of zeros';
	// From the right, the weights are 1, 3, 1, 3, …, check digit first; leading zeros change nothing.
	const digits = [...value].reverse().map(Number);
	const sum = digits.reduce((so, digit, place) => so + digit * (place % 2 === 0 ? 1 : 3), 0);
	return sum % 10 === 0 ? undefined : 'its check digit is wrong, probably a typing error';
}

/** A GTIN without hyphens and spaces between its digits, as printed on books; other texts unchanged. */
export function plainGtin(value: string): string {
	const digits = value.replaceAll(/(?<=\d)[ -](?=\d)/g, '');
	// Two numbers on one line are a list.
	return gtinProblem(digits) === undefined && !/\d{7}[ -]\d{7}/.test(value) ? digits : value;
}

/** A GTIN filled up with zeros, which spreadsheets drop, to 8, 12, 13 or 14 digits; other texts unchanged. */
export function fullGtin(value: string): string {
	return gtinProblem(value) === undefined ? filledGtin(value) : value;
}

/** A number as a spreadsheet shows it in a narrow or unformatted column. */
const SHORTENED = /^\d{1,15}(?:[.,]\d{1,15})?e\+?\d{1,3}$/i;
const ISBN_10 = /^(?:\d[ -]?){9}[\dX]$/i;

/** What is wrong with a value whose lookup would be wasted; undefined for a valid one. */
export function complaintOn({ text, problem }: ReadValue, isGtin: boolean): Complaint | undefined {
	if (problem !== undefined) return [`"${text}" cannot be looked up: ${problem}`, 'Correct it.'];
	const wrong = isGtin ? gtinProblem(plainGtin(text)) : undefined;
	if (wrong === undefined) return undefined;
	const parts = text.split(/[\s,;|]/).filter((part) => part !== '');
	if (parts.length > 1 && parts.every((part) => /^\d{7,14}$/.test(part))) {
		const what = `"${text}" is a list of ${parts.length} numbers on one line`;
		return [what, 'Put each value on a line of its own.'];
	}
	if (SHORTENED.test(text)) {
		const what = `"${text}" is a number that a spreadsheet has shortened, so its last digits are missing`;
		const advice = 'Format the column of the sheet as text and enter the GTIN again.';
		return [what, advice];
	}
	if (ISBN_10.test(text))
		return [`"${text}" is an ISBN-10 or mistyped`, 'Enter the ISBN-13 of the same book.'];
	const advice = 'Correct it, or switch off Check GTINs in the options.';
	return [`"${text}" is not a valid GTIN: ${wrong}`, advice];
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

export const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');

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

import { gtinComplaint } from './gtin';

/** One value of an input item. */
export interface ReadValue {
	text: string;
	/** Why the value cannot be looked up; undefined if it can. */
	problem?: string;
}

/** What is wrong with a value, and advice as a sentence. */
export type Complaint = [what: string, advice: string];

const LINE_BREAK = /\r\n|\n|\r/;
/** Agents often write an escape sequence instead of a line break. */
const WRITTEN_LINE_BREAK = /(?:\\r)?\\n/g;
/** Matches a text from its first to its last visible character. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}](?:[^]*[^\s\p{Cc}\p{Cf}])?/u;
/** Limits for repeating a value in messages and in rows, in characters: sheets refuse cells that are too long. */
const LONGEST_QUOTED = 100;
const LONGEST_REPEATED = 200;

/** What spreadsheets show instead of the value of a formula. */
const SHEET_ERRORS: ReadonlySet<string> = new Set([
	...['#N/A', '#REF!', '#VALUE!', '#NAME?', '#NULL!', '#NUM!', '#DIV/0!', '#ERROR!', '#SPILL!', '#CALC!'],
	...['#GETTING_DATA', '#BUSY!', '#CONNECT!', '#FIELD!', '#BLOCKED!', '#UNKNOWN!'],
	...['Loading...', 'Loading…'],
]);
/** What programs and people write in place of a missing value. Case matters: nan is a kind of bread. */
const NO_VALUES: ReadonlySet<string> = new Set(['undefined', 'null', 'NaN', '-', '–', '—']);

/** Why a cell cannot be a value; undefined if it can. */
function problemOf(cell: unknown): string | undefined {
	if (Array.isArray(cell)) return 'it is a list inside a list';
	if (typeof cell === 'boolean') return 'it is a boolean';
	if (typeof cell === 'object' && cell !== null) return 'it is an object or a date';
	if (typeof cell !== 'number') return undefined;
	if (!Number.isFinite(cell)) return 'it is not a number';
	// Beyond 2^53 the last digits are lost, so the number identifies another product.
	const isExact = Math.abs(cell) <= Number.MAX_SAFE_INTEGER;
	return isExact ? undefined : 'it is not an exact number: give long identifiers as text';
}

/** Why the text of a line cannot be a value; undefined if it can. */
function lineProblem(line: string): string | undefined {
	if (SHEET_ERRORS.has(line)) return 'is an error in the sheet';
	if (NO_VALUES.has(line)) return 'is not a value';
	// JavaScript writes this for an object. Looking it up would waste money.
	return line === '[object Object]' ? 'cannot be looked up: it is an object' : undefined;
}

/** The list that a text contains as JSON; undefined for any other text. */
function jsonListIn(text: string): unknown[] | undefined {
	if (!text.trimStart().startsWith('[')) return undefined;
	try {
		const parsed: unknown = JSON.parse(text);
		return Array.isArray(parsed) ? parsed : undefined;
	} catch {
		return undefined;
	}
}

/** The cells of a parameter. Agents may write a list as JSON, and line breaks as escape sequences. */
function cellsOf(raw: unknown, isTool: boolean): unknown[] {
	const cells: unknown[] = Array.isArray(raw) ? raw : [raw];
	if (!isTool) return cells;
	const items = typeof raw === 'string' ? (jsonListIn(raw) ?? cells) : cells;
	return items.map((cell) => (typeof cell === 'string' ? cell.replace(WRITTEN_LINE_BREAK, '\n') : cell));
}

/**
 * Reads the parameter `values`: text with one value per line, a number, or (from an expression) a list of these. Trims
 * the values, drops empty and repeated ones, and keeps the order. Values that cannot be looked up get a `problem`. The
 * cases are in `test/unit/values/cells.cases.txt`.
 *
 * @param isTool whether an AI agent wrote the parameter
 */
export function readValues(raw: unknown, { isTool = false } = {}): ReadValue[] {
	const values = new Map<string, ReadValue>();
	for (const cell of cellsOf(raw, isTool)) {
		const cellProblem = problemOf(cell);
		const problem = cellProblem && `cannot be looked up: ${cellProblem}`;
		const text =
			problem !== undefined && typeof cell === 'object' ? JSON.stringify(cell) : String(cell ?? '');
		const lines = problem === undefined ? text.split(LINE_BREAK) : [text];
		for (const line of lines.map((one) => VISIBLE.exec(one)?.[0] ?? '')) {
			if (line === '' || values.has(line)) continue;
			values.set(line, { text: line, problem: problem ?? lineProblem(line) });
		}
	}
	return [...values.values()];
}

/** Cuts a text to a maximum length, which includes the ellipsis. */
function shortened(text: string, maxLength: number): string {
	// The cut may split a surrogate pair.
	return text.length <= maxLength
		? text
		: `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** A field's name for a list in a sentence: quoted if readers could not see where it begins or ends. */
export const listedName = (name: string) =>
	name === name.trim() && name !== '' && !name.includes(',') ? repeated(name) : `"${repeated(name)}"`;

/** The first names for a list in a sentence, and how many more there are. */
export function listed(names: readonly string[], limit: number): string {
	const more = names.length > limit ? ` and ${names.length - limit} more` : '';
	return `${names.slice(0, limit).join(', ')}${more}`;
}

/** A text, cut to the length that rows repeat. */
export const repeated = (text: string) => shortened(text, LONGEST_REPEATED);

/** What is wrong with a value that is not worth looking up; undefined for a valid one. */
export function complaintOn({ text, problem }: ReadValue, isGtin: boolean): Complaint | undefined {
	const notGtin = isGtin ? gtinComplaint(text) : undefined;
	const complaint = problem === undefined ? notGtin : ([problem, 'Correct it.'] as const);
	return complaint && [`"${shortened(text, LONGEST_QUOTED)}" ${complaint[0]}`, complaint[1]];
}

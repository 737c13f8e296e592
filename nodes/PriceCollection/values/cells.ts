import { gtinComplaint } from './gtin';

/** One value of an input item: its text, and why it cannot be looked up, if so. */
export interface ReadValue {
	text: string;
	problem?: string;
}

/** What is wrong with a value, and the advice as a sentence. */
export type Complaint = [what: string, advice: string];

const LINE_BREAK = /\r\n|\n|\r/;
/** Agents often write the escape of a line break instead of a line break. */
const WRITTEN_LINE_BREAK = /(?:\\r)?\\n/g;
/** A text from its first to its last visible character. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}](?:[^]*[^\s\p{Cc}\p{Cf}])?/u;
/** Sheets refuse to write cells that are too long, so messages and rows repeat only the start of a cell. */
const LONGEST_QUOTED = 100;
const LONGEST_REPEATED = 200;

/** What spreadsheets show instead of the value of a formula. */
const SHEET_ERRORS: ReadonlySet<string> = new Set([
	...['#N/A', '#REF!', '#VALUE!', '#NAME?', '#NULL!', '#NUM!', '#DIV/0!', '#ERROR!', '#SPILL!', '#CALC!'],
	...['#GETTING_DATA', '#BUSY!', '#CONNECT!', '#FIELD!', '#BLOCKED!', '#UNKNOWN!'],
	...['Loading...', 'Loading…'],
]);
/** What programs and people write where there is no value. Case counts: nan is a bread. */
const NO_VALUES: ReadonlySet<string> = new Set(['undefined', 'null', 'NaN', '-', '–', '—']);

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

/** Why the text of a line cannot be a value; undefined if it can. */
function lineProblem(line: string): string | undefined {
	if (SHEET_ERRORS.has(line)) return 'is an error of the sheet';
	if (NO_VALUES.has(line)) return 'is no value';
	// JavaScript's text for an object; looking it up would waste money.
	return line === '[object Object]' ? 'cannot be looked up: it is an object' : undefined;
}

/** The list that a text contains as JSON; undefined for other texts. */
function jsonListIn(text: string): unknown[] | undefined {
	if (!text.trimStart().startsWith('[')) return undefined;
	try {
		const parsed: unknown = JSON.parse(text);
		return Array.isArray(parsed) ? parsed : undefined;
	} catch {
		return undefined;
	}
}

/** The cells of a parameter. Agents give a list as JSON, and line breaks as their escape. */
function cellsOf(raw: unknown, isTool: boolean): unknown[] {
	const cells: unknown[] = Array.isArray(raw) ? raw : [raw];
	if (!isTool) return cells;
	const read = typeof raw === 'string' ? (jsonListIn(raw) ?? cells) : cells;
	return read.map((cell) => (typeof cell === 'string' ? cell.replace(WRITTEN_LINE_BREAK, '\n') : cell));
}

/**
 * Reads the parameter `values`: text with one value per line, a number, or (from an expression) a list of
 * both. Trims values, drops blanks and repeats, keeps the order. Never throws.
 *
 * @param isTool whether an AI agent has written the parameter
 */
export function readValues(raw: unknown, { isTool = false } = {}): ReadValue[] {
	const values = new Map<string, ReadValue>();
	for (const cell of cellsOf(raw, isTool)) {
		const wrong = problemOf(cell);
		const problem = wrong && `cannot be looked up: ${wrong}`;
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

/** A text of so many characters at most: its start and an ellipsis if it is longer. */
function shortened(text: string, most: number): string {
	// The cut may be inside a character.
	return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The name of a field as a sentence lists it: quoted where its end would not be seen. */
export const listedName = (name: string) =>
	name === name.trim() && name !== '' && !name.includes(',') ? repeated(name) : `"${repeated(name)}"`;

/** The first of these as a sentence lists them, and how many more there are. */
export function listed(names: readonly string[], most: number): string {
	const more = names.length > most ? ` and ${names.length - most} more` : '';
	return `${names.slice(0, most).join(', ')}${more}`;
}

/** A text as a row repeats it. */
export const repeated = (text: string) => shortened(text, LONGEST_REPEATED);

/** What is wrong with a value whose lookup would be wasted; undefined for a valid one. */
export function complaintOn({ text, problem }: ReadValue, isGtin: boolean): Complaint | undefined {
	const notGtin = isGtin ? gtinComplaint(text) : undefined;
	const complaint = problem === undefined ? notGtin : ([problem, 'Correct it.'] as const);
	return complaint && [`"${shortened(text, LONGEST_QUOTED)}" ${complaint[0]}`, complaint[1]];
}

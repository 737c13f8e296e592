import { notPart, ok } from './http.ts';
import type { Question, Reply } from './http.ts';

/** A cell's value; an empty cell is `''`. */
export type Cell = boolean | number | string;

/** The rows of a document's sheets, by tab name. */
export type SheetsDocument = Record<string, Cell[][]>;

const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** The width of a new sheet. The API does not widen a sheet. */
const COLUMNS = 26;

/** Interprets a value as the option USER_ENTERED does: as if somebody had typed it. */
function typed(value: unknown): Cell {
	if (typeof value === 'boolean' || typeof value === 'number') return value;
	const text = String(value);
	if (text.startsWith("'")) return text.slice(1);
	if (/^(true|false)$/i.test(text)) return /^true$/i.test(text);
	return NUMBER.test(text) ? Number(text) : text;
}

const columnOf = (letters: string) =>
	[...letters].reduce((so, letter) => so * 26 + letter.charCodeAt(0) - 64, 0) - 1;

/** A column's letters; column 0 is A. */
export const lettersOf = (column: number): string =>
	(column < 26 ? '' : lettersOf(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26));

/** The first and last row and column of an area in A1 notation; an open end is Infinity. */
function bounds(area: string) {
	const [from = '', to = from] = area.split(':');
	if (![from, to].every((corner) => /^[A-Z]*\d*$/.test(corner)))
		throw new RangeError(`Unable to parse range: ${area}`);
	const [, first = '', top = ''] = /^([A-Z]*)(\d*)$/.exec(from) ?? [];
	const [, last = '', bottom = ''] = /^([A-Z]*)(\d*)$/.exec(to) ?? [];
	return {
		top: top === '' ? 0 : Number(top) - 1,
		bottom: bottom === '' ? Infinity : Number(bottom) - 1,
		left: first === '' ? 0 : columnOf(first),
		right: last === '' ? Infinity : columnOf(last),
	};
}

/** Removes empty cells from the end of each row, and empty rows from the end. */
function trim(rows: Cell[][]): Cell[][] {
	for (const row of rows) while (row.at(-1) === '') row.pop();
	while (rows.at(-1)?.length === 0) rows.pop();
	return rows;
}

/**
 * A sheet as the Google Sheets API (v4) treats it: trailing empty cells are dropped, null leaves a cell as it is, an
 * empty text clears it, and USER_ENTERED turns texts into numbers and booleans. An area is the A1 notation after the
 * sheet's name; an empty area is the whole sheet.
 */
export class Sheet {
	readonly cells: Cell[][];

	constructor(cells: Cell[][]) {
		this.cells = cells;
	}

	/** The cell in a row (0 is the header) and in the column with this name. */
	at(row: number, column: string): Cell {
		return this.cells[row]?.[this.cells[0]?.indexOf(column) ?? -1] ?? '';
	}

	read(area: string, isFormatted: boolean): Cell[][] {
		const { top, bottom, left, right } = bounds(area);
		const shown = (cell: Cell) =>
			isFormatted ? (typeof cell === 'boolean' ? String(cell).toUpperCase() : String(cell)) : cell;
		const rows = this.cells.slice(top, bottom + 1);
		return trim(rows.map((row) => row.slice(left, right + 1).map(shown)));
	}

	/** @param isTyped whether the values are USER_ENTERED; otherwise they are stored unchanged */
	write(area: string, values: readonly unknown[][], isTyped: boolean): void {
		const { top, left } = bounds(area);
		const width = Math.max(COLUMNS, ...this.cells.map(({ length }) => length));
		for (const [down, row] of values.entries())
			for (const [across, value] of row.entries()) {
				const [below, beside] = [top + down, left + across];
				if (beside >= width)
					throw new RangeError(
						`Range (${lettersOf(beside)}${below + 1}) exceeds grid limits. Max columns: ${width}`,
					);
				if (value === null || value === undefined) continue;
				while (this.cells.length <= below) this.cells.push([]);
				const cells = this.cells[below] ?? [];
				while (cells.length < beside) cells.push('');
				const before = cells[beside];
				// Digits are only text if the cell has the format plain text, which stores every value as text.
				const isPlainText = typeof before === 'string' && NUMBER.test(before);
				cells[beside] = isPlainText ? String(value) : isTyped ? typed(value) : (value as Cell);
			}
		trim(this.cells);
	}

	/** Writes below the last row: a sheet here has one table, which starts in the first column. */
	append(values: readonly unknown[][], isTyped: boolean): void {
		this.write(`A${trim(this.cells).length + 1}`, values, isTyped);
	}

	clear(area: string): void {
		const { top, bottom, left, right } = bounds(area);
		for (const row of this.cells.slice(top, bottom + 1)) row.fill('', left, right + 1);
		trim(this.cells);
	}
}

interface Values {
	range: string;
	values: unknown[][];
}

/** The sheet and the area that a range names. */
function find(document: SheetsDocument, range: string): [Sheet, string] {
	const [title = '', area = ''] = range.split('!');
	const cells = document[title.replace(/^'(.*)'$/, '$1').replaceAll("''", "'")];
	if (cells === undefined) throw new RangeError(`Unable to parse range: ${range}`);
	return [new Sheet(cells), area];
}

const PATH = /^\/v4\/spreadsheets\/([^/:]+)(\/values)?(?:\/(.+?))?(:[a-z][A-Za-z]*)?$/;

function answerDocument(document: SheetsDocument, question: Question): Reply {
	const { method, url, body } = question;
	const [, , values, encoded, action = ''] = PATH.exec(url.pathname) ?? [];
	const subject = encoded !== undefined ? 'range' : values !== undefined ? 'values' : 'document';
	const range = decodeURIComponent(encoded ?? '');
	const isTyped = url.searchParams.get('valueInputOption') === 'USER_ENTERED';
	const given = () => (body as Values).values;
	switch (`${method} ${subject}${action}`) {
		case 'GET document': {
			const gridProperties = { rowCount: 1_000, columnCount: COLUMNS };
			const sheets = Object.keys(document).map((title, sheetId) => ({
				properties: { sheetId, title, index: sheetId, sheetType: 'GRID', gridProperties },
			}));
			return ok({ sheets });
		}
		case 'POST document:batchUpdate': {
			const { requests } = body as { requests: object[] };
			// Sheets here grow by themselves, so there are no rows to append.
			return requests.every((request) => 'appendDimension' in request) ? ok({}) : notPart(question);
		}
		case 'POST values:batchUpdate': {
			const { data, valueInputOption } = body as { data: Values[]; valueInputOption: string };
			for (const one of data) {
				const [sheet, area] = find(document, one.range);
				sheet.write(area, one.values, valueInputOption === 'USER_ENTERED');
			}
			return ok({});
		}
	}
	if (subject !== 'range') return notPart(question);
	const [sheet, area] = find(document, range);
	switch (`${method} ${action}`) {
		case 'GET ': {
			const isFormatted = url.searchParams.get('valueRenderOption') !== 'UNFORMATTED_VALUE';
			const read = sheet.read(area, isFormatted);
			return ok({ range, majorDimension: 'ROWS', ...(read.length > 0 && { values: read }) });
		}
		case 'PUT ':
			sheet.write(area, given(), isTyped);
			return ok({ updatedRange: range });
		case 'POST :append':
			sheet.append(given(), isTyped);
			return ok({ tableRange: range });
		case 'POST :clear':
			sheet.clear(area);
			return ok({ clearedRange: range });
	}
	return notPart(question);
}

/** Answers as the Google Sheets API does, and as Google Drive does when n8n lists the documents. */
export function answerSheets(documents: Record<string, SheetsDocument>, question: Question): Reply {
	const { method, url } = question;
	if (`${method} ${url.pathname}` === 'GET /drive/v3/files')
		return ok({ files: Object.keys(documents).map((id) => ({ id, name: id })) });
	const [, id] = PATH.exec(url.pathname) ?? [];
	if (id === undefined) return notPart(question);
	const refuse = (code: number, message: string, status: string): Reply => ({
		status: code,
		body: { error: { code, message, status } },
	});
	const document = documents[decodeURIComponent(id)];
	if (document === undefined) return refuse(404, 'Requested entity was not found.', 'NOT_FOUND');
	try {
		return answerDocument(document, question);
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		return refuse(400, error.message, 'INVALID_ARGUMENT');
	}
}

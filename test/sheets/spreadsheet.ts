import nock from 'nock';

/** What a cell holds; an empty one is `''`. */
export type Cell = boolean | number | string;

const NAME = 'Products';
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** What becomes of a value with the option USER_ENTERED: as if somebody had typed it. */
function typed(value: unknown): Cell {
	if (typeof value === 'boolean' || typeof value === 'number') return value;
	const text = String(value);
	if (text.startsWith("'")) return text.slice(1);
	if (/^(true|false)$/i.test(text)) return /^true$/i.test(text);
	return NUMBER.test(text) ? Number(text) : text;
}

const columnOf = (letters: string) =>
	[...letters].reduce((so, letter) => so * 26 + letter.charCodeAt(0) - 64, 0) - 1;

/** The first and last row and column of a range in A1 notation; the last ones may be open. */
function bounds(range: string) {
	const [, cells = ''] = decodeURIComponent(range).split('!');
	const [from = '', to = from] = cells.split(':');
	const [, first = '', top = ''] = /^([A-Z]*)(\d*)$/.exec(from) ?? [];
	const [, last = '', bottom = ''] = /^([A-Z]*)(\d*)$/.exec(to) ?? [];
	return {
		top: top === '' ? 0 : Number(top) - 1,
		bottom: bottom === '' ? Infinity : Number(bottom) - 1,
		left: first === '' ? 0 : columnOf(first),
		right: last === '' ? Infinity : columnOf(last),
	};
}

/**
 * A spreadsheet with one sheet as the Google Sheets API (v4) keeps it: values without empty cells at the end, a null that
 * leaves a cell as it is, an empty text that clears it, and texts that are taken for what they look like.
 */
export class Spreadsheet {
	constructor(readonly cells: Cell[][]) {}

	/** The cell at a row (0 is the header) and a column by its name. */
	at(row: number, column: string): Cell {
		return this.cells[row]?.[this.cells[0]?.indexOf(column) ?? -1] ?? '';
	}

	read(range: string, isFormatted: boolean): Cell[][] {
		const { top, bottom, left, right } = bounds(range);
		const shown = (cell: Cell) =>
			isFormatted ? (typeof cell === 'boolean' ? String(cell).toUpperCase() : String(cell)) : cell;
		const rows = this.cells.slice(top, bottom + 1).map((row) => {
			const cells = row.slice(left, right + 1).map(shown);
			while (cells.at(-1) === '') cells.pop();
			return cells;
		});
		while (rows.at(-1)?.length === 0) rows.pop();
		return rows;
	}

	write(range: string, values: readonly unknown[][]): void {
		const { top, left } = bounds(range);
		for (const [down, row] of values.entries())
			for (const [across, value] of row.entries()) {
				if (value === null || value === undefined) continue;
				const cells = (this.cells[top + down] ??= []);
				while (cells.length < left + across) cells.push('');
				const before = cells[left + across];
				// Digits can only be text in a cell whose format is plain text, which then takes nothing for a number.
				const isPlainText = typeof before === 'string' && NUMBER.test(before);
				cells[left + across] = isPlainText ? String(value) : typed(value);
			}
	}
}

type Reply = [status: number, body: object];

/** Answers n8n's Google Sheets node with the spreadsheet of the moment, until the end of the tests. */
export function useSpreadsheet(): { current: Spreadsheet } {
	const held = { current: new Spreadsheet([]) };
	const grid = { rowCount: 1_000, columnCount: 26 };
	const answer = (method: string, uri: string, body: unknown): Reply => {
		const url = new URL(uri, 'https://sheets.googleapis.com');
		const [, range, action] = /\/values\/([^:]*(?::[^:]*?)?)(:append|:clear)?$/.exec(url.pathname) ?? [];
		const isFormatted = url.searchParams.get('valueRenderOption') !== 'UNFORMATTED_VALUE';
		if (url.pathname.endsWith('/values:batchUpdate')) {
			const { data } = body as { data: Array<{ range: string; values: unknown[][] }> };
			for (const one of data) held.current.write(one.range, one.values);
			return [200, {}];
		}
		if (range === undefined)
			return method === 'GET'
				? [200, { sheets: [{ properties: { sheetId: 0, title: NAME, gridProperties: grid } }] }]
				: [200, {}];
		if (method === 'GET') return [200, { range, values: held.current.read(range, isFormatted) }];
		if (method === 'PUT' && action === undefined) {
			held.current.write(range, (body as { values: unknown[][] }).values);
			return [200, {}];
		}
		return [501, { error: { message: `${method} ${uri} is not part of this spreadsheet` } }];
	};
	beforeAll(() => {
		const google = nock('https://sheets.googleapis.com').persist();
		for (const method of ['GET', 'PUT', 'POST'])
			google.intercept(/.*/, method).reply((uri, body) => answer(method, uri, body));
	});
	afterAll(() => nock.cleanAll());
	return held;
}

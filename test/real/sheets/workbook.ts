import nock from 'nock';

import type { Cell } from './spreadsheet';

const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** The number of rows and of columns of a range such as `A1:R7`, which begins at A1 and has at most 26 columns. */
function sizeOf(range: string): [rows: number, columns: number] {
	const [, letter, row] = /^A1:([A-Z])(\d+)$/.exec(range) ?? [];
	if (letter === undefined) throw new Error(`${range} is not part of this workbook`);
	return [Number(row), letter.charCodeAt(0) - 64];
}

/**
 * A workbook with one worksheet, as in Microsoft Graph. In an update, null leaves a cell as it is, an empty text clears
 * it, and a text that looks like a number becomes one unless the cell's format is text.
 */
export class Workbook {
	/** Excel keeps digits as a text only if the format is text. */
	private readonly isText: boolean[][];

	constructor(readonly cells: Cell[][]) {
		this.isText = cells.map((row) => row.map((cell) => typeof cell === 'string' && NUMBER.test(cell)));
	}

	/** The smallest range with everything in it. Blank cells are empty texts. */
	usedRange(): { address: string; values: Cell[][] } {
		const width = Math.max(...this.cells.map((row) => row.length));
		const values = this.cells.map((row) => Array.from({ length: width }, (_, n) => row[n] ?? ''));
		return { address: `Products!A1:${String.fromCharCode(64 + width)}${values.length}`, values };
	}

	/** Writes the values if there is one for each cell of the range, and returns whether there is. */
	update(range: string, values: readonly unknown[][]): boolean {
		const [rows, columns] = sizeOf(range);
		if (values.length !== rows || values.some((row) => row.length !== columns)) return false;
		for (const [n, row] of values.entries())
			for (const [column, value] of row.entries())
				if (value !== null) (this.cells[n] ??= [])[column] = this.entered(value, n, column);
		return true;
	}

	private entered(value: unknown, row: number, column: number): Cell {
		if (this.isText[row]?.[column]) return String(value);
		if (typeof value === 'boolean' || typeof value === 'number') return value;
		const text = String(value);
		return NUMBER.test(text) ? Number(text) : text;
	}
}

/** Answers n8n's Microsoft Excel node with the current workbook, until the end of the tests. */
export function useWorkbook(): { current: Workbook } {
	const held = { current: new Workbook([[]]) };
	beforeAll(() => {
		const graph = nock('https://graph.microsoft.com').persist();
		graph.get(/\/worksheets\/[^/]+\/usedRange/).reply(() => [200, held.current.usedRange()]);
		graph.patch(/\/worksheets\/[^/]+\/range\(/).reply((uri, body) => {
			const [, range = ''] = /address='([^']+)'/.exec(decodeURIComponent(uri)) ?? [];
			const { values } = body as { values: unknown[][] };
			return held.current.update(range, values)
				? [200, { address: `Products!${range}`, values: held.current.usedRange().values }]
				: [400, { error: { code: 'InvalidArgument', message: `${range} has another size` } }];
		});
	});
	afterAll(() => nock.cleanAll());
	return held;
}

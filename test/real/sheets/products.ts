import fc from 'fast-check';

import { gtinCells, type GtinCell } from './gtinCells';
import type { Row, Value } from './oracle';
import type { Cell } from './spreadsheet';

/** The headings of the columns that the workflow uses. */
export interface Headings {
	sku: string;
	gtin: string;
	price: string;
}

/** A user's sheet before the first run. */
export interface Products {
	headings: Headings;
	/** In their order. */
	columns: string[];
	rows: Row[];
	/** The GTIN that each row means; undefined if its cell has none. */
	gtins: Array<string | undefined>;
	/** The columns in Input Fields, besides the one by which rows are found again; null for all. */
	picked: string[] | null;
}

export const money = fc.integer({ min: 100, max: 9_999 }).map((cents) => cents / 100);
const prices = fc.oneof(
	{ weight: 4, arbitrary: money },
	{ weight: 1, arbitrary: fc.constantFrom<Cell>('', '12,90 €', 'on request') },
);
const byHand = (cell: fc.Arbitrary<Value>) => fc.oneof(cell, fc.constant<Cell>(''));

/** Users' columns with the names of the node's own columns. */
const ALIKE = {
	reason: byHand(fc.constantFrom<Cell>('ordered twice', 'test data')),
	found: byHand(fc.boolean()),
	name: byHand(fc.constantFrom<Cell>('Pen', 'Kettle, red')),
	price: prices,
	success: byHand(fc.boolean()),
	best_price: byHand(fc.oneof(money, fc.constant<Cell>('ask Ann'))),
};

/** The names that a place allows for its columns, and other columns that it may have. */
export interface Allowed {
	names: Record<keyof Headings, readonly string[]>;
	others: Record<string, fc.Arbitrary<Value>>;
}

/** A sheet takes any text for a heading. */
export const ANY_NAMES: Allowed = {
	names: {
		sku: ['sku', 'sku '],
		gtin: ['gtin', 'EAN', 'EAN, 13', 'gtin ', 'EAN\n(13)', 'GTIN "new"', 'Art.-Nr. EAN'],
		price: ['price', 'Price, EUR', 'Preis (€)'],
	},
	others: { 'Price, EUR': prices },
};

interface Drawn {
	headings: Headings;
	cells: Array<{ gtin: GtinCell; price: Cell; others: Row }>;
	columns: string[];
	picked: string[] | null;
}

function asProducts({ headings, cells, columns, picked }: Drawn): Products {
	const { sku, gtin, price } = headings;
	const rows = cells.map((cell, n) => {
		const all: Row = { ...cell.others, [sku]: `S${n}`, [gtin]: cell.gtin.cell, [price]: cell.price };
		return Object.fromEntries(columns.map((column) => [column, all[column] ?? '']));
	});
	return { headings, columns, rows, gtins: cells.map((cell) => cell.gtin.gtin), picked };
}

/** Rows of a sheet with different SKUs, and the columns that the workflow uses. */
export function products({ names, others }: Allowed, fewest = 1): fc.Arbitrary<Products> {
	const possible = { ...ALIKE, ...others };
	const cell = fc.record({ gtin: gtinCells, price: prices, others: fc.record(possible) });
	return fc
		.record({
			sku: fc.constantFrom(...names.sku),
			gtin: fc.constantFrom(...names.gtin),
			price: fc.constantFrom(...names.price),
			more: fc.subarray(Object.keys(possible)),
		})
		.chain(({ more, ...headings }) => {
			const columns = [...new Set([...Object.values(headings), ...more])];
			return fc.record<Drawn>({
				headings: fc.constant(headings),
				cells: fc.array(cell, { minLength: fewest, maxLength: 6 }),
				columns: fc.shuffledSubarray(columns, { minLength: columns.length }),
				picked: fc.option(fc.subarray(columns)),
			});
		})
		.map(asProducts);
}

/**
 * The same for places that treat a written cell as if a person had typed it: a leading apostrophe is then markup and
 * not part of the cell, so none of these cells has one.
 */
export function typedAgain(sheet: Products): Products {
	const { headings, picked, rows } = sheet;
	if (picked?.includes(headings.gtin) === false) return sheet;
	const typed = (cell: Value | undefined) =>
		typeof cell === 'string' ? cell.replace(/^'/, '') : (cell ?? '');
	return { ...sheet, rows: rows.map((row) => ({ ...row, [headings.gtin]: typed(row[headings.gtin]) })) };
}

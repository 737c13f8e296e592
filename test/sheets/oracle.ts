import { bare, type Day, type Outcome } from './shop';
import type { Cell } from './spreadsheet';

/** What a sheet or table has in a place; an empty one is `''` in sheets and null in tables. */
export type Value = Cell | null;
export type Row = Record<string, Value>;

/** The rows that a sheet or table holds, and its columns in their order. */
export interface Held {
	columns: Cell[];
	rows: Row[];
}

/** The columns that Collect adds to a row. */
export const ANSWERS = [
	...['result_value', 'found', 'result_name', 'best_price', 'best_total', 'best_currency', 'best_shop'],
	...['best_availability', 'best_url'],
	...['own_price', 'price_gap', 'price_gap_percent', 'price_rank', 'reason'],
];

/** The cells of a sheet as rows; the first one has the columns. */
export function heldIn([header = [], ...cells]: readonly Cell[][]): Held {
	const rows = cells.map((row) => Object.fromEntries(header.map((column, n) => [column, row[n] ?? ''])));
	return { columns: header, rows };
}

/** What a shopper pays for the cheapest offer, and its price; undefined without one. */
function cheapest(said: Outcome | undefined): { cost: number; price: number } | undefined {
	if (said?.kind !== 'price') return undefined;
	const { price, shipping, others } = said;
	const offers = [
		{ price, cost: price + (shipping ?? 0), isKnown: shipping !== undefined },
		...others.map((one) => ({ price: one, cost: one, isKnown: false })),
	];
	return offers.toSorted((a, b) => a.cost - b.cost || Number(b.isKnown) - Number(a.isKnown))[0];
}

const cents = (value: Value | undefined) => (typeof value === 'number' ? Math.round(value * 100) : value);

/** Fails unless the rows hold the answers of today and nothing else beside the own columns, which are as they were. */
export function expectTrue({ columns, rows }: Held, own: readonly Row[], today: Day, empty: '' | null): void {
	expect(columns).toEqual([...Object.keys(own[0] ?? {}), ...ANSWERS]);
	expect(rows).toHaveLength(own.length);
	for (const [n, product] of own.entries()) {
		const row = rows[n] ?? {};
		expect(row).toMatchObject(product);
		const gtin = bare(String(product.gtin));
		const said = today.get(gtin);
		const isFound = said?.kind === 'price' || said?.kind === 'soldOut';
		const best = cheapest(said);
		expect({ ...row, best_price: cents(row.best_price) }).toMatchObject({
			found: isFound,
			result_name: isFound ? `Product ${gtin}` : empty,
			best_price: best === undefined ? empty : cents(best.price),
			best_currency: best === undefined ? empty : 'EUR',
		});
		expect(row.reason === empty).toBe(best !== undefined);
		const { price_gap: gap, price_gap_percent: percent, price_rank: rank } = row;
		if (best === undefined || typeof product.price !== 'number')
			expect([gap, percent, rank]).toEqual([empty, empty, empty]);
		else {
			expect(cents(gap)).toBe(Math.round(product.price * 100) - Math.round(best.cost * 100));
			expect(Math.sign(Number(percent))).toBe(Math.sign(Number(gap)));
			expect(rank === 1).toBe(Number(gap) <= 0);
		}
	}
}

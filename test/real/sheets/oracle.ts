import type { Products } from './products';
import { bare, GTINS, type Day, type Outcome } from './shop';
import type { Cell } from './spreadsheet';

/** The value of a cell. Empty cells are `''` in sheets and null in tables. */
export type Value = Cell | null;
export type Row = Record<string, Value>;

/** The rows that a sheet or table holds, and its columns in their order. */
export interface Held {
	columns: Cell[];
	rows: Row[];
}

/** The cells of a sheet as rows; the first one has the columns. */
export function heldIn([header = [], ...cells]: readonly Cell[][]): Held {
	const rows = cells.map((row) => Object.fromEntries(header.map((column, n) => [column, row[n] ?? ''])));
	return { columns: [...header], rows };
}

/** The columns that Collect adds to a row, in their order. */
export const answersWith = (hasPrevious: boolean) => [
	...['best_price', 'best_total', 'best_currency', 'best_shop', 'best_availability', 'best_url'],
	...['price_gap', 'price_gap_percent', 'price_rank'],
	...(hasPrevious ? ['price_change', 'price_change_percent'] : []),
	...['result_reason', 'result_name', 'result_found', 'result_value'],
];

/** The columns of a sheet after a run: its own, then new ones for answers. */
export const columnsWith = (own: readonly string[], answers: readonly string[]) => [
	...new Set([...own, ...answers]),
];

/** What is known of a run. */
export interface Ran {
	answers: readonly string[];
	/** What the shop or the test source said. */
	said: Day;
	isTest: boolean;
	/** The value of an answer that is missing. */
	empty: '' | null;
}

/** What an answer depends on, besides what the shop said. */
interface Asked {
	cell: Value | undefined;
	/** The GTIN in the cell, if there is one. */
	gtin: string | undefined;
	/** The user's own price. */
	own?: Value;
	/** The row as it was before. */
	before?: Row;
}

const inCents = (amount: number) => Math.round(amount * 100);

/** The offers' costs in cents, the cheapest first. If its shipping is unknown, an offer counts by its price. */
function offersOf(said: Outcome | undefined) {
	if (said?.kind !== 'price') return [];
	const { price, shipping, others } = said;
	const all = [{ price, shipping }, ...others.map((one) => ({ price: one, shipping: undefined }))];
	return all
		.map(({ price: euros, shipping: more }) => {
			const total = more === undefined ? undefined : inCents(euros) + inCents(more);
			return { shop: `Shop ${euros}`, price: inCents(euros), total, cost: total ?? inCents(euros) };
		})
		.toSorted((a, b) => a.cost - b.cost || Number(a.total === undefined) - Number(b.total === undefined));
}

/** The price that a cell means, in cents; undefined without one. */
function centsIn(cell: Value | undefined): number | undefined {
	if (typeof cell === 'number') return inCents(cell);
	const [, euros, cents] = /^(\d+),(\d\d) €$/.exec(String(cell)) ?? [];
	return euros === undefined ? undefined : Number(euros) * 100 + Number(cents);
}

/** How far an amount is above a base (both in cents), in euros and in percent, with halves away from 0. */
function difference(amount?: number, base?: number): [number, number] | undefined {
	if (amount === undefined || base === undefined) return undefined;
	const percent = Math.round((Math.abs(amount - base) * 10_000) / base) / 100;
	return [(amount - base) / 100, amount < base && percent > 0 ? -percent : percent];
}

/** A cell's text without invisible characters around it. */
export const visible = (cell: Value | undefined) =>
	String(cell ?? '').replace(/^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu, '');

/** What a value means in any spelling: a sheet may have turned it into a number. */
function meant(cell: Value | undefined): string {
	const digits = visible(cell)
		.normalize('NFKC')
		.replace(/\.0$|\D/g, '');
	return GTINS.find((gtin) => bare(gtin) === bare(digits)) ?? visible(cell);
}

const REASONS = { soldOut: 'no offer has a price', notFound: 'not found', failed: 'collection failed' };

/** What a row says about itself: why it has no best price, and whether its data is made up. */
function reasonOf(said: Outcome | undefined, { cell }: Asked, { empty, isTest }: Ran): Value {
	const test = isTest ? ['test data'] : [];
	if (said?.kind === 'price') return test[0] ?? empty;
	if (said !== undefined) return [...test, REASONS[said.kind]].join('; ');
	return [...test, `not looked up: ${visible(cell) === '' ? '' : `"${visible(cell)}"`}`].join('; ');
}

/** A row without what may differ: how its value is spelt, and in which words it was not looked up. */
export function comparable(row: Row): Row {
	const { result_reason: reason, result_value: value } = row;
	const start = /^(?:test data; )?not looked up: (?:"[^"]*")?(?=.)/.exec(String(reason));
	return { ...row, result_reason: start?.[0] ?? reason ?? null, result_value: meant(value) };
}

/** The answers that a row must have, in the order of their columns. */
export function answersTo(asked: Asked, ran: Ran): Row {
	const { answers, empty, isTest } = ran;
	const { gtin, own, before = {} } = asked;
	const said = gtin === undefined ? undefined : ran.said.get(bare(gtin));
	const offers = offersOf(said);
	const [best] = offers;
	const euros = (cents: number | undefined) => (cents === undefined ? empty : cents / 100);
	const ownCents = centsIn(own);
	const [gap, gapPercent] = difference(ownCents, best?.cost) ?? [empty, empty];
	const rank = 1 + offers.filter(({ cost }) => cost < (ownCents ?? 0)).length;
	// Prices of the test source are not compared with real ones, nor the other way round. A row without a reason column
	// does not say which kind its price is.
	const { result_reason: reason } = before;
	const isOther = reason !== undefined && String(reason).startsWith('test data') !== isTest;
	const previous = isOther ? undefined : centsIn(before.best_price);
	const [change, changePercent] = difference(best?.price, previous) ?? [empty, empty];
	const isFound = said?.kind === 'price' || said?.kind === 'soldOut';
	const all: Row = {
		...{ best_price: euros(best?.price), best_total: euros(best?.total) },
		...{ best_currency: best ? 'EUR' : empty, best_shop: best?.shop ?? empty },
		...{ best_availability: empty, best_url: empty },
		...{ price_gap: gap, price_gap_percent: gapPercent, price_rank: gap === empty ? empty : rank },
		...{ price_change: change, price_change_percent: changePercent },
		result_reason: reasonOf(said, asked, ran),
		result_name: isFound && gtin !== undefined ? `Product ${bare(gtin)}` : empty,
		result_found: isFound,
		result_value: meant(asked.cell),
	};
	return Object.fromEntries(answers.map((name) => [name, all[name] ?? empty]));
}

/** Fails unless the rows hold this run's answers and, besides, only the user's cells, unchanged. */
export function expectTrue(
	{ columns, rows }: Held,
	before: readonly Row[],
	products: Products,
	ran: Ran,
): void {
	const { headings, gtins } = products;
	expect(columns).toEqual(columnsWith(products.columns, ran.answers));
	expect(rows).toHaveLength(products.rows.length);
	for (const [n, own] of products.rows.entries()) {
		const asked = {
			cell: own[headings.gtin],
			gtin: gtins[n],
			own: own[headings.price],
			before: before[n],
		};
		expect(comparable(rows[n] ?? {})).toEqual({ ...own, ...answersTo(asked, ran) });
	}
}

/** Fails unless the node says that it replaces exactly these filled columns of the user. */
export function expectReplacementsSaid(hints: readonly string[], names: readonly string[]): void {
	const said = hints.filter((hint) => hint.includes('which this node overwrites'));
	expect(said).toEqual(
		names.map(
			(name) =>
				`The items already had a filled column ${name}, which this node overwrites. To keep the old values, rename the column.`,
		),
	);
}

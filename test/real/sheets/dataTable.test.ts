import fc from 'fast-check';
import type { DataTableColumnType } from 'n8n-workflow';

import { locator } from '../../engine/support/common';
import { playDays } from './days';
import { playOnce } from './executeOnce';
import { columnsWith, type Row, type Value } from './oracle';
import { products, type Allowed, type Products } from './products';
import { Table } from './table';
import { nodeOfN8n, type Place, type Way } from './workflow';

const TYPES: Record<string, DataTableColumnType> = {
	...{ price: 'number', list_price: 'number', since: 'date', sold: 'boolean' },
	...{ found: 'boolean', success: 'boolean', result_found: 'boolean' },
	...{ best_price: 'number', best_total: 'number' },
	...{ price_gap: 'number', price_gap_percent: 'number', price_rank: 'number' },
	...{ price_change: 'number', price_change_percent: 'number' },
};

const DATA_TABLE: Place = {
	type: 'n8n-nodes-base.dataTable',
	typeVersion: 1.1,
	node: nodeOfN8n('DataTable/DataTable.node.js', 'DataTable'),
	where: { resource: 'row', dataTableId: locator('id', 'products') },
	read: { operation: 'get', returnAll: true },
	emptyValues: 'null',
	// n8n's node only writes to columns that exist.
	addsColumns: false,
	fill: ({ columns, headings, rows }, answers) => {
		const hasNumbers = rows.some((row) => typeof row[headings.gtin] === 'number');
		const types: typeof TYPES = { ...TYPES, [headings.gtin]: hasNumbers ? 'number' : 'string' };
		const typed = columnsWith(columns, answers).map((name) => [name, types[name] ?? 'string'] as const);
		return new Table(Object.fromEntries(typed), rows);
	},
};

/** n8n allows letters, digits and underscores in the name of a column. */
const NAMES: Allowed = {
	names: { sku: ['sku'], gtin: ['gtin', 'EAN13'], price: ['price', 'list_price'] },
	others: {
		since: fc.constantFrom(null, '2026-01-05T08:30:00.000Z'),
		sold: fc.constantFrom(null, true, false),
	},
};

/** A sheet's cell in a column for numbers; null if it is not a number. */
const number = (cell: Value = '') => (cell === '' || Number.isNaN(Number(cell)) ? null : Number(cell));
const text = (cell: Value = '') => (cell === '' ? null : String(cell));

/** The rows with the types of a table: GTINs are texts or numbers, and empty cells are null. */
function asTable(
	{ headings, rows, gtins, ...rest }: Products,
	gtinOf: typeof number | typeof text,
): Products {
	const { gtin: ofGtins } = headings;
	const typed = (name: string, cell: Value) => {
		if (name === ofGtins) return gtinOf(cell);
		return TYPES[name] === 'number' ? number(cell) : cell === '' ? null : cell;
	};
	const cells = rows.map((row): Row =>
		Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, typed(name, cell)])),
	);
	const left = gtins.map((gtin, n) => (cells[n]?.[ofGtins] === null ? undefined : gtin));
	return { ...rest, headings, rows: cells, gtins: left };
}

const tables = (fewest?: number) =>
	fc
		.tuple(products(NAMES, fewest), fc.constantFrom(number, text))
		.map(([sheet, gtinOf]) => asTable(sheet, gtinOf));

const bySku = (operation: string): Way => ({
	write: () => ({
		operation,
		columns: { mappingMode: 'autoMapInputData', value: null, schema: [] },
		filters: { conditions: [{ keyName: 'sku', condition: 'eq', keyValue: '={{ $json.sku }}' }] },
	}),
	key: ({ sku }) => sku,
});
const WAYS: Array<[string, Way]> = [
	['Update Row(s)', bySku('update')],
	['Upsert Row(s)', bySku('upsert')],
];

it.each(WAYS)(
	'a data table holds the answers of today and nothing else, day after day: %s',
	async (_name, way) => await playDays(DATA_TABLE, way, tables()),
);

it.each(WAYS)(
	'no row of a data table is overwritten by a run with Execute Once: %s',
	async (_name, way) => await playOnce(DATA_TABLE, way, tables(2)),
);

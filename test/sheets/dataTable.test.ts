import fc from 'fast-check';
import type { DataTableColumnType, INodeParameters } from 'n8n-workflow';

import { locator } from '../engine/support';
import { nodeOfN8n, playDays, products, type Place } from './days';
import { ANSWERS, type Row, type Value } from './oracle';
import { Table } from './table';

const TYPES: Record<string, DataTableColumnType> = {
	...{ price: 'number', since: 'date', sold: 'boolean', found: 'boolean' },
	...{ best_price: 'number', best_total: 'number', own_price: 'number' },
	...{ price_gap: 'number', price_gap_percent: 'number', price_rank: 'number' },
};

const DATA_TABLE: Place = {
	type: 'n8n-nodes-base.dataTable',
	typeVersion: 1.1,
	node: nodeOfN8n('DataTable/DataTable.node.js', 'DataTable'),
	where: { resource: 'row', dataTableId: locator('id', 'products') },
	read: { operation: 'get', returnAll: true },
	emptyValues: 'null',
	fill: (own) => {
		const gtin = own.some((row) => typeof row.gtin === 'number') ? 'number' : 'string';
		const types: typeof TYPES = { ...TYPES, gtin };
		const columns = [...Object.keys(own[0] ?? {}), ...ANSWERS].map(
			(name) => [name, types[name] ?? 'string'] as const,
		);
		return new Table(Object.fromEntries(columns), own);
	},
};

/** What a cell of a sheet is in a column for numbers; null where it is none. */
const number = (cell: Value) => (cell === '' || Number.isNaN(Number(cell)) ? null : Number(cell));
const text = (cell: Value) => (cell === '' ? null : String(cell));

/** Rows as products have them in a table, with its types: their GTINs are texts or numbers, empty ones null. */
const rows: fc.Arbitrary<Row[]> = fc
	.tuple(
		products,
		fc.constantFrom(number, text),
		fc.infiniteStream(fc.constantFrom(null, '2026-01-05T08:30:00.000Z')),
		fc.infiniteStream(fc.constantFrom(null, true, false)),
	)
	.map(([own, gtinOf, since, sold]) =>
		own.map((row): Row => ({
			...row,
			gtin: gtinOf(row.gtin),
			price: number(row.price),
			since: since.next().value,
			sold: sold.next().value,
		})),
	);

const BY_SKU = {
	columns: { mappingMode: 'autoMapInputData', value: null, schema: [] },
	filters: { conditions: [{ keyName: 'sku', condition: 'eq', keyValue: '={{ $json.sku }}' }] },
};
const WAYS: Array<[string, INodeParameters]> = [
	['Update Row(s)', { operation: 'update', ...BY_SKU }],
	['Upsert Row(s)', { operation: 'upsert', ...BY_SKU }],
];

it.each(WAYS)(
	'a data table holds the answers of today and nothing else, day after day: %s',
	async (_name, write) => await playDays(DATA_TABLE, write, rows),
);

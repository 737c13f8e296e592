import type { IDataObject, INode } from 'n8n-workflow';

import { connect, node } from '../../engine/support/workflow';
import { createCredential, runWorkflow } from './harness/e2e';
import { collect } from './harness/collecting';

/**
 * n8n's own file nodes, by what they write. Spreadsheet File reads all of it: Extract from File does not load in the
 * pinned n8n, which lacks a package that node needs.
 */
const CONVERT = 'n8n-nodes-base.convertToFile';
const SPREADSHEET = 'n8n-nodes-base.spreadsheetFile';
const WRITERS: INode[] = [
	...['csv', 'ods', 'xlsx'].map((operation) =>
		node(operation, CONVERT, { operation }, { typeVersion: 1.1 }),
	),
	node('old xlsx', SPREADSHEET, { operation: 'toFile', fileFormat: 'xlsx' }, { typeVersion: 2 }),
];
const NAMES = WRITERS.map(({ name }) => name);
const READERS = NAMES.map((name) =>
	node(`Read ${name}`, SPREADSHEET, { operation: 'fromFile' }, { typeVersion: 2 }),
);

const TERMS = [{ term: 'kettle' }, { term: 'notfound-kettle' }, { term: 'mug' }];
const PRICES = ['best_price', 'best_total', 'priced_offers', 'price'];

/** n8n's CSV files begin with a byte order mark, which its own reader takes for part of the first column's name. */
const withoutMark = (row: IDataObject): IDataObject =>
	Object.fromEntries(Object.entries(row).map(([column, cell]) => [column.replace('\uFEFF', ''), cell]));

/** CSV has no types, so only the text of its numbers can be compared. */
const isTyped = (name: string) => name !== 'csv';

it('a sheet holds one row for each value, the item’s columns and then the row’s in order, and numbers that are numbers', async () => {
	const fields = { columns: 'selected', fields: ['value', 'name', ...PRICES] };
	const reads = Object.fromEntries(NAMES.map((name) => [name, [`Read ${name}`]]));
	const outcome = await runWorkflow(
		[collect({ ...fields, options: { priceFormat: 'number' } }), ...WRITERS, ...READERS],
		connect({ Start: ['Collect'], Collect: [NAMES], ...reads }),
		{ credential: await createCredential(), input: TERMS },
	);
	expect(outcome.error).toBeUndefined();
	const given = outcome.items('Collect');
	expect(given.map(({ term, result_value }) => [term, result_value])).toEqual(
		TERMS.map(({ term }) => [term, term]),
	);
	expect(given.map(({ best_price, result_price }) => [typeof best_price, typeof result_price])).toEqual([
		['number', 'number'],
		['object', 'object'],
		['number', 'number'],
	]);
	for (const name of NAMES) {
		const rows = outcome.items(`Read ${name}`).map(withoutMark);
		/** A row as a sheet has it: without empty cells. */
		const typed = (row: IDataObject) => {
			const filled = Object.entries(row).filter(([, cell]) => cell !== null && cell !== '');
			return [name, filled.map(([column, cell]) => [column, isTyped(name) ? cell : String(cell)])];
		};
		expect(rows.map(typed)).toEqual(given.map(typed));
		expect(Object.keys(rows[0] ?? {})).toEqual(Object.keys(given[0] ?? {}));
	}
});

import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { connect, node } from '../engine/workflow';
import { createCredential, runWorkflow } from './harness/e2e';
import type { CredentialReference } from './harness/e2e';
import { collect } from './harness/collecting';

/**
 * n8n's own file nodes, by what they write. All is read by Spreadsheet File: Extract from File does not load in the
 * pinned n8n, whose installation lacks a package that node needs.
 */
const WRITERS: Array<[name: string, write: INode]> = [
	...['csv', 'ods', 'xlsx'].map((operation): [string, INode] => [
		`Convert to File, ${operation}`,
		node('Write', 'n8n-nodes-base.convertToFile', { operation }, { typeVersion: 1.1 }),
	]),
	[
		'Spreadsheet File, xlsx',
		node(
			'Write',
			'n8n-nodes-base.spreadsheetFile',
			{ operation: 'toFile', fileFormat: 'xlsx' },
			{ typeVersion: 2 },
		),
	],
];

const read = node('Read', 'n8n-nodes-base.spreadsheetFile', { operation: 'fromFile' }, { typeVersion: 2 });

const TERMS = [{ term: 'kettle' }, { term: 'notfound-kettle' }, { term: 'mug' }];
const PRICES = ['best_price', 'best_total', 'priced_offers', 'price'];

let credential: CredentialReference;
beforeAll(async () => {
	credential = await createCredential();
});

/** What Collect gives out, and what comes back of it. */
async function throughFile(write: INode, options: INodeParameters) {
	const chosen = { columns: 'selected', fields: ['value', 'name', ...PRICES], options };
	const outcome = await runWorkflow(
		[collect(chosen), write, read],
		connect({ Start: ['Collect'], Collect: ['Write'], Write: ['Read'] }),
		{ credential, input: TERMS },
	);
	expect(outcome.error).toBeUndefined();
	return { given: outcome.items('Collect'), back: outcome.items('Read').map(withoutMark) };
}

/** A CSV of n8n begins with a byte order mark, which its own reader takes for a part of the first column's name. */
const withoutMark = (row: IDataObject): IDataObject =>
	Object.fromEntries(Object.entries(row).map(([column, cell]) => [column.replace('\uFEFF', ''), cell]));

/** A row as a sheet has it: without empty cells. */
const filled = (row: IDataObject) =>
	Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== null && cell !== ''));

describe.each(WRITERS)('a sheet written by %s', (name, write) => {
	it('holds one row for each value, the item’s columns and then the row’s in order, and numbers that are numbers', async () => {
		const { given, back } = await throughFile(write, { priceFormat: 'number' });
		expect(given.map(({ best_price, price }) => [typeof best_price, typeof price])).toEqual([
			['number', 'number'],
			['object', 'object'],
			['number', 'number'],
		]);
		// CSV has no types: its numbers are digits with a point, which is all that can be asserted of it.
		const isTyped = !name.includes('csv');
		const typed = (row: IDataObject) =>
			Object.fromEntries(
				Object.entries(filled(row)).map(([column, cell]) => [column, isTyped ? cell : String(cell)]),
			);
		expect(back.map(typed)).toEqual(given.map(typed));
		expect(Object.keys(back[0] ?? {})).toEqual(['term', 'value', 'name', ...PRICES]);
		expect(given.map(({ term, value }) => [term, value])).toEqual(TERMS.map(({ term }) => [term, term]));
	});

	it('holds the prices of the service as texts unless numbers are wanted, and the best price as a number', async () => {
		const { given, back } = await throughFile(write, {});
		expect(given[0]).toMatchObject({ price: expect.any(String), best_price: expect.any(Number) });
		expect(String(back[0]?.price)).toBe(given[0]?.price);
		if (!name.includes('csv')) expect(back[0]).toMatchObject({ best_price: given[0]?.best_price });
	});
});

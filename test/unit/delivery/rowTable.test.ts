import type { IDataObject } from 'n8n-workflow';

import { Renderer } from '../../../nodes/PriceCollection/rows/rows';
import { answersOf } from '../../../nodes/PriceCollection/delivery/pairing';
import { rowTableOf } from '../../../nodes/PriceCollection/delivery/rowTable';
import { newRecord, type Run } from '../../../nodes/PriceCollection/run/record';
import { requestedIn } from '../../../nodes/PriceCollection/values/match';
import { nodeContext } from '../nodeContext';
import { readerOf, serviceOf } from '../rows/reader';

const OFFERS = 10_000;

/** The rows of one result, and how often the event loop got its turn while they were made. */
async function turns(includeInputFields: boolean, type: string) {
	const { context } = nodeContext({ items: [{ sku: 'K' }], type });
	const request = { parameters: { topic: 'product_and_offers', key: 'term' }, key: 'term', values: ['a'] };
	const record = newRecord('j', [{ item: 0, lookups: [[0, 'a']] }], request);
	const first = {
		...{ output: 'entries', columns: 'raw', includeNotFound: true, onFailedResult: 'include' },
		...{ includeInputFields, inputFields: [], emptyValues: 'null' },
		bestPrice: { ignoreShops: [], includeShipping: true },
		...(includeInputFields && { columns: 'all' }),
	};
	const yieldToEventLoop = jest.fn(async () => undefined);
	const renderer = new Renderer(serviceOf({ yieldToEventLoop }));
	const run = { context, choices: { first }, records: [record] } as unknown as Run;
	const table = rowTableOf(run, renderer);
	const offers = Array.from({ length: OFFERS }, (_, id): IDataObject => ({ id, price: '12.90' }));
	const results = [{ query: { value: 'a' }, success: true, content: { name: 'Tea', offers } }];
	const matching = { isRequested: requestedIn([record]), reader: readerOf() };
	await table.add(answersOf(record, { job_id: 'j', status: 'finished', results }, matching));
	return { rows: table.rows().flatMap(({ rows }) => rows), turns: yieldToEventLoop.mock.calls.length };
}

test('the event loop has its turn while rows get the fields of their item', async () => {
	const plain = await turns(false, 'x.prices');
	const beside = await turns(true, 'x.prices');
	expect([plain.rows.length, beside.rows.length]).toEqual([OFFERS, OFFERS]);
	expect(beside.rows.at(-1)).toMatchObject({ sku: 'K', result_id: OFFERS - 1, result_price: '12.90' });
	// One for a thousand rows made, and one for a thousand combined.
	expect([plain.turns, beside.turns]).toEqual([0, 20]);
});

test('the event loop has its turn while rows are shortened for an agent', async () => {
	const forAgent = await turns(false, 'x.pricesTool');
	expect(forAgent.rows).toHaveLength(OFFERS);
	expect(forAgent.turns).toBeGreaterThanOrEqual(10);
});

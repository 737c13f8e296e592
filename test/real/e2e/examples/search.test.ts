import { playDays, SHEET, type Market } from '../harness/examples';
import { office } from '../harness/office';

/** The example that looks for products by their names, on three days, against n8n's own nodes. */

const hit = (id: string, position: number | undefined, price: object) => ({
	...{ id, name: `Product ${id}`, url: `https://portal.example/${id}`, currency: 'EUR' },
	...(position !== undefined && { position }),
	...price,
});
const sold = (price: string, shop_name: string) => ({ type: 'offer', price, shop_name });
const hits = (...search_results: object[]) => ({ search_results });

const KETTLE = hits(
	hit('K1', 1, sold('20.00', 'nord')),
	hit('K2', 2, { type: 'product', min_price: '19.50' }),
	hit('K3', 3, sold('21.00', 'ost & <co>')),
	hit('K4', 4, sold('9.00', 'nord')),
);

const DAYS: Market[] = [
	{
		kettle: KETTLE,
		'4711': hits(hit('P1', 1, { price: null })),
		'=mug': 'collection failed',
		'no such thing': null,
		torch: hits(hit('T1', undefined, {}), hit('T2', undefined, {})),
	},
	{ '4711': hits(), '=mug': hits(hit('M1', 1, sold('5.00', 'west'))), 'no such thing': null },
	{ 'no such thing': null },
];

test('search-terms-to-products adds the first three hits of each term that still has no ID', async () => {
	await office({
		documents: {
			[SHEET]: {
				Terms: [
					['term', 'id', 'note'],
					['kettle', '', 'glass'],
					[4711],
					['', '', 'later'],
					['=mug'],
					['kettle'],
					['no such thing'],
					['torch'],
					['pen', 'P9'],
				],
				Hits: [['term', 'id', 'name', 'price', 'currency', 'shop', 'link', 'reason']],
			},
		},
	});
	/** What its owner chooses after a day, by row. */
	const choices = [{ 2: 'K2', 6: 'K2', 8: 'T1' }, { 3: 'P1', 5: 'M1' }, {}];
	let before = 1;
	const added = await playDays('search-terms-to-products', DAYS, async () => {
		const { documents } = await office();
		const { Terms = [], Hits = [] } = documents[SHEET] ?? {};
		for (const [row, id] of Object.entries(choices.shift() ?? {})) {
			Terms[Number(row) - 1]?.splice(1, 1, id);
		}
		await office({ documents });
		const lines = Hits.slice(before);
		before = Hits.length;
		return lines;
	});
	const line = (term: string | number, id: string, price: number | '', currency: string, shop: string) => [
		...[term, id, `Product ${id}`, price, currency, shop, `https://portal.example/${id}`, 'test data'],
	];
	const kettle = [
		line('kettle', 'K1', 20, 'EUR', 'nord'),
		line('kettle', 'K2', 19.5, 'EUR', ''),
		line('kettle', 'K3', 21, 'EUR', 'ost & <co>'),
	];
	const nothing = (term: string | number, reason: string) => [
		...[term, '', '', '', '', '', '', `test data; ${reason}`],
	];
	expect(added).toEqual([
		[
			...kettle,
			line(4711, 'P1', '', 'EUR', ''),
			nothing('=mug', 'collection failed'),
			...kettle,
			nothing('no such thing', 'not found'),
			line('torch', 'T1', '', 'EUR', ''),
			line('torch', 'T2', '', 'EUR', ''),
		],
		[
			nothing(4711, 'not found'),
			line('=mug', 'M1', 5, 'EUR', 'west'),
			nothing('no such thing', 'not found'),
		],
		[nothing('no such thing', 'not found')],
	]);
});

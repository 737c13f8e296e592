import type { IDataObject } from 'n8n-workflow';

import { n8n, type Outcome } from '../harness/e2e';
import { playDays, SHEET, type Market } from '../harness/examples';
import { office } from '../harness/office';
import { BAG, LAMP, MUG, offer, PEN, product } from '../harness/products';

/** The example that keeps the prices of each day and draws them, on three days and once more on the first of them. */

const PRODUCTS = [
	['sku', 'gtin', 'price'],
	['A-1', Number(PEN), 2.2],
	['A-2', MUG, '13,00 €'],
	['B-1', PEN, 2.2],
	['B-2', '', 7],
	['B-3', Number(LAMP), 30],
	['B-4', BAG, ''],
];

const NAME = 'Lamp "$&" <b>';
const DAYS: Market[] = [
	{
		[PEN]: product('Pen', offer('2.40', 'nord')),
		[MUG]: product('Mug', offer('12.00', 'west')),
		[LAMP]: product(NAME, offer('31.00', 'nord')),
		[BAG]: product('Bag', offer('20.00', 'west', { currency: 'USD' })),
	},
	{
		[PEN]: product('Pen'),
		[MUG]: 'collection failed',
		[LAMP]: product(NAME, offer('29.00', 'ost')),
		[BAG]: product('Bag', offer('21.00', 'west')),
	},
	{
		[PEN]: product('Pen', offer('2.00', 'nord')),
		[MUG]: null,
		[LAMP]: product(NAME, offer('30.00', 'nord')),
		[BAG]: product('Bag', offer('22.00', 'west')),
	},
];
const AGAIN: Market = {
	[PEN]: product('Pen', offer('2.30', 'nord')),
	[MUG]: 'collection failed',
	[LAMP]: product(NAME, offer('31.00', 'nord')),
	[BAG]: null,
};

const COLUMNS = ['day', 'name', 'best_price', 'currency', 'own_price'];

/** The lines of the data table, oldest first. */
async function lines(): Promise<unknown[][]> {
	const { data: tables } = await n8n().call('GET', '/rest/data-tables-global');
	const { id, projectId } = tables.find(({ name }: IDataObject) => name === 'Price history');
	const path = `/rest/projects/${projectId}/data-tables/${id}/rows?take=250&sortBy=id:asc`;
	const { data } = await n8n().call('GET', path);
	return (data as IDataObject[]).map((row) => COLUMNS.map((column) => row[column]));
}

/** The products of the page: the heading, the text in the picture, and its two lines, best price and own price. */
function charts(outcome: Outcome): string[][] {
	const [, ...products] = String(outcome.items('Chart')[0]?.html).split('<h2>');
	return products.map((one) => {
		const [heading = ''] = one.split('</h2>');
		const svg = decodeURIComponent(/data:image\/svg\+xml,([^']+)/.exec(one)?.[1] ?? '');
		const texts = [...svg.matchAll(/<text[^>]*>([^<]*)/g)].map(([, text]) => text);
		const line = (name: string) => new RegExp(`class="${name}" d="([^"]*)"`).exec(svg)?.[1] ?? '';
		return [heading, texts.join(' | '), line('best'), line('own')];
	});
}

test('price-history-chart keeps one line a product and day, and draws prices and gaps by date', async () => {
	await office({ documents: { [SHEET]: { Products: PRODUCTS } } });
	const drawn = await playDays('price-history-chart', DAYS, async (outcome) => charts(outcome));
	const kept = await lines();
	const [first, second, third] = [...new Set(kept.map(([day]) => String(day)))];
	const expected = [
		[first, 'Pen', 2.4, 'EUR', 2.2],
		[first, 'Mug', 12, 'EUR', 13],
		[first, NAME, 31, 'EUR', 30],
		[first, 'Bag', 20, 'USD', null],
		[second, 'Pen', null, null, 2.2],
		[second, NAME, 29, 'EUR', 30],
		[second, 'Bag', 21, 'EUR', null],
		[third, 'Pen', 2, 'EUR', 2.2],
		[third, null, null, null, 13],
		[third, NAME, 30, 'EUR', 30],
		[third, 'Bag', 22, 'EUR', null],
	];
	expect(kept).toEqual(expected);

	const dates = `${first} | ${second} | ${third}`;
	expect(drawn.at(-1)).toEqual([
		[
			'Pen',
			`2.00 EUR | 2.20 EUR | 2.40 EUR | ${dates}`,
			'M100 20h0M700 220h0',
			'M100 120h0L400 120h0L700 120h0',
		],
		['Mug', `12.00 EUR | 12.50 EUR | 13.00 EUR | ${dates}`, 'M100 220h0', 'M100 20h0M700 20h0'],
		[
			'Lamp &#34;&#36;&#38;&#34; &#60;b&#62;',
			`29.00 EUR | 30.00 EUR | 31.00 EUR | ${dates}`,
			'M100 20h0L400 220h0L700 120h0',
			'M100 120h0L400 120h0L700 120h0',
		],
		['Bag', `21.00 EUR | 21.50 EUR | 22.00 EUR | ${dates}`, 'M400 220h0L700 20h0', ''],
	]);
	expect(drawn[0]?.[0]).toEqual([
		'Pen',
		`2.20 EUR | 2.30 EUR | 2.40 EUR | ${first}`,
		'M100 20h0',
		'M100 220h0',
	]);

	await playDays('price-history-chart', [AGAIN], async () => undefined);
	expected[0] = [first, 'Pen', 2.3, 'EUR', 2.2];
	expected[3] = [first, null, null, null, null];
	expect(await lines()).toEqual(expected);
});

import { waitForOutcome, type Outcome } from '../harness/e2e';
import { playDays, SHEET, type Market } from '../harness/examples';
import { click, dayOf, office, sheetRows } from '../harness/office';
import { BAG, LAMP, MUG, offer, PEN, product } from '../harness/products';

/** The examples that look at what others sell for, on three days, against n8n's own nodes. */

const messages = async () => (await office()).channels.prices ?? [];

/** Writes into a sheet by hand, as its owner does. Rows count as in the sheet, columns from 0. */
async function write(tab: string, ...cells: Array<[row: number, column: number, value: string | number]>) {
	const { documents } = await office();
	for (const [row, column, value] of cells) documents[SHEET]?.[tab]?.[row - 1]?.splice(column, 1, value);
	await office({ documents });
}

describe('below-minimum-price', () => {
	const PRODUCTS = [
		['gtin', 'map', 'note'],
		[Number(PEN), 2.4, 'ours'],
		[MUG, '12'],
		[PEN, 2.2],
		['', 7],
		[Number(LAMP), 30],
		[BAG, '', 'no minimum'],
	];
	const LAMP_IN_SHEET = String(Number(LAMP));
	const DAYS: Market[] = [
		{
			[PEN]: product(
				'Pen',
				...[offer('2.40', 'nord'), offer('2.10', 'ost'), offer('2.20', 'west')],
				...[offer('', 'ask', { price: null }), offer('1.00', 'old', { condition_code: 'used' })],
				offer('2.00', 'far', { currency: 'USD' }),
			),
			[MUG]: { ...product('Mug'), url: 'https://portal.example/mug' },
			[LAMP]: product('Lamp <A>', offer('30.00', 'nord'), offer('9.99', 'A & B', { url: null })),
			[BAG]: product('Bag', offer('5.00', 'nord')),
		},
		{
			[PEN]: { ...product('Pen'), buybox: { min_price: '2.30', shop_name: 'box', currency: 'EUR' } },
			[MUG]: 'collection failed',
			[LAMP]: null,
			[BAG]: product('Bag'),
		},
		{
			[PEN]: product('Pen', offer('2.40', 'nord')),
			[MUG]: product('Mug', offer('100.00', 'west')),
			[LAMP]: product('Lamp', offer('30.00', 'nord')),
			[BAG]: null,
		},
	];

	it('keeps every such offer, and what has none, in a tab, and sends one message about them', async () => {
		await office({
			documents: { [SHEET]: { Products: PRODUCTS, 'Below MAP': [] } },
			channels: { prices: [] },
		});
		const held = await playDays('below-minimum-price', DAYS, async (outcome) => {
			const day = dayOf(outcome, 'Every morning');
			const [, ...lines] = (await office()).documents[SHEET]?.['Below MAP'] ?? [];
			const ofDay = lines.filter(([one]) => one === day).map(([, ...line]) => line);
			// By the third day, the product without a GTIN is no longer watched.
			if (ofDay.length < lines.length) await write('Products', [5, 1, '']);
			return { lines: ofDay, messages: (await messages()).map(({ text }) => text?.split('\n')) };
		});
		const HEADING = '*Below the minimum price, or no offer*';
		const below = 'test data; below the minimum price';
		const blank = 'test data; not looked up: no GTIN in this row';
		const first = [
			HEADING,
			'• Pen: 2.10 instead of 2.40 EUR, ost <https://ost.example/|link>',
			'• Pen: 2.20 instead of 2.40 EUR, west <https://west.example/|link>',
			'• Mug: test data; no offers <https://portal.example/mug|link>',
			'• Pen: 2.10 instead of 2.20 EUR, ost <https://ost.example/|link>',
			`• row 5: ${blank}`,
			'• Lamp &lt;A&gt;: 9.99 instead of 30.00 EUR, A &amp; B',
		];
		const second = [
			HEADING,
			'• Pen: 2.30 instead of 2.40 EUR, box',
			`• ${MUG}: test data; collection failed`,
			`• row 5: ${blank}`,
			`• ${LAMP_IN_SHEET}: test data; not found`,
		];
		expect(held).toEqual([
			{
				lines: [
					[PEN, 'Pen', below, 'ost', 2.1, 2.4, 'EUR', 'https://ost.example/'],
					[PEN, 'Pen', below, 'west', 2.2, 2.4, 'EUR', 'https://west.example/'],
					[MUG, 'Mug', 'test data; no offers', '', '', 12, '', 'https://portal.example/mug'],
					[PEN, 'Pen', below, 'ost', 2.1, 2.2, 'EUR', 'https://ost.example/'],
					['', 'row 5', blank, '', '', 7],
					[LAMP_IN_SHEET, 'Lamp <A>', below, 'A & B', 9.99, 30, 'EUR'],
				],
				messages: [first],
			},
			{
				lines: [
					[PEN, 'Pen', below, 'box', 2.3, 2.4, 'EUR'],
					[MUG, MUG, 'test data; collection failed', '', '', 12],
					['', 'row 5', blank, '', '', 7],
					[LAMP_IN_SHEET, LAMP_IN_SHEET, 'test data; not found', '', '', 30],
				],
				messages: [first, second],
			},
			{ lines: [], messages: [first, second] },
		]);
	});
});

describe('cheapest-of-several-sources', () => {
	const DOCUMENT = {
		Sources: [['source'], ['amazon'], ['idealo'], ['ebay']],
		Products: [
			['sku', 'gtin'],
			['A-1', Number(PEN)],
			['A-2', MUG],
			['B-1', PEN],
			['B-2', ''],
			['B-3', Number(LAMP)],
			['B-4', BAG],
		],
	};
	const lamp = String(Number(LAMP));
	const DAYS: Market[] = [
		{
			[`amazon/${PEN}`]: product('Pen', offer('2.50', 'nord', { shipping_costs: '0.00' })),
			[`idealo/${PEN}`]: product('Pen', offer('2.40', 'ost', { shipping_costs: '1.00' })),
			[`ebay/${PEN}`]: product('Pen', offer('2.45', 'west')),
			[`amazon/${MUG}`]: product('Mug'),
			[`idealo/${MUG}`]: 'collection failed',
			[`ebay/${MUG}`]: product('Mug', offer('12.00', 'west')),
			[`amazon/${lamp}`]: product('Lamp', offer('1.00', 'far', { currency: 'USD' })),
			[`idealo/${lamp}`]: product('Lamp', offer('100.00', 'ost')),
			[`ebay/${lamp}`]: product('Lamp', offer('99.50', 'west')),
			[`amazon/${BAG}`]: 'collection failed',
			[`idealo/${BAG}`]: product('Bag', offer('20.00', 'ost')),
			[`ebay/${BAG}`]: null,
		},
		{
			[`amazon/${PEN}`]: product('Pen', offer('2.30', 'nord')),
			[`idealo/${PEN}`]: product('Pen', offer('2.40', 'ost')),
			[`ebay/${PEN}`]: product('Pen', offer('2.30', 'west')),
			[MUG]: 'collection failed',
			[LAMP]: null,
			[`amazon/${BAG}`]: 'collection failed',
			[`idealo/${BAG}`]: product('Bag'),
			[`ebay/${BAG}`]: null,
		},
		{
			[PEN]: product('Pen', offer('2.00', 'ost')),
			[`amazon/${MUG}`]: null,
			[`idealo/${MUG}`]: product('Mug', offer('11.00', 'ost')),
			[`ebay/${MUG}`]: product('Mug'),
			[LAMP]: product('Lamp', offer('90.00', 'nord')),
			[BAG]: product('Bag', offer('1.00', 'old', { condition_code: 'used' })),
		},
	];
	const COLUMNS = [
		...['sku', 'result_found', 'best_price', 'best_currency', 'best_shop'],
		...['result_source', 'result_reason'],
	];

	it('holds the cheapest price of the day, and where it is from, beside each product', async () => {
		await office({ documents: { [SHEET]: DOCUMENT } });
		const held = await playDays('cheapest-of-several-sources', DAYS, async () =>
			(await sheetRows(SHEET, 'Products')).map((row) => COLUMNS.map((column) => row[column])),
		);
		const none = ['', '', ''];
		const blank = ['B-2', false, ...none, 'amazon', 'not looked up: no GTIN in this row'];
		expect(held).toEqual([
			[
				['A-1', true, 2.4, 'EUR', 'ost', 'idealo', ''],
				['A-2', true, 12, 'EUR', 'west', 'ebay', ''],
				['B-1', true, 2.4, 'EUR', 'ost', 'idealo', ''],
				blank,
				['B-3', true, 99.5, 'EUR', 'west', 'ebay', ''],
				['B-4', true, 20, 'EUR', 'ost', 'idealo', ''],
			],
			[
				['A-1', true, 2.3, 'EUR', 'nord', 'amazon', ''],
				['A-2', false, ...none, 'amazon', 'collection failed'],
				['B-1', true, 2.3, 'EUR', 'nord', 'amazon', ''],
				blank,
				['B-3', false, ...none, 'amazon', 'not found'],
				['B-4', true, ...none, 'idealo', 'no offer has a price'],
			],
			[
				['A-1', true, 2, 'EUR', 'ost', 'amazon', ''],
				['A-2', true, 11, 'EUR', 'ost', 'idealo', ''],
				['B-1', true, 2, 'EUR', 'ost', 'amazon', ''],
				blank,
				['B-3', true, 90, 'EUR', 'nord', 'amazon', ''],
				['B-4', true, ...none, 'amazon', 'no offer counts: 1 used'],
			],
		]);
	});
});

describe('reprice-with-approval', () => {
	const PRODUCTS = [
		['product_id', 'gtin', 'price', 'cost', 'cap'],
		[11, Number(PEN), '2,50 €', 1.5, 3],
		[12, MUG, 13, 10.97, '15'],
		[13, PEN, 2.39, 1, 3],
		[14, '', 7, 1, 9],
		[15, Number(LAMP), 40, 28, 45],
		[16, BAG, 20, '', 30],
		[17, BAG, 20, 10, ''],
		[18, BAG, 20, 10, 10.5],
		['', BAG, 20, 10, 30],
	];
	const IN_SHOP = PRODUCTS.slice(1, -1).map(([id]) => ({
		...{ id: Number(id), name: 'Product', sku: `S-${id}`, regular_price: '99.00' },
	}));
	const DAYS: Market[] = [
		{
			[PEN]: product(
				'Pen',
				...[offer('1.00', 'my own shop'), offer('1.10', 'old', { condition_code: 'used' })],
				...['1.20', '1.30', '1.40'].map((price) => offer(price, 'far', { currency: 'USD' })),
				offer('2.45', 'west', { shipping_costs: '0.00' }),
				offer('2.40', 'nord', { shipping_costs: '1.00' }),
			),
			[MUG]: product('Mug <fine> & Co', offer('12.00', 'west')),
			[LAMP]: product('Lamp', offer('25.00', 'nord')),
			[BAG]: product('Bag', offer('15.00', 'nord')),
		},
		{
			[PEN]: product('Pen'),
			[MUG]: 'collection failed',
			[LAMP]: product('Lamp', offer('60.00', 'ost')),
			[BAG]: null,
		},
		{
			[PEN]: product('Pen', offer('2.40', 'nord')),
			[MUG]: product('Mug', offer('12.00', 'west')),
			[LAMP]: product('Lamp', offer('30.81', 'ost')),
			[BAG]: product('Bag', offer('15.00', 'nord')),
		},
	];
	const prices = async () => (await office()).products.map(({ regular_price }) => regular_price);

	it('changes what one message says once that is approved, and nothing before or after a no', async () => {
		await office({
			documents: { [SHEET]: { Products: PRODUCTS } },
			channels: { prices: [] },
			products: IN_SHOP,
		});
		const clicks = ['Change the prices', 'Leave them'];
		const look = async (outcome: Outcome) => {
			const before = await prices();
			const message = (await messages()).at(-1);
			const label = clicks.shift();
			if (label !== undefined) {
				await click(message, label);
				const { error } = await waitForOutcome(outcome);
				expect(error).toBeUndefined();
			}
			const text = message?.blocks?.[1]?.text?.text.split('\n');
			return {
				status: outcome.status,
				count: (await messages()).length,
				text,
				before,
				after: await prices(),
				inSheet: (await sheetRows(SHEET, 'Products')).map(({ price }) => price),
			};
		};
		const until = ['waiting', 'success', 'error'];
		const held = await playDays('reprice-with-approval', DAYS, look, {}, until);
		const old = IN_SHOP.map(({ regular_price }) => regular_price);
		const approved = ['2.39', '12.07', ...old.slice(2, 4), '30.80', ...old.slice(5)];
		const own = PRODUCTS.slice(1).map(([, , price]) => price);
		const inSheet = [2.39, 12.07, ...own.slice(2, 4), 30.8, ...own.slice(5)];
		const refused = ['*New prices: 1*', '• Lamp: 30.80 → 45.00 EUR (ost: 60.00), test data'];
		expect(held).toEqual([
			{
				status: 'waiting',
				count: 1,
				text: [
					'*New prices: 3*',
					'• Pen: 2.50 → 2.39 EUR (nord: 2.40), test data',
					'• Mug fine & Co: 13.00 → 12.07 EUR (west: 12.00), test data',
					'• Lamp: 40.00 → 30.80 EUR (nord: 25.00), test data',
				],
				before: old,
				after: approved,
				inSheet,
			},
			{ status: 'waiting', count: 2, text: refused, before: approved, after: approved, inSheet },
			{ status: 'success', count: 2, text: refused, before: approved, after: approved, inSheet },
		]);
	});
});

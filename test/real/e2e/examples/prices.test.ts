import { playDays, REAL_SOURCE, SHEET, type Market } from '../harness/examples';
import { office, sheetRows } from '../harness/office';
import { BAG, LAMP, MUG, offer, PEN, product } from '../harness/products';

/** The examples that keep a sheet and its owner up to date, on three days, against n8n's own nodes. */

describe('prices-into-sheet', () => {
	/** Without input fields, the node's own columns have the last two names. */
	const OWN = ['sku', 'gtin', 'price', 'reason', 'found'];
	const PRODUCTS = [
		OWN,
		['A-1', Number(PEN), '2,50 €', 'window', 'shelf 3'],
		['A-2', MUG, 13, '', ''],
		['B-1', PEN, 2.2, 'again', 'cellar'],
		['B-2', '', 7, '', ''],
		['B-3', Number(LAMP), 30, '', ''],
	];
	const DAYS: Market[] = [
		{
			[PEN]: product('Pen', offer('2.40', 'nord', { shipping_costs: '0.30' }), offer('2.45', 'ost')),
			[MUG]: product('Mug', offer('12.00', 'west')),
			[LAMP]: product('Lamp', offer('31.00', 'nord')),
		},
		{ [PEN]: product('Pen'), [MUG]: 'collection failed', [LAMP]: null },
		{
			[PEN]: product('Pen', offer('2.00', 'ost')),
			[MUG]: product('Mug', offer('12.50', 'west')),
			[LAMP]: product('Lamp', offer('29.00', 'nord')),
		},
	];
	const COLUMNS = [
		...[...OWN.filter((name) => name !== 'gtin'), 'result_found', 'best_price', 'best_shop'],
		...['price_gap', 'price_rank', 'price_change', 'result_reason'],
	];
	const shown = async () =>
		(await sheetRows(SHEET, 'Products')).map((row) => COLUMNS.map((column) => row[column]));

	it('holds the prices of the day and nothing of the day before, in the rows that asked', async () => {
		await office({ documents: { [SHEET]: { Products: PRODUCTS } } });
		const held = await playDays('prices-into-sheet', DAYS, shown);
		const blank = [
			'B-2',
			7,
			'',
			'',
			false,
			'',
			'',
			'',
			'',
			'',
			'test data; not looked up: no GTIN in this row',
		];
		const none = ['', '', '', '', ''];
		expect(held).toEqual([
			[
				['A-1', '2,50 €', 'window', 'shelf 3', true, 2.45, 'ost', 0.05, 2, '', 'test data'],
				['A-2', 13, '', '', true, 12, 'west', 1, 2, '', 'test data'],
				['B-1', 2.2, 'again', 'cellar', true, 2.45, 'ost', -0.25, 1, '', 'test data'],
				blank,
				['B-3', 30, '', '', true, 31, 'nord', -1, 1, '', 'test data'],
			],
			[
				['A-1', '2,50 €', 'window', 'shelf 3', true, ...none, 'test data; no offer has a price'],
				['A-2', 13, '', '', false, ...none, 'test data; collection failed'],
				['B-1', 2.2, 'again', 'cellar', true, ...none, 'test data; no offer has a price'],
				blank,
				['B-3', 30, '', '', false, ...none, 'test data; not found'],
			],
			[
				['A-1', '2,50 €', 'window', 'shelf 3', true, 2, 'ost', 0.5, 2, '', 'test data'],
				['A-2', 13, '', '', true, 12.5, 'west', 0.5, 2, '', 'test data'],
				['B-1', 2.2, 'again', 'cellar', true, 2, 'ost', 0.2, 2, '', 'test data'],
				blank,
				['B-3', 30, '', '', true, 29, 'nord', 1, 2, '', 'test data'],
			],
		]);
	});
});

/** What the columns of the sheet hold, row by row, and all messages so far. */
const sheetAndChannel = async (...columns: string[]) => ({
	rows: (await sheetRows(SHEET, 'Products')).map((row) => columns.map((column) => row[column])),
	messages: (await office()).channels.prices?.map(({ text }) => text),
});

describe('price-drops-to-slack', () => {
	const PRODUCTS = [
		['sku', 'gtin', 'price'],
		['A-1', Number(PEN), 12],
		['A-2', MUG, '13,00 €'],
		['B-1', PEN, 11],
		['B-2', '', 7],
		['B-3', Number(LAMP), 30],
		['B-4', BAG, 20],
	];
	const DAYS: Market[] = [
		{
			[PEN]: product('Pen <fine> & Co', offer('10.00', 'nord')),
			[MUG]: product('Mug', offer('12.00', 'west')),
			[LAMP]: product('Lamp', offer('31.00', 'nord')),
			[BAG]: product('Bag', offer('20.00', 'west')),
		},
		{
			[PEN]: product(
				'Pen <fine> & Co',
				offer('10.00', 'nord'),
				offer('9.20', 'ost', { url: 'https://ost.example/?a=1&b=2' }),
			),
			[MUG]: product('Mug', offer('11.41', 'west')),
			[LAMP]: product('Lamp', offer('29.45', 'nord')),
			[BAG]: 'collection failed',
		},
		{
			[PEN]: product('Pen <fine> & Co'),
			[MUG]: product('Mug', offer('12.50', 'west')),
			[LAMP]: null,
			[BAG]: product('Bag', offer('10.00', 'west')),
		},
	];

	it('sends one message about all drops of a day, none without any, and keeps the prices for the next day', async () => {
		await office({ documents: { [SHEET]: { Products: PRODUCTS } }, channels: { prices: [] } });
		const held = await playDays('price-drops-to-slack', DAYS, async () =>
			sheetAndChannel('sku', 'best_price', 'price_change', 'price_change_percent'),
		);
		const drops = [
			'*Cheaper than last time*',
			'• Pen &lt;fine&gt; &amp; Co: 9.20 EUR (-0.80, -8 %), ost, test data <https://ost.example/?a=1&amp;b=2|to the shop>',
			'• Lamp: 29.45 EUR (-1.55, -5 %), nord, test data <https://nord.example/|to the shop>',
		].join('\n');
		expect(held).toEqual([
			{
				rows: [
					['A-1', 10, '', ''],
					['A-2', 12, '', ''],
					['B-1', 10, '', ''],
					['B-2', '', '', ''],
					['B-3', 31, '', ''],
					['B-4', 20, '', ''],
				],
				messages: [],
			},
			{
				rows: [
					['A-1', 9.2, -0.8, -8],
					['A-2', 11.41, -0.59, -4.92],
					['B-1', 9.2, -0.8, -8],
					['B-2', '', '', ''],
					['B-3', 29.45, -1.55, -5],
					['B-4', '', '', ''],
				],
				messages: [drops],
			},
			{
				rows: [
					['A-1', '', '', ''],
					['A-2', 12.5, 1.09, 9.55],
					['B-1', '', '', ''],
					['B-2', '', '', ''],
					['B-3', '', '', ''],
					['B-4', 10, '', ''],
				],
				messages: [drops],
			},
		]);
	});

	it('compares the first real prices with none of the test source, and the next ones with these', async () => {
		await office({
			documents: { [SHEET]: { Products: PRODUCTS.slice(0, 2) } },
			channels: { prices: [] },
		});
		const look = async () => sheetAndChannel('best_price', 'price_change', 'result_reason');
		const at = (price: string) => ({ [PEN]: product('Pen', offer(price, 'nord')) });
		const tried = await playDays('price-drops-to-slack', [at('30.00'), at('20.00')], look);
		const real = { 'Collect prices': REAL_SOURCE };
		const held = await playDays('price-drops-to-slack', [at('10.00'), at('9.00')], look, real);
		const [ofTest, ofReal] = ['20.00 EUR (-10.00, -33.33 %)', '9.00 EUR (-1.00, -10 %)'];
		const link = ' <https://nord.example/|to the shop>';
		const messageOfTest = `*Cheaper than last time*\n• Pen: ${ofTest}, nord, test data${link}`;
		const messageOfReal = `*Cheaper than last time*\n• Pen: ${ofReal}, nord${link}`;
		expect([...tried, ...held]).toEqual([
			{ rows: [[30, '', 'test data']], messages: [] },
			{ rows: [[20, -10, 'test data']], messages: [messageOfTest] },
			{ rows: [[10, '', '']], messages: [messageOfTest] },
			{ rows: [[9, -1, '']], messages: [messageOfTest, messageOfReal] },
		]);
	});
});

describe('back-in-stock', () => {
	const PRODUCTS = [
		['sku', 'gtin'],
		['A-1', Number(PEN)],
		['A-2', MUG],
		['B-1', PEN],
		['B-2', ''],
		['B-3', Number(LAMP)],
		['B-4', BAG],
	];
	const inStock = { availability_text: 'In stock' };
	const few = { availability_text: '3 left' };
	const DAYS: Market[] = [
		{
			[PEN]: product('Pen', offer('2.40', 'nord', inStock)),
			[MUG]: product('Mug <big>', offer('12.00', 'west', inStock)),
			[LAMP]: product('Lamp', offer('31.00', 'nord')),
			[BAG]: null,
		},
		{
			[PEN]: product('Pen', offer('1.40', 'nord', { condition_code: 'used' })),
			[MUG]: product('Mug <big>', offer('12.00', 'west', few)),
			[LAMP]: 'collection failed',
			[BAG]: product('Bag', offer('20.00', 'west')),
		},
		{
			[PEN]: product('Pen', offer('2.00', 'ost', inStock)),
			[MUG]: product('Mug <big>', offer('12.50', 'west', few)),
			[LAMP]: product('Lamp', offer('32.00', 'nord')),
			[BAG]: null,
		},
	];

	it('says what is gone, back or otherwise available since last time, and nothing of a lookup that failed', async () => {
		await office({ documents: { [SHEET]: { Products: PRODUCTS } }, channels: { prices: [] } });
		const held = await playDays('back-in-stock', DAYS, async () =>
			sheetAndChannel('sku', 'result_found', 'best_price', 'best_availability'),
		);
		const second = [
			'*Availability has changed*',
			'• Pen: gone, test data; no offer counts: 1 used',
			'• Mug &lt;big&gt;: available (3 left), 12.00 EUR, west, test data <https://west.example/|to the shop>',
			'• Bag: back, 20.00 EUR, west, test data <https://west.example/|to the shop>',
		].join('\n');
		const third = [
			'*Availability has changed*',
			'• Pen: back (In stock), 2.00 EUR, ost, test data <https://ost.example/|to the shop>',
			`• ${BAG}: gone, test data; not found`,
		].join('\n');
		const blank = ['B-2', '', '', ''];
		expect(held).toEqual([
			{
				rows: [
					['A-1', true, 2.4, 'In stock'],
					['A-2', true, 12, 'In stock'],
					['B-1', true, 2.4, 'In stock'],
					blank,
					['B-3', true, 31, ''],
					['B-4', false, '', ''],
				],
				messages: [],
			},
			{
				rows: [
					['A-1', true, '', ''],
					['A-2', true, 12, '3 left'],
					['B-1', true, '', ''],
					blank,
					['B-3', true, 31, ''],
					['B-4', true, 20, ''],
				],
				messages: [second],
			},
			{
				rows: [
					['A-1', true, 2, 'In stock'],
					['A-2', true, 12.5, '3 left'],
					['B-1', true, 2, 'In stock'],
					blank,
					['B-3', true, 32, ''],
					['B-4', false, '', ''],
				],
				messages: [second, third],
			},
		]);
	});

	it('says nothing about the difference between the test source and a real one', async () => {
		await office({
			documents: { [SHEET]: { Products: PRODUCTS.slice(0, 2) } },
			channels: { prices: [] },
		});
		const look = async () => sheetAndChannel('best_price', 'best_availability');
		const pen = { [PEN]: product('Pen', offer('2.40', 'nord', inStock)) };
		const gone = { [PEN]: product('Pen') };
		await playDays('back-in-stock', [pen], look);
		const real = { 'Collect prices': REAL_SOURCE };
		expect(await playDays('back-in-stock', [gone, pen], look, real)).toEqual([
			{ rows: [['', '']], messages: [] },
			{
				rows: [[2.4, 'In stock']],
				messages: [
					'*Availability has changed*\n• Pen: back (In stock), 2.40 EUR, nord <https://nord.example/|to the shop>',
				],
			},
		]);
	});
});

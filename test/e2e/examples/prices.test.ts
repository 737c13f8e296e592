import { playDays, SHEET, type Market } from '../harness/examples';
import { office, sheetRows } from '../harness/office';

/** The examples that keep a sheet and its owner up to date, on three days, against n8n's own nodes. */

const PEN = '4006381333931';
const MUG = '5901234123457';
/** A sheet takes the zeros away from such a GTIN. */
const LAMP = '0012345678905';

const offer = (price: string, shop_name: string, more: object = {}) => ({
	...{ price, currency: 'EUR', condition_code: 'new', shop_name, url: `https://${shop_name}.example/` },
	...more,
});
const product = (name: string, ...offers: object[]) => ({ name, offers });

describe('prices-into-sheet', () => {
	const OWN = ['sku', 'gtin', 'price', 'shop'];
	const PRODUCTS = [
		OWN,
		['A-1', Number(PEN), '2,50 €', 'window'],
		['A-2', MUG, 13, ''],
		['B-1', PEN, 2.2, 'again'],
		['B-2', '', 7, ''],
		['B-3', Number(LAMP), 30, ''],
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
	const COLUMNS = ['sku', 'price', 'shop', 'found', 'best_price', 'best_shop', 'price_gap', 'price_rank'];
	const shown = async () =>
		(await sheetRows(SHEET, 'Products')).map((row) =>
			[...COLUMNS, 'price_change', 'reason'].map((column) => row[column]),
		);

	it('holds the prices of the day and nothing of the day before, in the rows that asked', async () => {
		await office({ documents: { [SHEET]: { Products: PRODUCTS } } });
		const held = await playDays('prices-into-sheet', DAYS, shown);
		const blank = ['B-2', 7, '', false, '', '', '', '', '', 'not looked up: no GTIN in this row'];
		const none = ['', '', '', '', ''];
		expect(held).toEqual([
			[
				['A-1', '2,50 €', 'window', true, 2.45, 'ost', 0.05, 2, '', ''],
				['A-2', 13, '', true, 12, 'west', 1, 2, '', ''],
				['B-1', 2.2, 'again', true, 2.45, 'ost', -0.25, 1, '', ''],
				blank,
				['B-3', 30, '', true, 31, 'nord', -1, 1, '', ''],
			],
			[
				['A-1', '2,50 €', 'window', true, ...none, ''],
				['A-2', 13, '', false, ...none, 'collection failed'],
				['B-1', 2.2, 'again', true, ...none, ''],
				blank,
				['B-3', 30, '', false, ...none, ''],
			],
			[
				['A-1', '2,50 €', 'window', true, 2, 'ost', 0.5, 2, '', ''],
				['A-2', 13, '', true, 12.5, 'west', 0.5, 2, '', ''],
				['B-1', 2.2, 'again', true, 2, 'ost', 0.2, 2, '', ''],
				blank,
				['B-3', 30, '', true, 29, 'nord', 1, 2, '', ''],
			],
		]);
	});
});

import { Remarks } from '../../../nodes/PriceCollection/output/remarks';
import { rowsOf, withoutAnswer, type RowChoice } from '../../../nodes/PriceCollection/output/rows';
import type { Result } from '../../../nodes/PriceCollection/service/types';

const job = { job_id: 'job1', status: 'finished' };
const query = { source: 'shop', country: 'de', topic: 'product_and_offers', key: 'gtin', value: '1' };
const choice: RowChoice = {
	output: 'results',
	columns: 'all',
	includeNotFound: true,
	onFailedResult: 'include',
	bestPrice: { conditions: [], ignoreShops: [], includeShipping: true },
};
const offers = [
	{ price: '12.90', currency: 'EUR', shop_name: 'A', condition_code: 'new', url: 'https://a.example' },
	{ price: '9.00', shipping_costs: '2.50', currency: 'EUR', shop_name: 'B', condition_code: 'used' },
];
const result = (content: unknown, more: Partial<Result> = {}): Result => ({
	query,
	success: true,
	content: content as Result['content'],
	...more,
});
const tea = result({ id: 'p1', gtins: ['1'], name: 'Tea', buybox: null, price: '10.00', offers });

/** The rows of results, with what is remarked on them. */
function made(results: Result[], more: Partial<RowChoice> = {}) {
	const wanted = { ...choice, ...more };
	const remarks = new Remarks(wanted.fields);
	const rows = results.flatMap((one) => rowsOf(job, one, wanted, undefined, remarks));
	return { rows, remarks: remarks.sentences() };
}

const CONTEXT = 'job_id topic source country key success reason from_cache collected_at';
const BEST = 'best_price best_total best_currency best_shop best_condition best_url priced_offers';

describe('the columns of the best price', () => {
	test('stand behind the name, as numbers beside the untouched texts', () => {
		const [row] = made([tea]).rows;
		expect(row).toEqual({
			...{ value: '1', found: true, name: 'Tea' },
			...{ best_price: 9, best_total: 11.5, best_currency: 'EUR', best_shop: 'B' },
			...{ best_condition: 'used', best_url: null, priced_offers: 2 },
			...{ id: 'p1', price: '10.00' },
			...{ job_id: 'job1', topic: 'product_and_offers', source: 'shop', country: 'de', key: 'gtin' },
			...{ success: true, reason: null, from_cache: null, collected_at: null },
			...{ gtins: ['1'], buybox: null, offers },
		});
		expect(Object.keys(row ?? {}).join(' ')).toBe(
			`value found name ${BEST} id price ${CONTEXT} gtins buybox offers`,
		);
	});

	test('have the same order in a row without an answer, and null in it', () => {
		const none = {
			...{ best_price: null, best_total: null, best_currency: null, best_shop: null },
			...{ best_condition: null, best_url: null, priced_offers: 0 },
		};
		const { rows } = made([
			result(null),
			result(undefined, { success: false, reason: 'no access' }),
			result({ name: 'Tea', offers: [] }),
		]);
		const [unanswered] = rowsOf(job, withoutAnswer({ ...query, value: '2' }, 'gone'), choice);
		for (const row of [...rows, unanswered]) expect(row).toMatchObject(none);
		for (const row of [rows[0], rows[1], unanswered]) {
			expect(Object.keys(row ?? {}).join(' ')).toBe(`value found name ${BEST} ${CONTEXT}`);
		}
	});

	test('are not filled from what a failed result holds all the same', () => {
		const failed = result({ offers }, { success: false, reason: 'incomplete' });
		expect(made([failed]).rows).toMatchObject([{ best_price: null, priced_offers: 0 }]);
	});

	test('displace no field of the content', () => {
		const { rows } = made([result({ best_price: 'theirs', offers })]);
		expect(rows).toMatchObject([{ best_price: 9, content_best_price: 'theirs' }]);
	});

	test('are there for flat results only', () => {
		for (const more of [{ columns: 'raw' as const }, { output: 'entries' as const }]) {
			for (const row of made([tea], more).rows)
				expect(Object.keys(row).join(' ')).not.toContain('best_');
		}
	});

	test('go by the condition that the job asked for', () => {
		const asked = { ...query, condition: 'new' };
		const bestPrice = { ignoreShops: [], includeShipping: true };
		const wanted = { ...choice, bestPrice };
		const used = { ...query, condition: 'used' };
		expect(made([{ ...tea, query: used }], { bestPrice }).rows).toMatchObject([
			{ best_price: 9, priced_offers: 1 },
		]);
		const silent = rowsOf(job, tea, wanted, { value: '1', parameters: asked });
		expect(silent).toMatchObject([{ best_price: 12.9 }]);
	});

	test('go by the list that the user names', () => {
		const odd = result({ list: { items: offers } });
		expect(made([odd], { contentList: 'list.items' }).rows).toMatchObject([{ best_price: 9 }]);
		expect(made([odd])).toMatchObject({
			rows: [{ best_price: null }],
			remarks: [
				'In 1 result it is not clear which list holds the offers, so there is no best price. These have prices: list.items. Enter the right one as Content List in the options.',
			],
		});
	});

	test('come with what a user should know, about each result once', () => {
		const mixed = [{ ...offers[0], currency: 'USD' }, offers[1]];
		const { remarks } = made([
			tea,
			tea,
			result({ offers: mixed }),
			result({ offers: [...mixed, offers[0]] }),
		]);
		expect(remarks).toEqual([
			'In 1 result several currencies have equally many offers (EUR, USD), so there is no best price. Set Currency in Price Options.',
			'In 1 result offers in another currency than the best price, or without a currency, were not compared.',
		]);
	});
});

describe('entries', () => {
	test('have their product and their price in front, and what is nested last', () => {
		const hit = { id: 'o1', flags: null, position: 1, price: '9.00', name: 'Green tea' };
		const cluster = { id: 'c1', position: 2, min_price: '8.00', name: 'Black tea', flags: ['new'] };
		const search = { ...query, topic: 'search' };
		const { rows } = made([{ ...result({ search_results: [hit, cluster] }), query: search }], {
			output: 'entries',
		});
		expect(rows.map((row) => Object.keys(row).join(' '))).toEqual([
			`value found name price id position ${CONTEXT} flags`,
			`value found name min_price id position ${CONTEXT} flags`,
		]);
	});
});

describe('Fields', () => {
	const fields = ['best_price', 'name', 'job_id'];

	test('are the only columns that leave, in their order, in every row', () => {
		const { rows, remarks } = made([tea, result(null)], { columns: 'selected', fields });
		expect(rows).toEqual([
			{ best_price: 9, name: 'Tea', job_id: 'job1' },
			{ best_price: null, name: null, job_id: 'job1' },
		]);
		expect(rows.map((row) => Object.keys(row))).toEqual([fields, fields]);
		expect(remarks).toEqual([]);
	});

	test('choose among entries as well', () => {
		const chosen = { columns: 'selected', fields: ['success', 'job_id'] } as const;
		const { rows } = made([tea], { ...chosen, output: 'entries' });
		const row = { success: true, job_id: 'job1' };
		expect(rows).toEqual([row, row]);
	});

	test('that no row has are named, with those that there are', () => {
		const { rows, remarks } = made([result({ name: 'Tea' }), result({ name: 'Milk', rrp: '1.00' })], {
			columns: 'selected',
			fields: ['rrp', 'prize', 'offer'],
		});
		expect(rows).toEqual([
			{ rrp: null, prize: null, offer: null },
			{ rrp: '1.00', prize: null, offer: null },
		]);
		expect(remarks).toEqual([
			`No row has the columns "prize", "offer", chosen as Fields. These are there: value, found, name, ${BEST.replaceAll(' ', ', ')}, ${CONTEXT.replaceAll(' ', ', ')}, rrp.`,
		]);
	});

	test('are kept in the row of a value without an answer', () => {
		const wanted: RowChoice = { ...choice, columns: 'selected', fields: ['value', 'reason'] };
		const [row] = rowsOf(job, withoutAnswer({ value: '2' }, 'gone'), wanted);
		expect(row).toEqual({ value: '2', reason: 'gone' });
	});
});

describe('Price Format: Number', () => {
	const content = {
		...{ id: '007', name: '12.90', price: '12.90', min_price: '1.299,00', rrp: '1.299', tax: null },
		...{ currency: 'EUR', price_currency: 'EUR', offer_count: 2, offers },
	};

	test('turns the price columns into numbers, and no other', () => {
		const { rows } = made([result(content)], { priceFormat: 'number' });
		expect(rows).toMatchObject([{ ...content, price: 12.9, min_price: 1299 }]);
	});

	test('leaves as text what cannot be told exactly, and says so', () => {
		const more = { ...content, price: '12.90 EUR' };
		const { rows, remarks } = made([result(content), result(more)], { priceFormat: 'number' });
		expect(rows).toMatchObject([{ rrp: '1.299' }, { rrp: '1.299', price: '12.90 EUR' }]);
		expect(remarks.at(-1)).toBe(
			'3 prices stay texts, because they cannot be told exactly as a number, such as "1.299" in rrp.',
		);
	});

	test('keeps 0, and works on entries and on names that were taken', () => {
		const entry = { price: '9.00', shipping_costs: '0.0', price_with_shipping: '9.0' };
		const { rows } = made([result({ price: '8.50', offers: [entry] })], {
			output: 'entries',
			priceFormat: 'number',
		});
		expect(rows).toMatchObject([
			{ price: 9, shipping_costs: 0, price_with_shipping: 9, content_price: 8.5 },
		]);
	});

	test('is off by default: prices are exactly as the service gives them', () => {
		expect(made([result(content)]).rows).toMatchObject([content]);
	});
});

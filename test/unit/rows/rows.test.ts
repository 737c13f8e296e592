import type { IDataObject } from 'n8n-workflow';

import {
	echoOf,
	failedResult,
	Renderer,
	rowsOf as rowsInSteps,
	withoutAnswer,
	type RowChoice,
} from '../../../nodes/PriceCollection/rows/rows';
import { Remarks } from '../../../nodes/PriceCollection/rows/remarks';
import type { Result } from '../../../nodes/PriceCollection/service/types';
import { atOnce } from '../atOnce';
import { readerOf, serviceOf } from './reader';

type Rows = Parameters<typeof rowsInSteps>;
const rowsOf = (job: Rows[0], result: Rows[1], choice: Rows[2], asked?: Rows[4], remarks?: Rows[5]) =>
	atOnce(rowsInSteps)(job, result, choice, { reader: readerOf(), testSource: 'sandbox' }, asked, remarks);

const job = { job_id: 'job1', status: 'finished', requested: 3 };
const choice: RowChoice = {
	...({ output: 'results', columns: 'all', includeNotFound: true, onFailedResult: 'include' } as const),
	bestPrice: { conditions: ['any'], ignoreShops: [], includeShipping: true },
};
const entries: RowChoice = { ...choice, output: 'entries' };
const raw: RowChoice = { ...choice, columns: 'raw' };
const query = {
	source: 'test',
	country: 'de',
	topic: 'product_and_offers',
	key: 'gtin',
	value: '885909666966',
};

const result = (content: unknown, more: Partial<Result> = {}): Result => ({
	...{ query, success: true, content: content as Result['content'] },
	...more,
});
const offers = [
	{ id: 'o1', price: '12.90', key: 'k', brand_name: 'Shop brand', flags: ['new'] },
	{ id: 'o2', price: '20.0', value: 'v' },
];
const content = {
	...{ id: 'p1', name: 'Tea', value: 'second value', brand_name: null, eans: ['1', '2'] },
	...{ buybox: { min_price: '9.90' }, offers },
};
const product = result(content, {
	query: { ...query, max_pages: 1 },
	metadata: { from_cache: false, page_count_live: 2, updated_at: '2026-01-02T03:04:05Z' },
});
const notFound = result(null);
const failed: Result = { query, success: false, reason: 'invalid value' };

/** The known parts of a result without metadata. */
const bare = {
	...{ job_id: 'job1', ...query, success: true, found: true, reason: null },
	...{ from_cache: null, collected_at: null },
};
const context = { ...bare, from_cache: false, collected_at: '2026-01-02T03:04:05Z' };
// Product topics have the name column in every row, so that it has one place in a table.
const notFoundRow = { ...bare, name: null, found: false, reason: 'not found' };
const UNPRICED = { reason: 'no offer has a price' };
const NAMES_ARE_IN = '(Field Names in the credential)';
const failedRow = { ...bare, name: null, success: false, found: false, reason: 'invalid value' };

const CONTEXT = 'job_id topic source country key success reason from_cache collected_at';
const BEST =
	'best_price best_total best_currency best_shop best_condition best_availability best_url priced_offers';
const NO_BEST = {
	...{ best_price: null, best_total: null, best_currency: null, best_shop: null },
	...{ best_condition: null, best_availability: null, best_url: null, priced_offers: 0 },
};

/** The rows of a result, without the columns of the best price. */
const rowsWithout = (...given: Parameters<typeof rowsOf>): IDataObject[] =>
	rowsOf(...given).map((row) =>
		Object.fromEntries(Object.entries(row).filter(([name]) => !Object.hasOwn(NO_BEST, name))),
	);
const columnsOf = (rows: IDataObject[]) => rows.map((row) => Object.keys(row).join(' '));

/** The rows of results, and the remarks on them. */
function made(results: Result[], more: Partial<RowChoice> = {}) {
	const remarks = new Remarks();
	const rows = results.flatMap((one) => rowsOf(job, one, { ...choice, ...more }, undefined, remarks));
	return { rows, remarks: remarks.sentences() };
}

describe('flat result rows', () => {
	test('begin with the answer, then have the fields of the content as they are, and what is nested last', () => {
		const rows = rowsOf(job, product, choice);
		const { value, ...fields } = content;
		const best = { ...NO_BEST, best_price: 9.9, priced_offers: 3 };
		const reason = `no known field for the shop, shipping, currency: key, value ${NAMES_ARE_IN}`;
		expect(rows).toEqual([{ ...context, ...fields, ...best, content_value: value, reason }]);
		expect(columnsOf(rows)).toEqual([
			`value found name ${BEST} id content_value brand_name ${CONTEXT} eans buybox offers`,
		]);
	});

	test('give the value as the item asked for it and fill what the service does not echo', () => {
		const silent = result({ id: 'p1' }, { query: { value: '885909666966' } });
		const value = '00885909666966';
		const asked = { value, parameters: { ...query, webhook_url: 'https://secret.test' } };
		expect(rowsWithout(job, silent, choice, asked)).toEqual([
			{ ...bare, ...UNPRICED, value, name: null, id: 'p1' },
		]);
	});

	test.each([
		['04006381333931', 'gtin', '4006381333931'],
		['00000040170725', 'gtin', '40170725'],
		['00885909666966', 'gtin', '885909666966'],
		['00012345678905', 'gtin', '012345678905'],
		['14006381333938', 'gtin', '14006381333938'],
		['0401', 'gtin', '0401'],
		['04006381333931', 'id', '04006381333931'],
	])('give an echoed value, %s by %s, as %s', (value, key, shown) => {
		const echoed = result({ name: 'Tea' }, { query: { ...query, key, value } });
		expect(rowsOf(job, echoed, choice)[0]?.value).toBe(shown);
		const asked = { value, parameters: query };
		expect(rowsOf(job, echoed, choice, asked)[0]?.value).toBe(value);
	});

	test('have null in every context column that nobody knows', () => {
		const silent = { success: true, content: 'text' } as unknown as Result;
		const unknown = Object.fromEntries(Object.keys(query).map((name) => [name, null]));
		expect(rowsWithout(job, silent, choice)).toEqual([
			{ ...bare, ...unknown, ...UNPRICED, content: 'text' },
		]);
	});

	test('have the name of a product under its other name, too', () => {
		expect(rowsWithout(job, result({ title: 'Tea' }), choice)).toEqual([
			{ ...bare, ...UNPRICED, name: 'Tea', title: 'Tea' },
		]);
	});

	test('lose no field, however its name collides', () => {
		const odd: unknown = JSON.parse('{"content_value":1,"value":2,"__proto__":{"a":3},"constructor":4}');
		const values = { content_value: 1, content_content_value: 2, content___proto__: { a: 3 } };
		const reason = `no known field for the price: content_value, value, __proto__, constructor ${NAMES_ARE_IN}`;
		const row = { ...bare, ...values, name: null, constructor: 4, reason };
		expect(rowsWithout(job, result(odd), choice)).toEqual([row]);
	});

	test('tell not found and failed results, with the same columns', () => {
		for (const [one, row] of [
			[notFound, notFoundRow],
			[result([]), notFoundRow],
			[failed, failedRow],
			[result({ offers }, failed), { ...failedRow, offers }],
		] as const) {
			expect(rowsOf(job, one, choice)).toEqual([{ ...row, ...NO_BEST }]);
		}
		expect(columnsOf(rowsOf(job, failed, choice))).toEqual([`value found name ${BEST} ${CONTEXT}`]);
	});

	test('stand in the order of their own columns, whatever the row before had', () => {
		const contents = [
			{ a: [1], b: 1 },
			{ a: 1, b: [1] },
			{ b: null, eans: null, a: 1 },
			{ eans: 'x', a: 1 },
		];
		const own = (given: object) =>
			columnsOf(rowsOf(job, result(given), choice))[0]
				?.match(/\b([ab]|job_id|eans)\b/g)
				?.join(' ');
		for (let round = 0; round < 2; round++) {
			const orders = ['b job_id a', 'a job_id b', 'b a job_id eans', 'eans a job_id'];
			expect(contents.map(own)).toEqual(orders);
		}
	});
});

describe('flat entry rows', () => {
	const beside = { name: 'Tea', buybox: content.buybox };

	test('have the context, the fields of the entry, then the fields beside the list that hold no other', () => {
		const rows = rowsOf(job, product, entries);
		const all = { ...context, ...beside, content_id: 'p1' };
		const first = {
			id: 'o1',
			price: '12.90',
			brand_name: 'Shop brand',
			flags: ['new'],
			content_key: 'k',
		};
		// The entry's own `value` came first.
		const second = { id: 'o2', price: '20.0', brand_name: null, content_value: 'v' };
		expect(rows).toEqual([
			{ ...all, ...first, content_brand_name: null, content_value: 'second value' },
			{ ...all, ...second, content_content_value: 'second value' },
		]);
		expect(columnsOf(rows)[0]).toBe(
			`value found name price id content_key brand_name content_id content_value content_brand_name ${CONTEXT} flags buybox`,
		);
	});

	test('have their product and their price in front, and what is nested last', () => {
		const hit = { id: 'o1', flags: null, position: 1, price: '9.00', name: 'Green tea' };
		const cluster = { id: 'c1', position: 2, min_price: '8.00', name: 'Black tea', flags: ['new'] };
		const search = result({ search_results: [hit, cluster] }, { query: { ...query, topic: 'search' } });
		expect(columnsOf(rowsOf(job, search, entries))).toEqual([
			`value found name price id position ${CONTEXT} flags`,
			`value found name min_price id position ${CONTEXT} flags`,
		]);
	});

	test('come from the list that the user names, also one of texts', () => {
		const row = { ...context, ...beside, id: 'p1', content_value: 'second value', brand_name: null };
		expect(rowsOf(job, product, { ...entries, contentList: 'eans' })).toEqual([
			{ ...row, entry: '1' },
			{ ...row, entry: '2' },
		]);
	});

	test('of an envelope have the fields of the product, then those around it', () => {
		const around = { id: 'r1', product: { ...content, name: 'Tea' } };
		const [row] = rowsOf(job, result(around), entries);
		expect(row).toMatchObject({ id: 'o1', name: 'Tea', content_id: 'p1', content_content_id: 'r1' });
		expect(row).not.toHaveProperty('product');
	});

	test('are one row without an entry when the list is empty or missing', () => {
		for (const one of [{ offers: [] }, { offers: null }, {}])
			expect(rowsOf(job, result({ name: 'Tea', eans: ['1'], ...one }), entries)).toEqual([
				{ ...bare, name: 'Tea', eans: ['1'], reason: 'no offers' },
			]);
	});

	test('are one row for a result that was not found or failed', () => {
		expect(rowsOf(job, notFound, entries)).toEqual([notFoundRow]);
		expect(rowsOf(job, failed, entries)).toEqual([failedRow]);
	});

	test('find their list by the topic that was asked for where the service does not echo it', () => {
		const asked = { value: 'tea', parameters: { topic: 'search' } };
		const silent = result({ search_results: [{ id: 's1' }], ads: [{ id: 'a1' }] }, { query: {} });
		expect(rowsOf(job, silent, entries, asked).map((row) => row.id)).toEqual(['s1']);
		expect(rowsOf(job, silent, { ...entries, columns: 'raw' }, asked)).toMatchObject([
			{ content: { id: 's1' } },
		]);
	});
});

test("the service's own structure is the result with job id and status, or with each entry in its content", () => {
	const root = { job_id: 'job1', status: 'finished' };
	for (const one of [product, failed]) expect(rowsOf(job, one, raw)).toEqual([{ ...root, ...one }]);
	const ofEntries: RowChoice = { ...raw, output: 'entries' };
	const rows = offers.map((offer) => ({ ...root, ...product, content: offer }));
	expect(rowsOf(job, product, ofEntries)).toEqual(rows);
	expect(rowsOf(job, notFound, ofEntries)).toEqual([{ ...root, ...notFound }]);
});

test.each<[Partial<RowChoice>, number[]]>([
	[{ includeNotFound: false }, [1, 0, 1]],
	[{ onFailedResult: 'skip' }, [1, 1, 0]],
	[{ onFailedResult: 'error' }, [1, 1, 1]],
])('with %j what was found, not found and failed has %j rows', (more, counts) => {
	for (const columns of ['main', 'all', 'raw'] as const) {
		const one = (given: Result) => rowsOf(job, given, { ...choice, columns, ...more }).length;
		expect([product, notFound, failed].map(one)).toEqual(counts);
	}
});

describe('a value without an answer', () => {
	const webhook_url = 'https://example.test/?pc_signature=secret';
	const parameters = { ...query, value: undefined, max_age: 0, webhook_url };
	const reason = 'not answered: the job was cancelled';
	const unanswered = withoutAnswer({ ...echoOf(parameters), value: '0012' }, reason);

	test('has a flat row that says so', () => {
		expect(rowsWithout(job, unanswered, choice, { value: '0012', parameters })).toEqual([
			{ ...failedRow, value: '0012', reason },
		]);
		const wanted: RowChoice = { ...choice, columns: 'selected', fields: ['value', 'reason'] };
		expect(rowsOf(job, unanswered, wanted)).toEqual([{ value: '0012', reason }]);
	});

	test('looks like a failed result otherwise, without the callback URL', () => {
		const asked = { ...query, max_age: 0, value: '0012' };
		expect(unanswered).toEqual({ query: asked, success: false, reason, found: false });
	});
});

test('failedResult names what was asked for, and that no reason was given', () => {
	const silent: Result = { query: {}, success: false };
	const reason = 'the service gave no reason';
	expect(failedResult(silent)).toEqual({ value: null, reason });
	expect(failedResult(silent, { value: '0088' })).toEqual({ value: '0088', reason });
});

describe('the renderer', () => {
	const yieldToEventLoop = jest.fn(async () => undefined);
	const turns = async (results: Result[], more: Partial<RowChoice> = {}) => {
		yieldToEventLoop.mockClear();
		const renderer = new Renderer(serviceOf({ yieldToEventLoop }));
		for (const one of results) await renderer.render(job, [one], { ...choice, ...more });
		return yieldToEventLoop.mock.calls.length;
	};
	const many = (count: number, more: object = {}) => {
		const fields = { price: '12.90', shop_name: 'A', condition_text: 'New', url: 'u', ...more };
		return result({ name: 'Tea', offers: Array.from({ length: count }, (_, id) => ({ id, ...fields })) });
	};

	test('lets the event loop have its turn between results that have no entries', async () => {
		expect(await turns(Array<Result>(2_000).fill(notFound))).toBe(40);
	});

	const unknown = { price: undefined, shop_name: undefined, condition_text: undefined, url: undefined };
	const bestPrice = { ignoreShops: [], includeShipping: true };
	// One turn for every thousand entries that become rows, are read, or are searched for unknown fields.
	test.each<[string, Partial<RowChoice>, object, number]>([
		['entries with all columns', { output: 'entries' }, {}, 10],
		['entries with main columns', { output: 'entries', columns: 'main' }, {}, 10],
		['entries without known fields', { output: 'entries', columns: 'main' }, unknown, 10],
		['entries with chosen columns', { output: 'entries', columns: 'selected', fields: ['id'] }, {}, 10],
		['a best price', {}, {}, 30],
		['offers in other conditions', { bestPrice }, { condition_text: 'Used' }, 30],
		['offers without a condition', { bestPrice }, { condition_text: undefined }, 40],
	])(
		'lets it have its turn within one result of 10,000 entries: %s',
		async (_case, more, fields, least) => {
			expect(await turns([many(10_000, fields)], more)).toBeGreaterThanOrEqual(least);
		},
	);

	test('stops at a failed result, where the user wants that', async () => {
		const renderer = new Renderer(serviceOf({ yieldToEventLoop }));
		const stopping = { ...choice, onFailedResult: 'error' } as const;
		expect(await renderer.render(job, [product, failed], stopping)).toEqual({
			...{ rows: [], failed: { value: '885909666966', reason: 'invalid value' } },
		});
	});
});

/** What a run says if rows have something unreadable. */
const unreadIn = (rows: string) =>
	`In ${rows} something could not be read, and ${rows === '1 row' ? 'its' : 'their'} reason says what. Output: Field Report shows all fields of the results; enter their names in Field Names in the credential.`;

describe('contents whose entries are not clear', () => {
	const unclear = (lists: string) => `no known field for the offers: ${lists} ${NAMES_ARE_IN}`;

	test.each([
		['two lists', { comments: [{ a: 1 }], histogram: [{ b: 2 }] }, 'comments, histogram'],
		['one list under another name', { results: [{ a: 1 }] }, 'results'],
		['a list further down', { list: { items: [{ a: 1 }] } }, 'list.items'],
		['grouped lists', { by: { new: [{ a: 1 }], used: [{ a: 2 }] } }, 'by.new, by.used'],
	])('stay whole in one row, which names the lists that could be meant: %s', (_name, given, lists) => {
		const { rows, remarks } = made([result(given), product], { output: 'entries' });
		expect(rows).toHaveLength(3);
		expect(rows[0]).toMatchObject({ ...given, reason: unclear(lists) });
		expect(remarks).toEqual([unreadIn('1 row')]);
	});

	test('a name that is not in it is said', () => {
		const misspelt = { output: 'entries', contentList: 'ofers' } as const;
		const at = (lists: string) => `no known field for the offers at ofers${lists} (Content List)`;
		expect(made([product], misspelt).rows).toMatchObject([{ offers, reason: at(': offers') }]);
		expect(made([result({ name: 'Tea' })], misspelt).rows).toMatchObject([{ reason: at('') }]);
	});
});

describe('the columns of the best price', () => {
	const priced = [
		{ price: '12.90', currency: 'EUR', shop_name: 'A', condition_code: 'new' },
		{ price: '9.00', shipping_costs: '2.50', currency: 'EUR', shop_name: 'B', condition_code: 'used' },
	];
	const tea = result({ name: 'Tea', offers: priced });

	test('are numbers beside the untouched texts, and displace no field', () => {
		const given = { best_price: 'theirs', price: '10.00', offers: priced };
		const best = { best_price: 9, best_total: 11.5, best_shop: 'B', priced_offers: 2 };
		const others = { price: '10.00', content_best_price: 'theirs', offers: priced };
		expect(made([result(given)]).rows).toMatchObject([{ ...best, ...others }]);
	});

	test('are there for flat results only', () => {
		for (const more of [{ columns: 'raw' as const }, { output: 'entries' as const }])
			expect(columnsOf(made([tea], more).rows).join()).not.toContain('best_');
	});

	test('go by the condition that the job asked for, and by an echo whose meaning is known', () => {
		const bestPrice = { ignoreShops: [], includeShipping: true };
		const asked = (condition?: string) => ({ value: '1', parameters: { ...query, condition } });
		const best = (echo?: string, requested?: ReturnType<typeof asked>) => {
			const echoed = { ...tea, query: { ...query, condition: echo } };
			return rowsOf(job, echoed, { ...choice, bestPrice }, requested)[0]?.best_price;
		};
		expect([best('used'), best('any'), best('new', asked('used'))]).toEqual([9, 12.9, 9]);
		expect([best('used', asked('new')), best('used', asked())]).toEqual([12.9, 12.9]);
	});

	test('are none of lists whose names are not known, which the row names', () => {
		const list = [{ price: '1.00' }];
		const said = (content: object, more: Partial<RowChoice> = {}) =>
			made([result(content)], more).rows[0]?.reason;
		const unclear = (lists: string) => `no known field for the offers: ${lists} ${NAMES_ARE_IN}`;
		expect(said({ cheap: list, more: { deals: list } })).toBe(unclear('cheap, more.deals'));
		expect(said({ data: { offers: priced } })).toBe(unclear('data.offers'));
		expect(said({ products: [{ name: 'Pen', offers: priced }] })).toBe(unclear('products'));
		expect(said({ offers: priced }, { contentList: 'ofers' })).toBe(
			'no known field for the offers at ofers: offers (Content List)',
		);
		const many = Object.fromEntries(Array.from({ length: 62 }, (_, n) => [`l${n}`, list]));
		expect(said(many)).toBe(unclear('l0, l1, l2, l3, …'));
		for (const none of [
			{ similar: list, price: '2.00' },
			{ similar: list, offers: [] },
		])
			expect([null, 'no offer has a price']).toContain(said(none));
	});

	test('go by the list that the user names', () => {
		const odd = result({ list: { items: priced } });
		expect(made([odd], { contentList: 'list.items' }).rows).toMatchObject([{ best_price: 9 }]);
	});

	test('come with what a person should know about the row, and count it once for all', () => {
		const mixed = [{ ...priced[0], currency: 'USD' }, priced[1]];
		const more = result({ offers: [...mixed, priced[0]] });
		const unread = result({ offers: [{ price: '1.299' }, priced[0]] });
		const { rows, remarks } = made([tea, more, { ...more }, result({ offers: mixed }), unread]);
		expect(rows.map(({ reason }) => reason)).toEqual([
			...[null, null, null, 'prices in several currencies: EUR, USD', 'price not readable: "1.299"'],
		]);
		expect(remarks).toEqual([
			unreadIn('1 row'),
			'In 2 results some offers were not compared, because their currency is missing or is not that of the best price.',
		]);
	});

	test('say which prices of items cannot be compared, counted for each row', () => {
		const inputPrices = { own: '12.90 USD', previous: null };
		expect(made([tea, tea], { inputPrices }).remarks).toEqual([
			'In 2 rows there is no gap: Own Price is missing or cannot be compared, such as "12.90 USD". It must be an amount above 0 in the currency of the best price.',
		]);
	});
});

describe('fields with names that are not known', () => {
	const unnamed = (meanings: string, fields: string) =>
		`no known field for the ${meanings}: ${fields} ${NAMES_ARE_IN}`;
	const said = (content: object, more: Partial<RowChoice> = {}) =>
		made([result(content)], more).rows.map(({ reason }) => reason);

	test('are named in the row where the settings need them', () => {
		const bestPrice = { ignoreShops: ['A'], includeShipping: true };
		const offers = [{ price: '9.00', currency: 'EUR', state: 'used', by: 'A' }];
		expect(said({ offers }, { bestPrice })).toEqual([unnamed('condition, shop, shipping', 'state, by')]);
		const any = { ...bestPrice, conditions: ['any'], includeShipping: false };
		expect(said({ offers }, { bestPrice: any })).toEqual([unnamed('shop', 'state, by')]);
	});

	const unpriced = { shop_name: 'x', total: 1, condition: 'new', url: 'u', currency: 'EUR' };
	const paid = { ...unpriced, price: '1.00' };

	test.each<[string, object, Partial<RowChoice>, Array<string | null>]>([
		['a price of a product', { label: 'Tea', cost: '9' }, {}, [unnamed('price', 'label, cost')]],
		['a price of offers', { offers: [{ ...unpriced, due: '2' }] }, {}, [unnamed('price', 'due')]],
		[
			'a price of one offer',
			{ offers: [paid, { ...unpriced, due: '2' }] },
			{},
			[unnamed('price', 'due')],
		],
		['none where all is read', { offers: [{ ...paid, extra: 1 }] }, {}, [null]],
		['none of ranks', { bestsellers: [{ price: '1', extra: 1 }] }, {}, [null]],
		[
			'a price and a shop of entries',
			{ offers: [{ due: '2' }, paid] },
			{ output: 'entries', columns: 'main' },
			[unnamed('price, condition, shop', 'due'), null],
		],
		[
			'a shop of entries that cannot be read',
			{ offers: [{ price: '2', currency: 'EUR', seller: { username: 'A' } }] },
			{ output: 'entries', columns: 'main' },
			['shop not readable: {"username":"A"}'],
		],
		[
			'a currency of entries',
			{ offers: [{ price: '2', shop: 'A', condition: 'new', commercial: { code: 'EUR' } }] },
			{ output: 'entries', columns: 'main' },
			[unnamed('currency', 'commercial')],
		],
		[
			'an offer beside the list of entries',
			{ featured_offer: { price: '1' }, offers: [paid] },
			{ output: 'entries', columns: 'main' },
			[unnamed('offers', 'featured_offer')],
		],
		[
			'the text of reviews',
			{ reviews: [{ stars: 4, said: 'Good' }] },
			{ output: 'entries', columns: 'main' },
			[unnamed('text', 'said')],
		],
		[
			'no price that came in its column',
			{ offers: [{ ...paid, price: 'ab 12' }] },
			{ output: 'entries', columns: 'main' },
			['price not readable: "ab 12"'],
		],
	])('are named in the row: %s', (name, content, more, reasons) => {
		const topic = name.includes('reviews') ? 'reviews' : 'product_and_offers';
		const one = result(content, { query: { ...query, topic } });
		expect(made([one], more).rows.map(({ reason }) => reason)).toEqual(reasons);
	});

	test('of a result without content are in the columns All, and named in the row', () => {
		const bare = { query, success: true, metadata: {}, product: { name: 'Tea' }, note: '', Message: 'x' };
		const reason = 'no content, but these other fields: product';
		for (const output of ['results', 'entries'] as const)
			for (const one of [bare, { ...bare, content: null }]) {
				const { rows, remarks } = made([one, notFound], { output });
				expect(rows).toMatchObject([{ found: false, product: { name: 'Tea' }, reason }, notFoundRow]);
				expect(rows[0]).not.toHaveProperty('note');
				expect(remarks).toEqual([]);
			}
		expect(made([bare], { columns: 'raw' })).toMatchObject({ rows: [bare], remarks: [] });
		expect(made([bare], { includeNotFound: false })).toEqual({ rows: [], remarks: [] });
	});

	test('of a review: the name of the product is in the product, under another name, too', () => {
		const review = { rating: 4, text: 'Good', title: 'Well' };
		for (const around of [
			{ product: { title: 'Tea' } },
			{ product_name: 'Tea' },
			{ item: { name: 'Tea' } },
		]) {
			const one = result({ ...around, reviews: [review] }, { query: { ...query, topic: 'reviews' } });
			const more = { output: 'entries', columns: 'main' } as const;
			expect(made([one], more).rows).toMatchObject([{ name: 'Tea', title: 'Well', reason: null }]);
		}
	});
});

test('the data of the test source is called so, before any other reason', () => {
	const reasonOf = (content: unknown, more: Partial<RowChoice> = {}, source = 'sandbox') =>
		made([result(content, { query: { ...query, source } })], more).rows.map(({ reason }) => reason);
	const offers = [{ price: '1.00', currency: 'EUR', shop: 'A', condition: 'new', shipping: '0' }];
	expect(reasonOf({ offers })).toEqual(['test data']);
	expect(reasonOf({ offers }, { output: 'entries' })).toEqual(['test data']);
	expect(reasonOf(null, {}, 'Sandbox')).toEqual(['test data; not found']);
	expect(reasonOf({ offers }, {}, 'test')).toEqual([null]);
});

describe('Fields', () => {
	test('are the only columns that leave, in their order, in every row', () => {
		const fields = ['best_price', 'name', '__proto__', 'job_id'];
		const { rows, remarks } = made([product, notFound], { columns: 'selected', fields });
		expect(columnsOf(rows)).toEqual([fields.join(' '), fields.join(' ')]);
		expect(rows.map((row) => Object.values(row).join())).toEqual(['9.9,Tea,,job1', ',,,job1']);
		expect(remarks[0]).toMatch(/^No row has the column "__proto__", chosen/);
	});

	test('that no row has are named, with those that there are', () => {
		const results = [result({ name: 'Tea' }), result({ name: 'Milk', rrp: '1.00' })];
		// Services are known to have min_price, so it may be missing for a day.
		const fields = ['rrp', 'prize', 'offer', 'min_price'];
		const { rows, remarks } = made(results, { columns: 'selected', fields });
		expect(rows.map(({ rrp }) => rrp)).toEqual([null, '1.00']);
		const there = `value found name ${BEST} ${CONTEXT} rrp`.replaceAll(' ', ', ');
		expect(remarks).toEqual([
			`No row has the columns "prize", "offer", chosen in Columns to Keep. Available: ${there}.`,
		]);
	});
});

describe('Price Format: Number', () => {
	const amounts = { price: '12.90', min_price: '1.299,00', rrp: '1.299', tax: null, currency: 'EUR' };
	const prices = { ...amounts, id: '007', name: '12.90', price_currency: 'EUR', offer_count: 2, offers };

	test('turns the price columns into numbers, and no other, except what cannot be read exactly, and says so', () => {
		// The row shows the first price's currency; the second one's would be lost.
		const more = { ...prices, price: '12.90 EUR', min_price: '12.90 USD' };
		const { rows, remarks } = made([result(prices), result(more)], { priceFormat: 'number' });
		expect(rows).toMatchObject([
			{ ...prices, price: 12.9, min_price: 1299 },
			{ rrp: '1.299', price: 12.9, min_price: '12.90 USD' },
		]);
		expect(remarks.at(-1)).toBe(
			'3 prices stay texts, because they cannot be read exactly as a number, such as "1.299" in rrp.',
		);
		expect(made([result(prices)]).rows).toMatchObject([prices]);
	});

	test('keeps 0, and works on entries and on names that were taken', () => {
		const entry = { price: '9.00', shipping_costs: '0.0', price_with_shipping: '9.0' };
		const one = result({ price: '8.50', offers: [entry] });
		expect(made([one], { output: 'entries', priceFormat: 'number' }).rows).toMatchObject([
			{ price: 9, shipping_costs: 0, price_with_shipping: 9, content_price: 8.5 },
		]);
	});

	test('leaves blank prices and those with a currency as they are, and speaks of one price as of one', () => {
		const one = result({ price: '', rrp: ' ', tax: 'EUR 12.90' });
		const { rows, remarks } = made([one], { priceFormat: 'number' });
		expect(rows).toMatchObject([{ price: '', rrp: ' ', tax: 'EUR 12.90' }]);
		expect(remarks.at(-1)).toBe(
			'1 price stays a text, because it cannot be read exactly as a number, such as "EUR 12.90" in tax.',
		);
	});

	test('reads three decimals where the currency of the row has them, and taxes as prices', () => {
		const one = { price: '1.250', tax: '0.19', currency: 'KWD' };
		expect(made([result(one)], { priceFormat: 'number' }).rows).toMatchObject([
			{ price: 1.25, tax: 0.19 },
		]);
	});
});

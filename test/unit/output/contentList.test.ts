import {
	contentListOf,
	entriesIn,
	isBlank,
	isFound,
	listsIn,
} from '../../../nodes/PriceCollection/output/contentList';
import type { Result } from '../../../nodes/PriceCollection/service/types';

describe('contentListOf', () => {
	const one = [{ id: '1' }];

	test.each([
		['hits of a search', { search_results: one }, 'search', 'search_results'],
		['hits under the older topic', { search_results: one }, 'search_results', 'search_results'],
		['hits under the shorter name', { results: one, ads: one }, 'search', 'results'],
		[
			'offers of a product',
			{ id: '1', offers: one, specifications: one },
			'product_and_offers',
			'offers',
		],
		['offers alone', { offers: one, shops: one }, 'offers', 'offers'],
		['reviews', { reviews: one, products: one }, 'reviews', 'reviews'],
		['bestsellers', { bestsellers: one, categories: one }, 'bestsellers', 'bestsellers'],
		['bestsellers under products', { products: one, categories: one }, 'bestsellers', 'products'],
		['a list named after a custom topic', { deals: one, shops: one }, 'deals', 'deals'],
		['the only list of objects', { ranks: one, tags: ['a'], note: 'b' }, 'bestsellers', 'ranks'],
		['the only list of objects without a topic', { ranks: one }, undefined, 'ranks'],
	])('finds %s', (_name, content: Record<string, unknown>, topic, name) => {
		expect(contentListOf(content, topic)).toEqual({ name, entries: content[name] });
	});

	test('finds the list named by the user before any other', () => {
		const content = { offers: one, carousels: [{ id: '2' }] };
		expect(contentListOf(content, 'offers', 'carousels')).toEqual({
			name: 'carousels',
			entries: content.carousels,
		});
		expect(contentListOf(content, 'offers', 'missing')).toBeUndefined();
	});

	test('finds a list further down by the way to it', () => {
		const content = { offers: { new: one, by: { shop: one } } };
		expect(contentListOf(content, 'offers', 'offers.new')).toEqual({ name: 'offers', entries: one });
		expect(contentListOf(content, 'offers', 'offers.by.shop')).toEqual({ name: 'offers', entries: one });
		for (const missing of ['offers.used', 'offers.by', 'offers.new.x', 'x.new']) {
			expect(contentListOf(content, 'offers', missing)).toBeUndefined();
		}
	});

	test('takes the only list for the list although it is empty', () => {
		expect(contentListOf({ ranks: [], note: 'b' }, undefined)).toEqual({ name: 'ranks', entries: [] });
		expect(contentListOf({ ranks: [], tags: [] }, undefined)).toBeUndefined();
	});

	test.each('carousels feature_bullets images product_links properties specifications variants'.split(' '))(
		'finds none in %s, which only detail a product',
		(name) => {
			expect(contentListOf({ [name]: one }, undefined)).toBeUndefined();
			expect(contentListOf({ [name]: one, ranks: one }, undefined)).toEqual({
				name: 'ranks',
				entries: one,
			});
		},
	);

	test('takes a content that is a list for the list', () => {
		expect(contentListOf(one, 'reviews')).toEqual({ entries: one });
	});

	test('takes null under the name of the list for an empty list', () => {
		expect(contentListOf({ offers: null }, 'product_and_offers')).toEqual({
			name: 'offers',
			entries: [],
		});
	});

	test.each([
		['several lists of objects', { a: one, b: one }, 'reviews'],
		['lists that only detail a product', { id: '1', specifications: one }, 'product_and_offers'],
		['lists of texts', { eans: ['1'] }, 'product_and_offers'],
		['no object', 'text', 'reviews'],
		['nothing', null, 'reviews'],
		['a topic named like a method', { id: '1' }, 'constructor'],
	])('finds none among %s', (_name, content, topic) => {
		expect(contentListOf(content, topic)).toBeUndefined();
	});

	test.each([
		['keyed by numbers', { 0: { price: '1' }, 1: { price: '2' } }, [{ price: '1' }, { price: '2' }]],
		[
			'keyed by shops',
			{ Penny: { price: '1' }, Pens: { price: '2', shop_name: 'Pens & Co' } },
			[
				{ shop_name: 'Penny', price: '1' },
				{ shop_name: 'Pens & Co', price: '2' },
			],
		],
		['that is its only entry', { price: '1', shop_name: 'Penny' }, [{ price: '1', shop_name: 'Penny' }]],
		['under its singular', { offer: { price: '1' } }, [{ price: '1' }]],
	])('finds a list %s', (_name, offers, entries) => {
		expect(contentListOf({ offers }, 'product_and_offers')).toEqual({ name: 'offers', entries });
	});
});

describe('isFound', () => {
	const result = (content: unknown, topic?: string): Result => ({
		query: topic ? { topic } : {},
		success: true,
		content: content as Result['content'],
	});

	test.each([
		['null', null, 'search'],
		['nothing', undefined, 'search'],
		['an empty text', '', 'search'],
		['an empty list', [], 'reviews'],
		['an empty object', {}, 'product_and_offers'],
		['a search without hits', { search_results: [], total_search_result_count: 0 }, 'search'],
		['a search without hits that repeats the question', { search_results: [], url: 'x' }, 'search'],
		['a search whose list is null', { search_results: null, url: 'x' }, 'search_results'],
		['a category without bestsellers', { category: 'Tea', bestsellers: [] }, 'bestsellers'],
		['no offers and nothing else', { offers: [] }, 'product_and_offers'],
		['no offers beside counters', { offers: [], offer_count: 0, page: 1, name: null }, 'offers'],
		['an unknown list that is empty', { items: [], total: 3 }, undefined],
		['false', false, 'search'],
		['a list of null', [null], 'search'],
		['a list of nothing', [{}], 'product_and_offers'],
		['the word null', 'null', undefined],
		['blanks', ' \n', undefined],
		[
			'fields of nothing',
			{ name: '', offers: [{ price: null }], flags: { used: false } },
			'product_and_offers',
		],
		['hits of nothing', { search_results: [{}, null] }, 'search'],
	])('is false for %s', (_name, content, topic) => {
		expect(isFound(result(content, topic))).toBe(false);
	});

	test.each([
		['hits', { search_results: [{ id: '1' }] }, 'search'],
		['a product without offers', { id: '1', name: 'Tea', offers: [] }, 'product_and_offers'],
		['a product without reviews', { name: 'Tea', reviews: [] }, 'reviews'],
		['a list', [{ id: '1' }], 'reviews'],
		['a text', 'something', undefined],
		['a number', 5, undefined],
		['a search that shows no list', { url: 'x' }, 'search'],
		['numbers that are no counters', { subtotal: 5 }, undefined],
		['numbers of something else', { count_limit: 5 }, undefined],
		['numbers that end like counters', { subtotal_net: 5 }, undefined],
		['counts that are texts', { price_total: '12.90' }, undefined],
	])('is true for %s', (_name, content, topic) => {
		expect(isFound(result(content, topic))).toBe(true);
	});

	test('is false for a failed result, whatever its content', () => {
		expect(isFound({ query: {}, success: false, reason: 'refused', content: { id: '1' } })).toBe(false);
	});

	test('needs no query', () => {
		const content = { subtotal: 5 };
		expect(isFound({ success: true, content } as unknown as Result)).toBe(true);
	});

	test('takes the topic from the caller where the service does not echo it', () => {
		const silent = result({ search_results: [], url: 'x' });
		expect(isFound(silent)).toBe(true);
		expect(isFound(silent, 'search')).toBe(false);
	});
});

describe('listsIn', () => {
	const one = [{ id: '1' }];

	test('names the lists of objects with the way to them, three levels down at the most', () => {
		expect(listsIn({ a: one, b: { c: one, d: { e: one, f: { g: one } } }, h: ['x'], i: [] })).toEqual([
			...['a', 'b.c', 'b.d.e'],
		]);
	});

	test.each([['text'], [null], [one], [{}]])('names none in %j', (content) => {
		expect(listsIn(content)).toEqual([]);
	});
});

test.each<[unknown, boolean]>([
	...[null, undefined, '', [], {}].map((value): [unknown, boolean] => [value, true]),
	...[0, false, ' ', [null], { a: null }].map((value): [unknown, boolean] => [value, false]),
])('%j is blank: %s', (value, blank) => {
	expect(isBlank(value)).toBe(blank);
});

describe('entries by key', () => {
	const entry = { price: '9.90' };

	it.each([['7'], ['123456789'], ['offer'], ['search_result']])('%s is no shop', (key) => {
		expect(entriesIn({ [key]: entry })).toEqual([entry]);
	});

	it.each([['offer box'], ['my offer'], ['shop 7'], ['7 shops'], ['1234567890']])('%s is a shop', (key) => {
		expect(entriesIn({ [key]: entry })).toEqual([{ shop_name: key, ...entry }]);
	});

	it('an object without fields has none', () => {
		expect(entriesIn({})).toBeUndefined();
	});
});

import {
	contentListOf,
	entriesIn,
	asFields,
	isFound,
	pathsIn,
} from '../../../nodes/PriceCollection/output/contentList';
import type { Result } from '../../../nodes/PriceCollection/service/types';

const one = [{ id: '1' }];

describe('contentListOf', () => {
	test.each([
		['hits of a search', { search_results: one }, 'search', 'search_results'],
		['hits under the older topic', { search_results: one }, 'search_results', 'search_results'],
		['hits under the shorter name', { results: one, ads: one }, 'search', 'results'],
		['offers of a product', { id: '1', offers: one, b: one }, 'product_and_offers', 'offers'],
		['offers alone', { offers: one, shops: one }, 'offers', 'offers'],
		['reviews', { reviews: one, products: one }, 'reviews', 'reviews'],
		['bestsellers', { bestsellers: one, categories: one }, 'bestsellers', 'bestsellers'],
		['bestsellers under products', { products: one, categories: one }, 'bestsellers', 'products'],
		['a list named after a custom topic', { deals: one, shops: one }, 'deals', 'deals'],
	])('finds %s', (_name, content: Record<string, unknown>, topic, name) => {
		expect(contentListOf(content, topic)).toEqual({ name, entries: content[name] });
	});

	test.each([
		['of objects', { ranks: one, tags: ['a'], note: 'b' }, 'bestsellers'],
		['of objects, without a topic', { ranks: one }, undefined],
		['although it is empty', { ranks: [], note: 'b' }, undefined],
		['beside what details a product', { ranks: one, variants: one }, undefined],
	])('guesses that it is the only list %s', (_name, content, topic) => {
		expect(contentListOf(content, topic)).toEqual({
			name: 'ranks',
			entries: content.ranks,
			isGuess: true,
		});
	});

	test('finds the list that the user names before any other, also by the way to it', () => {
		const content = { offers: { new: one, by: { shop: one } }, carousels: [{ id: '2' }] };
		const named = (name: string) => contentListOf(content, 'offers', name);
		expect(named('carousels')).toEqual({ name: 'carousels', entries: content.carousels });
		expect(named('offers.new')).toEqual({ name: 'offers', entries: one });
		expect(named('offers.by.shop')).toEqual({ name: 'offers', entries: one });
		for (const missing of ['missing', 'offers.used', 'offers.by', 'offers.new.x', 'x.new']) {
			expect(named(missing)).toBeUndefined();
		}
	});

	test('takes a content that is a list for the list, and null under its name for an empty one', () => {
		expect(contentListOf(one, 'reviews')).toEqual({ entries: one });
		expect(contentListOf({ offers: null }, 'offers')).toEqual({ name: 'offers', entries: [] });
	});

	test.each([
		['several lists of objects', { a: one, b: one }, 'reviews'],
		['several empty lists', { ranks: [], tags: [] }, undefined],
		['lists of texts', { eans: ['1'] }, 'product_and_offers'],
		['no object', 'text', 'reviews'],
		['nothing', null, 'reviews'],
		['a topic named like a method', { id: '1' }, 'constructor'],
		...'carousels feature_bullets images product_links properties specifications variants'
			.split(' ')
			.map((name): [string, object, undefined] => [`details: ${name}`, { [name]: one }, undefined]),
	])('finds none among %s', (_name, content, topic) => {
		expect(contentListOf(content, topic)).toBeUndefined();
	});
});

describe('entriesIn', () => {
	const entry = { price: '9.90' };

	test.each([
		['numbers', { 0: { price: '1' }, 1: { price: '2' } }, [{ price: '1' }, { price: '2' }]],
		[
			'shops',
			{ A: entry, B: { ...entry, shop_name: 'C' } },
			['A', 'C'].map((shop_name) => ({ shop_name, ...entry })),
		],
		[
			'its fields, as the only entry',
			{ ...entry, shop_name: 'Penny' },
			[{ shop_name: 'Penny', ...entry }],
		],
		['nothing', {}, undefined],
	])('finds entries in a list keyed by %s', (_name, list, entries) => {
		expect(entriesIn(list)).toEqual(entries);
	});

	it.each([['7'], ['123456789'], ['offer'], ['search_result']])('%s is no shop', (key) => {
		expect(entriesIn({ [key]: entry })).toEqual([entry]);
	});

	it.each([['offer box'], ['my offer'], ['shop 7'], ['7 shops'], ['1234567890']])('%s is a shop', (key) => {
		expect(entriesIn({ [key]: entry })).toEqual([{ shop_name: key, ...entry }]);
	});
});

describe('isFound', () => {
	const result = (content: unknown, topic?: string): Result => ({
		query: topic ? { topic } : {},
		success: true,
		content: content as Result['content'],
	});
	const nothing = { name: '', offers: [{ price: null }], flags: { used: false } };
	const counters = { offers: [], offer_count: 0, page: 1, name: null };

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
		['no offers beside counters', counters, 'offers'],
		['an unknown list that is empty', { items: [], total: 3 }, undefined],
		['false', false, 'search'],
		['a list of null', [null], 'search'],
		['a list of nothing', [{}], 'product_and_offers'],
		['the word null', 'null', undefined],
		['blanks', ' \n', undefined],
		['fields of nothing', nothing, 'product_and_offers'],
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

	test('takes the topic from the caller where the service does not echo it', () => {
		expect(isFound({ success: true, content: { subtotal: 5 } } as unknown as Result)).toBe(true);
		const silent = result({ search_results: [], url: 'x' });
		expect([isFound(silent), isFound(silent, 'search')]).toEqual([true, false]);
	});
});

test.each<[unknown, string[]]>([
	[
		{ a: one, b: { c: one, d: { e: { f: one, g: { h: one } } } }, i: ['x'], j: [] },
		['a', 'b.c', 'b.d.e.f'],
	],
	[[{ a: one }, { b: one }], ['a']],
	...['text', null, {}].map((content): [unknown, string[]] => [content, []]),
])(
	'the lists in %j are at %j: four levels down at the most, of a list in its first entry',
	(content, paths) => {
		const isList = (_name: string, value: unknown) =>
			Array.isArray(value) && typeof value[0] === 'object';
		expect(pathsIn(content, isList)).toEqual(paths);
	},
);

test.each<[unknown, object]>([
	[{ a: null }, { a: null }],
	...[null, undefined, '', ' ', 'null', [], [null], {}, false].map((value): [unknown, object] => [
		value,
		{},
	]),
	...['text', 0, true, ['x']].map((value): [unknown, object] => [value, { entry: value }]),
])('the fields of %j are %j', (value, fields) => {
	expect(asFields(value, 'entry')).toEqual(fields);
});

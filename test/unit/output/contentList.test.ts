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
		['search', 'search_results'],
		['search_results', 'search_results'],
		['search', 'results'],
		['product_and_offers', 'offers'],
		['offers', 'offers'],
		['reviews', 'reviews'],
		['bestsellers', 'bestsellers'],
		['bestsellers', 'products'],
		// A custom topic.
		['deals', 'deals'],
	])('finds in a content of the topic %s the list %s among others', (topic, name) => {
		expect(contentListOf({ others: one, [name]: one }, topic)).toEqual({ name, entries: one });
	});

	test.each([
		[{ ranks: one, tags: ['a'], note: 'b' }, 'bestsellers'],
		[{ ranks: one }, undefined],
		[{ ranks: [], note: 'b' }, undefined],
		[{ ranks: one, variants: one }, undefined],
	])('guesses that it is the only one of objects in %j', (content, topic) => {
		const guess = { name: 'ranks', entries: content.ranks, isGuess: true };
		expect(contentListOf(content, topic)).toEqual(guess);
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

	const [a, c] = ['A', 'C'].map((shop_name) => ({ shop_name, ...entry }));
	test.each([
		['numbers', { 0: { price: '1' }, 1: { price: '2' } }, [{ price: '1' }, { price: '2' }]],
		['shops', { A: entry, B: c }, [a, c]],
		['its fields, as the only entry', a, [a]],
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
	test.each<[string | undefined, unknown[]]>([
		['search', [null, undefined, '', [], {}, false, [null], [{}], 'null', ' \n']],
		['search', [{ search_results: [], total_search_result_count: 0 }, { search_results: [{}, null] }]],
		// It repeats the question.
		['search', [{ search_results: [], url: 'x' }]],
		['search_results', [{ search_results: null, url: 'x' }]],
		['bestsellers', [{ category: 'Tea', bestsellers: [] }]],
		[
			'product_and_offers',
			[{ offers: [] }, { name: '', offers: [{ price: null }], flags: { used: false } }],
		],
		['offers', [{ offers: [], offer_count: 0, page: 1, name: null }]],
		[undefined, [{ items: [], total: 3 }]],
	])('is false of the topic %s for each of %j, and for what failed', (topic, contents) => {
		for (const content of contents) expect(isFound(result(content, topic))).toBe(false);
		expect(isFound({ ...result({ id: '1' }, topic), success: false })).toBe(false);
	});

	test.each<[string | undefined, unknown[]]>([
		['search', [{ search_results: [{ id: '1' }] }, { url: 'x' }]],
		['product_and_offers', [{ id: '1', name: 'Tea', offers: [] }]],
		['reviews', [{ name: 'Tea', reviews: [] }, [{ id: '1' }]]],
		// Numbers that are no counters, and counts that are texts.
		[
			undefined,
			[
				'something',
				5,
				{ subtotal: 5 },
				{ count_limit: 5 },
				{ subtotal_net: 5 },
				{ price_total: '12.90' },
			],
		],
	])('is true of the topic %s for each of %j', (topic, contents) => {
		for (const content of contents) expect(isFound(result(content, topic))).toBe(true);
	});

	test('takes the topic from the caller where the service does not echo it', () => {
		expect(isFound({ success: true, content: { subtotal: 5 } } as unknown as Result)).toBe(true);
		const silent = result({ search_results: [], url: 'x' });
		expect([isFound(silent), isFound(silent, 'search')]).toEqual([true, false]);
	});
});

test('the paths to lists are four levels long at the most, and those of a list are of its first entry', () => {
	const isList = (_name: string, value: unknown) => Array.isArray(value) && typeof value[0] === 'object';
	const deep = { a: one, b: { c: one, d: { e: { f: one, g: { h: one } } } }, i: ['x'], j: [] };
	expect(pathsIn(deep, isList)).toEqual(['a', 'b.c', 'b.d.e.f']);
	expect(pathsIn([{ a: one }, { b: one }], isList)).toEqual(['a']);
	expect(['text', null, {}].flatMap((content) => pathsIn(content, isList))).toEqual([]);
});

test('the fields of anything are its own, or one that holds it, or none of nothing', () => {
	expect(asFields({ a: null }, 'entry')).toEqual({ a: null });
	for (const nothing of [null, undefined, '', ' ', 'null', [], [null], {}, false])
		expect(asFields(nothing, 'entry')).toEqual({});
	for (const entry of ['text', 0, true, ['x']]) expect(asFields(entry, 'entry')).toEqual({ entry });
});

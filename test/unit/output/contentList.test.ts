import {
	asFields,
	besideList,
	contentListOf,
	isFound,
	pathsToLists,
} from '../../../nodes/PriceCollection/output/contentList';
import type { Result } from '../../../nodes/PriceCollection/service/types';

const one = [{ id: '1' }];

describe('contentListOf', () => {
	test.each([
		['search', 'search_results', 'hits'],
		['search_results', 'Hits', 'hits'],
		['product_and_offers', 'OFFERS', 'offers'],
		['reviews', 'reviews', 'reviews'],
		['bestsellers', 'bestsellers', 'ranks'],
		['bestsellers', 'ranks', 'ranks'],
		// Of a topic of the user any name of the table counts.
		['deals', 'search-results', 'hits'],
		[undefined, 'reviews', 'reviews'],
	])('finds in a content of the topic %s the list %s among others', (topic, name, meaning) => {
		const content = { others: one, [name]: one };
		expect(contentListOf(content, topic)).toEqual({ path: [name], entries: one, meaning });
		const inProduct = { Product: content, tags: one };
		expect(contentListOf(inProduct, topic)).toEqual({ path: ['Product', name], entries: one, meaning });
	});

	test('takes the one with entries, of a topic of the user the first of the table', () => {
		const content = { offers: [], item: { offers: one }, reviews: [{ id: '2' }] };
		for (const topic of ['product_and_offers', 'deals'])
			expect(contentListOf(content, topic)).toMatchObject({ path: ['item', 'offers'], entries: one });
		expect(contentListOf({ reviews: [], offers: null }, undefined)).toMatchObject({ path: ['offers'] });
	});

	test('finds the list that the user names before any other, also by the way to it', () => {
		const content = { offers: { new: one, by: { shop: one } }, carousels: [{ id: '2' }] };
		const named = (name: string) => contentListOf(content, 'offers', name);
		expect(named('carousels')).toEqual({ path: ['carousels'], entries: content.carousels });
		expect(named('offers.new')).toEqual({ path: ['offers', 'new'], entries: one });
		expect(named('offers.by.shop')).toEqual({ path: ['offers', 'by', 'shop'], entries: one });
		for (const missing of ['missing', 'offers.used', 'offers.by', 'offers.new.x', 'x.new']) {
			expect(named(missing)).toBeUndefined();
		}
	});

	test('takes a content that is a list for the list, and null under its name for an empty one', () => {
		expect(contentListOf(one, 'reviews')).toEqual({ path: [], entries: one });
		expect(contentListOf({ offers: null }, 'offers')).toEqual({
			...{ path: ['offers'], entries: [], meaning: 'offers' },
		});
	});

	test.each([
		['the only list, under another name', { results: one }, 'search'],
		['a list named like the topic', { deals: one }, 'deals'],
		['the list of another topic', { reviews: one }, 'product_and_offers'],
		['a list under keys', { offers: { 0: { price: '1' }, 1: { price: '2' } } }, 'product_and_offers'],
		['a single entry', { offers: { price: '1' } }, 'product_and_offers'],
		['another envelope', { data: { offers: one } }, 'product_and_offers'],
		['no object', 'text', 'reviews'],
		['nothing', null, 'reviews'],
		['a topic named like a method', { id: '1' }, 'constructor'],
	])('finds none in %s', (_name, content, topic) => {
		expect(contentListOf(content, topic)).toBeUndefined();
	});
});

test('what is beside a list are the fields around it, the nearest first, without lists unless it is empty', () => {
	const around = { a: 1, tags: ['x'], by: { shops: [1] } };
	const beside = (content: object) => {
		const list = contentListOf(content, 'product_and_offers');
		return list && besideList(content, list);
	};
	expect(beside({ b: 2, item: { ...around, offers: one } })).toEqual([{ a: 1 }, { b: 2 }]);
	expect(beside({ b: 2, item: { ...around, offers: [] } })).toEqual([around, { b: 2 }]);
	expect(besideList(one, { entries: one, path: [] })).toEqual([]);
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
		['search', [{ Hits: [], query: 'x' }, { product: { hits: null } }]],
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

test('the paths to lists are four levels long at the most, without details; those of a list are of its first entry', () => {
	const details = { carousels: one, variants: { red: one } };
	const deep = { a: one, b: { c: one, d: { e: { f: one, g: { h: one } } } }, i: ['x'], j: [], ...details };
	expect(pathsToLists(deep)).toEqual(['a', 'b.c', 'b.d.e.f']);
	expect(pathsToLists([{ a: one }, { b: one }])).toEqual(['a']);
	expect(['text', null, {}].flatMap((content) => pathsToLists(content))).toEqual([]);
});

test('the fields of anything are its own, or one that holds it, or none of nothing', () => {
	expect(asFields({ a: null }, 'entry')).toEqual({ a: null });
	for (const nothing of [null, undefined, '', ' ', 'null', [], [null], {}, false])
		expect(asFields(nothing, 'entry')).toEqual({});
	for (const entry of ['text', 0, true, ['x']]) expect(asFields(entry, 'entry')).toEqual({ entry });
});

import {
	entryFields,
	besideEntries,
	contentListOf as listOf,
	entriesOf,
	isFound as isFoundBy,
	pathsToLists,
	type ContentList,
} from '../../../nodes/PriceCollection/rows/contentList';
import type { Result } from '../../../nodes/PriceCollection/service/types';
import { readerOf } from './reader';

const one = [{ id: '1' }];

const contentListOf = (content: unknown, topic?: string, contentList?: string, ...names: string[]) =>
	listOf(content, readerOf(...names), { topic, contentList });
const isFound = (result: Result, topic?: string, ...names: string[]) =>
	isFoundBy(result, readerOf(...names), topic);

/** The path to a list, its entries, and the meaning of its name. */
function shown(list?: ContentList) {
	if (list === undefined) return undefined;
	const ways = list.groups.map(({ levels }) =>
		levels
			.map(({ via }) => via)
			.reverse()
			.join('.'),
	);
	const entries = [...entriesOf(list)].map(({ entry }) => entry);
	return { ways, entries, ...(list.meaning && { meaning: list.meaning }) };
}

describe('contentListOf', () => {
	test.each([
		['search', 'search_results', 'hits'],
		['search_results', 'Hits', 'hits'],
		['product_and_offers', 'OFFERS', 'offers'],
		['reviews', 'reviews', 'reviews'],
		['bestsellers', 'bestsellers', 'ranks'],
		['bestsellers', 'ranks', 'ranks'],
		// For a topic with one kind of list.
		['search', 'items', 'hits'],
		['reviews', 'Entries', 'reviews'],
		// For a custom topic, any name in the table counts.
		['deals', 'search-results', 'hits'],
		[undefined, 'reviews', 'reviews'],
	])('finds in a content of the topic %s the list %s among others', (topic, name, meaning) => {
		const content = { others: one, [name]: one };
		expect(shown(contentListOf(content, topic))).toEqual({ ways: [name], entries: one, meaning });
		const inProduct = { Product: content, tags: one };
		const ways = [`Product.${name}`];
		expect(shown(contentListOf(inProduct, topic))).toEqual({ ways, entries: one, meaning });
	});

	test('takes the one with entries, of a topic of the user the first of the table', () => {
		const content = { offers: [], item: { offers: one }, reviews: [{ id: '2' }] };
		for (const topic of ['product_and_offers', 'deals'])
			expect(shown(contentListOf(content, topic))).toMatchObject({
				ways: ['item.offers'],
				entries: one,
			});
		expect(shown(contentListOf({ reviews: [], offers: null }))).toMatchObject({ ways: ['offers'] });
	});

	test('finds the lists that the user names for the node before any other, also by the way to them', () => {
		const content = { offers: { new: one, by: { shop: one } }, carousels: [{ id: '2' }] };
		const named = (name: string) => shown(contentListOf(content, 'offers', name));
		expect(named('carousels')).toEqual({ ways: ['carousels'], entries: content.carousels });
		expect(named('offers.new')).toEqual({ ways: ['offers.new'], entries: one });
		expect(named('Offers.by.shop')).toEqual({ ways: ['offers.by.shop'], entries: one });
		expect(named('offers.by')).toEqual({ ways: ['offers.by'], entries: [{ shop: one }] });
		expect(named('carousels, offers.new')).toMatchObject({ entries: [{ id: '2' }, ...one] });
		for (const missing of ['missing', 'offers.used', 'offers.new.x', 'x.new']) {
			expect(named(missing)).toBeUndefined();
		}
	});

	test('finds those of Field Names, joined, also single objects and lists in lists, before those of the table', () => {
		const content = {
			...{ offers: [{ id: 'table' }], best: { id: 'a' }, more: [{ id: 'b' }, { id: 'c' }] },
			by: [{ lots: [{ id: 'd' }] }, { lots: null }, {}, { lots: [{ id: 'e' }] }],
		};
		const named = (line: string) => shown(contentListOf(content, 'product_and_offers', '', line));
		expect(named('offers: best, more, by.lots')).toEqual({
			ways: ['best', 'more', 'by.lots', 'by.lots', 'by.lots'],
			entries: [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }, { id: 'e' }],
			meaning: 'offers',
		});
		expect(named('offers: none')).toMatchObject({ entries: [{ id: 'table' }] });
	});

	test('takes a content that is a list for the list, and null under its name for an empty one', () => {
		expect(shown(contentListOf(one, 'reviews'))).toEqual({ ways: [''], entries: one });
		expect(shown(contentListOf({ offers: null }, 'offers'))).toEqual({
			...{ ways: ['offers'], entries: [], meaning: 'offers' },
		});
	});

	test.each<[string, unknown, unknown[]]>([
		['one entry', { offers: { price: '1' } }, [{ price: '1' }]],
		[
			'the elements of XML without a type',
			{ offers: { offer: [{ price: '1' }, { price: '2' }] } },
			[{ price: '1' }, { price: '2' }],
		],
		['one such element', { offers: { Offer: { price: '1' } } }, [{ price: '1' }]],
	])('takes an object for %s', (_name, content, entries) => {
		expect(shown(contentListOf(content, 'product_and_offers'))).toMatchObject({ entries });
	});

	test.each([
		['the only list, under another name', { results: one }, 'search'],
		['a list named like the topic', { deals: one }, 'deals'],
		['the list of another topic', { reviews: one }, 'product_and_offers'],
		['lists in groups', { offers: { new: one, used: one } }, 'product_and_offers'],
		['another envelope', { data: { offers: one } }, 'product_and_offers'],
		['any list of a topic of the user', { items: one }, 'deals'],
		['no object', 'text', 'reviews'],
		['nothing', null, 'reviews'],
		['a topic named like a method', { id: '1' }, 'constructor'],
	])('finds none in %s', (_name, content, topic) => {
		expect(contentListOf(content, topic)).toBeUndefined();
	});
});

test('what is beside entries are the fields around them, the nearest first, without lists unless there are none', () => {
	const around = { a: 1, tags: ['x'], by: { shops: [1] } };
	const beside = (content: object, areEntries: boolean) =>
		besideEntries(contentListOf(content, 'product_and_offers')?.groups[0]?.levels ?? [], areEntries);
	expect(beside({ b: 2, item: { ...around, offers: one } }, true)).toEqual([{ a: 1 }, { b: 2 }]);
	expect(beside({ b: 2, item: { ...around, offers: [] } }, false)).toEqual([around, { b: 2 }]);
	expect(beside(one, true)).toEqual([]);
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
		// The url only repeats the question.
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
		// Numbers that are not counters, and counts that are texts.
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

	test('knows the lists of Field Names', () => {
		const hits = 'hits: listings';
		expect(isFound(result({ listings: [], page: 1, term: 'x' }, 'search'), 'search', hits)).toBe(false);
		expect(isFound(result({ listings: one }, 'search'), 'search', hits)).toBe(true);
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
	expect(entryFields({ a: null }, 'entry')).toEqual({ a: null });
	for (const nothing of [null, undefined, '', ' ', 'null', [], [null], {}, false])
		expect(entryFields(nothing, 'entry')).toEqual({});
	for (const entry of ['text', 0, true, ['x']]) expect(entryFields(entry, 'entry')).toEqual({ entry });
});

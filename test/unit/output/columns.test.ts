import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { besideInput, columnsByTopics } from '../../../nodes/PriceCollection/output/columns';
import { rowsOf, type RowChoice } from '../../../nodes/PriceCollection/output/rows';
import { TOPICS } from '../../../nodes/PriceCollection/service/topics';
import {
	eachTopic,
	topicTraits,
	words,
	type TopicChoice,
} from '../../../nodes/PriceCollection/service/topics';

const SCHEMAS = join(__dirname, '../../../nodes/PriceCollection/__schema__/v1.0.0/job');

const CHOICE = {
	...({ columns: 'main', includeNotFound: true, onFailedResult: 'include' } as const),
	bestPrice: { ignoreShops: [], includeShipping: true },
};
const JOB = { job_id: null, status: null };
const BEST = 'best_price best_total best_currency best_shop best_condition best_url';
const empty = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));

/** The columns of a row whose content has every field that is known of its topic. */
function columnsOf(
	topic: TopicChoice,
	output: RowChoice['output'],
	columns: RowChoice['columns'] = 'all',
): string[] {
	const { content, entry, lists } = topicTraits(topic);
	const [list] = lists;
	const entries = list === undefined ? {} : { [list]: output === 'entries' ? [empty(entry)] : null };
	const result = { query: { topic }, success: true, content: { ...empty(content), ...entries } };
	return rowsOf(JOB, result, { ...CHOICE, output, columns }).flatMap(Object.keys);
}

describe('known columns', () => {
	test('are those of rows, whatever their topic and output', () => {
		const own = words('own_price price_gap price_gap_percent price_rank');
		const previous = words('previous_price price_change price_change_percent');
		for (const { topic } of eachTopic((one) => ({ topic: one }))) {
			const known = [...columnsByTopics()].flatMap(([name, topics]) =>
				topics.includes(topic) ? [name] : [],
			);
			const rows = [
				...columnsOf(topic, 'results'),
				...columnsOf(topic, 'entries'),
				...own,
				...previous,
			];
			expect(known).toEqual(expect.arrayContaining(rows));
			if (topic !== 'custom') expect(new Set(known)).toEqual(new Set(rows));
		}
	});

	test('are in the order of rows', () => {
		expect(columnsOf('search', 'results').join(' ')).toBe(
			'value found best_price best_total best_currency best_shop best_condition best_url priced_offers ' +
				'total_search_result_count job_id topic source country key success reason from_cache collected_at ' +
				'search_results',
		);
		expect(columnsOf('reviews', 'entries').join(' ')).toBe(
			'value found name id title text rating author_name created_at page position content_id url ' +
				'review_count review_rating job_id topic source country key success reason from_cache collected_at',
		);
	});

	test.each([
		['product_and_offers', 'results', BEST],
		['search', 'results', BEST],
		['search', 'entries', 'price price_with_shipping currency shop_name condition_text url'],
		['bestsellers', 'results', 'category_name'],
		['bestsellers', 'entries', 'rank price currency review_rating review_count url'],
		['reviews', 'results', 'id review_rating review_count url'],
		['reviews', 'entries', 'rating title text author_name created_at id'],
	] as const)('are ten at most in main, and plain: %s, %s', (topic, output, own) => {
		expect(columnsOf(topic, output, 'main').join(' ')).toBe(`value found name ${own} reason`);
	});

	test.each([
		['a topic without columns of its own', { a: 1, flags: null, list: [1], b: 'x', rrp: '1' }, 'a b rrp'],
		['six of its plain fields', empty([...'abcdefgh']), 'a b c d e f'],
		['offers', { offers: [{ price: '9.00', url: {} }], a: 1 }, BEST],
	])('are found for main in %s', (_name, content, own) => {
		const result = { query: { topic: 'other' }, success: true, content: content as IDataObject };
		const [row = {}] = rowsOf(JOB, result, { ...CHOICE, output: 'results' });
		expect(Object.keys(row).join(' ')).toBe(`value found name ${own} reason`);
	});

	test('of main are null where a field is nested', () => {
		const content = { search_results: [{ price: '9.00', url: { href: 'x' }, shop_name: ['A'] }] };
		const result = { query: { topic: 'search' }, success: true, content };
		const [row] = rowsOf(JOB, result, { ...CHOICE, output: 'entries' });
		expect(row).toMatchObject({ price: '9.00', url: null, shop_name: null });
	});

	test('go with the topics that have them, and all of them with a topic of the user', () => {
		const columns = columnsByTopics();
		expect(columns.get('brand_name')).toEqual(['product_and_offers', 'custom']);
		expect(columns.get('rank')).toEqual(['bestsellers', 'custom']);
		expect(new Set(columns.get('best_price'))).toEqual(new Set(Object.keys(TOPICS)));
		expect([...columns.values()].every((topics) => topics.includes('custom'))).toBe(true);
	});

	test.each(['collect', 'download', 'wait'])(
		'are what the output schema of %s offers before the first run, for the default topic',
		(operation) => {
			const schema = JSON.parse(readFileSync(join(SCHEMAS, `${operation}.json`), 'utf8')) as {
				properties: object;
			};
			expect(Object.keys(schema.properties)).toEqual(
				columnsOf('product_and_offers', 'results', 'main'),
			);
		},
	);
});

const merged = (input: object, row: object) =>
	Object.entries(besideInput(structuredClone(input) as never, row as never));

describe('a row behind the fields of its item', () => {
	test('renews answers in their place, and steps aside with any other column', () => {
		const input = { best_price: 1, name: 'mine', sku: 'A', found: false };
		const row = { value: 'x', found: true, name: 'theirs', best_price: 9 };
		expect(merged(input, row)).toEqual([
			['best_price', 9],
			['name', 'mine'],
			['sku', 'A'],
			['found', true],
			['value', 'x'],
			['result_name', 'theirs'],
		]);
	});

	test('renews what an earlier row has left, so that a sheet does not grow', () => {
		const input = { name: 'mine', result_name: 'old', value: 'x', result_value: 'y' };
		expect(merged(input, { value: 'z', name: 'new' })).toEqual([
			['name', 'mine'],
			['result_name', 'new'],
			['value', 'x'],
			['result_value', 'z'],
		]);
	});

	test('loses no column of its own, and takes any name of the item', () => {
		const input = JSON.parse('{"__proto__":{"a":1},"name":1,"constructor":2,"":3}') as object;
		const row = { name: 'a', result_name: 'b' };
		expect(merged(input, row)).toEqual([
			['__proto__', { a: 1 }],
			['name', 1],
			['constructor', 2],
			['', 3],
			['result_name', 'a'],
			['result_result_name', 'b'],
		]);
	});
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { besideInput, columnsByTopics } from '../../../nodes/PriceCollection/output/columns';
import { rowsOf, type RowChoice } from '../../../nodes/PriceCollection/output/rows';
import { eachTopic, topicTraits, words } from '../../../nodes/PriceCollection/service/topics';
import type { TopicChoice } from '../../../nodes/PriceCollection/service/topics';

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
			const rows = [columnsOf(topic, 'results'), columnsOf(topic, 'entries'), own, previous].flat();
			expect(known).toEqual(expect.arrayContaining(rows));
			// All of them go with a topic of the user.
			const all = topic === 'custom' ? columnsByTopics().keys() : rows;
			expect(new Set(known)).toEqual(new Set(all));
		}
	});

	test('are in the order of rows', () => {
		const own = 'id title text rating author_name created_at page position content_id url';
		const context = 'job_id topic source country key success reason from_cache collected_at';
		const all = `value found name ${own} review_count review_rating ${context}`;
		expect(columnsOf('reviews', 'entries').join(' ')).toBe(all);
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

describe('a row behind the fields of its item', () => {
	test.each([
		[
			'renews answers in their place, and steps aside with any other column',
			'{"best_price":1,"name":"mine","sku":"A","found":false}',
			{ value: 'x', found: true, name: 'theirs', best_price: 9 },
			'{"best_price":9,"name":"mine","sku":"A","found":true,"value":"x","result_name":"theirs"}',
		],
		[
			'renews what an earlier row has left, so that a sheet does not grow',
			'{"name":"mine","result_name":"old","value":"x","result_value":"y"}',
			{ value: 'z', name: 'new' },
			'{"name":"mine","result_name":"new","value":"x","result_value":"z"}',
		],
		[
			'loses no column of its own, and takes any name of the item',
			'{"__proto__":{"a":1},"name":1,"constructor":2,"":3}',
			{ name: 'a', result_name: 'b' },
			'{"__proto__":{"a":1},"name":1,"constructor":2,"":3,"result_name":"a","result_result_name":"b"}',
		],
	])('%s', (_name, input, row, merged) => {
		expect(JSON.stringify(besideInput(JSON.parse(input) as IDataObject, row))).toBe(merged);
	});
});

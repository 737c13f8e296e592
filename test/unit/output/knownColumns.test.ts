import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { columnsByTopics, knownColumns } from '../../../nodes/PriceCollection/output/knownColumns';

const SCHEMAS = join(__dirname, '../../../nodes/PriceCollection/__schema__/v1.0.0/job');

describe('known columns', () => {
	test('are in the order of rows', () => {
		expect(knownColumns('search', 'results').join(' ')).toBe(
			'value found best_price best_total best_currency best_shop best_condition best_url priced_offers ' +
				'total_search_result_count job_id topic source country key success reason from_cache collected_at ' +
				'search_results',
		);
		expect(knownColumns('reviews', 'entries').join(' ')).toBe(
			'value found name id title text rating author_name created_at page position content_id url ' +
				'review_count review_rating job_id topic source country key success reason from_cache collected_at',
		);
	});

	test.each([
		[
			'product_and_offers',
			'results',
			'best_price best_total best_currency best_shop best_condition best_url',
		],
		['search', 'results', 'best_price best_total best_currency best_shop best_condition best_url'],
		['search', 'entries', 'price price_with_shipping currency shop_name condition_text url'],
		['bestsellers', 'results', 'category_name'],
		['bestsellers', 'entries', 'rank price currency review_rating review_count url'],
		['reviews', 'results', 'id review_rating review_count url'],
		['reviews', 'entries', 'rating title text author_name created_at id'],
	] as const)('are ten at most in main, and plain: %s, %s', (topic, output, own) => {
		expect(knownColumns(topic, output, 'main').join(' ')).toBe(`value found name ${own} reason`);
	});

	test('go with the topics that have them, and all of them with a topic of the user', () => {
		const columns = columnsByTopics();
		expect(columns.get('brand_name')).toEqual(['product_and_offers', 'custom']);
		expect(columns.get('rank')).toEqual(['bestsellers', 'custom']);
		expect(new Set(columns.get('best_price'))).toEqual(
			new Set(['bestsellers', 'product_and_offers', 'reviews', 'search', 'custom']),
		);
		expect([...columns.values()].every((topics) => topics.includes('custom'))).toBe(true);
	});

	test.each(['collect', 'download', 'wait'])(
		'are what the output schema of %s offers before the first run, for the default topic',
		(operation) => {
			const schema = JSON.parse(readFileSync(join(SCHEMAS, `${operation}.json`), 'utf8')) as {
				properties: object;
			};
			expect(Object.keys(schema.properties)).toEqual(
				knownColumns('product_and_offers', 'results', 'main'),
			);
		},
	);
});

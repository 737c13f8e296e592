import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { besideInput, losesAnswer, replacedFields } from '../../../nodes/PriceCollection/rows/besideInput';
import { columnsByTopics, flatRow } from '../../../nodes/PriceCollection/rows/columns';
import { rowsOf as rowsInSteps, type RowChoice } from '../../../nodes/PriceCollection/rows/rows';
import { CONTENT_NAMES, words } from '../../../nodes/PriceCollection/service/names';
import { eachTopic, topicTraits } from '../../../nodes/PriceCollection/service/topics';
import type { TopicChoice } from '../../../nodes/PriceCollection/service/topics';
import { runs } from '../../support/runs';
import { atOnce } from '../atOnce';
import { readerOf } from './reader';

type Rows = Parameters<typeof rowsInSteps>;
const rowsOf = (job: Rows[0], result: Rows[1], choice: Rows[2]) =>
	atOnce(rowsInSteps)(job, result, choice, { reader: readerOf() });

const SCHEMAS = join(__dirname, '../../../nodes/PriceCollection/__schema__/v1.0.0/job');

const CHOICE = {
	...({ columns: 'main', includeNotFound: true, onFailedResult: 'include' } as const),
	bestPrice: { ignoreShops: [], includeShipping: true },
};
const JOB = { job_id: null, status: null };
const BEST = 'best_price best_total best_currency best_shop best_availability best_url';
const empty = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));

/** The columns of a row whose content has every known field of its topic. */
function columnsOf(
	topic: TopicChoice,
	output: RowChoice['output'],
	columns: RowChoice['columns'] = 'all',
): string[] {
	const { content, entry, lists } = topicTraits(topic);
	const [list] = lists;
	const entries = list && { [CONTENT_NAMES[list][0]]: output === 'entries' ? [empty(entry)] : null };
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
			// A custom topic offers all of them.
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

	const mainOf = (topic: string, output: RowChoice['output'], content: unknown) => {
		const result = { query: { topic }, success: true, content: content as IDataObject };
		return rowsOf(JOB, result, { ...CHOICE, output })[0] ?? {};
	};

	test('of main are null where a field is nested', () => {
		const content = { search_results: [{ price: '9.00', url: { href: 'x' }, shop_name: ['A', 'B'] }] };
		expect(mainOf('search', 'entries', content)).toMatchObject({
			...{ price: '9.00', url: null, shop_name: null },
		});
	});

	const OFFER = {
		...{ price: '9.00', price_with_shipping: 10, currency: 'EUR', shop_name: 'A' },
		...{ condition_text: 'Used', url: 'https://a.example' },
	};
	const odd = {
		...{ price: { amount: '9.00', currency: 'EUR' }, 'total-price': 10, seller: { name: 'A' } },
		...{ condition: { text: 'Used' }, URL: 'https://a.example' },
	};
	const review = { rating: 4, title: 'Good', text: 'It boils.', author_name: 'Zoe', id: 'R1' };
	test.each<[string, RowChoice['output'], unknown, IDataObject]>([
		['search', 'entries', { hits: [{ ...odd, Title: 'Pen' }] }, { name: 'Pen', ...OFFER }],
		[
			...(['product_and_offers', 'entries'] as const),
			{ product: { title: 'Pen', price: '1.00', offers: [odd] } },
			{ name: 'Pen', ...OFFER },
		],
		['of the user', 'entries', { title: 'Pen', offers: [odd] }, { name: 'Pen', ...OFFER }],
		['search', 'entries', { search_results: [{ min_price: '8.00' }] }, { price: '8.00' }],
		[
			...(['reviews', 'entries'] as const),
			{
				name: 'Pen',
				reviews: [
					{ ...review, author_name: null, stars: 4, rating: '', author: 'Zoe', Date: '2026-01-02' },
				],
			},
			{ name: 'Pen', ...review, created_at: '2026-01-02' },
		],
		[
			...(['bestsellers', 'entries'] as const),
			{ ranks: [{ rank: 1, title: 'Pen', price: { value: 9 }, currency_code: 'EUR' }] },
			{ name: 'Pen', rank: 1, price: 9, currency: 'EUR' },
		],
		['product_and_offers', 'results', { item: { Title: 'Pen', offers: [odd] } }, { name: 'Pen' }],
		['of the user', 'results', { title: { text: 'Pen' }, offers: [] }, { name: 'Pen' }],
		// The service's text comes first if both exist.
		[
			...(['product_and_offers', 'entries'] as const),
			{ offers: [{ condition_code: 'used', condition_text: 'Used – good' }] },
			{ condition_text: 'Used – good' },
		],
		// A product's price and address do not apply to its offers; its currency does.
		[
			...(['product_and_offers', 'entries'] as const),
			{ price: '1.00', url: 'x', currency: 'EUR', offers: [{ id: '1' }] },
			{ price: null, url: null, currency: 'EUR' },
		],
	])('of main are filled by meaning: %s, %s, %j', (topic, output, content, columns) => {
		const asked = topic === 'of the user' ? 'deals' : topic;
		expect(mainOf(asked, output, content)).toMatchObject(columns);
	});

	test.each<[unknown, string | null]>([
		[null, 'EUR'],
		[{ code: 'USD' }, 'USD'],
		[{ iso: { n: 978 } }, null],
		[['EUR', 'USD'], null],
	])('of main have no currency of the product where that of the offer is %j: %s', (currency, column) => {
		const content = { currency: 'EUR', offers: [{ price: '9.00', currency }] };
		const row = mainOf('product_and_offers', 'entries', content);
		expect(row.currency).toBe(column);
		const inPrice = { currency: 'EUR', offers: [{ price: { amount: '9.00', currency } }] };
		expect(mainOf('product_and_offers', 'entries', inPrice).currency).toBe(column);
		expect(String(row.reason).includes('currency not readable: ')).toBe(column === null);
	});

	test.each(['collect', 'download', 'wait'])(
		'are what the output schema of %s offers before the first run, for the default topic',
		(operation) => {
			const schema = JSON.parse(readFileSync(join(SCHEMAS, `${operation}.json`), 'utf8')) as {
				properties: object;
			};
			const columns = columnsOf('product_and_offers', 'results', 'main');
			const beside = besideInput(
				{},
				{ columns: 'main', empty: null },
			)(Object.fromEntries(columns.map((name) => [name, null])));
			expect(Object.keys(schema.properties)).toEqual(
				operation === 'download' ? columns : Object.keys(beside),
			);
		},
	);
});

const BESIDE = { columns: 'all', empty: null } as const;

describe('a row behind the fields of its item', () => {
	test.each([
		[
			'has the names of every day beside an item without any of them, the answer first',
			'{"sku":"A"}',
			{ value: 'x', found: true, name: 'theirs', best_price: 9 },
			'{"sku":"A","best_price":9,"result_name":"theirs","result_found":true,"result_value":"x"}',
		],
		[
			'renews answers in their place, and steps aside with any other column',
			'{"best_price":1,"name":"mine","sku":"A","found":"no","reason":"mine","success":7}',
			{ value: 'x', found: true, name: 'theirs', best_price: 9, success: true, reason: null },
			'{"best_price":9,"name":"mine","sku":"A","found":"no","reason":"mine","success":7,"result_reason":null,"result_name":"theirs","result_found":true,"result_value":"x","result_success":true}',
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
		[
			'has what the item had in no column of its own that is empty now',
			'{"result_name":"old","result_reason":"x","sku":null}',
			{ name: null, reason: null, found: false, offers: [] },
			'{"result_name":null,"result_reason":null,"sku":null,"result_found":false,"result_offers":[]}',
		],
		[
			'repeats the prices of the item under names of its own',
			'{"own_price":1}',
			{ best_price: 9, own_price: 1, price_gap: -8, previous_price: null, price_change: null },
			'{"own_price":1,"best_price":9,"price_gap":-8,"price_change":null,"result_own_price":1,"result_previous_price":null}',
		],
	])('%s', (_name, input, row, merged) => {
		expect(JSON.stringify(besideInput(JSON.parse(input) as IDataObject, BESIDE)(row))).toBe(merged);
	});

	const COMPARED = 'price_gap price_gap_percent price_rank price_change price_change_percent';
	const ABOUT = 'result_reason result_name result_found result_value';
	const namesBeside = (columns: 'all' | 'main', names: readonly string[]) =>
		Object.keys(besideInput({}, { columns, empty: null })(empty(names)));

	test.each([
		['product_and_offers', BEST],
		['search', BEST],
	] as const)('begins with the answer, of results: %s', (topic, answer) => {
		const compared = words(COMPARED);
		const main = namesBeside('main', [...columnsOf(topic, 'results', 'main'), ...compared]);
		expect(main.join(' ')).toBe(`${answer} ${COMPARED} ${ABOUT}`);
		const all = namesBeside('all', ['name', ...columnsOf(topic, 'results'), ...compared]);
		expect(all.join(' ')).toMatch(
			new RegExp(`^${answer} ${COMPARED} ${ABOUT} best_condition priced_offers `),
		);
	});

	test.each([
		[
			'search',
			'result_price result_price_with_shipping result_currency result_shop_name result_condition_text result_url',
		],
		['bestsellers', 'result_rank result_price result_currency'],
		['reviews', 'result_rating result_title result_text result_author_name result_created_at result_id'],
	] as const)('begins with the answer, of entries: %s', (topic, answer) => {
		const main = namesBeside('main', columnsOf(topic, 'entries', 'main')).join(' ');
		expect(main.startsWith(`${answer} `)).toBe(true);
		expect(main.endsWith(` ${ABOUT}`)).toBe(true);
		const all = namesBeside('all', columnsOf(topic, 'entries'));
		expect(all.indexOf(answer.split(' ')[0] ?? '')).toBeLessThan(all.indexOf('result_reason'));
	});

	test('of chosen columns keeps their order', () => {
		const row = { reason: null, best_price: 9, rrp: 1 };
		const merged = besideInput({ sku: 'A' }, { columns: 'selected', empty: null })(row);
		expect(Object.keys(merged)).toEqual(['sku', 'result_reason', 'best_price', 'result_rrp']);
	});

	test('clears cells where it is to, and no cell of the item', () => {
		const row = { name: null, found: false, best_price: null, priced_offers: 0, offers: null };
		const merged = besideInput({ sku: null, best_price: 9 }, { columns: 'all', empty: '' })(row);
		expect(JSON.stringify(merged)).toBe(
			'{"sku":null,"best_price":"","result_name":"","result_found":false,"priced_offers":0,"result_offers":""}',
		);
	});

	test.each([
		[{ best_price: 9 }, { best_price: null }, true],
		[{ result_reason: 'x' }, { best_price: 9, reason: null }, true],
		[{ reason: 'mine' }, { best_price: 9, reason: null }, false],
		[{ best_price: 9, result_reason: '' }, { best_price: 8, reason: null }, false],
		[{ best_price: null }, { best_price: null }, false],
		[{ best_shop: 'A' }, { best_shop: null }, false],
		// A column that was not chosen is not written.
		[{ best_price: 9 }, { found: false }, false],
	])('of %j loses an answer with %j: %s', (input, row, loses) => {
		expect(losesAnswer(input, row)).toBe(loses);
	});

	test.each<[string, IDataObject, string[]]>([
		['a column of the owner', { sku: 'A', best_price: 9 }, ['best_price']],
		['several of them', { best_price: 9, price_gap: 1, best_shop: '' }, ['best_price', 'price_gap']],
		['what only this node writes', { best_price: 9, result_reason: 'not found' }, []],
		['an empty one', { best_price: '' }, []],
		['names that it steps aside from', { reason: 'x', found: 1, name: 'y', success: 'z' }, []],
		['a sheet that it has written', { best_price: 9, result_reason: null, result_found: true }, []],
		['headings without answers', { best_price: 9, result_reason: '', result_found: '' }, ['best_price']],
		['an earlier version of its sheet', { best_price: 9, result_value: 'x', result_found: true }, []],
		['all of its columns', empty(['best_price']), []],
	])('says what it replaces: %s', (_name, input, replaced) => {
		const row = empty(words('value found name best_price best_shop price_gap reason'));
		expect(replacedFields(input, row)).toEqual(replaced);
	});

	test('says nothing of a sheet that has all columns of a comparison alone, because that may be its own of yesterday', () => {
		const row = empty(['best_price', 'best_shop']);
		expect(replacedFields({ best_price: 9, best_shop: '' }, row)).toEqual([]);
		expect(replacedFields({ best_price: 9 }, row)).toEqual(['best_price']);
	});
});

test('a row is laid out as if it was the only one, whatever the row before it had', () => {
	const value = fc.constantFrom<Array<IDataObject[string]>>(null, 'x', 1, [], [1], {});
	const someOf = (names: string) =>
		fc.dictionary(fc.constantFrom(...words(names)), value, { maxKeys: 3, noNullPrototype: true });
	const parts = fc.record(
		{
			jobColumns: fc.record(
				{ topic: fc.constantFrom('search', 'reviews', 'product_and_offers'), job_id: value },
				{ requiredKeys: [] },
			),
			prices: someOf('best_price best_total price_gap'),
			around: fc.array(someOf('name price offers color topic'), { maxLength: 2 }),
		},
		{ requiredKeys: ['jobColumns', 'around'] },
	);
	const rest = { beside: [], reader: readerOf() };
	const other = { jobColumns: {}, around: [{ something: 'else' }] };
	const columnsAfter = (before: typeof other, after: typeof other) => {
		flatRow({ ...before, ...rest });
		return Object.entries(flatRow({ ...after, ...rest }));
	};
	fc.assert(
		fc.property(parts, parts, (before, after) => {
			expect(columnsAfter(before as never, after as never)).toEqual(
				columnsAfter(other, after as never),
			);
		}),
		{ numRuns: runs(20_000) },
	);
});

import type { IDataObject } from 'n8n-workflow';

import { Remarks } from '../../../nodes/PriceCollection/output/remarks';
import {
	echoOf,
	failedResult,
	Renderer,
	rowsOf as allColumnsOf,
	withoutAnswer,
	type RowChoice,
} from '../../../nodes/PriceCollection/output/rows';
import type { Result } from '../../../nodes/PriceCollection/service/types';
import { fixedClock } from '../fixedClock';

const job = { job_id: 'job1', status: 'finished', requested: 3 };
const choice: RowChoice = {
	output: 'results',
	columns: 'all',
	includeNotFound: true,
	onFailedResult: 'include',
	bestPrice: { ignoreShops: [], includeShipping: true },
};

/** Rows without the columns of the best price, see `bestPriceRows`. */
const rowsOf = (...args: Parameters<typeof allColumnsOf>): IDataObject[] =>
	allColumnsOf(...args).map((row) =>
		Object.fromEntries(Object.entries(row).filter(([name]) => !/^best_|^priced_offers$/.test(name))),
	);
const entries: RowChoice = { ...choice, output: 'entries' };
const plain: RowChoice = { ...choice, columns: 'raw' };
const query = {
	source: 'test',
	country: 'de',
	topic: 'product_and_offers',
	key: 'gtin',
	value: '885909666966',
};
const product: Result = {
	query: { ...query, max_pages: 1 },
	success: true,
	metadata: { from_cache: false, page_count_live: 2, updated_at: '2026-01-02T03:04:05Z' },
	content: {
		id: 'p1',
		name: 'Tea',
		value: 'second value',
		brand_name: null,
		eans: ['1', '2'],
		buybox: { min_price: '9.90' },
		offers: [
			{ id: 'o1', price: '12.90', key: 'k', brand_name: 'Shop brand', flags: ['new'] },
			{ id: 'o2', price: '20.0', value: 'v' },
		],
	},
};
const context = {
	job_id: 'job1',
	topic: 'product_and_offers',
	source: 'test',
	country: 'de',
	key: 'gtin',
	value: '885909666966',
	success: true,
	found: true,
	reason: null,
	from_cache: false,
	collected_at: '2026-01-02T03:04:05Z',
};
const notFound: Result = { query, success: true, content: null };
const failed: Result = { query, success: false, reason: 'invalid value' };
const bare = { ...context, from_cache: null, collected_at: null };
// Topics with products have the column of the name in every row, so that it has one place in a table.
const notFoundRow = { ...bare, name: null, found: false };
const failedRow = { ...bare, name: null, success: false, found: false, reason: 'invalid value' };

describe('flat result rows', () => {
	test('begin with the answer, then have the fields of the content as they are, and what is nested last', () => {
		const [row] = rowsOf(job, product, choice);
		expect(row).toEqual({
			...context,
			id: 'p1',
			name: 'Tea',
			content_value: 'second value',
			brand_name: null,
			eans: ['1', '2'],
			buybox: { min_price: '9.90' },
			offers: [
				{ id: 'o1', price: '12.90', key: 'k', brand_name: 'Shop brand', flags: ['new'] },
				{ id: 'o2', price: '20.0', value: 'v' },
			],
		});
		const columns =
			'value found name id content_value brand_name job_id topic source country key success reason ' +
			'from_cache collected_at eans buybox offers';
		expect(Object.keys(row ?? {})).toEqual(columns.split(' '));
	});

	test('give the value as the item asked for it and fill what the service does not echo', () => {
		const silent: Result = { query: { value: '885909666966' }, success: true, content: { id: 'p1' } };
		const asked = {
			value: '00885909666966',
			parameters: { ...query, webhook_url: 'https://secret.test' },
		};
		expect(rowsOf(job, silent, choice, asked)).toEqual([
			{ ...bare, value: '00885909666966', name: null, id: 'p1' },
		]);
	});

	test('name what was looked up where the service echoes it under its own name alone', () => {
		const echo = { source: query.source, term: 'kettle' };
		const [row] = rowsOf(job, { query: echo, success: true, content: { id: 'p1' } }, choice);
		expect(row).toMatchObject({ key: 'term', value: 'kettle', id: 'p1' });
	});

	test('have null in every context column that nobody knows', () => {
		const silent = { success: true, content: 'text' } as unknown as Result;
		expect(rowsOf(job, silent, choice)).toEqual([
			{
				job_id: 'job1',
				topic: null,
				source: null,
				country: null,
				key: null,
				value: null,
				success: true,
				found: true,
				reason: null,
				from_cache: null,
				collected_at: null,
				content: 'text',
			},
		]);
	});

	test('put a content that is a list under content', () => {
		const list = [{ rank: 1 }, { rank: 2 }];
		expect(rowsOf(job, { query, success: true, content: list }, choice)).toEqual([
			{ ...bare, name: null, content: list },
		]);
	});

	test('lose no field, however its name collides', () => {
		const content = JSON.parse('{"content_value":1,"value":2,"__proto__":{"a":3},"constructor":4}');
		const [row] = rowsOf(job, { query, success: true, content }, choice);
		expect(row).toEqual({
			...bare,
			name: null,
			content_value: 1,
			content_content_value: 2,
			content___proto__: { a: 3 },
			constructor: 4,
		});
	});

	test('tell not found and failed results', () => {
		expect(rowsOf(job, notFound, choice)).toEqual([notFoundRow]);
		expect(rowsOf(job, { ...notFound, content: [] }, choice)).toEqual([notFoundRow]);
		expect(rowsOf(job, failed, choice)).toEqual([failedRow]);
	});
});

describe('flat entry rows', () => {
	test('have the context, the fields of the entry, then the fields beside the list that hold no other', () => {
		const rows = rowsOf(job, product, entries);
		expect(rows).toEqual([
			{
				...context,
				id: 'o1',
				price: '12.90',
				content_key: 'k',
				brand_name: 'Shop brand',
				flags: ['new'],
				buybox: { min_price: '9.90' },
				content_id: 'p1',
				name: 'Tea',
				content_value: 'second value',
				content_brand_name: null,
			},
			{
				...context,
				id: 'o2',
				price: '20.0',
				// The entry's own `value` came first.
				content_value: 'v',
				content_content_value: 'second value',
				buybox: { min_price: '9.90' },
				content_id: 'p1',
				name: 'Tea',
				brand_name: null,
			},
		]);
		expect(Object.keys(rows[0] ?? {})).toEqual(
			(
				'value found name price id content_key brand_name content_id content_value content_brand_name ' +
				'job_id topic source country key success reason from_cache collected_at flags buybox'
			).split(' '),
		);
	});

	test('come from a content that is the list itself', () => {
		const list: Result = { query, success: true, content: [{ rank: 1 }, { rank: 2 }] };
		expect(rowsOf(job, list, entries)).toEqual([
			{ ...bare, name: null, rank: 1 },
			{ ...bare, name: null, rank: 2 },
		]);
	});

	test('come from the list that the user names, also one of texts', () => {
		expect(rowsOf(job, product, { ...entries, contentList: 'eans' })).toEqual(
			['1', '2'].map((entry) => ({
				...context,
				entry,
				id: 'p1',
				name: 'Tea',
				content_value: 'second value',
				buybox: { min_price: '9.90' },
				brand_name: null,
			})),
		);
	});

	test('are one row without an entry when the list is empty or missing', () => {
		const row = { ...bare, name: 'Tea' };
		for (const content of [{ name: 'Tea', offers: [] }, { name: 'Tea', offers: null }, { name: 'Tea' }]) {
			expect(rowsOf(job, { query, success: true, content }, entries)).toEqual([row]);
		}
	});

	test('are one row for a result that was not found or failed', () => {
		expect(rowsOf(job, notFound, entries)).toEqual([notFoundRow]);
		expect(rowsOf(job, failed, entries)).toEqual([failedRow]);
		const empty = { search_results: [], total_search_result_count: 0 };
		const search: Result = { query: { ...query, topic: 'search' }, success: true, content: empty };
		expect(rowsOf(job, search, entries)).toEqual([
			{ ...bare, topic: 'search', found: false, total_search_result_count: 0 },
		]);
	});

	test('find their list by the topic that was asked for where the service does not echo it', () => {
		const content = { search_results: [{ id: 's1' }], ads: [{ id: 'a1' }] };
		const asked = { value: 'tea', parameters: { topic: 'search' } };
		const silent: Result = { query: {}, success: true, content };
		expect(rowsOf(job, silent, entries, asked).map((row) => row.id)).toEqual(['s1']);
		expect(rowsOf(job, silent, { ...entries, columns: 'raw' }, asked)).toEqual([
			{ job_id: 'job1', status: 'finished', query: {}, success: true, content: { id: 's1' } },
		]);
	});
});

describe('rows with many columns', () => {
	it('stand in the order of their own columns, whatever the row before had', () => {
		const columnsOf = (content: object, wanted = choice) =>
			Object.keys(rowsOf(job, { ...product, content }, wanted)[0] ?? {}).filter((name) =>
				/^[ab]$|^job_id|^offers|^eans/.test(name),
			);
		const [plain, nested] = [
			{ a: [1], b: 1 },
			{ a: 1, b: [1] },
		];
		for (let round = 0; round < 2; round++) {
			expect(columnsOf(plain)).toEqual(['b', 'job_id', 'a']);
			expect(columnsOf(nested)).toEqual(['a', 'job_id', 'b']);
			expect(columnsOf({ a: 1, b: null })).toEqual(['a', 'b', 'job_id']);
			expect(columnsOf({ a: 1, eans: null })).toEqual(['a', 'job_id', 'eans']);
			expect(columnsOf({ eans: null, a: 1 })).toEqual(['a', 'job_id', 'eans']);
			expect(columnsOf({ eans: 'x', a: 1 })).toEqual(['eans', 'a', 'job_id']);
		}
	});

	it('keep a column whose name is that of the prototype', () => {
		const [chosen = {}] = rowsOf(job, product, {
			...choice,
			columns: 'selected',
			fields: ['name', '__proto__'],
		});
		expect(Object.entries(chosen)).toEqual([
			['name', 'Tea'],
			['__proto__', null],
		]);
	});
});

describe("the service's own structure", () => {
	const root = { job_id: 'job1', status: 'finished' };

	test('is the result with job id and status', () => {
		expect(rowsOf(job, product, plain)).toEqual([{ ...root, ...product }]);
		expect(rowsOf(job, failed, plain)).toEqual([{ ...root, ...failed }]);
	});

	test('has one entry in the place of the content', () => {
		const [first, second] = (product.content as { offers: object[] }).offers;
		expect(rowsOf(job, product, { ...plain, output: 'entries' })).toEqual([
			{ ...root, ...product, content: first },
			{ ...root, ...product, content: second },
		]);
	});

	test('keeps the content as it came where there are no entries', () => {
		expect(rowsOf(job, notFound, { ...plain, output: 'entries' })).toEqual([{ ...root, ...notFound }]);
	});
});

describe('leaving results out', () => {
	test.each(['results', 'entries'] as const)('drops not-found ones from %s only on request', (output) => {
		for (const columns of ['main', 'all', 'raw'] as const) {
			const wanted: RowChoice = { ...choice, output, columns, includeNotFound: false };
			expect(rowsOf(job, notFound, wanted)).toEqual([]);
			expect(rowsOf(job, failed, wanted)).toHaveLength(1);
			expect(rowsOf(job, product, wanted).length).toBeGreaterThan(0);
		}
	});

	test('drops failed ones only when they are to be skipped', () => {
		expect(rowsOf(job, failed, { ...choice, onFailedResult: 'skip' })).toEqual([]);
		expect(rowsOf(job, failed, { ...plain, onFailedResult: 'skip' })).toEqual([]);
		expect(rowsOf(job, failed, { ...choice, onFailedResult: 'error' })).toEqual([failedRow]);
		expect(rowsOf(job, notFound, { ...choice, onFailedResult: 'skip' })).toEqual([notFoundRow]);
	});
});

describe('a value without an answer', () => {
	const asked = {
		value: '0012',
		parameters: {
			topic: 'product_and_offers',
			source: 'test',
			country: 'de',
			key: 'gtin',
			max_age: 0,
			webhook_url: 'https://example.test/?pc_signature=secret',
		},
	};

	const reason = 'not answered: the job was cancelled';
	const result = withoutAnswer({ value: '0012', ...echoOf(asked.parameters) }, reason);

	test('has a flat row that says so', () => {
		expect(rowsOf(job, result, choice, asked)).toEqual([
			{ ...bare, name: null, value: '0012', success: false, found: false, reason },
		]);
	});

	test('looks like a failed result otherwise, without the callback URL', () => {
		const { webhook_url: secret, ...echoed } = asked.parameters;
		expect(JSON.stringify(result)).not.toContain(secret);
		expect(rowsOf(job, result, plain, asked)).toEqual([
			{
				...{ job_id: 'job1', status: 'finished', query: { ...echoed, value: '0012' } },
				...{ success: false, reason, found: false },
			},
		]);
	});
});

test('failedResult names value and reason of a failed result only', () => {
	expect(failedResult(failed)).toEqual({ value: '885909666966', reason: 'invalid value' });
	expect(failedResult(failed, { value: '00885909666966' })).toEqual({
		value: '00885909666966',
		reason: 'invalid value',
	});
	expect(failedResult({ query: {}, success: false })).toEqual({
		value: null,
		reason: 'the service gave no reason',
	});
	expect(failedResult(notFound)).toBeUndefined();
});

describe('the renderer', () => {
	test('gives rows in the order of the results, and stops at a failed one where the user wants it', async () => {
		const renderer = new Renderer(fixedClock());
		const results = [product, failed, notFound];
		const { rows } = await renderer.render(job, results, choice);
		expect(rows.map(({ found, success }) => [found, success])).toEqual([
			...[
				[true, true],
				[false, false],
				[false, true],
			],
		]);
		expect(await renderer.render(job, results, { ...choice, onFailedResult: 'error' })).toEqual({
			...{ rows: [], failed: { value: '885909666966', reason: 'invalid value' } },
		});
	});

	test('lets the event loop have its turn every fifty results, of however many jobs', async () => {
		const yieldToEventLoop = jest.fn(async () => undefined);
		const renderer = new Renderer({ yieldToEventLoop });
		for (let n = 0; n < 200; n++)
			await renderer.render(job, Array(10).fill(notFound) as Result[], choice);
		expect(yieldToEventLoop).toHaveBeenCalledTimes(40);
	});
});

describe('contents whose entries are not clear', () => {
	/** What is said of the rows of some results. */
	function saidOf(results: Result[], wanted: RowChoice) {
		const remarks = new Remarks();
		for (const one of results) rowsOf(job, one, wanted, undefined, remarks);
		return remarks.sentences();
	}
	const unclear = (lists: string) => [
		`In 1 result it is not clear which list holds the entries: each is one row with all of its content. These are in it: ${lists}. Enter the right one as Content List in the options.`,
	];
	const result = (content: unknown): Result => ({
		query,
		success: true,
		content: content as Result['content'],
	});

	test.each([
		['two lists', { comments: [{ a: 1 }], histogram: [{ b: 2 }] }, ['comments', 'histogram']],
		['a list further down', { list: { items: [{ a: 1 }] } }, ['list.items']],
		['grouped lists', { by: { new: [{ a: 1 }], used: [{ a: 2 }] } }, ['by.new', 'by.used']],
	])(
		'stay whole in one row, and the lists that could be meant are named: %s',
		(_name, content, candidates) => {
			expect(rowsOf(job, result(content), entries)).toEqual([expect.objectContaining(content)]);
			expect(saidOf([result(content), product], entries)).toEqual(unclear(candidates.join(', ')));
		},
	);

	test('a text stays, and needs no hint', () => {
		expect(rowsOf(job, result('not structured'), entries)).toEqual([
			expect.objectContaining({ content: 'not structured' }),
		]);
		expect(saidOf([result('not structured')], entries)).toEqual([]);
	});

	test('a name that is not in it is said, and one that leads further down is found', () => {
		const misspelt = { ...entries, contentList: 'ofers' };
		expect(rowsOf(job, product, misspelt)).toEqual([
			expect.objectContaining({ offers: expect.any(Array) }),
		]);
		expect(saidOf([product], misspelt)).toEqual(unclear('offers'));
		const nested = result({ name: 'Tea', by: { used: [{ price: '1' }, { price: '2' }] } });
		const rows = rowsOf(job, nested, { ...entries, contentList: 'by.used' });
		expect(rows).toEqual([
			expect.objectContaining({ name: 'Tea', price: '1' }),
			expect.objectContaining({ name: 'Tea', price: '2' }),
		]);
	});

	test('what stands beside an empty list stays in the row', () => {
		expect(rowsOf(job, result({ offers: [], buybox: { min_price: '9' } }), entries)).toEqual([
			expect.objectContaining({ buybox: { min_price: '9' } }),
		]);
	});

	test('a word for success that nobody knows is shown', () => {
		const odd: Result = { ...product, success_as_given: 'partly' };
		expect(rowsOf(job, odd, choice)).toEqual([expect.objectContaining({ success_as_given: 'partly' })]);
		expect(rowsOf(job, product, choice)[0]).not.toHaveProperty('success_as_given');
	});
});

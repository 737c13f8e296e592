import type { Client } from './support.ts';
import { fromXml, startStill } from './support.ts';

const GTIN = '0885909666966';

interface ResultFields {
	query: Record<string, unknown>;
	success: boolean;
	reason?: string;
	metadata: Record<string, unknown>;
	content: Record<string, unknown> | unknown[] | null;
}

describe('results', () => {
	let client: Client;

	beforeEach(async () => {
		client = await startStill();
	});
	afterEach(() => client.sandbox.close());

	const results = async (more: object) => (await client.results({ ...more })) as unknown as ResultFields[];
	const one = async (more: object) => (await results(more))[0] as ResultFields;

	it('give the documented sample for a search at the test source', async () => {
		const id = await client.finished({
			source: 'test',
			country: 'us',
			topic: 'search_results',
			key: 'gtin',
			value: GTIN,
		});
		const { json } = await client.send(`/v2/jobs/${id}/download`);
		expect(json).toEqual({
			job_id: id,
			status: 'finished',
			free_credits: 2,
			paid_credits: 0,
			results: [
				{
					query: {
						source: 'test',
						country: 'us',
						topic: 'search_results',
						key: 'gtin',
						value: `0${GTIN}`,
						max_pages: 1,
						max_age: 1200,
						sort_by: 'ranking_descending',
						condition: 'any',
						shipping: 'any',
					},
					success: true,
					metadata: {
						from_cache: false,
						page_count_delivered: 2,
						page_count_from_cache: 0,
						page_count_live: 2,
						request_count: 3,
						updated_at: '2026-10-20T12:00:00Z',
					},
					content: {
						search_results: [0, 1].map((index) => ({
							id: `product_${index}`,
							updated_at: '2026-10-20 12:00:00 UTC',
							url: `https://example.test/products/product_${index}`,
							name: `0${GTIN} Result ${index}`,
						})),
					},
				},
			],
		});
		expect(client.sandbox.jobs[0]?.charged).toBe(0);
	});

	it('are the same again for the same value', async () => {
		const order = { topic: 'product_and_offers', source: 'google_shopping', max_age: 0 };
		expect((await one(order)).content).toEqual((await one(order)).content);
	});

	it('show a shopping portal with offers', async () => {
		const { content } = await one({
			topic: 'product_and_offers',
			source: 'google_shopping',
			value: 'many-3',
		});
		expect(content).toMatchObject({ id: expect.stringMatching(/^\d{20}$/), offer_count: 3 });
		expect(content).toHaveProperty('offers.length', 3);
		expect(content).toHaveProperty('offers.0.price', expect.stringMatching(/^\d+\.\d{1,2}$/));
	});

	it('show a marketplace with a buybox, which has a min_price and no price', async () => {
		const { content } = await one({ topic: 'product_and_offers', source: 'amazon' });
		expect(content).toHaveProperty('buybox.min_price');
		expect(content).not.toHaveProperty('buybox.price');
		expect(content).toHaveProperty('offers');
	});

	it.each([
		['reviews', 'id', 'reviews'],
		['bestsellers', 'term', 'bestsellers'],
		['search', 'term', 'search_results'],
		['offers', 'id', 'offers'],
		['product', 'id', 'carousels'],
	])('of %s hold a list', async (topic, key, list) => {
		const { content } = await one({ topic, key, value: 'B000123456' });
		expect(content).toHaveProperty([list], expect.any(Array));
	});

	it('echo an effective query and the topic as told', async () => {
		client.sandbox.setOptions({ topicEcho: { search: 'search_results' } });
		const { query } = await one({ sort_by: 'price_ascending', condition: 'new' });
		expect(query).toMatchObject({
			topic: 'search_results',
			sort_by: 'price_ascending',
			condition: 'new',
			shipping: 'any',
		});
	});

	it.each([
		['padded', `0${GTIN}`],
		['stripped', GTIN.slice(1)],
		['asSent', GTIN],
	] as const)('echo a GTIN %s', async (gtinEcho, expected) => {
		client.sandbox.setOptions({ gtinEcho });
		expect((await one({ key: 'gtin', value: GTIN })).query.value).toBe(expected);
	});

	it.each([
		['notfound', {}, { success: true, content: null }],
		['notfound-empty', {}, { success: true, content: [] }],
		['notfound-list', {}, { success: true, content: { search_results: [] } }],
		['notfound-reason', {}, { success: false, reason: 'not found', content: null }],
		['notfound', { notFoundContent: 'emptyArray' }, { success: true, content: [] }],
		['fail', {}, { success: false, reason: 'failed to access source', content: null }],
		['fail-source-timed-out', {}, { success: false, reason: 'source timed out', content: null }],
		['invalid', {}, { success: false, reason: 'invalid value', content: null }],
	] as const)('end as the value %s asks for', async (value, options, expected) => {
		client.sandbox.setOptions(options);
		expect(await one({ value })).toMatchObject(expected);
	});

	it.each([
		['2404123456789', { success: true, content: null }],
		['2500123456789', { success: false, reason: 'failed to access source' }],
		['2422123456789', { success: false, reason: 'invalid value' }],
	])('end as the GTIN %s asks for', async (value, expected) => {
		expect(await one({ key: 'gtin', value })).toMatchObject(expected);
	});

	it('fail an invalid GTIN by itself when told to', async () => {
		client.sandbox.setOptions({ invalidValues: 'result', gtinValidation: 'checkDigit' });
		const list = await results({ key: 'gtin', value: undefined, values: [GTIN, '4006381333932', 'abc'] });
		expect(list.map(({ success, reason }) => reason ?? success)).toEqual([
			true,
			'invalid value',
			'invalid value',
		]);
	});

	it('come in another order when told to', async () => {
		client.sandbox.setOptions({ resultsOrder: 'reversed' });
		const values = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
		const order = async () =>
			(await results({ value: undefined, values })).map(({ query }) => query.value);
		expect(await order()).toEqual(values.toReversed());
		client.sandbox.setOptions({ resultsOrder: 'shuffled' });
		const shuffled = await order();
		expect(shuffled).not.toEqual(values);
		expect(shuffled.toSorted()).toEqual(values);
	});

	it('come from the cache when they are young enough', async () => {
		await one({});
		client.sandbox.advance(3_600_000);
		const young = await one({});
		expect(young.metadata).toMatchObject({
			from_cache: true,
			page_count_live: 0,
			updated_at: '2026-10-20T12:00:00Z',
		});
		const fresh = await one({ max_age: 59 });
		expect(fresh.metadata).toMatchObject({ from_cache: false, updated_at: '2026-10-20T13:00:00Z' });
	});

	it('carry a tag and the pages asked for when told to', async () => {
		client.sandbox.setOptions({ metadataExtras: true });
		const { metadata } = await one({ max_pages: 4 });
		expect(metadata).toMatchObject({ page_count_requested: 4, tag: '2026_10_20-12_00_00' });
	});

	it('survive nulls, awkward text and any topic in JSON and XML alike', async () => {
		const values = ['nulls', 'awkward', 'plain', 'notfound', 'notfound-list', 'fail', '007'];
		const topics = [
			'product_and_offers',
			'search',
			'product_and_offers',
			'reviews',
			'bestsellers',
			'product',
		];
		const keys = ['term', 'term', 'id', 'id', 'id', 'id'];
		for (const [index, topic] of topics.entries()) {
			for (const source of ['amazon', 'google_shopping', 'test']) {
				const order = { topic, source, key: keys[index], value: undefined, values };
				const id = await client.finished(order);
				const { json } = await client.send(`/v2/jobs/${id}/download`);
				const xml = await client.send(`/v2/jobs/${id}/download.xml`);
				expect(fromXml(xml.text)).toEqual(json);
			}
		}
	});
});

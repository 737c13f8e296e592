import { EXACT_NUMBERS } from './content/shapes.ts';
import type { SandboxOptions } from './options.ts';
import type { Client } from './support.ts';
import { fromXml, startStill } from './support.ts';

type Fields = Record<string, unknown>;

describe('the shape of results', () => {
	let client: Client;

	beforeEach(async () => {
		client = await startStill();
	});
	afterEach(() => client.sandbox.close());

	const results = (changes: Partial<SandboxOptions>, more: object = {}): Promise<Fields[]> => {
		client.sandbox.setOptions(changes);
		return client.results({ topic: 'product_and_offers', source: 'google_shopping', ...more });
	};
	const first = async (changes: Partial<SandboxOptions>, more: object = {}) =>
		(await results(changes, more))[0] as Fields;
	const content = async (changes: Partial<SandboxOptions>, more: object = {}) =>
		(await first(changes, { value: 'many-6', ...more })).content as Fields;

	it.each<[Partial<SandboxOptions>, string, unknown]>([
		[{ resultQuery: 'emptyList' }, 'query', []],
		[{ resultQuery: 'null' }, 'query', null],
		[{ resultQuery: 'absent' }, 'query', undefined],
		[{ resultMetadata: 'emptyList' }, 'metadata', []],
		[{ resultSuccess: 'text' }, 'success', 'true'],
		[{ resultSuccess: 'number' }, 'success', 1],
		[{ resultSuccess: 'null' }, 'success', null],
		[{ resultSuccess: 'absent' }, 'success', undefined],
	])('%j', async (changes, field, expected) => {
		const result = await first(changes);
		expect(result[field]).toEqual(expected);
		expect(field in result).toBe(expected !== undefined);
	});

	it.each<[SandboxOptions['resultReason'], unknown]>([
		['text', 'failed to access source'],
		['list', ['failed to access source']],
		['object', { code: 17, message: 'failed to access source' }],
	])('says the reason as %s', async (resultReason, expected) => {
		expect((await first({ resultReason }, { value: 'fail' })).reason).toEqual(expected);
	});

	it('has one odd result among good ones when told to', async () => {
		const list = await results(
			{ resultQuery: 'emptyList', oddResults: 'second' },
			{ value: undefined, values: ['a', 'b', 'c'] },
		);
		expect(list.map(({ query }) => (query as Fields).value)).toEqual(['a', undefined, 'c']);
		expect(list[1]?.query).toEqual([]);
	});

	it.each<[SandboxOptions['valueEcho'], object]>([
		['asSent', { key: 'term', value: 'Crème-Brûlée, Ø 8' }],
		['lowerCase', { key: 'term', value: 'crème-brûlée, ø 8' }],
		['plain', { key: 'term', value: 'creme brulee ø 8' }],
		['padded', { key: 'term', value: ' Crème-Brûlée, Ø 8 ' }],
		['underKey', { term: 'Crème-Brûlée, Ø 8' }],
		['nothing', {}],
	])('echoes a value %s', async (valueEcho, expected) => {
		const query = (await first({ valueEcho }, { value: 'Crème-Brûlée, Ø 8' })).query as Fields;
		const { key, value, term } = query;
		expect(JSON.parse(JSON.stringify({ key, value, term }))).toEqual(
			valueEcho === 'underKey' ? { ...expected } : expected,
		);
	});

	it('has results that nobody asked for, and tells tests what is true', async () => {
		client.sandbox.setOptions({ extraResults: 2, valueEcho: 'nothing', resultMetadata: 'null' });
		const id = await client.finished();
		const { json } = await client.send(`/v2/jobs/${id}/download`);
		expect(json.results).toHaveLength(3);
		expect(client.sandbox.resultsOf(id)).toMatchObject([
			{ query: { key: 'term', value: 'kettle' }, metadata: { request_count: 2 } },
			{ query: { value: 'unasked-1' } },
			{ query: { value: 'unasked-2' } },
		]);
		expect(client.sandbox.resultsOf('none')).toEqual([]);
	});

	it('puts lists one level deeper, in groups, or beside a second one', async () => {
		expect(await content({ contentShape: 'listInObject' })).toMatchObject({
			name: expect.any(String),
			list: { total: 6, items: expect.any(Array) },
		});
		const { offers } = await content({ contentShape: 'groupedLists' });
		expect([(offers as Fields).new, (offers as Fields).used]).toMatchObject([
			{ length: 3 },
			{ length: 3 },
		]);
		expect(await content({ contentShape: 'twoLists' })).toMatchObject({
			comments: { length: 6 },
			histogram: [{ stars: 5, count: 15 }, {}, {}, {}, {}],
		});
	});

	it('can be a mere text', async () => {
		expect(await content({ contentShape: 'text' })).toMatch(/^Collected: /);
	});

	it('writes numbers that no double can hold, in JSON and XML', async () => {
		client.sandbox.setOptions({ contentShape: 'exactNumbers' });
		const id = await client.finished({ topic: 'product_and_offers' });
		const json = (await client.send(`/v2/jobs/${id}/download`)).text;
		const xml = (await client.send(`/v2/jobs/${id}/download.xml`)).text;
		for (const [name, digits] of Object.entries(EXACT_NUMBERS)) {
			expect(json).toContain(`"${name}":${digits}`);
			expect(xml).toContain(`>${digits}</${name.replace('_', '-')}>`);
		}
	});

	it('makes offers hard to compare', async () => {
		const { offers } = await content({
			offerTraits: ['used', 'nullPrices', 'mixedCurrencies', 'unknownShipping', 'ownShop'],
		});
		const seen = (offers as Fields[]).map((offer) => [
			offer.price,
			offer.currency,
			offer.shipping_costs,
			offer.condition_code === 'used',
			offer.shop_name === 'My Own Shop',
		]);
		const text = expect.any(String) as string;
		expect(seen).toEqual([
			[null, 'EUR', text, false, false],
			['0.50', 'USD', '0.0', true, true],
			[text, 'GBP', text, false, false],
			[null, 'EUR', '0.0', true, false],
			[text, 'USD', text, false, false],
			['1.05', 'GBP', null, true, false],
		]);
	});

	it('has a buybox without offers, or a mere price', async () => {
		const buybox = await content({ productContent: 'buyboxOnly' });
		expect(buybox).toMatchObject({ buybox: { min_price: expect.any(String) }, offers: [] });
		const price = await content({ productContent: 'priceOnly' });
		expect(price).toMatchObject({ price: expect.any(String) });
		expect(price).not.toHaveProperty('offers');
	});

	it.each([
		['offers', ['offer']],
		['clusters', ['offer_cluster']],
		['products', ['product']],
	] as const)('has only %s among the hits of a search', async (searchHits, expected) => {
		const { search_results: hits } = await content({ searchHits }, { topic: 'search' });
		expect([...new Set((hits as Fields[]).map(({ type }) => type))]).toEqual(expected);
		const price = searchHits === 'offers' ? 'price' : 'min_price';
		expect((hits as Fields[]).every((hit) => typeof hit[price] === 'string')).toBe(true);
	});

	it('says the same in JSON and XML, whatever is odd', async () => {
		const shapes: Array<Partial<SandboxOptions>> = [
			{ resultQuery: 'absent', resultMetadata: 'null', resultReason: 'list' },
			{ contentShape: 'groupedLists', offerTraits: ['nullPrices'], valueEcho: 'underKey' },
			{ contentShape: 'twoLists', resultSuccess: 'number', productContent: 'buyboxOnly' },
		];
		for (const changes of shapes) {
			client.sandbox.setOptions(changes);
			const id = await client.finished({
				topic: 'product_and_offers',
				value: undefined,
				values: ['many-3', 'fail', 'notfound'],
			});
			const { json } = await client.send(`/v2/jobs/${id}/download`);
			expect(fromXml((await client.send(`/v2/jobs/${id}/download.xml`)).text)).toEqual(json);
		}
	});
});

import sample from '../fixtures/service/download_v2_test_search_results.json';
import { EXACT_NUMBERS } from './content/shapes.ts';
import { CHOICES } from './options.ts';
import type { SandboxOptions } from './options.ts';
import { fromXml, useStill } from './support.ts';
import type { Fields } from './support.ts';

type Options = Partial<SandboxOptions>;

const client = useStill();
const set = (options: Options) => client.sandbox.setOptions(options);
const results = (options: Options, more: Fields = {}) => {
	set(options);
	return client.results({ topic: 'product_and_offers', source: 'google_shopping', ...more });
};
const first = async (options: Options, more: Fields = {}) => (await results(options, more))[0] ?? {};
const content = async (options: Options, more: Fields = {}) =>
	(await first(options, { value: 'many-6', ...more })).content as Fields;

test('the example of the document is what the test source gives, but for its times', async () => {
	set({ metadataExtras: true });
	const timeless = (value: unknown) =>
		JSON.parse(JSON.stringify(value).replace(/"(updated_at|tag)":"[^"]*"/g, '"$1":"?"')) as Fields;
	const query = sample.results[0]?.query ?? {};
	const id = await client.finished(query);
	const { json, text } = await client.send(`/v2/jobs/${id}/download`);
	expect(timeless(json)).toMatchObject(timeless({ ...sample, job_id: id }));
	expect(Object.keys(json)).toEqual(Object.keys(sample));
	expect(text).toContain('"page_count_requested":1,"tag":"2026_10_20-12_00_00"');
	expect(text).toContain('"updated_at":"2026-10-20T12:00:00Z"');
	expect(client.sandbox.jobs[0]?.charged).toBe(0);
});

test('the same value gives the same again, from the cache where it is young enough', async () => {
	const one = await first({});
	client.sandbox.advance(3_600_000);
	const young = await first({});
	expect(young.content).toEqual(one.content);
	expect(young.metadata).toMatchObject({
		from_cache: true,
		page_count_live: 0,
		updated_at: '2026-10-20T12:00:00Z',
	});
	expect((await first({}, { max_age: 59 })).metadata).toMatchObject({ from_cache: false });
});

test.each<[Fields, Fields]>([
	[{ value: 'many-3' }, { offer_count: 3, offers: { length: 3 }, id: expect.stringMatching(/^\d{20}$/) }],
	[
		{ source: 'amazon' },
		{ buybox: { min_price: expect.stringMatching(/^\d+\.\d{1,2}$/) }, offers: expect.any(Array) },
	],
	[{ topic: 'reviews', key: 'id' }, { reviews: expect.any(Array) }],
	[{ topic: 'bestsellers' }, { bestsellers: expect.any(Array) }],
	[{ topic: 'search' }, { search_results: expect.any(Array) }],
	[{ topic: 'offers', key: 'id' }, { offers: expect.any(Array) }],
	[{ topic: 'product', key: 'id' }, { carousels: [] }],
])('%j has its content', async (more, expected) => {
	expect((await first({}, more)).content).toMatchObject(expected);
});

test.each<[Fields, Options, Fields]>([
	[{ value: 'notfound' }, {}, { success: true, content: null }],
	[{ value: 'notfound' }, { notFoundContent: 'emptyArray' }, { success: true, content: [] }],
	[{ value: 'notfound-list' }, {}, { success: true, content: { offers: [] } }],
	[{ value: 'notfound-reason' }, {}, { success: false, reason: 'not found', content: null }],
	[{ value: 'fail' }, {}, { success: false, reason: 'failed to access source', content: null }],
	[{ value: 'fail-source-timed-out' }, {}, { success: false, reason: 'source timed out' }],
	[{ value: 'invalid' }, {}, { success: false, reason: 'invalid value' }],
	[{ key: 'gtin', value: '2404123456789' }, {}, { success: true, content: null }],
	[{ key: 'gtin', value: '2500123456789' }, {}, { success: false }],
	[{ key: 'gtin', value: '2422123456789' }, {}, { reason: 'invalid value' }],
	[{ value: 'fail' }, { resultReason: 'list' }, { reason: ['failed to access source'] }],
	[
		{ value: 'fail' },
		{ resultReason: 'object' },
		{ reason: { code: 17, message: 'failed to access source' } },
	],
	[{}, { resultQuery: 'emptyList' }, { query: [] }],
	[{}, { resultMetadata: 'null' }, { metadata: null }],
	[{}, { resultSuccess: 'text' }, { success: 'true' }],
	[{}, { resultSuccess: 'number' }, { success: 1 }],
	[{}, { resultSuccess: 'null' }, { success: null }],
	[{}, { resultContent: 'data' }, { data: { name: expect.any(String) } }],
	[{}, { resultContent: 'flat' }, { name: expect.any(String) }],
	[
		{ topic: 'search', condition: 'new' },
		{ topicEcho: { search: 'search_results' } },
		{ query: { topic: 'search_results', condition: 'new', shipping: 'any' } },
	],
	[{ key: 'gtin', value: '0885909666966' }, {}, { query: { value: '00885909666966' } }],
	[{ key: 'gtin', value: '0885909666966' }, { gtinEcho: 'stripped' }, { query: { value: '885909666966' } }],
	[{ key: 'gtin', value: '0885909666966' }, { gtinEcho: 'asSent' }, { query: { value: '0885909666966' } }],
	[{ value: 'Crème-Brûlée, Ø 8' }, { valueEcho: 'lowerCase' }, { query: { value: 'crème-brûlée, ø 8' } }],
	[{ value: 'Crème-Brûlée, Ø 8' }, { valueEcho: 'plain' }, { query: { value: 'creme brulee ø 8' } }],
	[{ value: 'pen' }, { valueEcho: 'padded' }, { query: { value: ' pen ' } }],
	[{ value: 'pen' }, { valueEcho: 'underKey' }, { query: { term: 'pen' } }],
	[
		{ value: 'many-6' },
		{ contentShape: 'listInObject' },
		{ content: { list: { total: 6, items: { length: 6 } } } },
	],
	[
		{ value: 'many-6' },
		{ contentShape: 'groupedLists' },
		{ content: { offers: { new: { length: 3 }, used: { length: 3 } } } },
	],
	[
		{ value: 'many-6' },
		{ contentShape: 'twoLists' },
		{ content: { comments: { length: 6 }, histogram: { length: 5 } } },
	],
	[{}, { contentShape: 'text' }, { content: expect.stringMatching(/^Collected: /) }],
	[
		{},
		{ productContent: 'buyboxOnly' },
		{ content: { buybox: { min_price: expect.any(String) }, offers: [] } },
	],
])('%j with %j is %j', async (more, options, expected) => {
	expect(await first(options, more)).toMatchObject(expected);
});

test.each<[Options, string]>([
	[{ resultQuery: 'absent' }, 'query'],
	[{ resultMetadata: 'absent' }, 'metadata'],
	[{ resultSuccess: 'absent' }, 'success'],
	[{ valueEcho: 'nothing' }, 'query.value'],
	[{ productContent: 'priceOnly' }, 'content.offers'],
])('%j leaves out %s', async (options, field) => {
	expect(await first({})).toHaveProperty(field);
	expect(await first(options)).not.toHaveProperty(field);
});

test('oddities are those of every result, or of the second one', async () => {
	const list = await results(
		{ resultQuery: 'emptyList', oddResults: 'second' },
		{ values: ['a', 'b', 'c'] },
	);
	expect(list.map(({ query }) => (query as Fields).value)).toEqual(['a', undefined, 'c']);
});

test('results come in any order, some that nobody asked for, and tests are told what is true', async () => {
	const values = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
	const order = async (options: Options) =>
		(await results(options, { values })).map(({ query }) => (query as Fields).value);
	expect(await order({ resultsOrder: 'reversed' })).toEqual(values.toReversed());
	const shuffled = await order({ resultsOrder: 'shuffled', extraResults: 2 });
	expect(shuffled).not.toEqual([...values, 'unasked-1', 'unasked-2']);
	expect(shuffled.toSorted()).toEqual([...values, 'unasked-1', 'unasked-2']);
	set({ valueEcho: 'nothing', resultMetadata: 'null' });
	const told = client.sandbox.resultsOf(client.sandbox.jobs[1]?.job_id ?? '');
	expect(told.map(({ query }) => query.value)).toEqual(shuffled);
	expect(told[0]?.metadata).toMatchObject({ request_count: 2 });
	expect(client.sandbox.resultsOf('none')).toEqual([]);
});

test('offers can be hard to compare', async () => {
	const { offers } = await content({
		offerTraits: ['used', 'nullPrices', 'mixedCurrencies', 'unknownShipping', 'ownShop'],
	});
	const seen = (offers as Fields[]).map(
		({ price, currency, shipping_costs, condition_code, shop_name }) => [
			price,
			currency,
			shipping_costs,
			condition_code === 'used',
			shop_name === 'My Own Shop',
		],
	);
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

test.each([
	['offers', 'offer', 'price'],
	['clusters', 'offer_cluster', 'min_price'],
	['products', 'product', 'min_price'],
] as const)('the hits of a search are all %s', async (searchHits, type, price) => {
	const { search_results: hits } = await content({ searchHits }, { topic: 'search' });
	for (const hit of hits as Fields[]) expect(hit).toMatchObject({ type, [price]: expect.any(String) });
	expect(hits).toHaveLength(6);
});

test('a file grows to the size that a value asks for', async () => {
	const id = await client.finished({ value: 'megabytes-2' });
	for (const suffix of ['', '.xml']) {
		const { text } = await client.send(`/v2/jobs/${id}/download${suffix}`);
		expect(text.length).toBeGreaterThan(1_900_000);
		const { results: list } = (suffix === '' ? JSON.parse(text) : fromXml(text)) as { results: Fields[] };
		const values = list.map(({ query }) => (query as Fields).value);
		expect(new Set(values).size).toBe(values.length);
	}
});

describe('XML', () => {
	const ODD = ['nulls', 'awkward', 'many-2', 'notfound', 'notfound-list', 'fail', '007'];
	const both = async (id: string) => {
		const { json } = await client.send(`/v2/jobs/${id}/download`);
		return [fromXml((await client.send(`/v2/jobs/${id}/download.xml`)).text), json];
	};

	it.each(['product_and_offers', 'search', 'reviews', 'bestsellers', 'product'])(
		'says of %s what JSON says',
		async (topic) => {
			const key = ['reviews', 'product'].includes(topic) ? 'id' : 'term';
			for (const source of ['amazon', 'google_shopping', 'test']) {
				const [xml, json] = await both(await client.finished({ topic, source, key, values: ODD }));
				expect(xml).toEqual(json);
			}
		},
	);

	const SHAPES = [
		'resultQuery',
		'resultMetadata',
		'resultReason',
		'resultContent',
		'contentShape',
		'valueEcho',
		'envelope',
		'envelopeFlag',
	] as const;
	it.each(SHAPES.flatMap((name) => CHOICES[name].map((choice) => [name, choice])))(
		'with %s %s says what JSON says',
		async (name, choice) => {
			set({ [name]: choice });
			const [xml, json] = await both(
				await client.finished({
					topic: 'product_and_offers',
					values: ['many-3', 'fail', 'notfound'],
				}),
			);
			if (choice === 'exactNumbers' || choice === 'successText')
				expect(JSON.stringify(xml).length).toBeGreaterThan(100);
			else expect(xml).toEqual(json);
		},
	);

	it('and JSON hold numbers that no double can', async () => {
		set({ contentShape: 'exactNumbers' });
		const id = await client.finished({ topic: 'product_and_offers' });
		const json = (await client.send(`/v2/jobs/${id}/download`)).text;
		const xml = (await client.send(`/v2/jobs/${id}/download.xml`)).text;
		for (const [name, digits] of Object.entries(EXACT_NUMBERS)) {
			expect(json).toContain(`"${name}":${digits}`);
			expect(xml).toContain(`>${digits}</${name.replace('_', '-')}>`);
		}
		expect(client.sandbox.resultsOf(id)[0]?.content).toMatchObject(EXACT_NUMBERS);
	});

	const file = async (options: Options) => {
		const id = await client.finished({
			topic: 'product_and_offers',
			source: 'google_shopping',
			values: ODD,
		});
		set({ xmlIndent: false, ...options });
		const answer = await fetch(
			`${client.sandbox.url}/v2/jobs/${id}/download.xml?token=${client.sandbox.apiKey}`,
		);
		const { json } = await client.send(`/v2/jobs/${id}/download`);
		return {
			type: answer.headers.get('content-type'),
			body: Buffer.from(await answer.arrayBuffer()),
			json,
		};
	};

	it.each<[Options, RegExp[], RegExp?]>([
		[
			{},
			[
				/^<\?xml version="1.0" encoding="UTF-8"\?>\n<hash>/,
				/<status type="symbol">/,
				/<max-pages type="integer">/,
				/<offers type="array"><offer><id>/,
				/<image-url nil="true"\/>/,
			],
		],
		[{ xmlTypes: 'results' }, [/<results type="array"/], /type="(?!array)/],
		[{ xmlTypes: 'none' }, [/<offers><offer><id>/], / type=/],
		[{ xmlNil: 'iNil' }, [/<image-url i:nil="true"\/>/, /xmlns:i=/]],
		[{ xmlNil: 'upperCase' }, [/<image-url nil="TRUE"\/>/]],
		[{ xmlNil: 'empty' }, [/<image-url\/>/], /nil=/],
		[{ xmlNil: 'absent' }, [/<feature-bullets type="array"\/>/], /nil=|<image-url\/>/],
		[
			{ xmlEntries: 'attributes' },
			[/<offer id="\d{20}" product-id="\d{20}" price="\d+\.\d+"/, /<result><query><source>/],
		],
		[
			{ xmlEntries: 'currencyOnPrice' },
			[/<price currency="EUR">\d+\.\d+<\/price>/],
			/<offer>.*<currency>.*<\/offer>/,
		],
		[{ xmlMixedText: true }, [/<name>[^<]+<b>[^<]+<\/b>[^<]*<\/name>/]],
		[{ xmlNamespace: 'default' }, [/<hash xmlns="https:[^"]+"><job-id>/]],
		[{ xmlNamespace: 'prefixed' }, [/<pc:hash xmlns:pc="https:[^"]+"><pc:job-id>/]],
		[{ xmlDeclaration: 'afterBlankLine' }, [/^\n<\?xml /]],
		[{ xmlDeclaration: 'none' }, [/^<hash>/]],
		[{ xmlRoot: 'results' }, [/^<\?xml[^>]+>\n<results type="array"><result><query>/]],
		[{ xmlIndent: true }, [/\n {2,}<job-id>/]],
	])('is written with %j', async (options, expected, never) => {
		const text = (await file(options)).body.toString();
		for (const pattern of expected) expect(text).toMatch(pattern);
		if (never) expect(text).not.toMatch(never);
	});

	it.each<[SandboxOptions['xmlEncoding'], string, string, string]>([
		['utf8', 'utf-8', 'UTF-8', '3c3f786d6c'],
		['utf8Bom', 'utf-8', 'UTF-8', 'efbbbf3c3f'],
		['latin1', 'iso-8859-1', 'ISO-8859-1', '3c3f786d6c'],
		['utf16le', 'utf-16le', 'UTF-16', '3c003f0078'],
		['utf16leBom', 'utf-16le', 'UTF-16', 'fffe3c003f'],
		['utf16be', 'utf-16be', 'UTF-16', '003c003f00'],
		['utf16beBom', 'utf-16be', 'UTF-16', 'feff003c00'],
	])('is encoded in %s', async (xmlEncoding, decoder, name, start) => {
		const { body, type, json } = await file({ xmlEncoding });
		expect([body.subarray(0, 5).toString('hex'), type]).toEqual([
			start,
			`application/xml; charset=${name.toLowerCase()}`,
		]);
		const written = new TextDecoder(decoder).decode(body);
		expect(written).toContain(`encoding="${name}"`);
		expect(fromXml(written)).toEqual(json);
		expect((await file({ charset: 'omitted' })).type).toBe('application/xml');
	});

	it('is that of lists, usage and refusals as well', async () => {
		const id = await client.finished();
		for (const path of [`/v2/jobs/${id}`, '/v2/jobs', '/v2/me/usage_month'])
			expect(fromXml((await client.send(`${path}.xml`)).text)).toEqual((await client.send(path)).json);
		expect((await client.send('/v2/jobs.xml')).text).toMatch(/<data type="array">\s*<datum>/);
		set({ listShape: 'array', xmlIndent: false });
		expect((await client.send('/v2/jobs.xml')).text).toContain('<jobs type="array"><job><job-id>');
		const refused = await client.send('/v2/jobs.xml', { token: false });
		expect(fromXml(refused.text)).toMatchObject({ success: false, reason: 'unauthorized' });
	});
});

import type { Client } from './support.ts';
import { order, startStill } from './support.ts';

describe('creating jobs', () => {
	let client: Client;

	beforeEach(async () => {
		client = await startStill();
	});
	afterEach(() => client.sandbox.close());

	const reasonOf = async (more: object) => {
		const { status, json } = await client.create({ ...more });
		return [status, json.reason, json.parameter];
	};
	const form = (body: URLSearchParams) =>
		client.send('/v2/jobs', {
			method: 'POST',
			headers: { 'content-type': 'application/x-www-form-urlencoded' },
			body: body.toString(),
		});

	it('reads the same order from JSON, a form and the query', async () => {
		const fields = new URLSearchParams({ ...(order() as Record<string, string>), max_pages: '3' });
		await client.create({ max_pages: 3 });
		await form(fields);
		await client.send(`/v2/jobs?${fields.toString()}`, { method: 'POST' });
		const [first, ...others] = client.sandbox.jobs;
		expect(first?.parameters.max_pages).toBe(3);
		expect(others).toEqual([
			{ ...first, job_id: expect.any(String) },
			{ ...first, job_id: expect.any(String) },
		]);
	});

	it.each(['json', 'form', 'query'] as const)(
		'sees nothing but %s when only that is on',
		async (encoding) => {
			client.sandbox.setOptions({ bodyEncodings: [encoding] });
			const fields = new URLSearchParams(order() as Record<string, string>);
			const statuses = {
				json: (await client.create()).status,
				form: (await form(fields)).status,
				query: (await client.send(`/v2/jobs?${fields.toString()}`, { method: 'POST' })).status,
			};
			expect(statuses).toEqual({ json: 400, form: 400, query: 400, [encoding]: 200 });
		},
	);

	it('says which parameter is missing, in the words of the sample', async () => {
		const { status, json } = await client.create({ key: undefined });
		expect([status, json]).toEqual([
			400,
			{
				success: false,
				reason: 'missing parameter',
				parameter: 'key',
				comment: "Provide the mandatory parameter 'key'!",
			},
		]);
		for (const name of ['topic', 'source', 'country', 'value']) {
			expect(await reasonOf({ [name]: undefined })).toEqual([400, 'missing parameter', name]);
		}
	});

	it.each([
		['an unknown topic', { topic: 'prices' }, [400, 'parameter value invalid', 'topic']],
		['an unknown source', { source: 'shop' }, [400, 'unknown source', 'source']],
		['a source in the old spelling', { source: 'google-shopping' }, [400, 'unknown source', 'source']],
		['uk', { country: 'uk' }, [400, 'unsupported country', 'country']],
		['upper-case countries', { country: 'DE' }, [400, 'unsupported country', 'country']],
		[
			'a country the source does not have',
			{ source: 'idealo', country: 'us' },
			[400, 'unsupported country', 'country'],
		],
		['a key of another topic', { topic: 'reviews' }, [400, 'unsupported key', 'key']],
		['an unknown key', { key: 'asin' }, [400, 'unsupported key', 'key']],
		['an unknown parameter', { source_id: '1' }, [400, 'unknown parameter', 'source_id']],
		['pages that are no number', { max_pages: 'many' }, [400, 'parameter value invalid', 'max_pages']],
		['a timeout of nothing', { timeout: 0 }, [400, 'parameter value invalid', 'timeout']],
		['an age that is no time', { max_age: 'old' }, [400, 'parameter value invalid', 'max_age']],
		[
			'a callback that is no address',
			{ webhook_url: 'ftp://x' },
			[400, 'parameter value invalid', 'webhook_url'],
		],
		['a GTIN of 15 digits', { key: 'gtin', value: '1'.repeat(15) }, [400, 'invalid value', 'value']],
		['a disabled value', { value: 'disabled' }, [403, 'value disabled', 'value']],
		['a value without a product', { value: 'noproduct' }, [400, 'no product found', 'value']],
		['values that are no text', { values: [{}] }, [400, 'parameter value invalid', 'values']],
	])('refuses %s', async (_name, more, expected) => {
		expect(await reasonOf(more)).toEqual(expected);
	});

	it('takes gb, an ISO 8601 age and numbers as text', async () => {
		expect(
			(await client.create({ country: 'gb', max_age: 'PT15M', max_pages: '2', timeout: '5' })).status,
		).toBe(200);
		expect(client.sandbox.jobs[0]).toMatchObject({
			parameters: { max_age: 'PT15M', max_pages: 2 },
			timeoutMinutes: 5,
		});
	});

	it('takes id and term as parameters of their own', async () => {
		await client.create({ topic: 'product_and_offers', key: undefined, value: undefined, id: 'B01' });
		await client.create({ key: undefined, value: undefined, term: 'pot' });
		expect(client.sandbox.jobs.map(({ key, values }) => [key, values])).toEqual([
			['id', ['B01']],
			['term', ['pot']],
		]);
	});

	it('takes 1,000 values and no more', async () => {
		const values = Array.from({ length: 1000 }, (_, index) => `v${index}`);
		expect((await client.create({ value: undefined, values })).json.requested).toBe(1000);
		const more = [...values, 'one more'].join('\n');
		expect(await reasonOf({ value: undefined, values: more })).toEqual([
			400,
			'too many values',
			'values',
		]);
	});

	it.each([
		['value', { values: 'a\nb', value: undefined }, 'value'],
		['values', { value: 'a' }, 'values'],
	] as const)('takes only %s when told to', async (lookupValues, other, missing) => {
		client.sandbox.setOptions({ lookupValues });
		expect(await reasonOf(other)).toEqual([400, 'missing parameter', missing]);
		expect((await client.create({ value: 'a', values: ['a'] })).status).toBe(200);
	});

	it('takes values as text, as a list, and as a form list', async () => {
		await client.create({ value: undefined, values: 'a\r\nb\n\n' });
		await client.create({ value: undefined, values: ['a', 'b'] });
		const fields = new URLSearchParams({ ...(order() as Record<string, string>), 'values[]': 'a' });
		fields.append('values[]', 'b');
		await form(fields);
		expect(client.sandbox.jobs.map(({ values }) => values)).toEqual([
			['a', 'b'],
			['a', 'b'],
			['a', 'b'],
		]);
		client.sandbox.setOptions({ valuesForms: ['string'] });
		expect(await reasonOf({ values: ['a'] })).toEqual([400, 'parameter value invalid', 'values']);
		client.sandbox.setOptions({ valuesForms: ['array'] });
		expect(await reasonOf({ values: 'a' })).toEqual([400, 'parameter value invalid', 'values']);
	});

	it('ignores what it does not know, and takes more keys and spellings, when told to', async () => {
		client.sandbox.setOptions({
			unknownParameters: 'ignore',
			extraKeys: ['asin'],
			acceptHyphenSources: true,
		});
		expect(
			(await client.create({ key: 'asin', source: 'google-shopping', currentness: 'realtime' })).status,
		).toBe(200);
		expect(client.sandbox.jobs[0]).toMatchObject({
			source: 'google_shopping',
			parameters: { currentness: 'realtime' },
		});
	});

	it('can have a source and a key out of order', async () => {
		client.sandbox.setOptions({ disabledSources: ['ebay'], disabledKeys: ['term'] });
		expect(await reasonOf({ source: 'ebay' })).toEqual([403, 'source disabled', 'source']);
		expect(await reasonOf({})).toEqual([403, 'key disabled', 'key']);
	});

	it('refuses a body that is no JSON object', async () => {
		const headers = { 'content-type': 'application/json' };
		for (const body of ['{"topic":', '[1]']) {
			const { status, json } = await client.send('/v2/jobs', { method: 'POST', headers, body });
			expect([status, json.reason]).toEqual([400, 'invalid request body']);
		}
	});
});

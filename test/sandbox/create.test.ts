import missingParameter from '../fixtures/service/error_missing_parameter.json';
import unauthorized from '../fixtures/service/error_unauthorized.json';
import type { SandboxOptions } from './options.ts';
import { ORDER, useStill } from './support.ts';
import type { Answer, Fields } from './support.ts';

const client = useStill();
const set = (options: Partial<SandboxOptions>) => client.sandbox.setOptions(options);
const formType = { 'content-type': 'application/x-www-form-urlencoded' };
const form = (body: URLSearchParams) =>
	client.send('/v2/jobs', { method: 'POST', headers: formType, body: body.toString() });
const ASKED = new URLSearchParams(ORDER as Record<string, string>);

test('the same order is read from JSON, a form and the query', async () => {
	const fields = new URLSearchParams({ ...Object.fromEntries(ASKED), max_pages: '3' });
	await client.create({ max_pages: 3 });
	await form(fields);
	await client.send(`/v2/jobs?${fields.toString()}`, { method: 'POST' });
	const [first, ...others] = client.sandbox.jobs;
	expect(first?.parameters.max_pages).toBe(3);
	expect(others).toEqual(others.map(({ job_id }) => ({ ...first, job_id })));
	expect(others).toHaveLength(2);
});

test.each(['json', 'form', 'query'] as const)('only %s is seen where only that is on', async (encoding) => {
	set({ bodyEncodings: [encoding] });
	const statuses = {
		json: (await client.create()).status,
		form: (await form(ASKED)).status,
		query: (await client.send(`/v2/jobs?${ASKED.toString()}`, { method: 'POST' })).status,
	};
	expect(statuses).toEqual({ json: 400, form: 400, query: 400, [encoding]: 200 });
});

const basic = `Basic ${Buffer.from('sandbox:sandbox-password').toString('base64')}`;
const WAYS: Record<SandboxOptions['authentication'][number], (key: string) => Promise<Answer>> = {
	query: () => client.send('/v2/jobs'),
	body: (token) =>
		client.send('/v2/jobs', {
			token: false,
			method: 'POST',
			headers: formType,
			body: `${ASKED}&token=${token}`,
		}),
	header: (key) => client.send('/v2/jobs', { token: false, headers: { 'X-API-Key': key } }),
	bearer: (key) => client.send('/v2/jobs', { token: false, headers: { authorization: `Bearer ${key}` } }),
	basic: () => client.send('/v2/jobs', { token: false, headers: { authorization: basic } }),
};
const PLACES = ['query', 'body', 'header', 'bearer', 'basic'] as const;

test.each(PLACES)('the key is taken by %s where that is on, and nowhere else', async (place) => {
	set({ authentication: [place] });
	const statuses = await Promise.all(
		PLACES.map(async (way) => (await WAYS[way](client.sandbox.apiKey)).status),
	);
	expect(statuses).toEqual(PLACES.map((way) => (way === place ? 200 : 401)));
});

test.each(['/v2/jobs', '/v2/jobs/1', '/v2/jobs/1/download', '/v2/me/usage_today', '/v2/me/usage_month'])(
	'%s is refused without a key and with a wrong one, in the words of the document',
	async (path) => {
		for (const token of [false, 'WRONG'] as const) {
			const { status, json } = await client.send(path, { token });
			expect([status, json]).toEqual([401, unauthorized]);
		}
	},
);

test('a missing parameter is named in the words of the document', async () => {
	for (const parameter of ['topic', 'source', 'country', 'key', 'value']) {
		const { status, json } = await client.create({ [parameter]: undefined });
		const words = missingParameter.comment.replace(missingParameter.parameter, parameter);
		expect([status, json]).toEqual([400, { ...missingParameter, parameter, comment: words }]);
	}
});

const INVALID = 'parameter value invalid';
test.each<[Fields, number, string, string]>([
	[{ topic: 'prices' }, 400, INVALID, 'topic'],
	[{ source: 'shop' }, 400, 'unknown source', 'source'],
	[{ source: 'google-shopping' }, 400, 'unknown source', 'source'],
	[{ country: 'uk' }, 400, 'unsupported country', 'country'],
	[{ source: 'idealo', country: 'us' }, 400, 'unsupported country', 'country'],
	[{ topic: 'reviews' }, 400, 'unsupported key', 'key'],
	[{ source_id: '1' }, 400, 'unknown parameter', 'source_id'],
	[{ max_pages: 'many' }, 400, INVALID, 'max_pages'],
	[{ timeout: 0 }, 400, INVALID, 'timeout'],
	[{ max_age: 'old' }, 400, INVALID, 'max_age'],
	[{ webhook_url: 'ftp://x' }, 400, INVALID, 'webhook_url'],
	[{ key: 'gtin', value: '1'.repeat(15) }, 400, 'invalid value', 'value'],
	[{ value: 'disabled' }, 403, 'value disabled', 'value'],
	[{ value: 'noproduct' }, 400, 'no product found', 'value'],
	[{ values: [{}] }, 400, INVALID, 'values'],
	[{ values: 'a\n'.repeat(1001) }, 400, 'too many values', 'values'],
])('%j is refused', async (more, status, reason, parameter) => {
	const answer = await client.create(more);
	expect([answer.status, answer.json]).toMatchObject([status, { reason, parameter }]);
	expect(client.sandbox.jobs).toEqual([]);
});

test('a body that is no JSON object is refused', async () => {
	const headers = { 'content-type': 'application/json' };
	for (const body of ['{"topic":', '[1]']) {
		const { status, json } = await client.send('/v2/jobs', { method: 'POST', headers, body });
		expect([status, json.reason]).toEqual([400, 'invalid request body']);
	}
});

test('values come as text, as a list, as a form list; id and term stand for key and value', async () => {
	await client.create({ values: 'a\r\nb\n\n' });
	await client.create({ values: ['a', 'b'] });
	await form(new URLSearchParams([...ASKED, ['values[]', 'a'], ['values[]', 'b']]));
	await client.create({ topic: 'product_and_offers', key: undefined, value: undefined, id: 'B01' });
	expect(client.sandbox.jobs.map(({ key, values }) => [key, ...values])).toEqual([
		...Array.from({ length: 3 }, () => ['term', 'a', 'b']),
		['id', 'B01'],
	]);
});

test.each([
	['value', { values: 'a\nb' }, 'value'],
	['values', { value: 'a' }, 'values'],
] as const)('only %s is taken where only that is on', async (lookupValues, other, parameter) => {
	set({ lookupValues });
	expect((await client.create(other)).json).toMatchObject({ reason: 'missing parameter', parameter });
	expect((await client.post('/v2/jobs', { ...ORDER, values: ['a'] })).status).toBe(200);
});

test('an ISO 8601 age, numbers as text, and another key where it is offered are taken', async () => {
	set({ extraKeys: ['asin'] });
	await client.create({ key: 'asin', country: 'gb', max_age: 'PT15M', max_pages: '2', timeout: '5' });
	const [job] = client.sandbox.jobs;
	expect(job).toMatchObject({ parameters: { max_age: 'PT15M', max_pages: 2 }, timeoutMinutes: 5 });
});

test.each<[Partial<SandboxOptions>, unknown[]]>([
	[{}, [200, { job_id: 'ID', status: 'new', requested: 1 }]],
	[{ createReply: 'job' }, [200, { job_id: 'ID', country: 'de', topic: 'search', to_be_searched: 1 }]],
	[{ createReply: 'list' }, [200, [{ job_id: 'ID', status: 'new', requested: 1 }]]],
	[{ createReply: 'jobAndCredits' }, [200, { job: { job_id: 'ID' }, credits: 1 }]],
	[{ createReply: 'notSuccess', createStatus: 201 }, [201, { success: false, job_id: 'ID' }]],
	[{ createReply: 'timedOut' }, [408, 'The request took too long']],
	[{ createReply: 'empty', createStatus: 201, createLocation: 'path' }, [201, '', '/v2/jobs/ID']],
	[{ createLocation: 'absolute' }, [200, { job_id: 'ID' }, 'URL/v2/jobs/ID']],
])('%j is a reply to a create that went well', async (options, expected) => {
	set(options);
	const { status, headers, text } = await client.create();
	const [job, ...others] = client.sandbox.jobs;
	const named = (words: string) =>
		words.replace(client.sandbox.url, 'URL').replaceAll(job?.job_id ?? '', 'ID');
	const body: unknown = /^[[{]/.test(text) ? JSON.parse(named(text)) : text;
	const location = named(headers.get('location') ?? '');
	expect([status, body, ...(location === '' ? [] : [location])]).toMatchObject(expected);
	expect(others).toEqual([]);
});

test.each([
	['hex', /^[0-9a-f]{24}$/],
	['uuid', /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/],
	['number', /^\d{20}$/],
	['odd', /^Job\..*~v2_\d+$/],
] as const)('an ID of the kind %s leads back to the job', async (jobIdFormat, expected) => {
	set({ jobIdFormat });
	const id = await client.running();
	expect(id).toMatch(expected);
	expect((await client.send(`/v2/jobs/${encodeURIComponent(id)}`)).json.job_id).toBe(id);
});

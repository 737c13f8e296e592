import { gzipSync } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';

import { failureOf, forJob, itemsOf, runNode, TERM_PARAMETERS, type RunOptions } from './core';
import { binaryContent, errorOf, hints, outputItems } from './harness';
import { usePlainService } from './plainService';

/** Replies of shapes that services of this kind give or may give. */
const service = usePlainService();

const JOB = '/v2/jobs/a';
const RESULT = {
	query: { value: 'pen' },
	success: true,
	content: { name: 'Pen', offers: [{ price: '1.20' }] },
};
const WHOLE = { job_id: 'a', status: 'finished', results: [RESULT] };
const creation = (body: unknown, more = {}) => ({ 'POST /v2/jobs': { body, ...more } });
const CREATE: [INodeParameters, RunOptions] = [TERM_PARAMETERS, { input: [{ term: 'pen' }] }];

describe('a creation', () => {
	test.each<[string, unknown, object, object]>([
		['error: 0 beside the job', { error: 0, data: { job_id: 'a' } }, {}, { job_id: 'a', status: 'new' }],
		[
			'success: false beside the job',
			{ success: false, job_id: 'a', status: 'new' },
			{ status: 201 },
			{ job_id: 'a' },
		],
		['a list of one', [{ job_id: 'a' }], {}, { job_id: 'a', status: 'new' }],
		['siblings of the job', { job: { job_id: 'a' }, credits: 4 }, {}, { job_id: 'a', credits: 4 }],
		[
			'only a Location',
			'',
			{ status: 201, headers: { location: '/v2/jobs/a%2Fb' } },
			{ job_id: 'a/b', status: 'new' },
		],
		[
			'a whole Location and words',
			'{"ok":1}',
			{ status: 201, headers: { location: 'https://x.test/v2/jobs/a?x' } },
			{ job_id: 'a' },
		],
	])('is understood from %s', async (_name, body, more, job) => {
		service.reset(creation(body, more));
		const [item] = await itemsOf(service, ...CREATE);
		expect(item).toMatchObject(job);
		expect(service.requests).toEqual(['POST /v2/jobs']);
	});

	test.each<[string, unknown, object]>([
		['a job beside the ID of the request', { id: 'req-7', job: { id: 'abc' } }, {}],
		['data beside the ID of the request', { id: 'req-7', status: 'success', data: { id: 'abc' } }, {}],
		[
			'an address beside the ID of the request',
			{ id: 'req-7' },
			{ headers: { location: '/v2/jobs/abc' } },
		],
		['its own ID beside another address', { job_id: 'abc' }, { headers: { location: '/v2/jobs/xyz' } }],
		['an envelope of another name', { ticket: { job_id: 'abc', status: 'new' } }, {}],
	])('names the paid job in %s', async (_name, body, more) => {
		service.reset(creation(body, more));
		expect(await itemsOf(service, ...CREATE)).toMatchObject([{ job_id: 'abc' }]);
	});

	test('whose status is a failure is none, whatever else has an ID', async () => {
		const body = { status: 'fail', message: 'Not enough credits', data: { id: '17' } };
		service.reset(creation(body));
		const { description } = await failureOf(service, ...CREATE);
		expect(description).toContain('"Not enough credits"');
	});

	test('that is answered 408 may have taken effect, whatever the words', async () => {
		service.reset({
			...creation({ success: false, reason: 'request timeout' }, { status: 408 }),
			'GET /v2/jobs': { body: [] },
		});
		const { description } = await failureOf(service, ...CREATE);
		expect(description).toContain('It is unclear whether the request took effect');
		expect(description).toContain('"request timeout"');
		expect(service.requests[0]).toBe('POST /v2/jobs');
		expect(service.requests.slice(1).every((one) => one.startsWith('GET /v2/jobs?'))).toBe(true);
	});

	test('without any reply that names a job is not sent again', async () => {
		service.reset({ ...creation('', { status: 201 }), 'GET /v2/jobs': { body: [] } });
		const { description } = await failureOf(service, ...CREATE);
		expect(description).toContain('It is unclear whether the request took effect');
		expect(service.requests.filter((one) => one.startsWith('POST'))).toHaveLength(1);
	});

	test('with a header name that none can have is refused before anything is sent', async () => {
		service.reset(creation({ job_id: 'a' }));
		const credential = { authentication: 'header', headerName: 'X-API-Key:' };
		const { message, description } = await failureOf(service, TERM_PARAMETERS, {
			input: [{ term: 'pen' }],
			credential,
		});
		expect(message).toBe('The key cannot be sent in this way');
		expect(description).toContain('Nothing was sent');
		expect(service.requests).toEqual([]);
	});

	test.each([
		['source not found', 400, 'The service does not know this source'],
		['country not found', 400, 'The service did not accept a value'],
		['not found', 404, 'There is no Price Collection service at this address'],
	])('that is refused with %s (%i): %s', async (reason, status, message) => {
		service.reset(creation({ success: false, reason }, { status }));
		expect((await failureOf(service, ...CREATE)).message).toContain(message);
	});
});

describe('words of a refusal', () => {
	test.each<[string, unknown, string]>([
		['Rails', { errors: { country: ["can't be blank"] } }, "country: can't be blank"],
		[
			'FastAPI',
			{ detail: [{ loc: ['body', 'country'], msg: 'field required' }] },
			'loc: body; loc: country; field required',
		],
		['a code', { code: 1001, msg: 'no such plan' }, 'no such plan'],
		['capital names', { Error: { Message: 'go away' } }, 'go away'],
		['a list', ['first', 'second'], 'first; second'],
		['a text', '"go away"', 'go away'],
		['XML', '<error>go away</error>', 'go away'],
		['a field nobody knows', { grund: 'kein Guthaben' }, 'grund: kein Guthaben'],
		[
			'ASP.NET',
			{ title: 'Invalid', errors: { Country: ['The Country field is required.'] } },
			'Invalid; Country: The Country field is required.',
		],
		[
			'Laravel',
			{ message: 'The data was invalid.', errors: { country: ['Unknown.'] } },
			'The data was invalid. country: Unknown.',
		],
	])('are shown: %s', async (_name, body, words) => {
		service.reset(creation(body, { status: 422 }));
		expect((await failureOf(service, ...CREATE)).description).toContain(`The service says: "${words}"`);
	});

	test.each<[string, unknown, string]>([
		['no words at all', { numbers: [1, 2, 3] }, '{"numbers":[1,2,3]}'],
	])('that cannot be made out are shown as they stand: %s', async (_name, body, beginning) => {
		service.reset(creation(body, { status: 422 }));
		expect((await failureOf(service, ...CREATE)).description).toContain(
			`Its answer begins with: ${beginning}`,
		);
	});

	test.each([
		[401, 'API key expired', 'The service did not accept the key'],
		[400, 'api key not found', 'The service did not accept the key'],
		[403, 'key not found', 'The service did not accept the key'],
		[403, 'subscription expired', 'The plan of the account does not include this'],
		[404, 'job not found', 'The service does not know this job'],
		[410, 'expired', 'The service does not know this job'],
	])('and the status are weighed: %i %s', async (status, reason, message) => {
		service.reset({ [`GET ${JOB}`]: { status, body: { success: false, reason } } });
		expect((await failureOf(service, forJob('get', 'a'))).message).toContain(message);
	});
});

describe('the job of a reply', () => {
	const OTHER = { job_id: 'zz9', status: 'finished', results: [RESULT] };

	test.each<[string, object]>([
		['at its root', OTHER],
		['in an envelope', { status: 'success', data: OTHER }],
		['by another name', { id: 'zz9', status: 'finished', results: [RESULT] }],
	])('is another one %s: its rows are not given', async (_name, body) => {
		service.reset({ [`GET ${JOB}/download`]: { body }, [`GET ${JOB}`]: { body } });
		for (const parameters of [
			forJob('get', 'a'),
			...['results', 'job', 'file'].map((output) => forJob('download', 'a', { output })),
		]) {
			const { description } = await failureOf(service, parameters);
			expect(description).toContain('job "a"');
			expect(description).toContain('job "zz9"');
		}
	});

	test('is another one: a collect names the job that was paid for', async () => {
		service.reset({ ...creation({ job_id: 'a', status: 'new' }), [`GET ${JOB}`]: { body: OTHER } });
		const parameters = { ...TERM_PARAMETERS, operation: 'collect' };
		const { message, description } = await failureOf(service, parameters, { input: [{ term: 'pen' }] });
		expect(`${message} ${description}`).toMatch(/job "?a\b/);
		expect(description).toContain('zz9');
	});

	test('is found in what says success around it, and is over although it has no results', async () => {
		const body = { status: 'success', data: { status: 'finished', results: [] } };
		service.reset({ [`GET ${JOB}/download`]: { body }, [`GET ${JOB}`]: { body } });
		expect(await itemsOf(service, forJob('get', 'a'))).toMatchObject([
			{ job_id: 'a', status: 'finished' },
		]);
		expect(await itemsOf(service, forJob('download', 'a', { output: 'results' }))).toEqual([]);
	});
});

describe('other replies', () => {
	test.each([
		['usage with a number of errors', { success: 120, error: 3 }],
		['usage without any success', { success: 0, error: 0 }],
		['usage that is empty', {}],
	])('%s is an answer', async (_name, body) => {
		service.reset({ 'GET /v2/me/usage_today': { body } });
		expect(await itemsOf(service, { resource: 'usage', operation: 'getToday' })).toEqual([body]);
	});

	test('a status without an ID but with counters is that of the job', async () => {
		service.reset({ [`GET ${JOB}`]: { body: { status: 'working', error: 2 } } });
		expect(await itemsOf(service, forJob('get', 'a'))).toEqual([
			{ job_id: 'a', status: 'working', error: 2 },
		]);
	});

	test('the root that the document shows for XML is read for a job as well', async () => {
		const xml = `<?xml version="1.0"?><results type="array"><result><query><value>pen</value></query>
<success type="boolean">true</success></result></results>`;
		service.reset({ [`GET ${JOB}`]: { body: xml } });
		expect(await itemsOf(service, forJob('get', 'a', { options: { format: 'xml' } }))).toEqual([
			{ job_id: 'a', status: 'finished', results: [{ query: { value: 'pen' }, success: true }] },
		]);
	});

	test('fields called __proto__ are mere fields in whatever place, and none is lost', async () => {
		const odd = '"__proto__":{"status":"odd"}';
		const body = `{${odd},"data":{${odd},"job_id":"a","status":"finished","results":[{${odd},"query":{${odd}},"success":true,"content":{${odd},"offers":[{${odd},"price":"1"}]}}]}}`;
		const list = `{${odd},"data":[{${odd},"job_id":"a","status":"new"}]}`;
		service.reset({
			[`GET ${JOB}`]: { body: `{${odd},"job":{"job_id":"a"},"status":"new"}` },
			[`GET ${JOB}/download`]: { body },
			[`POST ${JOB}/cancel`]: { body: `{${odd}}` },
			'GET /v2/jobs': { body: list },
			'GET /v2/me/usage_today': { body: `{${odd},"credits":1}` },
		});
		const one = async (parameters: INodeParameters) => {
			const [item = {}] = await itemsOf(service, parameters);
			expect([Object.getPrototypeOf(item), ({} as { status?: unknown }).status]).toEqual([
				Object.prototype,
				undefined,
			]);
			return JSON.stringify(item);
		};
		const job = `{${odd},"job_id":"a","status":"`;
		expect(await one(forJob('get', 'a'))).toBe(`${job}new"}`);
		expect(await one({ resource: 'job', operation: 'getAll' })).toBe(`${job}new"}`);
		expect(await one(forJob('cancel', 'a'))).toBe(`{"job_id":"a",${odd}}`);
		expect(await one({ resource: 'usage', operation: 'getToday' })).toBe(`{${odd},"credits":1}`);
		const results = body.slice(body.indexOf('"results"'), -2);
		expect(await one(forJob('download', 'a', { output: 'job' }))).toBe(`${job}finished",${results}}`);
		expect(await one(forJob('download', 'a', { output: 'results' }))).toContain(
			`"content___proto__":{"status":"odd"},"offers":[{${odd},"price":"1"}]`,
		);
		expect(await one(forJob('download', 'a', { output: 'entries' }))).toContain(
			'"content___proto__":{"status":"odd"}',
		);
	});

	test('a cancel of a job that is over in another word is no failure where that is ignored', async () => {
		service.reset({
			[`POST ${JOB}/cancel`]: { status: 409, body: { success: false, reason: 'Job already over' } },
			[`GET ${JOB}`]: { body: { job_id: 'a', status: 'expired' } },
		});
		const options = { ignoreEnded: true };
		expect(await itemsOf(service, forJob('cancel', 'a', { options }))).toEqual([
			{ job_id: 'a', status: 'expired', already_over: true },
		]);
	});

	test("n8n's own token for a waiting execution is not given out", async () => {
		const webhook_url = 'https://n8n.test/webhook-waiting/77/prices?signature=abcdef';
		service.reset({ [`GET ${JOB}`]: { body: { job_id: 'a', status: 'new', webhook_url } } });
		const [item] = await itemsOf(service, forJob('get', 'a'));
		expect(item?.webhook_url).toBe('https://n8n.test/webhook-waiting/77/prices?signature=***');
	});

	test('a key that is an ordinary word leaves the data alone', async () => {
		service.reset({
			[`GET ${JOB}`]: { body: { job_id: 'a', status: 'new', price: 'price of a demo kit' } },
		});
		for (const apiKey of ['price', 'demo', 'status']) {
			expect(await itemsOf(service, forJob('get', 'a'), { credential: { apiKey } })).toEqual([
				{ job_id: 'a', status: 'new', price: 'price of a demo kit' },
			]);
		}
	});

	test('JSON is asked for by its name where a parameter selects the format', async () => {
		service.reset({ [`GET ${JOB}`]: { body: { job_id: 'a', status: 'new' } } });
		const credential = { customizeService: true, formatSelection: 'queryParameter' };
		await itemsOf(service, forJob('get', 'a'), { credential });
		expect(service.requests).toEqual([`GET ${JOB}?format=json`]);
	});
});

describe('results', () => {
	test.each<[string, unknown]>([
		['an empty list', { job_id: 'a', status: 'finished', results: [] }],
		['null', { job_id: 'a', status: 'finished', results: null }],
		['none', { job_id: 'a', status: 'finished' }],
	])('come from the job where the download has %s', async (_name, body) => {
		service.reset({ [`GET ${JOB}/download`]: { body }, [`GET ${JOB}`]: { body: WHOLE } });
		expect(await itemsOf(service, forJob('download', 'a', { output: 'job' }))).toEqual([WHOLE]);
		expect(service.requests).toEqual([`GET ${JOB}/download`, `GET ${JOB}`]);
	});

	test('that are nowhere are none', async () => {
		const body = { job_id: 'a', status: 'finished', results: [] };
		service.reset({
			[`GET ${JOB}/download`]: { body },
			[`GET ${JOB}`]: { body: { status: 'finished' } },
		});
		expect(await itemsOf(service, forJob('download', 'a', { output: 'job' }))).toEqual([body]);
	});

	test.each<[string, unknown]>([
		['in an envelope', { data: { status: 'working', results: [] } }],
		['with some results', { job_id: 'a', status: 'working', results: [RESULT] }],
		['of more than 9 KB', { status: 'working', filler: 'x'.repeat(9_000) }],
		[
			'of more than a megabyte',
			{ status: 'working', filler: 'x'.repeat(2_000_000), list: [[1], [2], [3], [4]] },
		],
	])('of a job that runs are never taken for its results: %s', async (_name, body) => {
		service.reset({ [`GET ${JOB}/download`]: { body }, [`GET ${JOB}`]: { body: { status: 'working' } } });
		for (const output of ['results', 'job', 'file']) {
			const { message } = await failureOf(service, forJob('download', 'a', { output }));
			expect(message).toContain('The job is not finished');
		}
	});

	test('are not what a list of words is', async () => {
		service.reset({
			[`GET ${JOB}/download`]: { body: ['go away'] },
			[`GET ${JOB}`]: { body: WHOLE.job_id },
		});
		for (const output of ['results', 'file']) {
			const { description } = await failureOf(service, forJob('download', 'a', { output }));
			expect(description).toContain('["go away"]');
		}
	});

	const query = { value: 'pen', topic: 'product_and_offers' };
	const product = { name: 'Pen', offers: [{ price: '1.20', shop_name: 'A' }] };
	const rowsOf = async (...results: unknown[]) => {
		service.reset({ [`GET ${JOB}/download`]: { body: { ...WHOLE, results } } });
		return await itemsOf(service, forJob('download', 'a', { output: 'results' }));
	};

	test.each<[string, object]>([
		['flat', { query, success: true, ...product }],
		['flat beside null', { query, success: true, content: null, ...product }],
		['under data', { query, success: true, data: product }],
		['under Content', { query, success: true, Content: product }],
		['as a list of one product', { query, success: true, content: [product] }],
		['in a list of products', { query, success: true, content: { products: [product] } }],
		[
			'with offers by shop',
			{ query, success: true, content: { ...product, offers: { A: { price: '1.20' } } } },
		],
		[
			'with the price as an object',
			{
				query,
				success: true,
				content: {
					...product,
					offers: [{ shop_name: 'A', price: { amount: '1.20', currency: 'EUR' } }],
				},
			},
		],
	])('are found with their best price: %s', async (_name, result) => {
		expect(await rowsOf(result)).toMatchObject([
			{ value: 'pen', found: true, best_price: 1.2, best_shop: 'A' },
		]);
	});

	test.each([false, [null], [{}], 'null', { offers: [{}] }])(
		'are not found where their content is %j',
		async (content) => {
			expect(await rowsOf({ query, success: true, content })).toMatchObject([
				{ found: false, success: true },
			]);
		},
	);

	test('have failed where only their status says so', async () => {
		expect(await rowsOf({ query, status: 'failed', error: 'source down' })).toMatchObject([
			{ value: 'pen', success: false, found: false, reason: 'source down' },
		]);
	});

	test('in XML are read alike, whatever stands between two that are the same', async () => {
		const one = `<result><query><value>pen</value></query><success type="boolean">true</success>
<content><offers><offer><price>1.20</price></offer></offers></content></result>`;
		const between =
			'<result><query/><success type="boolean">true</success><content><gtins type="array"/></content></result>';
		const body = `<hash><status>finished</status><results type="array">${one}${between}${one}</results></hash>`;
		service.reset({ [`GET ${JOB}/download`]: { body } });
		const rows = await itemsOf(service, forJob('download', 'a', { output: 'results' }));
		expect(rows.map(({ best_price: price }) => price)).toEqual([1.2, null, 1.2]);
	});

	test('without a best price although there is a price are told of in a hint', async () => {
		const content = { name: 'Pen', sellers: { new: { price: '8.00' } } };
		service.reset({ [`GET ${JOB}/download`]: { body: { ...WHOLE, results: [{ ...RESULT, content }] } } });
		const run = await runNode(service, forJob('download', 'a', { output: 'results' }));
		expect(
			hints(run, 'Prices')
				.map(({ message }) => message)
				.join(),
		).toContain('sellers.new');
	});

	test('without a list that is clear are whole rows, and a hint names the lists', async () => {
		const content = {
			name: 'Pen',
			list: { items: [{ price: '1.20' }] },
			offers_by: { new: [{ price: '2' }] },
		};
		service.reset({ [`GET ${JOB}/download`]: { body: { ...WHOLE, results: [{ ...RESULT, content }] } } });
		const run = await runNode(service, forJob('download', 'a', { output: 'entries' }));
		expect(outputItems(run, 'Prices').map(({ json }) => json)).toMatchObject([content]);
		const [{ message = '' } = {}] = hints(run, 'Prices');
		expect(message).toContain('list.items, offers_by.new');
		const named = forJob('download', 'a', { output: 'entries', options: { contentList: 'list.items' } });
		expect(await itemsOf(service, named)).toMatchObject([{ name: 'Pen', price: '1.20' }]);
	});
});

describe('a file', () => {
	const file = (format: string) => forJob('download', 'a', { output: 'file', options: { format } });
	const csv = (size: number) => `name;price\n${'pen;1.20\n'.repeat(size)}`;
	const big = { ...WHOLE, results: Array.from({ length: 30_000 }, () => RESULT) };
	const xml = (size: number) =>
		`<?xml version="1.0"?><hash><success type="boolean">true</success><results type="array">${'<result><success type="boolean">true</success></result>'.repeat(size)}</results></hash>`;

	test.each<[string, string, Buffer]>([
		['json', 'small', Buffer.from(JSON.stringify(WHOLE))],
		['json', 'large', Buffer.from(JSON.stringify(big))],
		['xml', 'small, with success at its root', Buffer.from(xml(1))],
		['xml', 'large, with success at its root', Buffer.from(xml(30_000))],
		['csv', 'large', Buffer.from(csv(200_000))],
	])('in %s comes as it is: %s', async (format, _name, body) => {
		service.reset({ [`GET ${JOB}/download`]: { body } });
		const run = await runNode(service, file(format));
		expect(errorOf(run)).toBeUndefined();
		const [item] = outputItems(run, 'Prices');
		expect((await binaryContent(item!)).equals(body)).toBe(true);
	});

	test('comes from the job where only that has the results, and is none while the job runs', async () => {
		const empty = { job_id: 'a', status: 'finished', results: [] };
		service.reset({ [`GET ${JOB}/download`]: { body: empty }, [`GET ${JOB}`]: { body: WHOLE } });
		const [item] = outputItems(await runNode(service, file('json')), 'Prices');
		expect(String(await binaryContent(item!))).toBe(JSON.stringify(WHOLE));
		expect(service.requests).toEqual([`GET ${JOB}/download`, `GET ${JOB}`, `GET ${JOB}`]);
		service.reset({
			[`GET ${JOB}/download`]: { body: { results: [] } },
			[`GET ${JOB}`]: { body: { status: 'working' } },
		});
		expect((await failureOf(service, file('json'))).message).toContain('The job is not finished');
	});

	const half = (body: Buffer | string) => Buffer.from(body).subarray(0, Math.floor(body.length / 2));
	test.each<[string, string, Buffer]>([
		['json', 'small', half(JSON.stringify(WHOLE))],
		['json', 'large', half(JSON.stringify(big))],
		['xml', 'large', half(xml(30_000))],
		['xlsx', 'large', Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(2_000_000, 1)])],
	])('in %s that ends in the middle is an error: %s', async (format, _name, body) => {
		const closeDelimited = {
			byHand: (_request: unknown, response: { socket: NodeJS.WritableStream | null }) => {
				response.socket?.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n');
				response.socket?.end(body);
			},
		};
		service.reset({ [`GET ${JOB}/download`]: closeDelimited as never });
		const { message } = await failureOf(service, file(format));
		expect(message).toContain('The response was cut off');
	});

	test('is asked for uncompressed, and one that is cut is an error all the same', async () => {
		const accepted: unknown[] = [];
		const body = half(gzipSync(JSON.stringify(big)));
		service.reset({
			[`GET ${JOB}/download`]: {
				byHand: (request, response) => {
					accepted.push(request.headers['accept-encoding']);
					response.writeHead(200, { 'content-encoding': 'gzip' }).end(body);
				},
			},
		});
		const { message } = await failureOf(service, file('json'));
		expect(message).toContain('The response was cut off');
		expect(new Set(accepted)).toEqual(new Set(['identity']));
	});

	test.each([
		[
			'a login page',
			`<?xml version="1.0"?><!-- ${'x'.repeat(5_000)} --><!DOCTYPE html><html><p>${'y'.repeat(9_000)}</p></html>`,
			'The service returned a web page',
		],
		[
			'a refusal',
			`<hash><success>false</success><reason>job not found</reason><x>${'y'.repeat(90_000)}</x></hash>`,
			'does not know this job',
		],
	])('is never %s of any size', async (_name, body, words) => {
		service.reset({ [`GET ${JOB}/download`]: { body } });
		expect((await failureOf(service, file('xml'))).message).toContain(words);
	});
});

import { gzipSync } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';

import { failureOf, forJob, itemsOf, runNode, TERM_PARAMETERS, type RunOptions } from '../support/core';
import { binaryContent, errorOf, outputItems, said } from '../support/harness';
import { usePlainService, type PlainReply } from '../support/plainService';
import { locator } from '../support/common';

/** Reply shapes that services of this kind use or may use. */
const service = usePlainService();

const RESULT = {
	query: { value: 'pen' },
	success: true,
	content: { name: 'Pen', offers: [{ price: '1.20' }] },
};
const WHOLE = { job_id: 'a', status: 'finished', results: [RESULT] };
const CREATE: [INodeParameters, RunOptions] = [TERM_PARAMETERS, { input: [{ term: 'pen' }] }];
const LIST: INodeParameters = { resource: 'job', operation: 'getAll' };
const USAGE: INodeParameters = { resource: 'usage', operation: 'getToday' };
const download = (output = 'results', options: INodeParameters = {}) =>
	forJob('download', 'a', { output, options });

const ADDRESSES = {
	...{ create: 'POST /v2/jobs', list: 'GET /v2/jobs', usage: 'GET /v2/me/usage_today' },
	...{ status: 'GET /v2/jobs/a', download: 'GET /v2/jobs/a/download', cancel: 'POST /v2/jobs/a/cancel' },
};

/** Answers these requests, which concern the job `a`. */
function answers(given: Partial<Record<keyof typeof ADDRESSES, PlainReply>>) {
	const named = Object.entries(given).map(([name, reply]): [string, PlainReply] => [
		ADDRESSES[name as keyof typeof ADDRESSES],
		reply,
	]);
	service.reset(Object.fromEntries(named));
}
const textOf = async (parameters: INodeParameters, more?: RunOptions) => {
	const { message, description } = await failureOf(service, parameters, more);
	return `${message} ${description}`;
};

describe('a creation', () => {
	test.each([
		{ status: 'fail', message: 'Not today', data: { id: '17' } },
		{ status: 'error', message: 'Not today', id: 'req-19' },
		{ type: 'about:blank', title: 'Not today', status: 400, instance: '/v2/jobs', id: 'req-19' },
	])('that is refused with 200 is none, although the request has an ID: %j', async (body) => {
		answers({ create: { body } });
		const text = await textOf(...CREATE);
		expect(text).toContain('The service refused the request');
		expect(text).toMatch(
			/The service says: "Not today(; id: req-19)?"\. Endpoint: POST \/v2\/jobs, HTTP 200\.$/,
		);
		expect(service.requests).toEqual(['POST /v2/jobs']);
	});

	test('whose body the service does not read says that Request Body may be the reason', async () => {
		answers({ create: { status: 422, body: { errors: { topic: ['is missing'] } } } });
		expect(await textOf(...CREATE)).toContain(
			'The service says: "topic: is missing". topic was sent. If the service reads forms, set Request Body to Form under Customize Service in the credential.',
		);
		const credential = { customizeService: true, requestBody: 'form' };
		expect(await textOf(TERM_PARAMETERS, { ...CREATE[1], credential })).toContain(
			'If the service reads JSON, set Request Body to JSON',
		);
	});

	test.each(['missing parameter', 'unknown source'])(
		'without a Source says that one is to be chosen: %s',
		async (reason) => {
			answers({ create: { status: 400, body: { success: false, reason, parameter: 'source' } } });
			const source = { __rl: true, mode: 'name', value: '' };
			const text = await textOf({ ...TERM_PARAMETERS, source }, CREATE[1]);
			expect(text).toMatch(/^A required parameter is missing: source .*such as Source or Country/);
			expect(text).not.toContain('both empty');
		},
	);

	test.each([
		['source', 'country'],
		['country', 'source'],
	])('without Source and Country says so in one message: %s', async (parameter, other) => {
		answers({
			create: { status: 400, body: { success: false, reason: 'missing parameter', parameter } },
		});
		const empty = { source: locator('name', ''), country: locator('code', '') };
		const credential = { customizeService: true, requestNamesText: `${other}:` };
		const both = 'Source and Country are both empty: fill in both.';
		expect(await textOf({ ...TERM_PARAMETERS, ...empty }, CREATE[1])).toContain(both);
		// A service that takes no such parameter does not miss it.
		expect(await textOf({ ...TERM_PARAMETERS, ...empty }, { ...CREATE[1], credential })).not.toContain(
			both,
		);
	});

	test.each(['"foo" is not allowed', "key 'gtin' is not allowed for topic search"])(
		'is not refused because of the plan where nothing says so: %s',
		async (reason) => {
			answers({ create: { status: 422, body: { success: false, reason } } });
			const text = await textOf(...CREATE);
			expect(text).toContain('The service refused the request');
			expect(text).toContain(`The service says: "${reason}"`);
			expect(text).not.toMatch(/plan/);
		},
	);

	test('with a header name that none can have is refused before anything is sent', async () => {
		answers({ create: { body: { job_id: 'a' } } });
		const credential = { authentication: 'header', headerName: 'X-API-Key:' };
		const text = await textOf(TERM_PARAMETERS, { input: [{ term: 'pen' }], credential });
		expect(text).toMatch(/^The key cannot be sent in this way .*Nothing was sent/);
		expect(service.requests).toEqual([]);
	});
});

describe('the job of a reply', () => {
	const OTHER = { job_id: 'zz9', status: 'finished', results: [RESULT] };

	test.each<[string, object]>([
		['at its root', OTHER],
		['in an envelope', { status: 'success', data: OTHER }],
		['by another name', { id: 'zz9', status: 'finished', results: [RESULT] }],
	])('is another one %s: its rows are not given', async (_name, body) => {
		answers({ download: { body }, status: { body } });
		const outputs = ['results', 'job', 'file'].map((output) => download(output));
		for (const parameters of [forJob('get', 'a'), ...outputs])
			expect(await textOf(parameters)).toMatch(/(job "a".*job "zz9")|(job "zz9".*job "a")/);
	});

	test('is another one: a collect names the job that was paid for', async () => {
		answers({ create: { body: { job_id: 'a', status: 'new' } }, status: { body: OTHER } });
		const waitOptions = { maxWait: 1, onDeadline: 'error' };
		const text = await textOf({ ...TERM_PARAMETERS, operation: 'collect', waitOptions }, CREATE[1]);
		expect(text).toMatch(
			/^The status of job a is unknown after 1 minute .*Expected job "a".*about job "zz9"/,
		);
	});

	test('is found in what says success around it, and is over although it has no results', async () => {
		const body = { status: 'success', data: { status: 'finished', results: [] } };
		answers({ download: { body }, status: { body } });
		expect(await itemsOf(service, forJob('get', 'a'))).toMatchObject([
			{ job_id: 'a', status: 'finished' },
		]);
		expect(await itemsOf(service, download())).toMatchObject([
			{ found: false, reason: 'the job has no results' },
		]);
	});
});

describe('other replies', () => {
	test('fields called __proto__ are mere fields in whatever place, and none is lost', async () => {
		const odd = '"__proto__":{"status":"odd"}';
		const whole = `{${odd},"data":{${odd},"job_id":"a","status":"finished","results":[{${odd},"query":{${odd}},"success":true,"content":{${odd},"offers":[{${odd},"price":"1"}]}}]}}`;
		answers({
			status: { body: `{${odd},"job":{"job_id":"a","status":"new"}}` },
			download: { body: whole },
			cancel: { body: `{${odd},"success":true}` },
			list: { body: `{${odd},"data":[{${odd},"job_id":"a","status":"new"}]}` },
			usage: { body: `{${odd},"credits":1}` },
		});
		const job = `{${odd},"job_id":"a","status":"`;
		const results = whole.slice(whole.indexOf('"results"'), -2);
		for (const [parameters, expected] of [
			[forJob('get', 'a'), `${job}new"}`],
			[LIST, `${job}new"}`],
			[forJob('cancel', 'a'), `{"job_id":"a",${odd},"success":true}`],
			[USAGE, `{${odd},"credits":1}`],
			[download('job'), `${job}finished",${results}}`],
			[download(), `"content___proto__":{"status":"odd"},"offers":[{${odd},"price":"1"}]`],
			[download('entries'), '"content___proto__":{"status":"odd"}'],
		] as const) {
			const [item = {}] = await itemsOf(service, parameters);
			expect(JSON.stringify(item)).toContain(expected);
			expect(Object.getPrototypeOf(item)).toBe(Object.prototype);
		}
		expect(({} as { status?: unknown }).status).toBeUndefined();
	});

	test('a cancel of a job that is over in another word is no failure where that is ignored', async () => {
		answers({
			cancel: { status: 409, body: { success: false, reason: 'Job already over' } },
			status: { body: { job_id: 'a', status: 'expired' } },
		});
		expect(await itemsOf(service, forJob('cancel', 'a', { options: { ignoreEnded: true } }))).toEqual([
			{ job_id: 'a', status: 'expired', already_over: true },
		]);
	});

	test("n8n's own token for a waiting execution is not given out", async () => {
		const webhook_url = 'https://n8n.test/webhook-waiting/77/prices?signature=';
		answers({ status: { body: { job_id: 'a', status: 'new', webhook_url: `${webhook_url}abcdef` } } });
		expect(await itemsOf(service, forJob('get', 'a'))).toMatchObject([
			{ webhook_url: `${webhook_url}***` },
		]);
	});

	test('JSON is asked for by its name where a parameter selects the format', async () => {
		answers({ status: { body: { job_id: 'a', status: 'new' } } });
		const credential = { customizeService: true, formatSelection: 'queryParameter' };
		await itemsOf(service, forJob('get', 'a'), { credential });
		expect(service.requests).toEqual(['GET /v2/jobs/a?format=json']);
	});

	test('IDs and entries with line breaks are shown on one line', async () => {
		answers({
			list: {
				body: { data: [{ status: 'new', note: 'x' }, { job_id: 'a' }, 'x\ny'], has_more: false },
			},
		});
		expect(said(await runNode(service, LIST)).join()).not.toMatch(/[\r\n]/);
		expect(await textOf(forJob('get', 'a\nb\u0000c'))).not.toMatch(/\p{Cc}/u);
	});
});

describe('a cancellation', () => {
	test.each([
		{ message: 'maintenance' },
		{ status: 'error', message: 'maintenance' },
		{ job_id: 'a', status: 'error', message: 'maintenance' },
	])('is not believed by a reply that does not say so: %j', async (body) => {
		answers({ cancel: { body }, status: { body: { job_id: 'a', status: 'working' } } });
		expect(await textOf(forJob('cancel', 'a'))).toContain('maintenance');
	});

	test('is believed where the job says so, whatever the reply is', async () => {
		answers({
			cancel: { body: { message: 'OK, done' } },
			status: { body: { job_id: 'a', status: 'cancelled' } },
		});
		expect(await itemsOf(service, forJob('cancel', 'a'))).toEqual([{ job_id: 'a', status: 'cancelled' }]);
	});

	test.each([
		[
			{ job_id: 'a', status: 'cancelled' },
			{ job_id: 'a', status: 'cancelled' },
		],
		[{ success: true }, { job_id: 'a', success: true }],
		['', { job_id: 'a' }],
	])('that the service confirms needs no look at the job: %j', async (body, item) => {
		answers({ cancel: { body } });
		expect(await itemsOf(service, forJob('cancel', 'a'))).toEqual([item]);
		expect(service.requests).toEqual(['POST /v2/jobs/a/cancel']);
	});
});

describe('a refused download', () => {
	const page: PlainReply = { status: 404, body: '<html><h1>Not Found</h1></html>' };
	const job = (status: string): PlainReply => ({ body: { job_id: 'a', status, message: 'source down' } });
	const UNKNOWN: PlainReply = { status: 404, body: { success: false, reason: 'job not found' } };
	const route: PlainReply = { status: 404, body: { message: 'no Route matched with those values' } };
	const csv = download('file', { format: 'csv' });
	const gone: PlainReply = { status: 410, body: { message: 'Gone' } };

	test.each<[string, PlainReply, PlainReply, INodeParameters]>([
		['The service does not offer this format here', page, job('finished'), csv],
		['The service does not offer this format here', { status: 406 }, job('finished'), csv],
		['The job has finished, but its results are not there', page, job('finished'), download()],
		['The job has finished, but its results are not there', gone, job('finished'), download()],
		['The job has finished, but its results are not there', { body: '' }, job('finished'), download()],
		['The job is not finished', page, job('working'), download()],
		['The service does not know this job', page, UNKNOWN, download()],
		['The service does not know this job', gone, UNKNOWN, download()],
		['Nothing was found at this address', route, route, download()],
		['The service is temporarily unavailable', UNKNOWN, { status: 503 }, download()],
		['Nothing was found at this address', page, page, download()],
		['The job failed, so it has no results', gone, job('failed'), download('file')],
		['The job was cancelled, so it has no results', page, job('cancelled'), download('file')],
	])('means what the job says: %s', async (message, refused, status, parameters) => {
		answers({ download: refused, status });
		const text = await textOf(parameters);
		expect(text.startsWith(message)).toBe(true);
		if (message.includes('failed')) expect(text).toContain('source down');
	});

	test('is asked for again while the results are being written', async () => {
		let count = 0;
		const byHand: PlainReply['byHand'] = (_request, response) => {
			const isThere = ++count === 3;
			response.writeHead(isThere ? 200 : 404).end(isThere ? JSON.stringify(WHOLE) : '<html></html>');
		};
		answers({ download: { byHand }, status: job('finished') });
		expect(await itemsOf(service, download())).toMatchObject([{ value: 'pen', found: true }]);
		expect(count).toBe(3);
	});
});

describe('results', () => {
	const finished = { job_id: 'a', status: 'finished' };

	test('that are nowhere are none', async () => {
		const body = { ...finished, results: [] };
		answers({ download: { body }, status: { body: { status: 'finished' } } });
		expect(await itemsOf(service, download('job'))).toEqual([body]);
	});

	test.each<[string, unknown]>([
		['in an envelope', { data: { status: 'working', results: [] } }],
		['with some results', { job_id: 'a', status: 'working', results: [RESULT] }],
		['with some results and no word', { results: [RESULT] }],
		['with some results and another word', { status: 'halfway', results: [RESULT] }],
		['of more than 9 KB', { status: 'working', filler: 'x'.repeat(9_000) }],
	])('of a job that runs are never taken for its results: %s', async (_name, body) => {
		answers({ download: { body }, status: { body: { status: 'working' } } });
		for (const output of ['results', 'job', 'file'])
			expect(await textOf(download(output))).toContain('The job is not finished');
	});
});

describe('a file', () => {
	const big = JSON.stringify({ ...WHOLE, results: Array.from({ length: 30_000 }, () => RESULT) });
	const success = '<success type="boolean">true</success>';
	const xml = (size: number) =>
		`<?xml version="1.0"?><hash>${success}<results type="array">${`<result>${success}</result>`.repeat(size)}</results></hash>`;
	const file = (format: string) => download('file', { format });
	const OVER = { body: { job_id: 'a', status: 'finished' } };

	test.each<[string, string, string]>([
		['json', 'small', JSON.stringify(WHOLE)],
		['json', 'large', big],
		['xml', 'small, with success at its root', xml(1)],
		['xml', 'large, with success at its root', xml(30_000)],
		['csv', 'large', `name;price\n${'pen;1.20\n'.repeat(200_000)}`],
	])('in %s comes as it is: %s', async (format, _name, body) => {
		answers({ download: { body }, status: OVER });
		const run = await runNode(service, file(format));
		expect(errorOf(run)).toBeUndefined();
		const [item] = outputItems(run, 'Prices');
		expect((await binaryContent(item!)).equals(Buffer.from(body))).toBe(true);
	});

	test('comes from the job where only that has the results, and is none while the job runs', async () => {
		const empty = { body: { job_id: 'a', status: 'finished', results: [] } };
		answers({ download: empty, status: { body: WHOLE } });
		const [item] = outputItems(await runNode(service, file('json')), 'Prices');
		expect(String(await binaryContent(item!))).toBe(JSON.stringify(WHOLE));
		expect(service.requests).toEqual([
			...['GET /v2/jobs/a', 'GET /v2/jobs/a/download', 'GET /v2/jobs/a', 'GET /v2/jobs/a'],
		]);
		answers({ download: { body: WHOLE }, status: { body: { status: 'working' } } });
		expect(await textOf(file('json'))).toContain('The job is not finished');
		expect(service.requests).not.toContain('GET /v2/jobs/a/download');
	});

	const half = (body: Buffer | string) => Buffer.from(body).subarray(0, Math.floor(body.length / 2));
	test.each<[string, string, Buffer]>([
		['json', 'small', half(JSON.stringify(WHOLE))],
		['json', 'large', half(big)],
		['xml', 'large', half(xml(30_000))],
		['xlsx', 'small', Buffer.from('PK\x03\x04 and no directory')],
		['xlsx', 'large', Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(2_000_000, 1)])],
	])('in %s that ends in the middle is an error: %s', async (format, _name, body) => {
		const byHand: PlainReply['byHand'] = (_request, response) => {
			response.socket?.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n');
			response.socket?.end(body);
		};
		answers({ download: { byHand }, status: OVER });
		expect(await textOf(file(format))).toContain('The response was cut off');
	});

	test('is asked for uncompressed, and one that is cut is an error all the same', async () => {
		const accepted = new Set<unknown>();
		const body = half(gzipSync(big));
		const byHand: PlainReply['byHand'] = (request, response) => {
			accepted.add(request.headers['accept-encoding']);
			response.writeHead(200, { 'content-encoding': 'gzip' }).end(body);
		};
		answers({ download: { byHand }, status: OVER });
		expect(await textOf(file('json'))).toContain('The response was cut off');
		expect([...accepted]).toEqual(['identity']);
	});

	const NO_FILE = 'not what this endpoint returns';
	const NO_CSV = 'The service does not offer this format here';
	test.each<[string, unknown, string]>([
		['json', { status: 410, message: 'gone' }, 'its results are not there'],
		['json', { ok: false, error: 'unauthorized' }, 'did not accept the key'],
		['json', { ok: false, error: 'invalid key' }, 'The service refused the request'],
		['json', {}, NO_FILE],
		['json', { message: 'Nothing here' }, NO_FILE],
		['json', ['no way'], NO_FILE],
		['csv', WHOLE, NO_CSV],
		['csv', [{ success: true, query: {} }], NO_CSV],
		['csv', ' null\n', NO_CSV],
		['csv', 'true', NO_CSV],
	])('in %s is never %j', async (format, body, message) => {
		answers({ download: { body }, status: OVER });
		expect(await textOf(file(format))).toContain(message);
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
			'The service does not offer this format here',
		],
	])('is never %s of any size', async (_name, body, words) => {
		answers({ download: { body }, status: OVER });
		expect(await textOf(file('xml'))).toContain(words);
	});

	test('is never called by a path', async () => {
		service.reset({
			'GET /v2/jobs/..%2Fa': { body: { job_id: '../a', status: 'finished' } },
			'GET /v2/jobs/..%2Fa/download': { body: { ...WHOLE, job_id: '../a' } },
		});
		const given = await itemsOf(service, forJob('download', '../a', { output: 'file' }));
		expect(given).toMatchObject([{ file_name: '__a.json' }]);
	});

	test.each(['value', '"value"', '7', 'null,value'])('in CSV may be %j', async (body) => {
		answers({ download: { body }, status: OVER });
		expect(await itemsOf(service, file('csv'))).toMatchObject([{ file_name: 'a.csv' }]);
	});
});

import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';

import type { Fault } from './faults.ts';
import type { SandboxOptions } from './options.ts';
import { fromXml, ORDER, useStill } from './support.ts';
import type { Fields } from './support.ts';

type Options = Partial<SandboxOptions>;

const client = useStill();
const set = (options: Options) => client.sandbox.setOptions(options);
let id: string;
beforeEach(async () => {
	id = await client.finished({ value: 'many-40' });
});
const path = () => `/v2/jobs/${id}/download`;

describe('the format', () => {
	const typeOf = async (where: string, accept = '*/*') => {
		const { headers, status } = await client.send(where, { headers: { accept } });
		return status === 200 ? headers.get('content-type')?.split(';')[0] : status;
	};

	it.each<[Options, unknown[]]>([
		[{ formatSelection: ['accept'] }, ['application/xml', 404, 'application/json']],
		[{ formatSelection: ['suffix'] }, ['application/json', 'application/xml', 'application/json']],
		[{ formatSelection: ['parameter'] }, ['application/json', 404, 'application/xml']],
		[
			{ formatSelection: ['parameter'], formatParameter: 'as' },
			['application/json', 404, 'application/json'],
		],
	])('is chosen with %j by header, suffix or parameter', async (options, expected) => {
		set(options);
		const asked = [
			typeOf(path(), 'application/xml'),
			typeOf(`${path()}.xml`),
			typeOf(`${path()}?format=xml`),
		];
		expect(await Promise.all(asked)).toEqual(expected);
	});

	it('is JSON by default, and weighed where several are accepted', async () => {
		expect(await typeOf(path(), 'text/plain, */*')).toBe('application/json');
		expect(await typeOf(path(), 'application/json;q=0.4, text/xml;q=0.8')).toBe('application/xml');
		set({ defaultFormat: 'xml' });
		expect(await typeOf(path())).toBe('application/xml');
	});

	it('may be that of a table, or one that nobody knows', async () => {
		const csv = await client.send(`${path()}.csv`);
		expect([csv.headers.get('content-type'), csv.text.split('\r\n').length]).toEqual([
			'text/csv; charset=utf-8',
			3,
		]);
		expect((await client.send(`${path()}.xlsx`)).text).toMatch(/^PK\u0003\u0004/);
		const { status, json } = await client.send(`${path()}?format=yaml`);
		expect([status, json.parameter]).toEqual([400, 'format']);
	});

	it.each([
		['text/html', 'text/html'],
		['none', null],
	])('may be told wrong, as %s', async (contentType, expected) => {
		set({ contentType });
		const { headers, json } = await client.send(path());
		expect([headers.get('content-type'), json.job_id]).toEqual([expected, id]);
	});
});

describe('a good reply', () => {
	const minimal = { job_id: 'ID', status: 'finished' };
	it.each<[Options, string, unknown]>([
		[{ envelope: 'data' }, '', { data: minimal }],
		[{ envelope: 'job' }, '', { job: minimal }],
		[{ envelope: 'request' }, '', { id: 'req-7', status: 'success', data: minimal }],
		[{ envelopeFlag: 'successText' }, '', { success: 'true', ...minimal }],
		[{ envelope: 'data', envelopeFlag: 'error0' }, '', { error: 0, data: minimal }],
		[{ statusReply: 'withResults' }, '', { ...minimal, results: [expect.anything()] }],
		[{ statusReply: 'counters' }, '', { status: 'finished', success: 1, error: 0 }],
		[{ resultsIn: 'both' }, '', { ...minimal, results: [expect.anything()] }],
		[{ resultsIn: 'status' }, '/download', { ...minimal, free_credits: 1, paid_credits: 0, results: [] }],
		[
			{ resultsIn: 'status', emptyDownload: 'null' },
			'/download',
			{ ...minimal, free_credits: 1, paid_credits: 0, results: null },
		],
		[
			{ resultsIn: 'status', emptyDownload: 'absent' },
			'/download',
			{ ...minimal, free_credits: 1, paid_credits: 0 },
		],
	])('with %j is%s %j', async (options, where, expected) => {
		set({ statusReply: 'minimal', ...options });
		const { text } = await client.send(`/v2/jobs/${id}${where}`);
		expect(JSON.parse(text.replaceAll(id, 'ID'))).toEqual(expected);
	});

	it('about a usage is never called a job; a list takes only the flag, a bare one nothing', async () => {
		set({ envelope: 'job', envelopeFlag: 'successOne' });
		expect((await client.send('/v2/me/usage_today')).json).toMatchObject({ success: 1, jobs: 1 });
		expect((await client.send('/v2/jobs')).json).toMatchObject({ success: 1, data: [{ job_id: id }] });
		set({ listShape: 'array' });
		expect((await client.send('/v2/jobs')).json).toMatchObject([{ job_id: id }]);
	});

	it('holds the parts of a job that are switched on', async () => {
		const url = 'http://127.0.0.1:9/x?pc_signature=1';
		const other = await client.running({ webhook_url: url });
		set({ jobFields: ['values', 'webhookUrl'] });
		const expected = { job_id: other, status: 'new', values: ['kettle'], webhook_url: url };
		expect((await client.send(`/v2/jobs/${other}`)).json).toEqual(expected);
	});

	it.each<[SandboxOptions['earlyDownload'], Fields]>([
		['withoutResults', {}],
		['emptyResults', { results: [] }],
		['large', { log: { length: 500 } }],
	])('to an early download is %s, or a refusal', async (earlyDownload, more) => {
		const running = await client.running();
		const early = () => client.send(`/v2/jobs/${running}/download`);
		expect((await early()).json).toMatchObject({ success: false, reason: 'not finished' });
		set({ earlyDownload, earlyDownloadStatus: 202, envelope: 'data' });
		const { status, json, text } = await early();
		expect([status, json]).toMatchObject([202, { data: { job_id: running, status: 'new', ...more } }]);
		expect(text.length > 9000).toBe(earlyDownload === 'large');
	});

	it.each(['sameOrigin', 'otherOrigin'] as const)(
		'to a download leads to a file at %s, without the key',
		async (downloadRedirect) => {
			for (const ticketPlace of ['path', 'query'] as const) {
				set({ downloadRedirect, ticketPlace });
				const { status, headers } = await client.send(`${path()}.xml`);
				const location = headers.get('location') ?? '';
				expect([status, location.includes(client.sandbox.apiKey)]).toEqual([302, false]);
				expect(location).toMatch(
					ticketPlace === 'path' ? /\/files\/[0-9a-f]{32}$/ : /\?token=[0-9a-f]{32}$/,
				);
				expect(fromXml(await (await fetch(location)).text())).toMatchObject({ job_id: id });
				expect((await fetch(location.replace(/[0-9a-f]{32}$/, client.sandbox.apiKey))).status).toBe(
					404,
				);
			}
			expect(client.sandbox.otherOriginRequests).toHaveLength(
				downloadRedirect === 'otherOrigin' ? 4 : 0,
			);
		},
	);
});

const WORDS = "Provide the mandatory parameter 'key'!";
const PROBLEM = {
	type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
	title: 'One or more validation errors occurred.',
	status: 400,
};
test.each<[SandboxOptions['refusalShape'], unknown]>([
	['documented', { success: false, reason: 'missing parameter', parameter: 'key', comment: WORDS }],
	['rails', { errors: { key: [WORDS] } }],
	['fastapi', { detail: [{ loc: ['body', 'key'], msg: WORDS, type: 'value_error' }] }],
	['code', { code: 1001, msg: WORDS }],
	['nested', { Error: { Code: 'missing parameter', Message: WORDS } }],
	['list', [WORDS]],
	['text', WORDS],
	[
		'xmlError',
		`<?xml version="1.0" encoding="UTF-8"?>\n<error>${WORDS.replaceAll("'", '&apos;')}</error>\n`,
	],
	['problem', { ...PROBLEM, errors: { Key: [WORDS] } }],
	['laravel', { message: 'The given data was invalid.', errors: { key: [WORDS] } }],
])('a refusal in the style %s, with its status or as HTTP 200', async (refusalShape, expected) => {
	set({ refusalShape });
	const refused = () => client.post('/v2/jobs', { ...ORDER, key: undefined });
	const { status, text, headers, json } = await refused();
	expect([status, json ?? text]).toEqual([400, expected]);
	const types: Fields = {
		problem: 'application/problem+json; charset=utf-8',
		xmlError: 'application/xml; charset=utf-8',
	};
	expect(headers.get('content-type')).toBe(types[refusalShape] ?? 'application/json; charset=utf-8');
	set({ refusalStyle: 'ok' });
	expect((await refused()).status).toBe(200);
});

test('the paths of version 1 are refused, and everything at the retired address', async () => {
	for (const old of ['/jobs', '/jobs/1', '/products/bulk/1'])
		expect((await client.send(old)).status).toBe(410);
	const { legacyUrl, url } = client.sandbox;
	expect((await fetch(`${legacyUrl}/v2/jobs`)).status).toBe(410);
	set({ legacyReply: 'html' });
	expect(await (await fetch(`${legacyUrl}/jobs`)).text()).toContain('<h1>404');
	set({ legacyReply: 'reset' });
	await expect(fetch(`${legacyUrl}/jobs`)).rejects.toThrow();
	set({ legacyReply: 'redirect' });
	expect((await fetch(`${legacyUrl}/v2/jobs`, { redirect: 'manual' })).headers.get('location')).toBe(
		`${url}/v2/jobs`,
	);
	expect(client.sandbox.legacyRequests).toHaveLength(4);
});

/** A download as it comes over the wire, whatever its encoding. */
const raw = async (headers: Record<string, string> = {}) => {
	const url = `${client.sandbox.url}${path()}?token=${client.sandbox.apiKey}`;
	const asking = request(url, { headers }).end();
	const answer = await new Promise<import('node:http').IncomingMessage>((resolve) =>
		asking.on('response', resolve),
	);
	const chunks: Buffer[] = [];
	for await (const chunk of answer) chunks.push(chunk as Buffer);
	return { headers: answer.headers, body: Buffer.concat(chunks), complete: answer.complete };
};

describe('transport', () => {
	it.each(['gzip', 'deflate', 'br'] as const)(
		'compresses with %s for clients that accept it',
		async (how) => {
			set({ compression: how, cancelReply: 'empty' });
			expect((await client.send(path(), { headers: { 'accept-encoding': how } })).json.job_id).toBe(id);
			expect((await raw({ 'accept-encoding': how })).headers['content-encoding']).toBe(how);
			expect((await raw()).headers['content-encoding']).toBeUndefined();
			expect((await client.post(`/v2/jobs/${await client.running()}/cancel`, {})).status).toBe(204);
			expect((await client.send('/v2/jobs/none')).json.reason).toBe('job not found');
		},
	);

	it.each([
		['right', 0],
		['absent', undefined],
		['dayBehind', -86_400_000],
		['dayAhead', 86_400_000],
	] as const)('has a header Date that is %s', async (dateHeader, skew) => {
		set({ dateHeader });
		const { date } = (await raw()).headers;
		expect(date && Date.parse(date) - client.sandbox.now()).toBe(skew);
	});
});

describe('a fault', () => {
	const play = (fault: Fault) => client.sandbox.faults.add({ fault });
	const list = () => client.send('/v2/jobs');

	it.each<[Fault, number, string, Record<string, string>]>([
		[{ type: 'tooManyRequests' }, 429, '"too many requests"', {}],
		[{ type: 'tooManyRequests', retryAfterSeconds: 3 }, 429, '', { 'retry-after': '3' }],
		[{ type: 'serverError' }, 500, 'Internal Server Error', { 'content-type': 'text/plain' }],
		[{ type: 'serverError', status: 504 }, 504, '', {}],
		[{ type: 'htmlUnavailable' }, 503, '<h1>503', { 'content-type': 'text/html; charset=utf-8' }],
		[{ type: 'textBadGateway' }, 502, 'Bad Gateway', {}],
		[{ type: 'emptyBody', status: 202 }, 202, '', { 'content-length': '0' }],
		[{ type: 'html' }, 200, 'Please sign in', {}],
		[{ type: 'wrongJson' }, 200, '{"unexpected"', {}],
		[{ type: 'brokenJson' }, 200, '"status":"fin', {}],
		[{ type: 'refusal', reason: 'source disabled', status: 403 }, 403, '"source disabled"', {}],
		[
			{ type: 'reply', status: 418, headers: { 'x-pot': 'tea' }, body: 'short' },
			418,
			'short',
			{ 'x-pot': 'tea' },
		],
		[{ type: 'delay', ms: 5 }, 200, '"data"', {}],
	])('%j, once', async (fault, status, body, headers) => {
		client.sandbox.clearRequests();
		play(fault);
		const answer = await list();
		expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(body)]);
		expect(Object.fromEntries(answer.headers)).toMatchObject(headers);
		expect((await list()).status).toBe(200);
		expect(client.sandbox.requests[0]).toMatchObject({ fault: fault.type, replyStatus: status });
	});

	it('comes before the work, or after it', async () => {
		for (const type of ['reset', 'htmlUnavailable'] as const) {
			const jobs = client.sandbox.jobs.length;
			play({ type });
			await client.create().catch((error: Error) => expect(error.message).toBe('fetch failed'));
			expect(client.sandbox.jobs).toHaveLength(jobs);
			play({ type, when: 'after' });
			await client.create().catch((error: Error) => expect(error.message).toBe('fetch failed'));
			expect(client.sandbox.jobs).toHaveLength(jobs + 1);
		}
		expect(client.sandbox.requests.slice(-4).map(({ replyStatus }) => replyStatus)).toEqual([
			null,
			null,
			503,
			503,
		]);
	});

	it.each([
		['before', 1],
		['after', 2],
	] as const)('is no answer at all, %s the work', async (when, jobs) => {
		client.sandbox.clearRequests();
		play({ type: 'noAnswer', when });
		const controller = new AbortController();
		const pending = client.post('/v2/jobs', ORDER, { signal: controller.signal });
		while (client.sandbox.requests[0]?.fault !== 'noAnswer' || client.sandbox.jobs.length < jobs)
			await new Promise(setImmediate);
		controller.abort();
		await expect(pending).rejects.toThrow('aborted');
		expect(client.sandbox.jobs).toHaveLength(jobs);
	});

	it.each<Fault>([{ type: 'truncate' }, { type: 'truncate', bytes: 20, length: false }])(
		'breaks a reply off: %j',
		async (fault) => {
			play(fault);
			await expect(client.send(path())).rejects.toThrow('terminated');
			const large = await client.finished({ value: 'megabytes-3' });
			play(fault);
			await expect(client.send(`/v2/jobs/${large}/download`)).rejects.toThrow('terminated');
		},
	);

	it('ends a body early as if it were whole: by the last chunk, or compressed', async () => {
		const whole = (await raw()).body;
		play({ type: 'truncate', end: 'lastChunk' });
		const chunked = await raw();
		expect([chunked.complete, chunked.body]).toEqual([
			true,
			whole.subarray(0, Math.floor(whole.length / 2)),
		]);
		play({ type: 'gzipCut' });
		const cut = await raw();
		expect([cut.complete, cut.headers['content-encoding']]).toEqual([true, 'gzip']);
		expect(() => gunzipSync(cut.body)).toThrow('unexpected end of file');
		play({ type: 'drip', bytes: 1000, intervalMs: 1 });
		expect((await raw()).body).toEqual(whole);
	});

	it('is a beginning, and then silence', async () => {
		play({ type: 'stall', bytes: 5 });
		const controller = new AbortController();
		const url = `${client.sandbox.url}/v2/jobs?token=${client.sandbox.apiKey}`;
		const answer = await fetch(url, { signal: controller.signal });
		const { value } = await (answer.body as ReadableStream<Uint8Array>).getReader().read();
		expect([answer.status, Buffer.from(value ?? []).toString()]).toEqual([200, '{"dat']);
		controller.abort();
	});

	it('redirects: to the same origin with the key, to a foreign host without it, in a circle', async () => {
		const leadsTo = async (where: string) => (await client.send(where)).headers.get('location') ?? '';
		const { url, apiKey } = client.sandbox;
		play({ type: 'redirect', to: 'sameOrigin', status: 307 });
		expect(await leadsTo('/v2/jobs.xml')).toBe(`${url}/v2/jobs.xml?token=${apiKey}`);
		play({ type: 'redirect', to: 'otherOrigin' });
		const answer = await fetch(await leadsTo(`${path()}.json`), { headers: { 'x-seen': 'yes' } });
		expect(await answer.json()).toMatchObject({ job_id: id });
		const seen = { query: {}, replyStatus: 200, headers: { 'x-seen': 'yes' } };
		expect(client.sandbox.otherOriginRequests).toMatchObject([seen]);
		play({ type: 'redirect', to: 'loop' });
		await expect(client.send('/v2/jobs', { redirect: 'follow' })).rejects.toThrow('fetch failed');
	});

	it('hits only the requests that match, by count, often or always', async () => {
		const match = { method: 'GET', pathPattern: '^/v2/jobs$', nth: [2, 3] };
		client.sandbox.faults.add({ match, fault: { type: 'serverError' } });
		const statuses = async (count: number) => {
			const seen: number[] = [];
			await client.create();
			for (let index = 0; index < count; index++) seen.push((await list()).status);
			return seen;
		};
		expect(await statuses(4)).toEqual([200, 500, 500, 200]);
		client.sandbox.faults.clear();
		const rule = client.sandbox.faults.add({ times: 3, fault: { type: 'textBadGateway' } });
		expect(await statuses(3)).toEqual([502, 502, 200]);
		expect(rule).toMatchObject({ seen: 4, played: 3 });
		client.sandbox.faults.add({ times: 'always', fault: { type: 'textBadGateway' } });
		expect(await statuses(2)).toEqual([502, 502]);
	});
});

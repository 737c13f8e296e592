import type { Fault } from './faults.ts';
import type { Client } from './support.ts';
import { order, startStill } from './support.ts';

describe('faults', () => {
	let client: Client;

	beforeEach(async () => {
		client = await startStill();
	});
	afterEach(() => client.sandbox.close());

	const play = (fault: Fault, match = {}) => client.sandbox.faults.add({ match, fault });
	const list = (init: RequestInit = {}) => client.send('/v2/jobs', init);

	it.each<[string, Fault, number, string, Record<string, string>]>([
		['429', { type: 'tooManyRequests' }, 429, '"too many requests"', {}],
		[
			'429 with seconds',
			{ type: 'tooManyRequests', retryAfterSeconds: 3 },
			429,
			'success',
			{ 'retry-after': '3' },
		],
		['500', { type: 'serverError' }, 500, 'Internal Server Error', { 'content-type': 'text/plain' }],
		['504', { type: 'serverError', status: 504 }, 504, '', {}],
		[
			'an HTML page with 503',
			{ type: 'htmlUnavailable' },
			503,
			'<h1>503',
			{ 'content-type': 'text/html; charset=utf-8' },
		],
		['text with 502', { type: 'textBadGateway' }, 502, 'Bad Gateway', {}],
		['an HTML page with 200', { type: 'html' }, 200, 'Please sign in', {}],
		['JSON of another shape', { type: 'wrongJson' }, 200, '{"unexpected"', {}],
		['JSON that stops', { type: 'brokenJson' }, 200, '"status":"fin', {}],
		[
			'a refusal',
			{ type: 'refusal', reason: 'source disabled', status: 403 },
			403,
			'"source disabled"',
			{},
		],
		[
			'any reply',
			{ type: 'reply', status: 418, headers: { 'x-pot': 'tea' }, body: 'short' },
			418,
			'short',
			{ 'x-pot': 'tea' },
		],
	])('answer with %s, once', async (_name, fault, status, body, headers) => {
		play(fault);
		const answer = await list();
		expect(answer.status).toBe(status);
		expect(answer.text).toContain(body);
		for (const [name, value] of Object.entries(headers)) expect(answer.headers.get(name)).toBe(value);
		expect((await list()).status).toBe(200);
		expect(client.sandbox.requests[0]).toMatchObject({ fault: fault.type, replyStatus: status });
	});

	it('answer with a date to come back at', async () => {
		play({ type: 'tooManyRequests', retryAfterSeconds: 60, as: 'date' });
		const date = (await list()).headers.get('retry-after') ?? '';
		expect(new Date(date).toUTCString()).toBe(date);
	});

	it('answer with nothing in it', async () => {
		play({ type: 'emptyBody' });
		const { status, text } = await list();
		expect([status, text]).toEqual([200, '']);
	});

	it('reset the connection before anything was created, or afterwards', async () => {
		play({ type: 'reset' });
		await expect(client.create()).rejects.toThrow('fetch failed');
		expect(client.sandbox.jobs).toHaveLength(0);
		play({ type: 'reset', when: 'after' });
		await expect(client.create()).rejects.toThrow('fetch failed');
		expect(client.sandbox.jobs).toHaveLength(1);
		expect(client.sandbox.requests.map(({ replyStatus }) => replyStatus)).toEqual([null, null]);
	});

	it('replace the reply to a create that was done', async () => {
		play({ type: 'htmlUnavailable', when: 'after' });
		expect((await client.create()).status).toBe(503);
		expect(client.sandbox.jobs).toHaveLength(1);
	});

	it.each<Fault>([{ type: 'truncate' }, { type: 'truncate', bytes: 20, length: false }])(
		'break a reply off: %j',
		async (fault) => {
			const id = await client.finished();
			play(fault);
			await expect(client.send(`/v2/jobs/${id}/download`)).rejects.toThrow('terminated');
		},
	);

	it('break off a large stream', async () => {
		const id = await client.finished({ value: 'megabytes-3' });
		play({ type: 'truncate', bytes: 500_000 });
		const answer = await fetch(
			`${client.sandbox.url}/v2/jobs/${id}/download?token=${client.sandbox.apiKey}`,
		);
		expect(answer.status).toBe(200);
		await expect(answer.text()).rejects.toThrow('terminated');
	});

	it('let a reply drip, whole in the end', async () => {
		await client.create();
		const whole = (await list()).text;
		play({ type: 'drip', bytes: 100, intervalMs: 1 });
		expect((await list()).text).toBe(whole);
	});

	it('send headers and a beginning, and then fall silent', async () => {
		await client.create();
		play({ type: 'stall', bytes: 5 });
		const controller = new AbortController();
		const url = `${client.sandbox.url}/v2/jobs?token=${client.sandbox.apiKey}`;
		const answer = await fetch(url, { signal: controller.signal });
		const { value } = await (answer.body as ReadableStream<Uint8Array>).getReader().read();
		expect([answer.status, Buffer.from(value ?? []).toString()]).toEqual([200, '{"dat']);
		controller.abort();
	});

	it.each([
		['before', 0],
		['after', 1],
	] as const)('do not answer at all, %s the work', async (when, jobs) => {
		play({ type: 'noAnswer', when });
		const controller = new AbortController();
		const pending = client.send('/v2/jobs', {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(order()),
			signal: controller.signal,
		});
		while (client.sandbox.requests.length === 0 || client.sandbox.jobs.length < jobs)
			await new Promise(setImmediate);
		controller.abort();
		await expect(pending).rejects.toThrow('aborted');
		expect(client.sandbox.jobs).toHaveLength(jobs);
	});

	it('answer late', async () => {
		play({ type: 'delay', ms: 5 });
		client.sandbox.setOptions({ latencyMs: 5 });
		expect((await list()).status).toBe(200);
		expect(client.sandbox.requests[0]?.fault).toBe('delay');
	});

	it('redirect on the same origin, key included', async () => {
		play({ type: 'redirect', to: 'sameOrigin', status: 307 });
		const { status, headers } = await client.send('/v2/jobs.xml');
		expect(status).toBe(307);
		expect(headers.get('location')).toBe(
			`${client.sandbox.url}/v2/jobs.xml?token=${client.sandbox.apiKey}`,
		);
	});

	it('redirect a download to a foreign host that serves it and remembers what it was told', async () => {
		const id = await client.finished();
		play({ type: 'redirect', to: 'otherOrigin' });
		const { headers } = await client.send(`/v2/jobs/${id}/download.json`);
		const answer = await fetch(headers.get('location') ?? '', { headers: { 'x-seen': 'yes' } });
		expect(await answer.json()).toMatchObject({ job_id: id });
		const [seen] = client.sandbox.otherOriginRequests;
		expect(seen).toMatchObject({ query: {}, replyStatus: 200, headers: { 'x-seen': 'yes' } });
	});

	it('redirect in a circle', async () => {
		play({ type: 'redirect', to: 'loop' });
		await expect(list({ redirect: 'follow' })).rejects.toThrow('fetch failed');
		expect(client.sandbox.requests.length).toBeGreaterThan(20);
	});

	it('hit only the requests that match, by count, often or always', async () => {
		client.sandbox.faults.add({
			match: { method: 'GET', pathPattern: '^/v2/jobs$', nth: [2, 3] },
			fault: { type: 'serverError' },
		});
		await client.create();
		const statuses = [];
		for (let index = 0; index < 4; index++) statuses.push((await list()).status);
		expect(statuses).toEqual([200, 500, 500, 200]);
		client.sandbox.faults.clear();
		const rule = client.sandbox.faults.add({ times: 2, fault: { type: 'textBadGateway' } });
		expect([(await list()).status, (await list()).status, (await list()).status]).toEqual([
			502, 502, 200,
		]);
		expect(rule).toMatchObject({ seen: 3, played: 2 });
		client.sandbox.faults.add({ times: 'always', fault: { type: 'html' } });
		expect([(await list()).text, (await list()).text].every((text) => text.includes('html'))).toBe(true);
	});

	it('must be known', () => {
		expect(() => client.sandbox.faults.add({ fault: { type: 'fire' } as unknown as Fault })).toThrow(
			RangeError,
		);
	});
});

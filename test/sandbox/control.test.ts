import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { applyOptions, defaultOptions, optionFromText } from './options.ts';
import type { SandboxOptions } from './options.ts';
import { fromXml, NOON, ORDER, useStill } from './support.ts';
import type { Fields } from './support.ts';

const client = useStill({ pathPrefix: '/api' });

test('what came is in the log, and the path prefix in front of everything', async () => {
	await client.create();
	await fetch(`${new URL(client.sandbox.url).origin}/v2/jobs?token=${client.sandbox.apiKey}`, {
		headers: { 'x-a': 'b' },
	});
	const [first, second] = client.sandbox.requests;
	expect(first).toMatchObject({ method: 'POST', path: '/api/v2/jobs', replyStatus: 200 });
	expect(JSON.parse(first?.body ?? '')).toEqual(ORDER);
	expect(second).toMatchObject({ method: 'GET', body: '', replyStatus: 404, headers: { 'x-a': 'b' } });
	client.sandbox.clearRequests();
	expect(client.sandbox.requests).toEqual([]);
});

describe('control over HTTP', () => {
	const control = async (method: string, path: string, body?: unknown) => {
		const init = { method, body: body === undefined ? undefined : JSON.stringify(body) };
		const answer = await fetch(`${client.sandbox.url}/_sandbox/${path}`, init);
		return (await answer.json()) as Fields & unknown[];
	};

	it('changes options live, refuses those that do not exist, and starts over', async () => {
		expect(await control('POST', 'options', { listShape: 'array' })).toMatchObject({
			listShape: 'array',
		});
		expect((await client.send('/v2/jobs')).json).toEqual([]);
		const said = 'Sandbox options: "listShape" is one of data, jobs, array, items, dataJobs';
		expect(await control('POST', 'options', { listShape: 'tree' })).toEqual({ error: said });
		await client.create();
		await control('POST', 'reset');
		expect([client.sandbox.jobs, await control('GET', 'options')]).toMatchObject([
			[],
			{ listShape: 'data', pathPrefix: '/api' },
		]);
	});

	it('sets and clears faults, finishes jobs, skips time and shows what happened', async () => {
		await control('POST', 'faults', [{ fault: { type: 'html' } }, { fault: { type: 'serverError' } }]);
		await client.send('/v2/jobs');
		expect((await client.send('/v2/jobs')).status).toBe(500);
		expect(await control('GET', 'faults')).toMatchObject([{ played: 1 }, { played: 1 }]);
		expect(await control('DELETE', 'faults')).toEqual([]);
		const id = await client.running();
		expect(await control('GET', 'jobs')).toMatchObject([
			{ job_id: id, status: 'new', values: ['kettle'], charged: 0 },
		]);
		expect(await control('POST', `jobs/${id}/finish`)).toMatchObject({ status: 'finished', charged: 1 });
		expect(await control('POST', 'jobs/none/finish')).toHaveProperty('error');
		expect(await control('POST', 'advance', { ms: 1000 })).toEqual({ now: NOON + 1000 });
		expect(await control('GET', 'requests')).toHaveLength(3);
		expect(await control('DELETE', 'requests')).toEqual([]);
		expect(await control('GET', 'deliveries')).toEqual([]);
		expect(await control('GET', 'addresses')).toMatchObject({ url: client.sandbox.url });
		expect(await control('GET', 'weather')).toHaveProperty('error');
	});
});

test.each([
	['jobDurationMs', '50', 50],
	['autoFinish', 'false', false],
	['authentication', 'query,bearer', ['query', 'bearer']],
	['refusalStatuses', '{"gone":404}', { gone: 404 }],
	['pathPrefix', '/api', '/api'],
])('an option is read from text: %s=%s', (name, text, expected) => {
	expect(optionFromText(name, text)).toEqual(expected);
});

test.each([
	{ speed: 1 },
	{ jobDurationMs: '1' },
	{ authentication: 'query' },
	{ authentication: ['cookie'] },
	{ refusalStatuses: null },
])('%j are no options', (changes) => {
	expect(() => applyOptions(defaultOptions(), changes)).toThrow(RangeError);
});

test('start.mjs runs in plain node, says when it is ready, and ends on a signal', async () => {
	const child = spawn(
		process.execPath,
		[join(__dirname, 'start.mjs'), '--path-prefix', '/api', '--list-shape=jobs'],
		{
			env: { ...process.env, SANDBOX_JOB_DURATION_MS: '1', SANDBOX_API_KEY: 'KEY' },
			stdio: ['ignore', 'pipe', 'inherit'],
		},
	);
	const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
	expect(line).toMatch(/^sandbox ready at http:\/\/127\.0\.0\.1:\d+\/api$/);
	const reply = await fetch(`${line.replace('sandbox ready at ', '')}/v2/jobs?token=KEY`);
	expect(await reply.json()).toEqual({ jobs: [] });
	child.kill();
	expect(await once(child, 'exit')).toEqual([0, null]);
});

describe('webhooks', () => {
	let receiver: Server;
	let address: string;
	let calls: Array<{ method: string; url: string; type: string | undefined; body: string }>;
	let answer: number;

	beforeEach(async () => {
		calls = [];
		answer = 200;
		receiver = createServer(async (request, response) => {
			const chunks: Buffer[] = [];
			for await (const chunk of request) chunks.push(chunk as Buffer);
			const { method = '', url = '', headers } = request;
			calls.push({
				method,
				url,
				type: headers['content-type'],
				body: Buffer.concat(chunks).toString(),
			});
			response.writeHead(answer, { location: '/moved' }).end();
		});
		await once(receiver.listen(0, '127.0.0.1'), 'listening');
		address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?run=7`;
	});
	afterEach(() => receiver.close().closeAllConnections());

	/** Lets the time pass, and waits for so many calls in all to be answered. */
	const received = async (count: number, ms = 0) => {
		client.sandbox.advance(ms);
		const over = () =>
			client.sandbox.deliveries.filter(({ status, error }) => status !== null || error !== null);
		while (over().length < count) await new Promise(setImmediate);
	};
	const called = async (options: Partial<SandboxOptions> = {}, more: Fields = {}) => {
		client.sandbox.setOptions(options);
		const id = await client.finished({ webhook_url: address, ...more });
		await received(1);
		return id;
	};

	it.each<[Partial<SandboxOptions>, (id: string, url: string) => unknown]>([
		[{}, (job_id, download_url) => ({ job_id, download_url })],
		[{ webhookShape: 'payload' }, (job_id, download_url) => ({ payload: { job_id, download_url } })],
		[{ webhookShape: 'data' }, (job_id, download_url) => ({ data: { job_id, download_url } })],
		[{ webhookShape: 'bare' }, (job_id) => ({ job_id })],
		[{ webhookShape: 'job' }, (job_id) => ({ job: { job_id, status: 'finished', source: 'amazon' } })],
		[{ webhookUrlParameter: 'callback' }, (job_id) => ({ job_id })],
	])('call back once when the job is finished, with %j', async (options, expected) => {
		const more = options.webhookUrlParameter ? { callback: address, webhook_url: undefined } : {};
		const id = await called(options, { webhook_download_format: 'xml', ...more });
		expect(calls).toMatchObject([{ method: 'POST', url: '/hook?run=7', type: 'application/json' }]);
		expect(JSON.parse(calls[0]?.body ?? '')).toMatchObject(
			expected(id, `${client.sandbox.url}/v2/jobs/${id}/download.xml`) as Fields,
		);
		expect(client.sandbox.deliveries).toMatchObject([{ jobId: id, copy: 0, attempt: 1, status: 200 }]);
	});

	it('write forms and XML, and into the query', async () => {
		const first = await called({ webhookShape: 'payload', webhookEncoding: 'form' });
		expect(new URLSearchParams(calls[0]?.body).get('payload[job_id]')).toBe(first);
		client.sandbox.setOptions({ webhookEncoding: 'xml', webhookShape: 'flat' });
		const second = await client.finished({ webhook_url: address });
		await received(2);
		expect(fromXml(calls[1]?.body ?? '')).toMatchObject({ job_id: second });
		for (const [webhook_method, webhookEncoding] of [
			['GET', 'json'],
			['PUT', 'query'],
		] as const) {
			client.sandbox.setOptions({ webhookEncoding });
			const id = await client.finished({ webhook_url: address, webhook_method });
			await received(calls.length + 1);
			const { method, url } = calls.at(-1) ?? { method: '', url: '' };
			const query = new URL(url, address).searchParams;
			expect([method, query.get('run'), query.get('job_id')]).toEqual([webhook_method, '7', id]);
		}
	});

	it('stay silent about cancelled jobs', async () => {
		const id = await client.running({ webhook_url: address });
		await client.post(`/v2/jobs/${id}/cancel`, {});
		client.sandbox.advance(60_000);
		expect(client.sandbox.deliveries).toEqual([]);
	});

	it('repeat what was not taken, as often as told, and follow no redirect', async () => {
		answer = 302;
		await called({ webhookRetries: 2, webhookRetryDelayMs: 1000 });
		await received(2, 1000);
		answer = 204;
		await received(3, 1000);
		client.sandbox.advance(10_000);
		expect(client.sandbox.deliveries.map(({ attempt, status }) => [attempt, status])).toEqual([
			[1, 302],
			[2, 302],
			[3, 204],
		]);
	});

	it('come late, twice, before the service itself tells of the end, or not at all', async () => {
		client.sandbox.setOptions({ webhookDelayMs: 500, webhookDuplicates: 1, statusDelayMs: 1000 });
		const id = await client.finished({ webhook_url: address });
		client.sandbox.advance(499);
		expect(client.sandbox.deliveries).toEqual([]);
		await received(2, 1);
		expect([calls[0]?.body, client.sandbox.deliveries.map(({ copy }) => copy)]).toEqual([
			calls[1]?.body,
			[0, 1],
		]);
		expect((await client.send(`/v2/jobs/${id}`)).json.status).toBe('finishing');
		client.sandbox.reset();
		client.sandbox.setOptions({ webhookLossEvery: 1 });
		await client.finished({ webhook_url: address });
		client.sandbox.advance(60_000);
		expect(client.sandbox.deliveries).toEqual([]);
	});

	it('note an address that cannot be reached', async () => {
		await called({}, { webhook_url: 'http://127.0.0.1:1/' });
		expect(client.sandbox.deliveries).toMatchObject([
			{ attempt: 1, status: null, error: expect.any(String) },
		]);
	});
});

import fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './support.ts';
import { fromXml, startStill } from './support.ts';

interface Call {
	method: string;
	url: string;
	type: string | undefined;
	body: string;
}

describe('webhooks', () => {
	let client: Client;
	let receiver: FastifyInstance;
	let address: string;
	let calls: Call[];
	let answer: number;

	beforeEach(async () => {
		client = await startStill();
		calls = [];
		answer = 200;
		receiver = fastify({ forceCloseConnections: true });
		receiver.removeAllContentTypeParsers();
		receiver.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
		receiver.all('/*', (request, reply) => {
			const type = request.headers['content-type'];
			calls.push({ method: request.method, url: request.url, type, body: String(request.body ?? '') });
			if (request.url === '/moved') return reply.code(204).send();
			return reply.code(answer).header('location', '/moved').send();
		});
		await receiver.listen({ host: '127.0.0.1', port: 0 });
		address = `http://127.0.0.1:${(receiver.server.address() as AddressInfo).port}/hook?run=7`;
	});
	afterEach(async () => {
		await client.sandbox.close();
		await receiver.close();
	});

	/** Resolves once so many calls have come and were answered. */
	const received = async (count: number) => {
		const answered = () =>
			client.sandbox.deliveries.filter((one) => one.status !== null || one.error !== null);
		while (calls.length < count || answered().length < count) await sleep(2);
	};
	const run = async (more: object = {}) => {
		const id = await client.finished({ webhook_url: address, ...more });
		client.sandbox.advance(0);
		await received(1);
		return id;
	};

	it('call back once when the job is finished, with its id and where the results are', async () => {
		const id = await run();
		expect(calls).toHaveLength(1);
		expect(calls[0]).toMatchObject({ method: 'POST', url: '/hook?run=7', type: 'application/json' });
		const download = `${client.sandbox.url}/v2/jobs/${id}/download.json`;
		expect(JSON.parse(calls[0]?.body ?? '')).toEqual({ job_id: id, download_url: download });
		expect(client.sandbox.deliveries).toMatchObject([{ jobId: id, copy: 0, attempt: 1, status: 200 }]);
	});

	it.each([
		['payload', {}, (id: string, url: string) => ({ payload: { job_id: id, download_url: url } })],
		[
			'payload',
			{ webhookUrlField: 'job_download_url' },
			(id: string, url: string) => ({ payload: { job_id: id, job_download_url: url } }),
		],
		['data', {}, (id: string, url: string) => ({ data: { job_id: id, download_url: url } })],
		['bare', {}, (id: string) => ({ job_id: id })],
	] as const)('send a body in the shape %s', async (webhookShape, more, expected) => {
		client.sandbox.setOptions({ webhookShape, ...more });
		const id = await run({ webhook_download_format: 'xml' });
		const download = `${client.sandbox.url}/v2/jobs/${id}/download.xml`;
		expect(JSON.parse(calls[0]?.body ?? '')).toEqual(expected(id, download));
	});

	it('send the whole job when told to', async () => {
		client.sandbox.setOptions({ webhookShape: 'job' });
		const id = await run();
		expect(JSON.parse(calls[0]?.body ?? '')).toMatchObject({
			job: { job_id: id, status: 'finished', source: 'amazon' },
		});
	});

	it('write forms, XML and queries', async () => {
		client.sandbox.setOptions({ webhookShape: 'payload', webhookEncoding: 'form' });
		const first = await run();
		expect(calls[0]?.type).toBe('application/x-www-form-urlencoded');
		expect(new URLSearchParams(calls[0]?.body).get('payload[job_id]')).toBe(first);
		client.sandbox.setOptions({ webhookEncoding: 'xml', webhookShape: 'flat' });
		const second = await client.finished({ webhook_url: address });
		client.sandbox.advance(0);
		await received(2);
		expect(fromXml(calls[1]?.body ?? '')).toMatchObject({ job_id: second });
	});

	it.each([
		['PUT', {}, 'PUT', false],
		['GET', {}, 'GET', true],
		['POST', { webhookEncoding: 'query' }, 'POST', true],
	] as const)('use %s', async (webhook_method, options, method, inQuery) => {
		client.sandbox.setOptions(options);
		const id = await run({ webhook_method });
		const query = new URL(calls[0]?.url ?? '', address).searchParams;
		expect(calls[0]?.method).toBe(method);
		expect([query.get('run'), query.get('job_id')]).toEqual(['7', inQuery ? id : null]);
	});

	it('stay silent about cancelled jobs unless told to speak', async () => {
		const cancel = async () => {
			const { json } = await client.create({ webhook_url: address });
			await client.post(`/v2/jobs/${String(json.job_id)}/cancel`, {});
			client.sandbox.advance(0);
		};
		await cancel();
		client.sandbox.setOptions({ webhookOnCancel: true });
		await cancel();
		await received(1);
		expect(calls).toHaveLength(1);
		expect(client.sandbox.deliveries).toHaveLength(1);
		expect(JSON.parse(calls[0]?.body ?? '')).not.toHaveProperty('download_url');
	});

	it('repeat what was not taken, as often as told', async () => {
		client.sandbox.setOptions({ webhookRetries: 2, webhookRetryDelayMs: 1000 });
		answer = 503;
		await run();
		client.sandbox.advance(1000);
		await received(2);
		answer = 204;
		client.sandbox.advance(1000);
		await received(3);
		client.sandbox.advance(10_000);
		expect(client.sandbox.deliveries.map(({ attempt, status }) => [attempt, status])).toEqual([
			[1, 503],
			[2, 503],
			[3, 204],
		]);
	});

	it('come late, and more than once, when told to', async () => {
		client.sandbox.setOptions({ webhookDelayMs: 500, webhookDuplicates: 1 });
		await client.finished({ webhook_url: address });
		client.sandbox.advance(499);
		expect(client.sandbox.deliveries).toEqual([]);
		client.sandbox.advance(1);
		await received(2);
		expect(client.sandbox.deliveries.map(({ copy }) => copy)).toEqual([0, 1]);
		expect(calls[0]?.body).toBe(calls[1]?.body);
	});

	it('do not follow redirects, and note an address that cannot be reached', async () => {
		answer = 302;
		await run();
		await client.finished({ webhook_url: 'http://127.0.0.1:1/' });
		client.sandbox.advance(0);
		while (client.sandbox.deliveries[1]?.error === null) await sleep(2);
		expect(client.sandbox.deliveries[0]?.status).toBe(302);
		expect(client.sandbox.deliveries[1]).toMatchObject({
			attempt: 1,
			status: null,
			error: expect.any(String),
		});
	});

	it('follow redirects when told to, with method and body', async () => {
		client.sandbox.setOptions({ webhookRedirects: 'followed' });
		answer = 307;
		const id = await run();
		expect(calls.map(({ url }) => url)).toEqual(['/hook?run=7', '/moved']);
		expect(JSON.parse(calls[1]?.body ?? '')).toMatchObject({ job_id: id });
		expect(client.sandbox.deliveries).toMatchObject([{ status: 204 }]);
	});

	it('come before the service itself tells of the end when told to', async () => {
		client.sandbox.setOptions({ statusDelayMs: 1000 });
		const id = await run();
		expect((await client.send(`/v2/jobs/${id}`)).json.status).toBe('finishing');
		client.sandbox.advance(1000);
		expect((await client.send(`/v2/jobs/${id}`)).json.status).toBe('finished');
		expect(calls).toHaveLength(1);
	});

	it('are repeated on a schedule when there is one', async () => {
		client.sandbox.setOptions({ webhookSchedule: [10, 2000] });
		answer = 500;
		await run();
		client.sandbox.advance(10);
		await received(2);
		client.sandbox.advance(1999);
		expect(calls).toHaveLength(2);
		client.sandbox.advance(1);
		await received(3);
		client.sandbox.advance(100_000);
		expect(client.sandbox.deliveries).toHaveLength(3);
	});

	it('are lost on their way when told to', async () => {
		client.sandbox.setOptions({ webhookLossEvery: 2 });
		for (let count = 0; count < 4; count++) await client.finished({ webhook_url: address });
		client.sandbox.advance(0);
		await received(2);
		expect(client.sandbox.deliveries.map(({ jobId }) => jobId)).toEqual(
			[0, 2].map((index) => client.sandbox.jobs[index]?.job_id),
		);
	});

	it('take the address under another name when told to', async () => {
		client.sandbox.setOptions({ webhookUrlParameter: 'callback' });
		expect((await client.create({ webhook_url: address })).json.reason).toBe('unknown parameter');
		const id = await client.finished({ callback: address });
		client.sandbox.advance(0);
		await received(1);
		expect(JSON.parse(calls[0]?.body ?? '')).toMatchObject({ job_id: id });
	});
});

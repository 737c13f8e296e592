import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { Client } from './support.ts';
import { startStill } from './support.ts';

interface Raw {
	headers: IncomingHttpHeaders;
	body: Buffer;
	/** Whether the end was a proper one. */
	complete: boolean;
}

describe('transport', () => {
	let client: Client;
	let id: string;

	beforeEach(async () => {
		client = await startStill();
		id = await client.finished({ value: 'many-40' });
	});
	afterEach(() => client.sandbox.close());

	/** The bytes as they come over the wire, whatever their encoding. */
	const raw = (path: string, headers: Record<string, string> = {}): Promise<Raw> =>
		new Promise((resolve, reject) => {
			const url = `${client.sandbox.url}${path}?token=${client.sandbox.apiKey}`;
			const asking = request(url, { headers }, (answer) => {
				const chunks: Buffer[] = [];
				const done = () =>
					resolve({
						headers: answer.headers,
						body: Buffer.concat(chunks),
						complete: answer.complete,
					});
				answer.on('data', (chunk: Buffer) => chunks.push(chunk));
				answer.on('end', done);
				answer.on('error', done);
			});
			asking.on('error', reject);
			asking.end();
		});
	const download = () => `/v2/jobs/${id}/download`;

	it.each(['gzip', 'deflate', 'br'] as const)(
		'compresses with %s for clients that accept it',
		async (how) => {
			client.sandbox.setOptions({ compression: how });
			const { json } = await client.send(download(), { headers: { 'accept-encoding': how } });
			expect(json.job_id).toBe(id);
			const compressed = await raw(download(), { 'accept-encoding': how });
			expect(compressed.headers['content-encoding']).toBe(how);
			expect((await raw(download())).headers['content-encoding']).toBeUndefined();
			expect((await client.send(`${download()}`)).json.results).toHaveLength(1);
		},
	);

	it('compresses no reply without a body, and refusals too', async () => {
		client.sandbox.setOptions({ compression: 'gzip', cancelReply: 'empty', createReply: 'empty' });
		const created = await client.create();
		expect([created.status, created.text]).toEqual([200, '']);
		const job = String(client.sandbox.jobs.at(-1)?.job_id);
		expect((await client.post(`/v2/jobs/${job}/cancel`, {})).status).toBe(204);
		expect((await client.send('/v2/jobs/none')).json.reason).toBe('job not found');
	});

	it.each([
		['absent', undefined],
		['dayBehind', -1],
		['dayAhead', 1],
	] as const)('has a header Date that is %s', async (dateHeader, days) => {
		client.sandbox.setOptions({ dateHeader });
		const { date } = (await raw('/v2/jobs')).headers;
		const skew =
			date === undefined ? undefined : (Date.parse(date) - client.sandbox.clock.now()) / 86_400_000;
		expect(skew === undefined ? undefined : Math.round(skew)).toBe(days);
	});

	it('ends a body early as if it were whole: by closing, by the last chunk, compressed', async () => {
		const whole = (await raw(download())).body;
		const half = whole.subarray(0, Math.floor(whole.length / 2)).toString();
		client.sandbox.faults.add({ fault: { type: 'truncate', end: 'close' } });
		const closed = await raw(download());
		expect([closed.complete, closed.body.toString()]).toEqual([true, half]);
		expect(closed.headers['transfer-encoding'] ?? closed.headers['content-length']).toBeUndefined();
		expect(closed.headers.connection).toBe('close');
		client.sandbox.faults.add({ fault: { type: 'truncate', end: 'lastChunk' } });
		const chunked = await raw(download());
		expect([chunked.complete, chunked.body.toString()]).toEqual([true, half]);
		expect(chunked.headers['transfer-encoding']).toBe('chunked');
		client.sandbox.faults.add({ fault: { type: 'gzipCut' } });
		const cut = await raw(download());
		expect([cut.complete, cut.headers['content-encoding']]).toEqual([true, 'gzip']);
		expect(() => gunzipSync(cut.body)).toThrow('unexpected end of file');
	});

	it.each([
		['doctype', '<!DOCTYPE html>'],
		['xmlDeclaration', '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>'],
		['comment', '<!-- served by the gateway -->\n<!DOCTYPE html>'],
		['blankLines', '\n\n<!DOCTYPE html>'],
	] as const)('answers with a page of any size that begins with: %s', async (start, expected) => {
		client.sandbox.faults.add({ fault: { type: 'html', start, bytes: 6000 } });
		const { text } = await client.send(download());
		expect(text.startsWith(expected)).toBe(true);
		expect(text).toHaveLength(6000);
	});

	it('redirects to a file whose one-time token has the name of the key', async () => {
		client.sandbox.setOptions({ downloadRedirect: 'sameOrigin', ticketPlace: 'query' });
		const location = (await client.send(download())).headers.get('location') ?? '';
		expect(location).toMatch(/\/files\/download\?token=[0-9a-f]{32}$/);
		expect((await (await fetch(location)).json()) as object).toMatchObject({ job_id: id });
		const withKey = location.replace(/token=.*/, `token=${client.sandbox.apiKey}`);
		expect((await fetch(withKey)).status).toBe(404);
	});
});

import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';

import type { Fault } from './faults.ts';
import { useStill } from './support.ts';

const client = useStill();
let id: string;
beforeEach(async () => {
	id = await client.finished({ value: 'many-40' });
});
const path = () => `/v2/jobs/${id}/download`;
const play = (fault: Fault) => client.sandbox.faults.add({ fault });
const list = () => client.send('/v2/jobs');

/** A download as it comes over the wire. */
async function raw() {
	const asking = request(`${client.sandbox.url}${path()}?token=${client.sandbox.apiKey}`).end();
	const answer = await new Promise<IncomingMessage>((resolve) => asking.on('response', resolve));
	const chunks: Buffer[] = [];
	for await (const chunk of answer) chunks.push(chunk as Buffer);
	return { headers: answer.headers, body: Buffer.concat(chunks), complete: answer.complete };
}

describe('a fault', () => {
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

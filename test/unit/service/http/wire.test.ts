import { PassThrough, Readable } from 'node:stream';

import { ENDPOINTS, type RequestContext } from '../../../../nodes/PriceCollection/service/types';
import { StatusBudget } from '../../../../nodes/PriceCollection/service/http/pacing';
import { discard, readHead, sendRequest } from '../../../../nodes/PriceCollection/service/http/wire';
import { dialectOf } from '../../fakeClient';
import { fixedClock } from '../../fixedClock';
import * as realClock from '../../../../nodes/PriceCollection/n8n/clock';

const ORIGIN = 'https://api.example.test';
const clock = fixedClock();

interface Sent {
	url: string;
	method: string;
}

/**
 * Sends a request to a service that answers with these redirects and then with 200. Returns what was sent, and the
 * outcome.
 */
async function sentFor(
	redirects: ReadonlyArray<readonly [status: number, location: string | undefined]>,
	{ method = 'GET', jobId = 'a', query = {} } = {},
) {
	const sent: string[] = [];
	const send = async (request: Sent, key: string) => {
		const [statusCode, location] = redirects[sent.length] ?? [200];
		const { page } = (request as { qs?: { page?: number } }).qs ?? {};
		sent.push(`${request.method} ${request.url}${page ? ` page ${page}` : ''}${key}`);
		const body = { on: () => body, destroy: () => body };
		return await Promise.resolve({ statusCode, headers: { location }, body });
	};
	const helpers = {
		httpRequest: async (request: Sent) => await send(request, ''),
		httpRequestWithAuthentication: async (_name: string, request: Sent) =>
			await send(request, ' with the key'),
	};
	const scope = {
		...{ context: { helpers } as unknown as RequestContext, clock, connection: dialectOf() },
		statusBudget: new StatusBudget(clock),
	};
	const endpoint = method === 'GET' ? ENDPOINTS.download : ENDPOINTS.create;
	const outcome = await sendRequest(scope, { endpoint, jobId, query });
	const problem = outcome.ok ? undefined : outcome.problem;
	return { sent, problem, said: problem && `${problem.kind}, ${problem.effect}`, outcome };
}

test('a redirect has its own query', async () => {
	const { sent } = await sentFor([[302, '/files/1?page=3']], { query: { page: 2 } });
	expect(sent).toEqual([
		`GET ${ORIGIN}/v2/jobs/a/download page 2 with the key`,
		`GET ${ORIGIN}/files/1?page=3 with the key`,
	]);
});

test.each([
	['/files/1', `GET ${ORIGIN}/files/1 with the key`],
	['../b', `GET ${ORIGIN}/v2/jobs/b with the key`],
	[`${ORIGIN}/files/1?x=1`, `GET ${ORIGIN}/files/1?x=1 with the key`],
	[`${ORIGIN}/files/1?token=KEYKEYKEY&x=1`, `GET ${ORIGIN}/files/1?x=1 with the key`],
	['https://cdn.example.test/1?token=ticket', 'GET https://cdn.example.test/1?token=ticket'],
	['https://cdn.example.test/1?token=KEYKEYKEY&x=1', 'GET https://cdn.example.test/1?x=1'],
	['https://cdn.example.test/1?next=%2F%3Ftoken%3DKEYKEYKEY', 'GET https://cdn.example.test/1'],
	['https://cdn.example.test/1?KEYKEYKEY=1', 'GET https://cdn.example.test/1'],
	['http://api.example.test/1', 'GET http://api.example.test/1'],
	['https://api.example.test:8443/1', 'GET https://api.example.test:8443/1'],
	['//cdn.example.test/1', 'GET https://cdn.example.test/1'],
	['https://cdn.example.test/KEYKEYKEY', 'redirectedAway, none'],
	['https://KEYKEYKEY@cdn.example.test/', 'redirectedAway, none'],
	['ftp://cdn.example.test/1', 'redirectedAway, none'],
	['http://', 'redirectedAway, none'],
	['', 'redirectedAway, none'],
	[undefined, 'redirectedAway, none'],
])('a read that is sent to %p: %s', async (location, expected) => {
	const { sent, said } = await sentFor([[302, location]]);
	expect(said ?? sent[1]).toBe(expected);
	expect(sent).toHaveLength(said === undefined ? 2 : 1);
});

test('the key does not come back once it stayed behind', async () => {
	const places = ['https://cdn.example.test/KEY/1?x', `${ORIGIN}/files/1`];
	const { sent, outcome } = await sentFor(places.map((place) => [302, place]));
	expect(sent.slice(1)).toEqual(places.map((place) => `GET ${place}`));
	expect(outcome).toMatchObject({ ok: true, value: { foreign: undefined } });
});

test.each([
	[301, '/v2/jobs', 'redirectedAway, none'],
	[302, '/v2/jobs', 'redirectedAway, unknown'],
	[303, '/v2/jobs/a', 'redirectedAway, unknown'],
	[307, '/v2/jobs2', 'redirectedAway, none'],
	[307, 'https://cdn.example.test/v2/jobs', 'redirectedAway, none'],
	[308, undefined, 'redirectedAway, unknown'],
])('a creation that is answered %i to %p: %s', async (status, location, expected) => {
	const { sent, said } = await sentFor([[status, location]], { method: 'POST' });
	expect([sent.length, said]).toEqual([1, expected]);
});

test('texts name an address without its query and without secrets', async () => {
	const { problem } = await sentFor([[302, 'ftp://h.test/KEYKEYKEY/x?token=1#y']]);
	expect(problem?.detail).toMatch(/^It points to [^?#]*\/\*\*\*\/x$/);
	const { outcome } = await sentFor([[302, 'https://h.test/x?token=1#y']]);
	expect(outcome).toMatchObject({ value: { foreign: 'https://h.test/x' } });
});

test('circles end', async () => {
	const circle = Array.from({ length: 9 }, () => [302, '/v2/jobs/a/download'] as const);
	const { sent, problem } = await sentFor(circle);
	expect([sent.length, problem?.detail]).toEqual([6, 'It redirects in circles']);
});

test('the job that is named is asked for and no other, and nothing is sent of what names a folder', async () => {
	for (const jobId of ['...', 'a/b', 'a?b#c', '%2e%2e', '../x', ' ', 'a\nb', 'é']) {
		const [one = ''] = (await sentFor([], { jobId })).sent;
		const [, id = ''] = /\/v2\/jobs\/([^/?#]*)\/download with/.exec(one) ?? [];
		expect(decodeURIComponent(id)).toBe(jobId);
	}
	for (const jobId of ['', '.', '..'])
		expect(await sentFor([], { jobId })).toMatchObject({ sent: [], said: 'jobNotFound, none' });
	// Half a surrogate pair cannot be encoded.
	const { sent } = await sentFor([], { jobId: 'a\ud800' });
	expect(sent).toEqual([`GET ${ORIGIN}/v2/jobs/a%EF%BF%BD/download with the key`]);
});

/** A stream that n8n could hand out: a wrapper whose end waits for its source. */
function wrapped(source: AsyncIterable<Buffer>): Readable {
	async function* chunks() {
		for await (const chunk of source) yield chunk;
	}
	return Readable.from(chunks(), { objectMode: false });
}

/** Yields these chunks and then stalls, without an end. */
async function* stalling(...texts: string[]): AsyncGenerator<Buffer> {
	for (const text of texts) yield Buffer.from(text);
	await new Promise<never>(() => undefined);
}

const pieces = (...texts: string[]) =>
	Readable.from(texts.map(Buffer.from.bind(Buffer) as (text: string) => Buffer), { objectMode: false });

const patience = (timeoutMs: number, signal?: AbortSignal) => ({
	...{ timeoutMs, clock: realClock },
	context: { getExecutionCancelSignal: () => signal } as unknown as RequestContext,
});
const headOf = async (body: NodeJS.ReadableStream, wanted: number, silenceMs = 1_000) =>
	await readHead(body, wanted, patience(silenceMs));

test.each([
	['at once', () => stalling()],
	['in the middle', () => stalling('a', 'b')],
])('silence %s ends a body with ETIMEDOUT, also one whose source never ends', async (_name, source) => {
	for (const stream of [wrapped(source()), Readable.from(source(), { objectMode: false })]) {
		await expect(headOf(stream, 100, 1)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
		expect(stream.destroyed).toBe(true);
	}
});

test.each([
	['a byte a second', 61, 1],
	['500 bytes a second', 122, 500],
	['a little more than 1,000 bytes a second', 3_600, 1_001],
])(
	'a body of %s is read for at most %i s, although it is never silent for long',
	async (_name, seconds, bytes) => {
		let elapsed = 0;
		const turn = async () => await new Promise<void>((resolve) => setImmediate(resolve));
		async function* anHour() {
			for (; elapsed < 3_600_000; elapsed += 1_000) {
				yield Buffer.alloc(bytes);
				for (let turns = 0; turns < 5; turns++) await turn();
			}
		}
		const clock = { ...fixedClock(), elapsed: () => elapsed, sleep: turn };
		const outcome = await readHead(wrapped(anHour()), 10_000_000, { ...patience(60_000), clock }).catch(
			(error: Error & { code: string }) => error,
		);
		expect(outcome).toMatchObject(seconds < 3_600 ? { code: 'ETIMEDOUT' } : { ended: true });
		expect(elapsed).toBe(seconds * 1_000);
	},
);

test('the stop signal ends a body at once', async () => {
	const stopped = readHead(wrapped(stalling('a')), 100, patience(60_000, AbortSignal.abort()));
	await expect(stopped).rejects.toMatchObject({ code: 'ERR_CANCELED' });
});

describe('looking at the beginning', () => {
	test('leaves the bytes in the body, of which a short one is given as a whole', async () => {
		const body = pieces('abc', 'def', 'ghi');
		const { head, ended } = await headOf(body, 4);
		expect([String(head).slice(0, 4), ended]).toEqual(['abcd', false]);
		expect(await headOf(body, 100)).toEqual({ head: Buffer.from('abcdefghi'), ended: true });
		expect(await headOf(pieces(), 100)).toEqual({ head: Buffer.alloc(0), ended: true });
	});

	test('ends with the body that breaks off', async () => {
		const broken = new PassThrough();
		broken.write('a');
		setImmediate(() => broken.destroy());
		await expect(headOf(broken, 100)).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
		const failing = new PassThrough();
		setImmediate(() => failing.destroy(new Error('bad')));
		await expect(headOf(failing, 100)).rejects.toThrow('bad');
	});
});

test('a body that nobody needs is ended', async () => {
	const body = pieces('a', 'b');
	discard(body);
	await new Promise((resolve) => body.once('close', resolve));
	expect(body.readableEnded).toBe(false);
});

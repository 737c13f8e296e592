import { PassThrough, Readable } from 'node:stream';

import * as clock from '../../../nodes/PriceCollection/n8n/clock';
import { discard, readHead, readBody, TooLarge } from '../../../nodes/PriceCollection/service/body';

/** A stream that n8n could hand out: a wrapper whose end waits for its source. */
function wrapped(source: AsyncIterable<Buffer>): Readable {
	async function* chunks() {
		for await (const chunk of source) yield chunk;
	}
	return Readable.from(chunks(), { objectMode: false });
}

/** Gives these chunks and then nothing, without an end. */
async function* stalling(...texts: string[]): AsyncGenerator<Buffer> {
	for (const text of texts) yield Buffer.from(text);
	await new Promise<never>(() => undefined);
}

const pieces = (...texts: string[]) =>
	Readable.from(
		texts.map((text) => Buffer.from(text)),
		{ objectMode: false },
	);

const patience = (silenceMs: number) => ({ silenceMs, clock });

/** A body read to its end. */
const textOf = async (body: NodeJS.ReadableStream, silenceMs = 1_000) =>
	String(await readBody(body, patience(silenceMs)));

test('a body is read up to a size', async () => {
	expect(await textOf(pieces('a', 'b'))).toBe('ab');
	await expect(readBody(pieces('abc', 'def'), patience(1_000), 5)).rejects.toBeInstanceOf(TooLarge);
});

describe('silence', () => {
	test.each([
		['at once', () => stalling()],
		['in the middle', () => stalling('a', 'b')],
	])('%s ends a body with ETIMEDOUT, also one whose source never ends', async (_name, source) => {
		for (const stream of [wrapped(source()), Readable.from(source(), { objectMode: false })]) {
			await expect(textOf(stream, 1)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
			expect(stream.destroyed).toBe(true);
		}
	});

	test('is ended at once by the stop signal', async () => {
		const stream = wrapped(stalling('a'));
		const stopped = readBody(stream, { ...patience(60_000), signal: AbortSignal.abort() });
		await expect(stopped).rejects.toMatchObject({ code: 'ERR_CANCELED' });
	});
});

describe('looking at the beginning', () => {
	test('leaves the bytes in the body', async () => {
		const body = pieces('abc', 'def', 'ghi');
		const { head, ended } = await readHead(body, 4, patience(1000));
		expect([String(head).slice(0, 4), ended]).toEqual(['abcd', false]);
		expect(await textOf(body)).toBe('abcdefghi');
	});

	test('gives a short body as a whole', async () => {
		const { head, ended } = await readHead(pieces('a', 'b'), 100, patience(1000));
		expect([String(head), ended]).toEqual(['ab', true]);
		expect(await readHead(pieces(), 100, patience(1000))).toEqual({ head: Buffer.alloc(0), ended: true });
	});

	test('ends with the body that breaks off', async () => {
		const broken = new PassThrough();
		broken.write('a');
		setImmediate(() => broken.destroy());
		await expect(readHead(broken, 100, patience(1000))).rejects.toMatchObject({
			code: 'ERR_STREAM_PREMATURE_CLOSE',
		});
		const failing = new PassThrough();
		setImmediate(() => failing.destroy(new Error('bad')));
		await expect(readHead(failing, 100, patience(1000))).rejects.toThrow('bad');
	});

	test('ends with silence', async () => {
		await expect(readHead(wrapped(stalling('a')), 100, patience(1))).rejects.toMatchObject({
			code: 'ETIMEDOUT',
		});
	});
});

test('a body that nobody needs is read to its end when short, and cut off when long', async () => {
	const short = pieces('a', 'b');
	discard(short);
	await new Promise((resolve) => short.once('end', resolve));
	const long = pieces('x'.repeat(60_000), 'x'.repeat(60_000), 'x'.repeat(60_000));
	discard(long);
	await new Promise((resolve) => long.once('close', resolve));
	expect(long.readableEnded).toBe(false);
});

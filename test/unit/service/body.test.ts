import { PassThrough, Readable } from 'node:stream';

import * as clock from '../../../nodes/PriceCollection/n8n/clock';
import {
	discard,
	limitSilence,
	readBody,
	readHead,
	TooLarge,
} from '../../../nodes/PriceCollection/service/body';

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
const textOf = async (body: NodeJS.ReadableStream) => String(await readBody(body, patience(1_000)));
const headOf = async (body: NodeJS.ReadableStream, wanted: number, silenceMs = 1_000) =>
	await readHead(body, wanted, limitSilence(body, patience(silenceMs)), clock);

test('a body is read up to a size', async () => {
	expect(await textOf(pieces('a', 'b'))).toBe('ab');
	await expect(readBody(pieces('abc', 'def'), patience(1_000), 5)).rejects.toBeInstanceOf(TooLarge);
});

test.each([
	['at once', () => stalling()],
	['in the middle', () => stalling('a', 'b')],
])('silence %s ends a body with ETIMEDOUT, also one whose source never ends', async (_name, source) => {
	for (const stream of [wrapped(source()), Readable.from(source(), { objectMode: false })]) {
		await expect(readBody(stream, patience(1))).rejects.toMatchObject({ code: 'ETIMEDOUT' });
		expect(stream.destroyed).toBe(true);
	}
	await expect(headOf(wrapped(source()), 100, 1)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
});

test('the stop signal ends a body at once', async () => {
	const stopped = readBody(wrapped(stalling('a')), { ...patience(60_000), signal: AbortSignal.abort() });
	await expect(stopped).rejects.toMatchObject({ code: 'ERR_CANCELED' });
});

describe('looking at the beginning', () => {
	test('leaves the bytes in the body', async () => {
		const body = pieces('abc', 'def', 'ghi');
		const { head, ended } = await headOf(body, 4);
		expect([String(head).slice(0, 4), ended]).toEqual(['abcd', false]);
		expect(await textOf(body)).toBe('abcdefghi');
	});

	test('gives a short body as a whole', async () => {
		expect(await headOf(pieces('a', 'b'), 100)).toEqual({ head: Buffer.from('ab'), ended: true });
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

test('a body that nobody needs is read to its end when short, and cut off when long', async () => {
	const short = pieces('a', 'b');
	discard(short);
	await new Promise((resolve) => short.once('end', resolve));
	const long = pieces('x'.repeat(60_000), 'x'.repeat(60_000), 'x'.repeat(60_000));
	discard(long);
	await new Promise((resolve) => long.once('close', resolve));
	expect(long.readableEnded).toBe(false);
});

import { PassThrough, Readable } from 'node:stream';

import * as clock from '../../../nodes/PriceCollection/n8n/clock';
import {
	discard,
	limitSilence,
	readHead,
	piecesOf,
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

/** A body read to its end. */
async function textOf(body: NodeJS.ReadableStream): Promise<string> {
	let text = '';
	for await (const piece of piecesOf(body)) text += String(piece);
	return text;
}

describe('reading', () => {
	test('gives a body piece by piece, up to a size', async () => {
		const read: string[] = [];
		for await (const piece of piecesOf(pieces('a', 'b'))) read.push(String(piece));
		expect(read).toEqual(['a', 'b']);
		await expect(piecesOf(pieces('abc', 'def'), 5).next()).resolves.toMatchObject({ done: false });
		const tooMuch = async () => {
			for await (const piece of piecesOf(pieces('abc', 'def'), 5)) expect(String(piece)).toBe('abc');
		};
		await expect(tooMuch()).rejects.toBeInstanceOf(TooLarge);
	});
});

const patience = (silenceMs: number) => ({ silenceMs, clock });

describe('silence', () => {
	test.each([
		['at once', () => stalling()],
		['in the middle', () => stalling('a', 'b')],
	])('%s ends a body with ETIMEDOUT, also one whose source never ends', async (_name, source) => {
		for (const stream of [wrapped(source()), Readable.from(source(), { objectMode: false })]) {
			limitSilence(stream, patience(1));
			await expect(textOf(stream)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
			expect(stream.destroyed).toBe(true);
		}
	});

	test('is ended at once by the stop signal', async () => {
		const stream = wrapped(stalling('a'));
		limitSilence(stream, { ...patience(60_000), signal: AbortSignal.abort() });
		await expect(textOf(stream)).rejects.toMatchObject({ code: 'ERR_CANCELED' });
	});

	test('limits take nothing away from a body that ends', async () => {
		const stream = pieces('a', 'b');
		limitSilence(stream, patience(1000));
		expect(await textOf(stream)).toBe('ab');
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
		await expect(readHead(broken, 100, patience(1000))).rejects.toMatchObject({ code: 'ECONNRESET' });
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

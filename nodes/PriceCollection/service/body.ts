import { sleep } from 'n8n-workflow';

import { breathe, now } from './clock';

/** A larger body does not become items: its text alone would take several times this from n8n's memory. */
export const MAX_TEXT_BYTES = 256 * 1024 * 1024;
const LOOK_EVERY_MS = 250;

type Stream = NodeJS.ReadableStream & {
	destroy: (error?: Error) => void;
	unshift: (chunk: Buffer) => void;
};

/** Why a body was given up. The code is one of the network's own, so that it is explained like them. */
function interruption(code: 'ETIMEDOUT' | 'ERR_CANCELED'): Error {
	return Object.assign(new Error('The body was given up'), { code });
}

/** Ends a stream once nothing was heard for `silenceMs`, or when `signal` is aborted. Gives a way to call it off. */
function guard(
	stream: Stream,
	silenceMs: number,
	signal: AbortSignal | undefined,
	heard: () => number,
): () => void {
	let over = false;
	const callOff = () => {
		over = true;
	};
	for (const event of ['end', 'close', 'error']) stream.once(event, callOff);
	void (async () => {
		while (!over) {
			await sleep(LOOK_EVERY_MS);
			if (over) return;
			if (signal?.aborted === true) stream.destroy(interruption('ERR_CANCELED'));
			else if (now() - heard() > silenceMs) stream.destroy(interruption('ETIMEDOUT'));
		}
	})();
	return callOff;
}

/**
 * Ends a body that is silent for `silenceMs`, or when `signal` is aborted: n8n's own time limit does not cover
 * the body. The reader then gets an error with the code ETIMEDOUT or ERR_CANCELED.
 */
export function limitSilence(body: NodeJS.ReadableStream, silenceMs: number, signal?: AbortSignal): void {
	const stream = body as Stream;
	let heard = now();
	guard(stream, silenceMs, signal, () => heard);
	// Paused first: a `data` listener would otherwise start the flow before the reader is there.
	stream.pause();
	stream.on('data', () => {
		heard = now();
	});
}

/** The encoding a body is written in: what its headers or its XML declaration say, UTF-8 otherwise. */
function decoderFor(bytes: Buffer, contentType: string | undefined): InstanceType<typeof TextDecoder> {
	const declared =
		/charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? '')?.[1] ??
		/^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(
			bytes.subarray(0, 200).toString('latin1'),
		)?.[1];
	try {
		return new TextDecoder(declared ?? 'utf-8');
	} catch {
		return new TextDecoder('utf-8');
	}
}

/**
 * Reads a body as text.
 *
 * @returns the text; undefined when the body is larger than `maxBytes`, the rest is then not read
 * @throws what the network reports when the body breaks off
 */
export async function readText(
	body: NodeJS.ReadableStream,
	contentType: string | undefined,
	maxBytes = MAX_TEXT_BYTES,
): Promise<string | undefined> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of body) {
		const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
		size += bytes.length;
		if (size > maxBytes) return undefined;
		chunks.push(bytes);
	}
	const whole = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size);
	return decoderFor(whole, contentType).decode(whole);
}

/**
 * The first bytes of a body, which stay in it; empty when it has none. Rejects when it breaks off at once, is
 * silent for `silenceMs` or `signal` is aborted.
 */
export async function peek(
	body: NodeJS.ReadableStream,
	silenceMs: number,
	signal?: AbortSignal,
): Promise<Buffer> {
	const stream = body as Stream;
	const start = now();
	const callOff = guard(stream, silenceMs, signal, () => start);
	const head = await new Promise<Buffer>((resolve, reject) => {
		stream.once('error', reject);
		stream.once('end', () => resolve(Buffer.alloc(0)));
		stream.once('readable', () => {
			const chunk = stream.read() as Buffer | string | null;
			const bytes = chunk === null ? Buffer.alloc(0) : Buffer.from(chunk);
			if (chunk !== null) stream.unshift(bytes);
			resolve(bytes);
		});
	});
	callOff();
	// Node takes note of the removed listener a moment later; whoever listens next must come after that.
	await breathe();
	return head;
}

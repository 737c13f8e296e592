import type { Clock } from './clock';

/** A larger body does not become items: they would take several times this from n8n's memory. */
export const MAX_TEXT_BYTES = 64 * 1024 * 1024;
const LOOK_EVERY_MS = 250;
/** So much of a body that nobody needs is read, so that its connection ends well. */
const UNREAD_BYTES = 64 * 1024;

type Stream = NodeJS.ReadableStream & {
	destroy: () => void;
	iterator: (options: { destroyOnReturn: boolean }) => AsyncIterable<Buffer>;
};

/** When a body is given up. */
export interface Patience {
	/** After so long without a byte, in milliseconds. */
	silenceMs: number;
	signal?: AbortSignal;
	clock: Clock;
}

/**
 * Ends a body that is silent for too long, or when the signal is aborted: n8n's own time limit does not cover the body.
 * The reader then gets an error with one of the network's own codes, ETIMEDOUT or ERR_CANCELED.
 *
 * @returns what the reader calls whenever bytes have come
 */
export function limitSilence(
	body: NodeJS.ReadableStream,
	{ silenceMs, signal, clock }: Patience,
): () => void {
	const stream = body as Stream;
	let last = clock.now();
	let isOver = false;
	// Said by hand, because the stream that n8n gives may be a wrapper that, told to end, first waits for the very bytes
	// that do not come.
	const abort = (code: 'ETIMEDOUT' | 'ERR_CANCELED') => {
		stream.emit('error', Object.assign(new Error('The body was given up'), { code }));
		stream.destroy();
	};
	// The last of these stays: an error that comes when nobody listens any more would end the process.
	for (const event of ['end', 'close', 'error']) stream.on(event, () => (isOver = true));
	void (async () => {
		while (!isOver) {
			await clock.sleep(LOOK_EVERY_MS);
			if (isOver) return;
			if (signal?.aborted === true) abort('ERR_CANCELED');
			else if (clock.now() - last > silenceMs) abort('ETIMEDOUT');
		}
	})();
	return () => (last = clock.now());
}

/** Lets go of a body that nobody reads: its end frees the connection, a long one is cut off. */
export function discard(body: NodeJS.ReadableStream): void {
	const stream = body as Stream;
	let left = UNREAD_BYTES;
	stream.on('error', () => undefined);
	stream.on('data', (chunk: Buffer | string) => {
		left -= chunk.length;
		if (left < 0) stream.destroy();
	});
	stream.resume();
}

/** Says that a body is larger than it may be. */
export class TooLarge extends Error {}

/**
 * All of a body.
 *
 * @throws TooLarge, or what the network reports when the body breaks off
 */
export async function readBody(
	body: NodeJS.ReadableStream,
	patience: Patience,
	maxBytes = MAX_TEXT_BYTES,
): Promise<Buffer> {
	const heard = limitSilence(body, patience);
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of body) {
		heard();
		const bytes = Buffer.from(chunk);
		size += bytes.length;
		if (size > maxBytes) throw new TooLarge();
		chunks.push(bytes);
	}
	return Buffer.concat(chunks);
}

/**
 * The first bytes of a body, `wanted` of them or a few more. They stay in it, unless they are all there is (`ended`).
 *
 * @throws what the network reports when the body breaks off
 */
export async function readHead(
	body: NodeJS.ReadableStream,
	wanted: number,
	heard: () => void,
	clock: Pick<Clock, 'yieldToEventLoop'>,
): Promise<{ head: Buffer; ended: boolean }> {
	const stream = body as Stream;
	const chunks: Buffer[] = [];
	let left = wanted;
	for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
		heard();
		chunks.push(Buffer.from(chunk));
		left -= chunk.length;
		if (left <= 0) break;
	}
	const head = Buffer.concat(chunks);
	const ended = left > 0;
	if (!ended) stream.unshift(head);
	// Node takes note of removed listeners a moment later; whoever listens next must come after that.
	await clock.yieldToEventLoop();
	return { head, ended };
}

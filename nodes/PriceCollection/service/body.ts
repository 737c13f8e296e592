import type { Clock } from './clock';

/** Larger bodies are not turned into items, which would need several times this much of n8n's memory. */
export const MAX_TEXT_BYTES = 64 * 1024 * 1024;
const LOOK_EVERY_MS = 250;
/** How much of an unneeded body is read, so that the connection can be reused. */
const UNREAD_BYTES = 64 * 1024;

type Stream = NodeJS.ReadableStream & {
	destroy: () => void;
	iterator: (options: { destroyOnReturn: boolean }) => AsyncIterable<Buffer>;
};

/** When reading a body is aborted. */
export interface SilenceLimit {
	/** After this many milliseconds without a byte. */
	silenceMs: number;
	signal?: AbortSignal;
	clock: Clock;
}

/**
 * Ends a body that is silent for too long or whose signal is aborted: n8n's own timeout does not cover
 * bodies. The reader then gets an error with one of the network's codes, ETIMEDOUT or ERR_CANCELED.
 *
 * @returns a function that the reader calls whenever bytes arrive
 */
export function limitSilence(
	body: NodeJS.ReadableStream,
	{ silenceMs, signal, clock }: SilenceLimit,
): () => void {
	const stream = body as Stream;
	let last = clock.now();
	let isOver = false;
	// The error is emitted here because n8n's stream may be a wrapper whose destroy() first waits for the
	// missing bytes.
	const abort = (code: 'ETIMEDOUT' | 'ERR_CANCELED') => {
		stream.emit('error', Object.assign(new Error('The body was given up'), { code }));
		stream.destroy();
	};
	// The error listener stays: an unhandled late error would end the process.
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

/** Discards an unread body: a short one is drained, which frees the connection; a long one is cut off. */
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

/** The body is larger than allowed. */
export class TooLarge extends Error {}

/**
 * Reads the whole body.
 *
 * @throws TooLarge, or the network's error when the body breaks off
 */
export async function readBody(
	body: NodeJS.ReadableStream,
	silenceLimit: SilenceLimit,
	maxBytes = MAX_TEXT_BYTES,
): Promise<Buffer> {
	const heard = limitSilence(body, silenceLimit);
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
 * Reads the first `wanted` bytes of a body or slightly more, and puts them back unless it `ended`.
 *
 * @throws the network's error when the body breaks off
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
	// Node notices removed listeners only on the next tick; new ones must be added after that.
	await clock.yieldToEventLoop();
	return { head, ended };
}

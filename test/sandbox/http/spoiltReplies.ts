import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Fault } from '../faults.ts';

export const forever = () => new Promise<never>(() => undefined);

/** How much of a streamed reply comes through before it is cut, when the rule does not say. */
const STREAM_CUT_BYTES = 1_000_000;

async function* chunksOf(payload: unknown): AsyncGenerator<Buffer> {
	if (payload instanceof Readable) yield* payload as AsyncIterable<Buffer>;
	else yield Buffer.from((payload as Buffer | string | null) ?? '');
}

async function* firstBytes(payload: unknown, bytes: number): AsyncGenerator<Buffer> {
	let left = bytes;
	for await (const chunk of chunksOf(payload)) {
		if (left > 0) yield chunk.subarray(0, left);
		left -= chunk.length;
		if (left <= 0) return;
	}
}

async function* truncated(reply: FastifyReply, payload: unknown, bytes: number): AsyncGenerator<Buffer> {
	reply.raw.flushHeaders();
	yield* firstBytes(payload, bytes);
	// What was written still goes out; only the end never comes.
	setImmediate(() => reply.raw.socket?.destroySoon());
	await forever();
}

/** Less than the whole, ended as if it were the whole. */
async function* shortened(
	reply: FastifyReply,
	payload: unknown,
	bytes: number,
	end: 'lastChunk' | 'close',
): AsyncGenerator<Buffer> {
	if (end === 'close') reply.raw.useChunkedEncodingByDefault = false;
	yield* firstBytes(payload, bytes);
}

async function* compressedStart(payload: unknown, bytes?: number): AsyncGenerator<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of chunksOf(payload)) chunks.push(chunk);
	const whole = gzipSync(Buffer.concat(chunks));
	yield whole.subarray(0, bytes ?? Math.floor(whole.length / 2));
}

async function* stalled(reply: FastifyReply, payload: unknown, bytes: number): AsyncGenerator<Buffer> {
	reply.raw.flushHeaders();
	if (bytes > 0) yield* firstBytes(payload, bytes);
	await forever();
}

async function* dripping(payload: unknown, bytes: number, intervalMs: number): AsyncGenerator<Buffer> {
	for await (const chunk of chunksOf(payload)) {
		for (let start = 0; start < chunk.length; start += bytes) {
			await sleep(intervalMs);
			yield chunk.subarray(start, start + bytes);
		}
	}
}

const streamed = (source: AsyncGenerator<Buffer>): Readable => Readable.from(source, { objectMode: false });

/**
 * The reply of the service as the fault lets it through: cut, in pieces, or never ending. Undefined for a fault of
 * another kind.
 */
export function spoiltReply(fault: Fault, reply: FastifyReply, payload: unknown): Readable | undefined {
	const length =
		payload instanceof Readable
			? undefined
			: Buffer.byteLength((payload as Buffer | string | null) ?? '');
	const half = length === undefined ? STREAM_CUT_BYTES : Math.floor(length / 2);
	switch (fault.type) {
		case 'truncate': {
			const { bytes = half, end = 'torn' } = fault;
			if (end !== 'torn') return streamed(shortened(reply, payload, bytes, end));
			if (length !== undefined && fault.length !== false) reply.header('content-length', length);
			return streamed(truncated(reply, payload, bytes));
		}
		case 'gzipCut':
			reply.header('content-encoding', 'gzip');
			return streamed(compressedStart(payload, fault.bytes));
		case 'stall':
			return streamed(stalled(reply, payload, fault.bytes ?? 0));
		case 'drip':
			if (length !== undefined) reply.header('content-length', length);
			return streamed(dripping(payload, fault.bytes ?? 16, fault.intervalMs ?? 20));
		default:
			return undefined;
	}
}

/** Faults that need the reply of the service. */
export const SPOILS_REPLY: ReadonlyArray<Fault['type']> = ['truncate', 'gzipCut', 'drip', 'stall'];

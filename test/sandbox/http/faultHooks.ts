import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Fault } from '../faults.ts';
import type { Service } from '../service.ts';
import { fixedReply } from './faultReplies.ts';
import type { FixedReply, RequestedPath } from './faultReplies.ts';
import { askedFormat, notesOf } from './reply.ts';

const forever = () => new Promise<never>(() => undefined);

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

function gzipCut(reply: FastifyReply, payload: unknown, bytes?: number): Readable {
	reply.header('content-encoding', 'gzip');
	return Readable.from(compressedStart(payload, bytes), { objectMode: false });
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

function slowReply(fault: Fault, reply: FastifyReply, payload: unknown): unknown {
	const length =
		payload instanceof Readable
			? undefined
			: Buffer.byteLength((payload as Buffer | string | null) ?? '');
	if (fault.type === 'gzipCut') return gzipCut(reply, payload, fault.bytes);
	if (fault.type === 'truncate' && fault.end !== undefined && fault.end !== 'torn') {
		return Readable.from(
			shortened(reply, payload, fault.bytes ?? Math.floor((length ?? 0) / 2), fault.end),
			{
				objectMode: false,
			},
		);
	}
	if (fault.type === 'truncate') {
		if (length !== undefined && fault.length !== false) reply.header('content-length', length);
		const bytes = fault.bytes ?? (length === undefined ? STREAM_CUT_BYTES : Math.floor(length / 2));
		return Readable.from(truncated(reply, payload, bytes), { objectMode: false });
	}
	if (fault.type === 'stall') {
		return Readable.from(stalled(reply, payload, fault.bytes ?? 0), { objectMode: false });
	}
	if (fault.type !== 'drip') return payload;
	if (length !== undefined) reply.header('content-length', length);
	return Readable.from(dripping(payload, fault.bytes ?? 16, fault.intervalMs ?? 20), { objectMode: false });
}

function requestedPath(service: Service, request: FastifyRequest, original: string): RequestedPath {
	const cut = request.url.indexOf('?');
	const [path, query] = cut < 0 ? [request.url, ''] : [request.url.slice(0, cut), request.url.slice(cut)];
	return { path, original, query, format: () => askedFormat(service, request) };
}

async function before(request: FastifyRequest, reply: FastifyReply, fault: Fault, fixed?: FixedReply) {
	if (fault.type === 'delay') await sleep(fault.ms);
	if (fault.type === 'reset' || fault.type === 'noAnswer') {
		reply.hijack();
		if (fault.type === 'reset') request.raw.socket.resetAndDestroy();
	} else if (fixed) {
		await reply.code(fixed.status).headers(fixed.headers).send(fixed.body);
	}
}

function after(
	request: FastifyRequest,
	reply: FastifyReply,
	payload: unknown,
	fault: Fault,
	fixed?: FixedReply,
): unknown {
	if (fault.type === 'reset') {
		request.raw.socket.resetAndDestroy();
		return forever();
	}
	if (fault.type === 'noAnswer') return forever();
	if (!fixed) return slowReply(fault, reply, payload);
	reply.removeHeader('content-length');
	reply.removeHeader('content-type');
	reply.code(fixed.status).headers(fixed.headers);
	return fixed.body;
}

/** Faults that need the reply of the service. */
const SLOW: ReadonlyArray<Fault['type']> = ['truncate', 'gzipCut', 'drip', 'stall'];

/** Plays the faults that are in force, and waits the latency, around every request of the service. */
export function faultHooks(app: FastifyInstance, service: Service): void {
	const playing = new WeakMap<FastifyRequest, { fault: Fault; fixed?: FixedReply }>();
	app.addHook('onRequest', async (request, reply) => {
		const entry = notesOf(request.raw)?.entry;
		if (!entry) return;
		if (service.options.latencyMs > 0) await sleep(service.options.latencyMs);
		const from = requestedPath(service, request, entry.path);
		const fault = service.faults.next(request.method, from.path);
		if (!fault) return;
		entry.fault = fault.type;
		const fixed = fixedReply(fault, service, from);
		const late = 'when' in fault && fault.when === 'after';
		const slow = SLOW.includes(fault.type);
		if (late || slow) playing.set(request, { fault, fixed });
		else await before(request, reply, fault, fixed);
	});
	app.addHook('onSend', async (request, reply, payload) => {
		const play = playing.get(request);
		return play ? after(request, reply, payload, play.fault, play.fixed) : payload;
	});
}

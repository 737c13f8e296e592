import type { FastifyInstance, FastifyReply } from 'fastify';
import { pipeline, Readable } from 'node:stream';
import type { Transform } from 'node:stream';
import { createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import type { SandboxOptions } from '../options.ts';
import type { Service } from '../service.ts';
import { notesOf } from './reply.ts';

const COMPRESSORS: Record<Exclude<SandboxOptions['compression'], 'none'>, () => Transform> = {
	br: createBrotliCompress,
	deflate: createDeflate,
	gzip: createGzip,
};

const DAY_MS = 86_400_000;

function compressed(service: Service, accepted: string, reply: FastifyReply, payload: unknown): unknown {
	const { compression } = service.options;
	if (compression === 'none' || payload === null || payload === undefined || reply.statusCode === 204)
		return payload;
	if (!accepted.split(/[\s,;]+/).includes(compression)) return payload;
	// A fault may have compressed it already.
	if (reply.hasHeader('content-encoding')) return payload;
	reply.header('content-encoding', compression).removeHeader('content-length');
	const whole = payload instanceof Readable ? payload : Readable.from([payload], { objectMode: false });
	return pipeline(whole, COMPRESSORS[compression](), () => undefined);
}

function setDate(reply: FastifyReply, { dateHeader }: SandboxOptions): void {
	if (dateHeader === 'right') return;
	reply.raw.sendDate = false;
	if (dateHeader === 'absent') return;
	const skew = dateHeader === 'dayAhead' ? DAY_MS : -DAY_MS;
	reply.header('date', new Date(Date.now() + skew).toUTCString());
}

/** What a server does with every reply before it leaves: compression and the header Date. */
export function transportHooks(app: FastifyInstance, service: Service): void {
	app.addHook('onSend', async (request, reply, payload) => {
		if (!notesOf(request.raw)) return payload;
		setDate(reply, service.options);
		return compressed(service, String(request.headers['accept-encoding'] ?? ''), reply, payload);
	});
}

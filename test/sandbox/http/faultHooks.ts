import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../faults.ts';
import type { Service } from '../service.ts';
import { fixedReply } from './faultReplies.ts';
import type { FixedReply, RequestedPath } from './faultReplies.ts';
import { askedFormat, notesOf } from './reply.ts';
import { forever, spoiltReply, SPOILS_REPLY } from './spoiltReplies.ts';

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
	if (!fixed) return spoiltReply(fault, reply, payload) ?? payload;
	reply.removeHeader('content-length');
	reply.removeHeader('content-type');
	reply.code(fixed.status).headers(fixed.headers);
	return fixed.body;
}

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
		if (late || SPOILS_REPLY.includes(fault.type)) playing.set(request, { fault, fixed });
		else await before(request, reply, fault, fixed);
	});
	app.addHook('onSend', async (request, reply, payload) => {
		const play = playing.get(request);
		return play ? after(request, reply, payload, play.fault, play.fixed) : payload;
	});
}

import formbody from '@fastify/formbody';
import fastify from 'fastify';
import type { FastifyError, FastifyInstance, FastifyServerOptions } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import { Refusal } from '../refusals.ts';
import type { Service } from '../service.ts';
import { controlRoutes } from './controlRoutes.ts';
import { faultHooks } from './faultHooks.ts';
import { splitSuffix } from './format.ts';
import { jobRoutes } from './jobRoutes.ts';
import { fileRoutes, retiredRoutes, usageRoutes } from './otherRoutes.ts';
import { transportHooks } from './transport.ts';
import { dropContentType, notesOf, noteRequest, sendRefusal } from './reply.ts';

export const SERVER_OPTIONS: FastifyServerOptions = {
	bodyLimit: 64 * 1024 * 1024,
	exposeHeadRoutes: false,
	forceCloseConnections: true,
	logger: false,
};

/** Writes the request into the log, and takes prefix and format suffix off its path. */
function arrive(service: Service, raw: IncomingMessage): string {
	const url = raw.url ?? '/';
	const cut = url.indexOf('?');
	const path = cut < 0 ? url : url.slice(0, cut);
	const query = cut < 0 ? '' : url.slice(cut);
	const { pathPrefix } = service.options;
	const inside = path.startsWith(`${pathPrefix}/`);
	const below = inside ? path.slice(pathPrefix.length) : path;
	if (below.startsWith('/_sandbox/')) return below + query;
	const split = splitSuffix(below, service.options);
	noteRequest(raw, { entry: service.log.add('service', raw, url), suffix: split.suffix });
	return inside ? split.path + query : '/outside';
}

function recordBody(app: FastifyInstance): void {
	app.addHook('preParsing', (request, _reply, payload, done) => {
		const entry = notesOf(request.raw)?.entry;
		if (!entry) return done(null, payload);
		const chunks: Buffer[] = [];
		const tap = new Transform({
			transform(chunk: Buffer, _encoding, passOn) {
				chunks.push(chunk);
				passOn(null, chunk);
			},
			flush(passOn) {
				entry.body = Buffer.concat(chunks).toString();
				passOn();
			},
		});
		done(null, payload.pipe(tap));
	});
}

/** JSON with an empty body is nothing wrong; a type nobody knows is not looked at. */
export function readBodies(app: FastifyInstance): void {
	app.removeContentTypeParser(['application/json', 'text/plain']);
	app.addContentTypeParser(/^application\/(.+\+)?json/, { parseAs: 'string' }, (_request, text, done) => {
		try {
			done(null, text === '' ? undefined : JSON.parse(text as string));
		} catch {
			done(new Refusal('invalid request body', undefined, 'The body is not valid JSON.'));
		}
	});
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => done(null, text));
	void app.register(formbody);
}

function handleErrors(app: FastifyInstance, service: Service): void {
	app.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
		const control = !notesOf(request.raw);
		if (control) return reply.code(400).send({ error: error.message });
		if (error instanceof Refusal) return sendRefusal(service, request, reply, error);
		if (error.statusCode !== undefined && error.statusCode < 500) {
			return sendRefusal(
				service,
				request,
				reply,
				new Refusal('invalid request body', undefined, error.message),
			);
		}
		// A mistake in the sandbox itself: loud, so that no test takes it for a fault.
		console.error(error);
		return reply.code(500).send({ success: false, reason: 'sandbox error', comment: error.message });
	});
	app.setNotFoundHandler((request, reply) => {
		if (!notesOf(request.raw)) return reply.code(404).send({ error: 'There is no such control route.' });
		return sendRefusal(
			service,
			request,
			reply,
			new Refusal('not found', undefined, 'There is no such path.'),
		);
	});
}

export interface ServiceRoute {
	method: string;
	/** With parameters as `:name`. */
	path: string;
}

/**
 * The service itself: seven endpoints, retired paths, files, and the control routes beside them.
 * Each is noted in `routes`.
 */
export function createApp(service: Service, routes: ServiceRoute[]): FastifyInstance {
	const app = fastify({ ...SERVER_OPTIONS, rewriteUrl: (raw) => arrive(service, raw) });
	app.addHook('onRoute', ({ method, url }) => {
		routes.push({ method: String(method), path: url });
	});
	readBodies(app);
	recordBody(app);
	app.addHook('onResponse', (request, reply, done) => {
		const entry = notesOf(request.raw)?.entry;
		if (entry) entry.replyStatus = reply.statusCode;
		done();
	});
	app.addHook('onSend', async (_request, reply, payload) => {
		dropContentType(reply, service.options);
		return payload;
	});
	faultHooks(app, service);
	transportHooks(app, service);
	handleErrors(app, service);
	jobRoutes(app, service);
	usageRoutes(app, service);
	retiredRoutes(app, service);
	fileRoutes(app, service);
	controlRoutes(app, service);
	return app;
}

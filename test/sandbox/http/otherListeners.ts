import fastify from 'fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Service } from '../service.ts';
import { readBodies, SERVER_OPTIONS } from './app.ts';
import { sendDownload } from './download.ts';
import type { LoggedRequest } from './requestLog.ts';

function bodyText(request: FastifyRequest): string {
	if (request.body === undefined || request.body === null) return '';
	return typeof request.body === 'string' ? request.body : JSON.stringify(request.body);
}

function logged(service: Service, listener: LoggedRequest['listener']): FastifyInstance {
	const app = fastify(SERVER_OPTIONS);
	const entries = new WeakMap<FastifyRequest, LoggedRequest>();
	readBodies(app);
	app.addHook('onRequest', (request, _reply, done) => {
		entries.set(request, service.log.add(listener, request.raw, request.raw.url ?? '/'));
		done();
	});
	app.addHook('preHandler', (request, _reply, done) => {
		const entry = entries.get(request);
		if (entry) entry.body = bodyText(request);
		done();
	});
	app.addHook('onResponse', (request, reply, done) => {
		const entry = entries.get(request);
		if (entry) entry.replyStatus = reply.statusCode;
		done();
	});
	return app;
}

const MOVED = {
	success: false,
	reason: 'gone',
	comment: 'This address was retired. Use the new base address.',
};

/** The retired address: whatever is asked, it fails. */
export function createLegacyApp(service: Service): FastifyInstance {
	const app = logged(service, 'legacy');
	app.setNotFoundHandler((request, reply) => {
		switch (service.options.legacyReply) {
			case 'html':
				return reply
					.code(404)
					.type('text/html')
					.send('<html><body><h1>404 Not Found</h1></body></html>');
			case 'reset':
				reply.hijack();
				request.raw.socket.resetAndDestroy();
				return reply;
			case 'redirect':
				return reply.redirect(service.addresses.url + (request.raw.url ?? '/'), 301);
			default:
				return reply.code(410).send(MOVED);
		}
	});
	return app;
}

/** A foreign host: serves pre-rendered files to whoever has a ticket, and remembers what it was told. */
export function createOtherOriginApp(service: Service): FastifyInstance {
	const app = logged(service, 'otherOrigin');
	app.get('/files/:ticket', (request: FastifyRequest<{ Params: { ticket: string } }>, reply) => {
		const ticket = service.tickets.read(request.params.ticket, request.query, service.options);
		const job = ticket && service.jobs.find(ticket.jobId);
		if (!ticket || !job) return reply.code(404).type('text/plain').send('No such file');
		return sendDownload(service, reply, job, ticket.format);
	});
	app.setNotFoundHandler((_request, reply) => reply.code(200).send({ success: true, host: 'other' }));
	return app;
}

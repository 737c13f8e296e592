import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../refusals.ts';
import type { Service } from '../service.ts';
import { usageOf } from '../usage.ts';
import { accountOf } from './auth.ts';
import { sendDownload } from './download.ts';
import { sendBody } from './reply.ts';

/** Usage of the current day and month. */
export function usageRoutes(app: FastifyInstance, service: Service): void {
	for (const period of ['today', 'month'] as const) {
		app.get(`/v2/me/usage_${period}`, (request, reply) => {
			const account = accountOf(request, {}, service.options);
			const jobs = service.jobs.everOf(account);
			const body = usageOf(jobs, period, service.clock.now(), service.options);
			return sendBody(service, request, reply, 'usage', body, 'usage');
		});
	}
}

/** Paths of version 1: shut down, with a hint to where they went. */
export function retiredRoutes(app: FastifyInstance, service: Service): void {
	const refuse = (): never => {
		const refusal = new Refusal('gone', undefined, 'Version 1 was shut down. Use the paths below /v2/.');
		refusal.status = () => service.options.retiredStatus;
		throw refusal;
	};
	app.post('/jobs', refuse);
	app.get('/jobs', refuse);
	app.get('/jobs/:jobId', refuse);
	app.get('/products/bulk/:jobId', refuse);
}

type FileRequest = FastifyRequest<{ Params: { ticket: string } }>;

/** Pre-rendered downloads: open to whoever holds the ticket, on this origin or on the other one. */
export function fileRoutes(app: FastifyInstance, service: Service): void {
	app.get('/files/:ticket', (request: FileRequest, reply: FastifyReply) => {
		const ticket = service.tickets.read(request.params.ticket, request.query, service.options);
		const job = ticket && service.jobs.find(ticket.jobId);
		if (!ticket || !job) throw new Refusal('not found', undefined, 'The file is gone.');
		return sendDownload(service, reply, job, ticket.format);
	});
	app.get('/loop/:step', (request: FastifyRequest<{ Params: { step: string } }>, reply: FastifyReply) =>
		reply.redirect(`${service.addresses.url}/loop/${Number(request.params.step) + 1}`, 302),
	);
}

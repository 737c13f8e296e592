import type { FastifyReply, FastifyRequest } from 'fastify';
import { jobObject } from '../job.ts';
import type { Job } from '../job.ts';
import type { Service } from '../service.ts';
import { creditsOf } from '../results.ts';
import { sendBody } from './reply.ts';

/** What a create sends once the job exists, in the shape that is switched on. */
export function sendCreated(
	service: Service,
	request: FastifyRequest,
	reply: FastifyReply,
	job: Job,
): FastifyReply {
	const { options, clock, addresses } = service;
	const whole = jobObject(job, clock.now(), options);
	const { job_id, status } = whole;
	const path = `/v2/jobs/${encodeURIComponent(job.id)}`;
	if (options.createLocation !== 'none') {
		const start = options.createLocation === 'absolute' ? addresses.url : options.pathPrefix;
		reply.header('location', start + path);
	}
	const send = (body: unknown, root?: string) =>
		sendBody(service, request, reply.code(options.createStatus), 'create', body, root);
	const minimal = { job_id, status, requested: job.request.values.length };
	switch (options.createReply) {
		case 'minimal':
			return send(minimal);
		case 'job':
			return send(whole);
		case 'empty':
			return reply.code(options.createStatus).send();
		case 'list':
			return send([minimal], 'jobs');
		case 'jobAndCredits': {
			const credits = job.request.values.reduce((sum, value) => sum + creditsOf(job, value), 0);
			return send({ job: minimal, credits });
		}
		case 'notSuccess':
			return send({ success: false, job_id, status });
		case 'timedOut':
			return reply.code(408).type('text/plain').send('The request took too long');
	}
}

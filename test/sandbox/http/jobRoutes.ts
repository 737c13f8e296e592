import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answeredValues, jobObject, statusOf } from '../job.ts';
import type { Job } from '../job.ts';
import { readJobRequest } from '../jobRequest.ts';
import { Refusal } from '../refusals.ts';
import { resultOf } from '../results.ts';
import type { Service } from '../service.ts';
import { accountOf } from './auth.ts';
import { sendDownload } from './download.ts';
import { sendJobList } from './jobList.ts';
import { parametersOf, withoutTransport } from './parameters.ts';
import { askedFormat, sendBody } from './reply.ts';

type JobRouteRequest = FastifyRequest<{ Params: { jobId: string } }>;

function findJob(service: Service, request: JobRouteRequest, account: string, reason = 'job not found'): Job {
	const { jobId } = request.params;
	const job = service.jobs.find(jobId);
	if (!job) throw new Refusal(reason, 'job_id', `There is no job '${jobId}'. Jobs are kept for 72 hours.`);
	if (job.owner !== account)
		throw new Refusal('job forbidden', 'job_id', 'The job belongs to another account.');
	return job;
}

function create(service: Service, request: FastifyRequest, reply: FastifyReply): FastifyReply {
	const { options } = service;
	const given = parametersOf(request, options);
	const account = accountOf(request, given, options);
	const order = readJobRequest(withoutTransport(given, options), options);
	const job = service.jobs.create(account, order);
	const whole = jobObject(job, service.clock.now(), options);
	const minimal = { job_id: job.id, status: whole.status, requested: whole.requested };
	return sendBody(service, request, reply, options.createReply === 'job' ? whole : minimal);
}

function status(service: Service, request: JobRouteRequest, reply: FastifyReply): FastifyReply {
	const { options, clock } = service;
	const account = accountOf(request, {}, options);
	service.rateLimit.take(account);
	const job = findJob(service, request, account);
	const body = jobObject(job, clock.now(), options);
	if (options.statusReply === 'minimal') {
		return sendBody(service, request, reply, { job_id: body.job_id, status: body.status });
	}
	if (options.statusReply === 'withResults') {
		const done = job.state === 'finished' ? answeredValues(job, clock.now()) : [];
		const results = done.map((value) => resultOf(job, value, options));
		return sendBody(service, request, reply, { job_id: job.id, status: body.status, results });
	}
	return sendBody(service, request, reply, body);
}

function download(service: Service, request: JobRouteRequest, reply: FastifyReply): FastifyReply {
	const { options, clock } = service;
	const account = accountOf(request, {}, options);
	const job = findJob(service, request, account);
	const format = askedFormat(service, request);
	if (job.state === 'cancelled')
		throw new Refusal('job canceled', 'job_id', 'A canceled job has no results.');
	if (job.state === 'running') {
		if (options.earlyDownload === 'withoutResults') {
			return sendBody(service, request, reply, {
				job_id: job.id,
				status: statusOf(job, clock.now(), options),
			});
		}
		throw new Refusal('not finished', 'job_id', 'The job is not finished yet. Ask for its status first.');
	}
	job.downloadedAt ??= clock.now();
	if (options.downloadRedirect === 'none') return sendDownload(service, reply, job, format);
	const { url, otherOriginUrl } = service.addresses;
	const origin = options.downloadRedirect === 'sameOrigin' ? url : otherOriginUrl;
	return reply.redirect(origin + service.tickets.issue(job.id, format), 302);
}

function cancel(service: Service, request: JobRouteRequest, reply: FastifyReply): FastifyReply {
	const { options, clock } = service;
	// The phrases of this endpoint are capitalised, unlike all others.
	const account = accountOf(request, parametersOf(request, options), options, 'Unauthorized');
	const job = findJob(service, request, account, 'Not found');
	if (job.state !== 'running') throw new Refusal('Job is already finished or canceled');
	service.jobs.cancel(job);
	const body = jobObject(job, clock.now(), options);
	if (options.cancelReply === 'empty') return reply.code(204).send();
	if (options.cancelReply === 'success') return sendBody(service, request, reply, { success: true });
	const minimal = { job_id: body.job_id, status: body.status };
	return sendBody(service, request, reply, options.cancelReply === 'job' ? body : minimal);
}

/** The five endpoints of jobs. */
export function jobRoutes(app: FastifyInstance, service: Service): void {
	app.post('/v2/jobs', (request, reply) => create(service, request, reply));
	app.get('/v2/jobs', (request, reply) => {
		const account = accountOf(request, {}, service.options);
		return sendJobList(service, request, reply, account);
	});
	app.get('/v2/jobs/:jobId', (request: JobRouteRequest, reply) => status(service, request, reply));
	app.get('/v2/jobs/:jobId/download', (request: JobRouteRequest, reply) =>
		download(service, request, reply),
	);
	app.post('/v2/jobs/:jobId/cancel', (request: JobRouteRequest, reply) => cancel(service, request, reply));
}

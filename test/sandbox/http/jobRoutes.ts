import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countersOf, jobObject, phaseOf } from '../job.ts';
import type { Job } from '../job.ts';
import { readJobRequest } from '../jobRequest.ts';
import { shapedResults } from '../jobResults.ts';
import { Refusal } from '../refusals.ts';
import type { Service } from '../service.ts';
import { accountOf } from './auth.ts';
import { sendCreated } from './createReply.ts';
import { rootOf, sendDownload } from './download.ts';
import { sendJobList } from './jobList.ts';
import { parametersOf, withoutTransport } from './parameters.ts';
import { askedFormat, sendBody } from './reply.ts';

type JobRouteRequest = FastifyRequest<{ Params: { jobId: string } }>;

function findJob(service: Service, request: JobRouteRequest, account: string, reason = 'job not found'): Job {
	const { jobId } = request.params;
	const job = service.jobs.find(jobId);
	const known = job !== undefined && job.createdAt + service.options.statusLagMs <= service.clock.now();
	if (!known)
		throw new Refusal(reason, 'job_id', `There is no job '${jobId}'. Jobs are kept for 72 hours.`);
	if (job.owner !== account)
		throw new Refusal('job forbidden', 'job_id', 'The job belongs to another account.');
	return job;
}

function create(service: Service, request: FastifyRequest, reply: FastifyReply): FastifyReply {
	const { options } = service;
	const given = parametersOf(request, options);
	const account = accountOf(request, given, options);
	const order = readJobRequest(withoutTransport(given, options), options);
	return sendCreated(service, request, reply, service.jobs.create(account, order));
}

function statusBody(service: Service, job: Job): Record<string, unknown> {
	const { options, clock } = service;
	const now = clock.now();
	const whole = jobObject(job, now, options);
	const { job_id, status } = whole;
	const over = phaseOf(job, now, options) === 'finished';
	const results = over ? shapedResults(job, now, options) : [];
	if (options.statusReply === 'withResults') return { job_id, status, results };
	const body = {
		job: whole,
		minimal: { job_id, status },
		counters: { status, ...countersOf(job, now) },
	}[options.statusReply];
	return options.resultsIn === 'download' ? body : { ...body, results };
}

function status(service: Service, request: JobRouteRequest, reply: FastifyReply): FastifyReply {
	const account = accountOf(request, {}, service.options);
	service.rateLimit.take(account);
	const job = findJob(service, request, account);
	return sendBody(service, request, reply, 'status', statusBody(service, job));
}

function early(service: Service, request: FastifyRequest, reply: FastifyReply, job: Job): FastifyReply {
	const { options, clock } = service;
	const whole = jobObject(job, clock.now(), options);
	const { job_id, status } = whole;
	const send = (body: unknown) =>
		sendBody(service, request, reply.code(options.earlyDownloadStatus), 'download', body);
	switch (options.earlyDownload) {
		case 'refuse':
			throw new Refusal(
				'not finished',
				'job_id',
				'The job is not finished yet. Ask for its status first.',
			);
		case 'withoutResults':
			return send({ job_id, status });
		case 'emptyResults':
			return send({ job_id, status, results: [] });
		case 'large':
			return send({ ...whole, log: Array.from({ length: 500 }, (_, step) => `step ${step}: reading`) });
	}
}

function download(service: Service, request: JobRouteRequest, reply: FastifyReply): FastifyReply {
	const { options, clock } = service;
	const account = accountOf(request, {}, options);
	const job = findJob(service, request, account);
	const format = askedFormat(service, request);
	const phase = phaseOf(job, clock.now(), options);
	if (phase === 'cancelled') throw new Refusal('job canceled', 'job_id', 'A canceled job has no results.');
	if (phase === 'running') return early(service, request, reply, job);
	job.downloadedAt ??= clock.now();
	if (options.resultsIn === 'status') {
		const results = { emptyList: { results: [] }, null: { results: null }, absent: {} };
		const root = rootOf(service, job);
		return sendBody(service, request, reply, 'download', { ...root, ...results[options.emptyDownload] });
	}
	if (options.downloadRedirect === 'none') return sendDownload(service, reply, job, format);
	const { url, otherOriginUrl } = service.addresses;
	const origin = options.downloadRedirect === 'sameOrigin' ? url : otherOriginUrl;
	return reply.redirect(origin + service.tickets.issue(job.id, format, options), 302);
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
	if (options.cancelReply === 'success')
		return sendBody(service, request, reply, 'cancel', { success: true });
	const minimal = { job_id: body.job_id, status: body.status };
	return sendBody(service, request, reply, 'cancel', options.cancelReply === 'job' ? body : minimal);
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

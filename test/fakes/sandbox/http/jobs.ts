import { randomBytes } from 'node:crypto';
import { awaitsResults, jobObject, phaseOf, whyOf } from '../job.ts';
import type { Job } from '../job.ts';
import { readJobRequest } from '../jobRequest.ts';
import { Refusal } from '../refusals.ts';
import { creditsOf } from '../results.ts';
import { resultsSoFar, shapedResult, trueResults } from '../resultShape.ts';
import type { Service } from '../service.ts';
import { downloadReply, rootOf } from './download.ts';
import { formatOf } from './format.ts';
import type { Format } from './format.ts';
import { checkOpenJobs, takeTurn } from './limits.ts';
import { accountOf, parametersOf } from './parameters.ts';
import { goodReply, plainReply, typeOf } from './reply.ts';
import type { Asked, Fields, Reply } from './reply.ts';

/** The endpoints of one job. `id` is encoded as in the path. */

function findJob(service: Service, id: string, account: string, reason = 'job not found'): Job {
	const { jobs, options, clock } = service;
	const job = jobs.find(decodeURIComponent(id));
	if (job === undefined || job.createdAt + options.statusLagMs > clock.now())
		throw new Refusal(reason, 'job_id', `There is no job '${id}'. Jobs are kept for 72 hours.`);
	if (!jobs.isOf(job, account))
		throw new Refusal('job forbidden', 'job_id', 'The job belongs to another account.');
	return job;
}

/** The reply to a create once the job exists, in the shape that is switched on. */
function createdReply({ options, clock }: Service, asked: Asked, job: Job): Reply {
	const { createReply, createStatus: status } = options;
	const whole = jobObject(job, clock.now(), options);
	const minimal = { job_id: job.id, status: whole.status, requested: job.request.values.length };
	const send = (body: unknown, root = 'hash') => goodReply(asked, 'job', body, options, { root, status });
	const credits = job.request.values.reduce((sum, value) => sum + creditsOf(job, value), 0);
	const replies: Record<typeof createReply, () => Reply> = {
		minimal: () => send(minimal),
		job: () => send(whole),
		empty: () => plainReply(status),
		list: () => send([minimal], 'jobs'),
		jobAndCredits: () => send({ job: minimal, credits }),
		notSuccess: () => send({ success: false, job_id: job.id, status: whole.status }),
		timedOut: () => plainReply(408, 'The request took too long', { 'content-type': 'text/plain' }),
	};
	return replies[createReply]();
}

export function create(service: Service, asked: Asked): Reply {
	const { options } = service;
	const given = parametersOf(asked, options);
	const account = accountOf(asked, given, options);
	takeTurn(service, account, service.creations, options.createRateLimit);
	const transport = [options.authParameter, options.formatParameter];
	const order = Object.fromEntries(Object.entries(given).filter(([name]) => !transport.includes(name)));
	const request = readJobRequest(order, options);
	checkOpenJobs(service, account);
	return createdReply(service, asked, service.jobs.create(account, request));
}

function statusBody({ options, clock }: Service, job: Job): Fields {
	const now = clock.now();
	const whole = jobObject(job, now, options);
	const { job_id, status } = whole;
	const why = whyOf(job, now, options);
	const isRunning = phaseOf(job, now, options) === 'running';
	const isSoFar = isRunning && options.runningResults === 'soFar';
	const isDone = !isRunning && !awaitsResults(job, now, options);
	const done = isDone ? trueResults(job, now, options) : [];
	const results = isSoFar
		? resultsSoFar(job, options)
		: done.map((result, index) => shapedResult(result, index, options));
	const body: Record<typeof options.statusReply, Fields> = {
		job: whole,
		minimal: { job_id, status, ...why },
		withResults: { job_id, status, ...why, results },
	};
	return options.resultsIn === 'download' && !isSoFar
		? body[options.statusReply]
		: { ...body[options.statusReply], results };
}

export function status(service: Service, asked: Asked, id: string): Reply {
	const account = accountOf(asked, {}, service.options);
	takeTurn(service, account, service.statusRequests, service.options.statusRateLimit);
	const job = findJob(service, id, account);
	return goodReply(asked, 'job', statusBody(service, job), service.options);
}

function refuse(reason: string, words: string): never {
	throw new Refusal(reason, 'job_id', words);
}

/** The answer to a download before its job has ended. */
function earlyReply(service: Service, asked: Asked, job: Job): Reply {
	const { options, clock } = service;
	const { earlyDownload, earlyDownloadStatus: status } = options;
	const whole = jobObject(job, clock.now(), options);
	const minimal = { job_id: whole.job_id, status: whole.status };
	const log = () => Array.from({ length: 500 }, (_, step) => `step ${step}: reading`);
	const send = (body: Fields) => goodReply(asked, 'job', body, options, { status });
	const replies: Record<typeof earlyDownload, () => Reply> = {
		refuse: () => refuse('not finished', 'The job is not finished yet. Ask for its status first.'),
		withoutResults: () => send(minimal),
		emptyResults: () => send({ ...minimal, results: [] }),
		large: () => send({ ...whole, log: log() }),
		soFar: () => send({ ...rootOf(service, job), results: resultsSoFar(job, options) }),
		soFarBare: () => send({ results: resultsSoFar(job, options) }),
		noContent: () => plainReply(204),
		notFound: () => refuse('not found', 'The job has no results.'),
		emptyArray: () => plainReply(200, '[]', typeOf('json', options)),
	};
	return replies[earlyDownload]();
}

/** The answer to a download of a finished job whose results are not there yet. */
function lateReply(service: Service, asked: Asked, job: Job): Reply {
	const { options } = service;
	const root = rootOf(service, job);
	const send = (body: Fields) => goodReply(asked, 'job', body, options);
	const replies: Record<typeof options.lateResults, () => Reply> = {
		refuse: () => refuse('not finished', 'The results of the job are not there yet.'),
		emptyResults: () => send({ ...root, results: [] }),
		notFound: () => refuse('not found', 'The job has no results.'),
		noContent: () => plainReply(204),
		conflict: () => refuse('results are being written', 'Ask again in a moment.'),
		noResults: () => send({ job_id: root.job_id, status: root.status }),
	};
	return replies[options.lateResults]();
}

/** Names a pre-rendered file and returns its path. */
export function ticketFor(service: Service, jobId: string, format: Format): string {
	const name = randomBytes(16).toString('hex');
	service.tickets.set(name, { jobId, format });
	return `/files/${name}`;
}

/** A pre-rendered file; undefined if there is no ticket with that name. */
export function fileOf(service: Service, _asked: Asked, name: string): Reply | undefined {
	const ticket = service.tickets.get(name);
	const job = service.jobs.find(ticket?.jobId ?? '');
	return ticket && job && downloadReply(service, job, ticket.format as Format);
}

export function download(service: Service, asked: Asked, id: string): Reply {
	const { options, clock, addresses } = service;
	const job = findJob(service, id, accountOf(asked, {}, options));
	const format = formatOf(asked, options);
	const now = clock.now();
	const phase = phaseOf(job, now, options);
	if (options.endedDownload === 'refuse') {
		if (phase === 'cancelled') refuse('job canceled', 'A canceled job has no results.');
		if (phase === 'failed') refuse('job failed', 'A failed job has no results.');
	}
	if (phase === 'running') return earlyReply(service, asked, job);
	if (awaitsResults(job, now, options)) return lateReply(service, asked, job);
	if (job.createdAt + options.resultsForMs < now)
		refuse('not found', 'The results of the job were deleted.');
	job.downloadedAt ??= now;
	if (options.resultsIn === 'status') {
		const none = { emptyList: { results: [] }, null: { results: null }, absent: {} };
		const body = { ...rootOf(service, job), ...none[options.emptyDownload] };
		return goodReply(asked, 'job', body, options);
	}
	if (options.downloadRedirect === 'none') return downloadReply(service, job, format);
	const origin = options.downloadRedirect === 'sameOrigin' ? addresses.url : addresses.otherOriginUrl;
	return plainReply(302, '', { location: origin + ticketFor(service, job.id, format) });
}

export function cancel(service: Service, asked: Asked, id: string): Reply {
	const { options, clock } = service;
	// This endpoint capitalises its reasons, unlike all others.
	const account = accountOf(asked, parametersOf(asked, options), options, 'Unauthorized');
	const job = findJob(service, id, account, 'Not found');
	if (job.state !== 'running') throw new Refusal('Job is already finished or canceled');
	service.jobs.cancel(job);
	if (options.cancelReply === 'empty') return plainReply(204);
	const whole = jobObject(job, clock.now(), options);
	const minimal = { job_id: whole.job_id, status: whole.status };
	const body = { job: whole, minimal, success: { success: true } }[options.cancelReply];
	return goodReply(asked, 'job', body, options);
}

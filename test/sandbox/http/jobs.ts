import { randomBytes } from 'node:crypto';
import { jobObject, phaseOf } from '../job.ts';
import type { Job } from '../job.ts';
import { readJobRequest } from '../jobRequest.ts';
import { Refusal } from '../refusals.ts';
import { creditsOf } from '../results.ts';
import { shapedResult, trueResults } from '../resultShape.ts';
import type { Service } from '../service.ts';
import { downloadReply, rootOf } from './download.ts';
import { formatOf } from './format.ts';
import type { Format } from './format.ts';
import { accountOf, parametersOf } from './parameters.ts';
import { goodReply, plainReply } from './reply.ts';
import type { Asked, Fields, Reply } from './reply.ts';

/** The endpoints of one job. `id` is as it stands in the path. */

function findJob(service: Service, id: string, account: string, reason = 'job not found'): Job {
	const { jobs, options, clock } = service;
	const job = jobs.find(decodeURIComponent(id));
	if (job === undefined || job.createdAt + options.statusLagMs > clock.now())
		throw new Refusal(reason, 'job_id', `There is no job '${id}'. Jobs are kept for 72 hours.`);
	if (!jobs.isOf(job, account))
		throw new Refusal('job forbidden', 'job_id', 'The job belongs to another account.');
	return job;
}

/** What a create sends once the job exists, in the shape that is switched on. */
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
	const transport = [options.authParameter, options.formatParameter];
	const order = Object.fromEntries(Object.entries(given).filter(([name]) => !transport.includes(name)));
	const job = service.jobs.create(account, readJobRequest(order, options));
	return createdReply(service, asked, job);
}

/** Counts a status request; throws "too many requests" when the account has had those of the last minute. */
function takeTurn({ options, clock, statusRequests }: Service, account: string): void {
	const { statusRateLimit, retryAfter } = options;
	if (statusRateLimit === 0) return;
	const now = clock.now();
	const recent = (statusRequests.get(account) ?? []).filter((time) => time > now - 60_000);
	if (recent.length < statusRateLimit) {
		statusRequests.set(account, [...recent, now]);
		return;
	}
	const seconds = Math.max(1, Math.ceil(((recent[0] ?? now) + 60_000 - now) / 1000));
	const headers: Record<typeof retryAfter, Record<string, string>> = {
		none: {},
		seconds: { 'retry-after': String(seconds) },
		date: { 'retry-after': new Date(Date.now() + seconds * 1000).toUTCString() },
	};
	const words = `At most ${statusRateLimit} requests a minute.`;
	throw new Refusal('too many requests', undefined, words, headers[retryAfter]);
}

function statusBody({ options, clock }: Service, job: Job): Fields {
	const now = clock.now();
	const whole = jobObject(job, now, options);
	const { job_id, status, reason } = whole;
	const why = reason !== undefined && { reason };
	const isOver = phaseOf(job, now, options) !== 'running';
	const results = isOver
		? trueResults(job, now, options).map((result, index) => shapedResult(result, index, options))
		: [];
	const body: Record<typeof options.statusReply, Fields> = {
		job: whole,
		minimal: { job_id, status, ...why },
		withResults: { job_id, status, ...why, results },
	};
	return options.resultsIn === 'download'
		? body[options.statusReply]
		: { ...body[options.statusReply], results };
}

export function status(service: Service, asked: Asked, id: string): Reply {
	const account = accountOf(asked, {}, service.options);
	takeTurn(service, account);
	const job = findJob(service, id, account);
	return goodReply(asked, 'job', statusBody(service, job), service.options);
}

/** The answer to a download that comes too early, where it is no refusal. */
function earlyBody({ options, clock }: Service, job: Job): Fields {
	const whole = jobObject(job, clock.now(), options);
	const { job_id, status } = whole;
	if (options.earlyDownload === 'refuse')
		throw new Refusal('not finished', 'job_id', 'The job is not finished yet. Ask for its status first.');
	return {
		withoutResults: { job_id, status },
		emptyResults: { job_id, status, results: [] },
		large: { ...whole, log: Array.from({ length: 500 }, (_, step) => `step ${step}: reading`) },
	}[options.earlyDownload];
}

/** Names a pre-rendered file, and gives its path. */
export function ticketFor(service: Service, jobId: string, format: Format): string {
	const name = randomBytes(16).toString('hex');
	service.tickets.set(name, { jobId, format });
	return `/files/${name}`;
}

/** A pre-rendered file; undefined where nobody has a ticket of that name. */
export function fileOf(service: Service, _asked: Asked, name: string): Reply | undefined {
	const ticket = service.tickets.get(name);
	const job = service.jobs.find(ticket?.jobId ?? '');
	return ticket && job && downloadReply(service, job, ticket.format as Format);
}

export function download(service: Service, asked: Asked, id: string): Reply {
	const { options, clock, addresses } = service;
	const job = findJob(service, id, accountOf(asked, {}, options));
	const format = formatOf(asked, options);
	const phase = phaseOf(job, clock.now(), options);
	if (options.endedDownload === 'refuse') {
		if (phase === 'cancelled')
			throw new Refusal('job canceled', 'job_id', 'A canceled job has no results.');
		if (phase === 'failed') throw new Refusal('job failed', 'job_id', 'A failed job has no results.');
	}
	if (phase === 'running')
		return goodReply(asked, 'job', earlyBody(service, job), options, {
			status: options.earlyDownloadStatus,
		});
	if (job.createdAt + options.resultsForMs < clock.now())
		throw new Refusal('not found', 'job_id', 'The results of the job were deleted.');
	job.downloadedAt ??= clock.now();
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
	// The phrases of this endpoint are capitalised, unlike all others.
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

import type { FastifyReply, FastifyRequest } from 'fastify';
import { Dice } from '../content/random.ts';
import { jobObject } from '../job.ts';
import type { Job } from '../job.ts';
import type { SandboxOptions } from '../options.ts';
import { invalidParameter } from '../refusals.ts';
import type { Service } from '../service.ts';
import { sendBody } from './reply.ts';

function pageNumber(request: FastifyRequest, name: string, fallback: number): number {
	const given = (request.query as Record<string, string | undefined>)[name];
	if (given === undefined || given === '') return fallback;
	if (!/^\d{1,9}$/.test(given) || Number(given) < 1)
		throw invalidParameter(name, 'must be an integer from 1');
	return Number(given);
}

function ordered(jobs: Job[], order: SandboxOptions['listOrder']): Job[] {
	if (order === 'oldest') return jobs;
	if (order === 'newest') return jobs.toReversed();
	const rank = new Map(jobs.map((job) => [job.id, new Dice(job.id).number(0, 1_000_000)]));
	return jobs.toSorted((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0));
}

/** Sends the jobs of an account in the order, pages and shape that are switched on. */
export function sendJobList(
	service: Service,
	request: FastifyRequest,
	reply: FastifyReply,
	account: string,
): FastifyReply {
	const { options, clock } = service;
	const all = ordered(service.jobs.list(account), options.listOrder);
	const asked = pageNumber(request, options.listPageParameter, 1);
	const size = pageNumber(request, options.listPageSizeParameter, options.listDefaultPageSize);
	const perPage = Math.min(size, options.listMaxPageSize);
	const last = Math.max(1, Math.ceil(all.length / perPage));
	const page = options.listPaging === 'repeatLast' ? Math.min(asked, last) : asked;
	const part = options.listPaging === 'ignored' ? all : all.slice((page - 1) * perPage, page * perPage);
	const jobs = part.map((job) => jobObject(job, clock.now(), options));
	if (options.listShape === 'array') return sendBody(service, request, reply, jobs, 'jobs');
	const paging = options.listPagingFields ? { page, per_page: perPage, total: all.length } : {};
	return sendBody(service, request, reply, { [options.listShape]: jobs, ...paging });
}

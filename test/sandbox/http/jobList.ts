import type { FastifyReply, FastifyRequest } from 'fastify';
import { Dice } from '../content/random.ts';
import { jobObject } from '../job.ts';
import type { Job } from '../job.ts';
import type { SandboxOptions } from '../options.ts';
import type { Service } from '../service.ts';
import { listPart } from './paging.ts';
import type { ListPart } from './paging.ts';
import { sendBody } from './reply.ts';

type Fields = Record<string, unknown>;

function ordered(jobs: Job[], order: SandboxOptions['listOrder']): Job[] {
	if (order === 'oldest') return jobs;
	if (order === 'newest') return jobs.toReversed();
	const rank = new Map(jobs.map((job) => [job.id, new Dice(job.id).number(0, 1_000_000)]));
	return jobs.toSorted((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0));
}

/** `meta.total` and its value as `{ meta: { total: … } }`, laid over what is there already. */
function put(body: Fields, path: string, value: unknown): Fields {
	const [name = '', ...rest] = path.split('.');
	if (rest.length === 0) return { ...body, [name]: value };
	return { ...body, [name]: put((body[name] ?? {}) as Fields, rest.join('.'), value) };
}

function sayings(part: ListPart, options: SandboxOptions): Array<[path: string, value: unknown]> {
	const { listSays, listCursorParameter, listTotalField, listMoreField, listCursorField } = options;
	const cursor = part.next?.[listCursorParameter] ?? null;
	const { page, perPage: per_page, total } = part;
	const paging = options.listPagingFields ? Object.entries({ page, per_page, total }) : [];
	const said: Array<[SandboxOptions['listSays'][number], string, unknown]> = [
		['total', listTotalField, total],
		['pages', 'total_pages', Math.ceil(total / per_page)],
		['hasMore', listMoreField, part.next !== undefined],
		['cursor', listCursorField, cursor],
	];
	return [
		...paging,
		...said
			.filter(([what]) => listSays.includes(what))
			.map(([, path, value]): [string, unknown] => [path, value]),
	];
}

/** The address of what comes next: as it was asked for, without the key. */
function linkTo(
	request: FastifyRequest,
	next: Record<string, string>,
	{ options, addresses }: Service,
): string {
	const url = new URL(addresses.url + request.url);
	url.searchParams.delete(options.authParameter);
	for (const [name, value] of Object.entries(next)) url.searchParams.set(name, value);
	return `<${url.href}>; rel="next"`;
}

function listBody(jobs: unknown[], part: ListPart, options: SandboxOptions): unknown {
	const { listShape } = options;
	if (listShape === 'array') return jobs;
	const list = listShape === 'dataJobs' ? { data: { jobs } } : { [listShape]: jobs };
	return sayings(part, options).reduce<Fields>((body, [path, value]) => put(body, path, value), list);
}

/** Entries that no job belongs to. */
const ODD_ENTRIES = [{}, null, { job_id: null }];

const plainText = (text: string) =>
	text
		.normalize('NFD')
		.replace(/[^\p{L}\p{N} ]/gu, '')
		.toLowerCase();

/** The values of a job as the list shows them. */
function spelledValues(values: string[], spelling: SandboxOptions['listSpelling']): unknown {
	const shown = (spelling.includes('firstOnly') ? values.slice(0, 1) : values).map((value) => {
		const text = spelling.includes('plain') ? plainText(value) : value;
		const cased = spelling.includes('lowerCase') ? text.toLowerCase() : text;
		return spelling.includes('cut') ? cased.slice(0, 6) : cased;
	});
	return spelling.includes('joined') ? shown.join(', ') : shown;
}

/** A job of the list in the spelling that is switched on. */
function spelled(job: Fields, { listSpelling }: SandboxOptions): Fields {
	const changed: Fields = { ...job };
	if (listSpelling.includes('capitals')) {
		for (const name of ['source', 'country', 'topic']) {
			if (typeof job[name] === 'string') changed[name] = job[name].toUpperCase();
		}
	}
	if (listSpelling.includes('keyword') && job.key === 'term') changed.key = 'keyword';
	if (listSpelling.includes('pages') && typeof job.requested === 'number')
		changed.requested = 10 * job.requested;
	if (Array.isArray(job.values)) {
		delete changed.values;
		const name = listSpelling.includes('keyword') && job.key === 'term' ? 'keyword' : 'values';
		changed[name] = spelledValues(job.values as string[], listSpelling);
	}
	return changed;
}

/** Sends the jobs of an account in the order, pages and shape that are switched on. */
export function sendJobList(
	service: Service,
	request: FastifyRequest,
	reply: FastifyReply,
	account: string,
): FastifyReply {
	const { options, clock } = service;
	const now = clock.now();
	const listed = service.jobs.list(account).filter((job) => job.createdAt + options.listLagMs <= now);
	const all = ordered(listed, options.listOrder);
	const part = listPart(request, all.length, options);
	const shown = all.slice(part.from, part.to);
	const jobs = shown.map((job) => spelled(jobObject(job, now, options, options.listFields), options));
	if (options.listSays.includes('link') && part.next)
		reply.header('link', linkTo(request, part.next, service));
	const entries = options.listOddEntries ? [...ODD_ENTRIES, ...jobs] : jobs;
	const root = options.listShape === 'array' ? 'jobs' : 'hash';
	return sendBody(service, request, reply, 'list', listBody(entries, part, options), root);
}

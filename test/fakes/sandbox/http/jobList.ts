import { Dice } from '../content/random.ts';
import type { Job } from '../job.ts';
import type { SandboxOptions } from '../options.ts';
import type { Service } from '../service.ts';
import { listedJob } from './listedJob.ts';
import { listPart } from './paging.ts';
import type { ListPart } from './paging.ts';
import { goodReply } from './reply.ts';
import type { Asked, Fields, Reply } from './reply.ts';

function ordered(jobs: Job[], order: SandboxOptions['listOrder']): Job[] {
	if (order === 'oldest') return jobs;
	if (order === 'newest') return jobs.toReversed();
	const rank = ({ id }: Job) => new Dice(id).number(0, 1_000_000);
	return jobs.toSorted((a, b) => rank(a) - rank(b));
}

/** The link to the next page: the requested address without the key. */
function linkTo(asked: Asked, next: Record<string, string>, { options, addresses }: Service): string {
	const url = new URL(addresses.url + asked.path + asked.url.search);
	url.searchParams.delete(options.authParameter);
	for (const [name, value] of Object.entries(next)) url.searchParams.set(name, value);
	return `<${url.href}>; rel="next"`;
}

function listBody(jobs: unknown, { next, from, perPage, total }: ListPart, options: SandboxOptions): unknown {
	const { listShape, listSays, listCursorParameter, listCursorField } = options;
	if (listShape === 'array') return jobs;
	const cursor = next?.[listCursorParameter] ?? null;
	// `meta.next_cursor` is one level down.
	const [field = '', inner] = listCursorField.split('.');
	const said: Partial<Record<SandboxOptions['listSays'][number], Fields>> = {
		total: { total },
		pages: { total_pages: Math.ceil(total / perPage) },
		hasMore: { has_more: next !== undefined },
		offset: { offset: from },
		cursor: { [field]: inner === undefined ? cursor : { [inner]: cursor } },
	};
	const list = listShape === 'dataJobs' ? { data: { jobs } } : { [listShape]: jobs };
	return Object.assign(list, ...listSays.map((what) => said[what])) as Fields;
}

/** Entries that are not jobs. */
const ODD_ENTRIES = [{}, null, { job_id: null }];

/** The jobs of an account in the order, pages and shape that are switched on. */
export function jobList(service: Service, asked: Asked, account: string): Reply {
	const { options, clock } = service;
	const now = clock.now();
	const listed = service.jobs.list(account).filter((job) => job.createdAt + options.listLagMs <= now);
	const part = listPart(asked.query, listed.length, options);
	const shown = ordered(listed, options.listOrder).slice(part.from, part.to);
	const jobs = shown.map((job) => listedJob(job, now, options));
	const entries = options.listOddEntries ? [...ODD_ENTRIES, ...jobs] : jobs;
	const root = options.listShape === 'array' ? 'jobs' : 'hash';
	const reply = goodReply(asked, 'list', listBody(entries, part, options), options, { root });
	if (!options.listSays.includes('link') || part.next === undefined) return reply;
	return { ...reply, headers: { ...reply.headers, link: linkTo(asked, part.next, service) } };
}

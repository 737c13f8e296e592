import { Dice } from '../content/random.ts';
import { jobObject } from '../job.ts';
import type { Job } from '../job.ts';
import type { SandboxOptions } from '../options.ts';
import type { Service } from '../service.ts';
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

/** The address of what comes next: as it was asked for, without the key. */
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

/** The jobs of an account in the order, pages and shape that are switched on. */
export function jobList(service: Service, asked: Asked, account: string): Reply {
	const { options, clock } = service;
	const now = clock.now();
	const listed = service.jobs.list(account).filter((job) => job.createdAt + options.listLagMs <= now);
	const part = listPart(asked.query, listed.length, options);
	const shown = ordered(listed, options.listOrder).slice(part.from, part.to);
	const jobs = shown.map((job) => spelled(jobObject(job, now, options, options.listFields), options));
	const entries = options.listOddEntries ? [...ODD_ENTRIES, ...jobs] : jobs;
	const root = options.listShape === 'array' ? 'jobs' : 'hash';
	const reply = goodReply(asked, 'list', listBody(entries, part, options), options, { root });
	if (!options.listSays.includes('link') || part.next === undefined) return reply;
	return { ...reply, headers: { ...reply.headers, link: linkTo(asked, part.next, service) } };
}

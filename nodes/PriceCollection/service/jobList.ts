import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient } from './client';
import type { JobPage } from './paging';
import { success, traitsOf, type Outcome, type Problem } from './problems';
import type { Job } from './types';

/** The largest page that is asked for; a service that gives smaller ones is read to its end all the same. */
const PAGE_SIZE = 100;
/** A list that goes on for longer is given up, and said to be incomplete. */
const MOST_PAGES = 10_000;

/** How further pages are asked for, unless the list itself says how it goes on. */
export interface ListPaging {
	pageParameter: string;
	pageSizeParameter: string;
	/** The number of the first page; 1 where nothing is said. */
	firstPage?: 0 | 1;
	/** Set where there are no page numbers: the parameter that carries a page's cursor. */
	cursorParameter?: string;
}

export interface JobListRequest {
	/** Stop after this many jobs. */
	limit: number;
	/** Further query parameters, sent as given. */
	query?: IDataObject;
	/** Absent where a single request gives everything. */
	paging?: ListPaging;
	/** Whether page 0 is asked for as well, where the list says nothing about itself. */
	looksForPageZero?: boolean;
	/** Asked after each page with all jobs read so far and those of the page: whether the rest is not needed. */
	enough?: (jobs: readonly Job[], page: readonly Job[]) => boolean;
}

/** What came of a list. */
export interface JobList {
	jobs: Job[];
	/** What is wrong with each entry that was left out because it is no job. */
	odd: string[];
	/** Whether nothing says that there is more than was asked for. */
	complete: boolean;
	/** How many jobs there are, where the service says it. */
	total?: number;
}

/** Entries that are no jobs and are named in one text. */
const MOST_ODD_NAMED = 3;

/** What entries of a list are left out and why; undefined where there are none. */
export function leftOutText(odd: readonly string[]): string | undefined {
	if (odd.length === 0) return undefined;
	const more = odd.length > MOST_ODD_NAMED ? '; …' : '';
	return `entries of the list of jobs are left out because they are no jobs (${odd.length}): ${odd.slice(0, MOST_ODD_NAMED).join('; ')}${more}`;
}

/** How the list is read where the user sets nothing. */
export const DEFAULT_PAGING = { pageParameter: 'page', pageSizeParameter: 'per_page' } as const;

/** What pages can say about the list; whoever says nothing of it may begin with page 0. */
const SAYINGS = ['next', 'cursor', 'hasMore', 'total', 'pages'] as const;

/** Whether the list says that all of it came, with this page as the last of `seen` jobs. */
function isAll(page: JobPage, number: number, seen: number, total: number | undefined): boolean {
	if (page.hasMore === false || page.next === null) return true;
	if (page.cursor === null && page.hasMore !== true && page.next === undefined) return true;
	if (total !== undefined) return seen >= total;
	return page.pages !== undefined && page.next === undefined && number >= page.pages;
}

/** Whether a page leads to the next one. */
function leadsOn({ next, cursor }: JobPage): boolean {
	return [next, cursor].some((one) => one !== undefined && one !== null);
}

/** Whether a page says that there are more. */
function saysMore(page: JobPage): boolean {
	return page.hasMore ?? leadsOn(page);
}

/** A refusal that says that there is no such page: in words, or by a status that blames the request. */
function endsTheList({ status = 0, kind, reason }: Problem): boolean {
	if (status >= 500 || (status < 400 && reason === undefined)) return kind === 'wrongAddress';
	const { accountWide, retry } = traitsOf({ kind });
	return kind === 'wrongAddress' || (!accountWide && retry === 'never');
}

/** The query of the page after this one; undefined when there is no way to ask for it. */
function queryAfter(
	page: JobPage,
	number: number,
	{ paging }: JobListRequest,
	size: IDataObject,
): IDataObject | undefined {
	if (page.next !== undefined && page.next !== null) return page.next;
	if (page.cursor !== undefined && page.cursor !== null) {
		const name = paging?.cursorParameter ?? page.cursorParameter ?? 'cursor';
		return { ...size, [name]: page.cursor };
	}
	if (paging === undefined || paging.cursorParameter !== undefined) return undefined;
	return { ...size, [paging.pageParameter]: number };
}

/** The entries of the pages read so far, each job once. */
class Entries {
	readonly jobs = new Map<string, Job>();
	/** What is wrong with each entry that is no job. */
	readonly odd: string[] = [];
	private readonly oddPages = new Set<string>();

	/** How many there are, as a service counts them. */
	get size(): number {
		return this.jobs.size + this.odd.length;
	}

	/** Takes in a page. False: it brought nothing new, and what is odd in it is named already. */
	add({ jobs, odd = [] }: Pick<JobPage, 'jobs' | 'odd'>): boolean {
		const before = this.jobs.size;
		for (const job of jobs) if (!this.jobs.has(job.job_id)) this.jobs.set(job.job_id, job);
		const texts = odd.join('\n');
		const isNewlyOdd = jobs.length === 0 && odd.length > 0 && !this.oddPages.has(texts);
		this.oddPages.add(texts);
		if (this.jobs.size === before && !isNewlyOdd) return false;
		this.odd.push(...odd);
		return true;
	}
}

/**
 * Reads the list of jobs page by page until the limit is reached, the list says that it ends, or a page brings nothing
 * new: so a server that ignores paging, repeats its last page or shifts between requests gives each job once, and every
 * list ends. Where the list says how it goes on (a `Link` header, an address, a cursor) that is followed; else pages are
 * numbered. A refusal beyond a page that came ends the list.
 */
export async function readList(client: ServiceClient, request: JobListRequest): Promise<Outcome<JobList>> {
	const { limit, query = {}, paging, enough } = request;
	const first = paging?.firstPage ?? 1;
	const size = paging === undefined ? {} : { [paging.pageSizeParameter]: Math.min(limit, PAGE_SIZE) };
	const numbered = paging !== undefined && paging.cursorParameter === undefined;
	let ask: IDataObject | undefined = { ...(numbered && { [paging.pageParameter]: first }), ...size };
	let entries = new Entries();
	const { jobs } = entries;
	let total: number | undefined;
	let speaks = false;
	let isLed = false;
	let goesOn = false;
	let complete = false;
	for (let count = 0; ask !== undefined && count < MOST_PAGES; count++) {
		const reply = await client.listJobs({ ...ask, ...query });
		if (!reply.ok) {
			if (count === 0 || !endsTheList(reply.problem)) return reply;
			complete = true;
			break;
		}
		const page = reply.value;
		const isNew = entries.add(page);
		total = page.total ?? total;
		goesOn = saysMore(page);
		speaks ||= SAYINGS.some((one) => page[one] !== undefined);
		// Where pages lead from one to the next, the last one need not say so.
		const isEnd = isLed && !saysMore(page);
		complete = !isNew || isEnd || isAll(page, count + 1, entries.size, total);
		isLed = leadsOn(page);
		if (complete || jobs.size >= limit || enough?.([...jobs.values()], page.jobs) === true) break;
		if (paging === undefined && page.next === undefined && page.cursor === undefined) complete = true;
		ask = paging === undefined ? undefined : queryAfter(page, first + count + 1, request, size);
	}
	if (request.looksForPageZero === true && numbered && first === 1 && complete && !speaks) {
		const zero = await client.listJobs({ [paging.pageParameter]: 0, ...size, ...query });
		const inFront = new Entries();
		if (zero.ok && inFront.add(zero.value) && zero.value.jobs.some(({ job_id }) => !jobs.has(job_id))) {
			inFront.add({ jobs: [...jobs.values()], odd: entries.odd });
			entries = inFront;
		}
	}
	const found = [...entries.jobs.values()];
	const isWhole = complete && !goesOn && (total === undefined || entries.size >= total);
	return success({
		jobs: found.slice(0, limit),
		odd: entries.odd,
		complete: found.length >= limit || isWhole,
		total,
	});
}

/** The jobs of {@link readList}, for whoever need not know whether they are all. */
export async function listAllJobs(client: ServiceClient, request: JobListRequest): Promise<Outcome<Job[]>> {
	const list = await readList(client, request);
	return list.ok ? success(list.value.jobs) : list;
}

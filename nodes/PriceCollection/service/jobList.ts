import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient } from './client';
import type { JobPage } from './paging';
import { success, traitsOf, type Outcome, type Problem } from './problems';
import { timeOf } from './time';
import type { Job } from './types';

/** The largest page that is asked for; a service that gives smaller ones is read to its end all the same. */
const PAGE_SIZE = 100;
/** A list that goes on for longer is given up, and said to be incomplete. */
const MOST_PAGES = 10_000;
/** Entries that are no jobs and are named in one text. */
const MOST_ODD_NAMED = 3;

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
	/** Whether page 0 is asked for as well, where the list says nothing about itself and may begin with it. */
	looksForPageZero?: boolean;
	/** Asked after each page with all jobs read so far and those of the page: whether the rest is not needed. */
	enough?: (jobs: readonly Job[], page: readonly Job[]) => boolean;
}

/** What came of a list. */
export interface JobList {
	jobs: Job[];
	/** What is wrong with each entry that was left out because it is no job. */
	odd: string[];
	/**
	 * Whether it is shown that these are all jobs: by a word of the service, or by an empty or a shorter page behind
	 * others. A page that is repeated shows nothing, because it may be the newest jobs, whatever page is asked for.
	 */
	complete: boolean;
	/** Whether the service says that there are more. */
	saysMore: boolean;
	/** Whether it ended with a page that only repeated others. */
	repeats: boolean;
	/** How many jobs there are, where the service says it. */
	total?: number;
	/**
	 * The time of creation back to which no job is missing, in milliseconds since 1970: known where the list gives its
	 * jobs from the newest to the oldest.
	 */
	goesBackTo?: number;
}

/** What entries of a list are left out and why; undefined where there are none. */
export function leftOutText(odd: readonly string[]): string | undefined {
	if (odd.length === 0) return undefined;
	const more = odd.length > MOST_ODD_NAMED ? '; …' : '';
	return `entries of the list of jobs are left out because they are no jobs (${odd.length}): ${odd.slice(0, MOST_ODD_NAMED).join('; ')}${more}`;
}

/** How the list is read where the user sets nothing. */
export const DEFAULT_PAGING = { pageParameter: 'page', pageSizeParameter: 'per_page' } as const;

/** Whether a page leads to another one, or says that there is one. */
function saysMore({ next, cursor, nextPage, hasMore }: JobPage): boolean {
	return hasMore ?? ((next ?? cursor ?? nextPage) !== undefined && next !== null);
}

/** A refusal that ends the list: there is no such page, or no such request. */
function endsTheList({ status = 0, kind, reason }: Problem): boolean {
	if (status >= 500 || (status < 400 && reason === undefined)) return kind === 'wrongAddress';
	const { accountWide, retry } = traitsOf({ kind });
	return kind === 'wrongAddress' || (!accountWide && retry === 'never');
}

/** The query of the page after this one; undefined when there is no way to ask for it. */
function queryAfter(
	{ next, cursor, cursorParameter = 'cursor', nextPage }: JobPage,
	number: number,
	paging: ListPaging | undefined,
	size: IDataObject,
): IDataObject | undefined {
	if (paging === undefined) return undefined;
	if (next !== undefined && next !== null) return next;
	if (cursor !== undefined) return { ...size, [paging.cursorParameter ?? cursorParameter]: cursor };
	return paging.cursorParameter === undefined
		? { ...size, [paging.pageParameter]: nextPage ?? number }
		: undefined;
}

/** The entries of the pages read so far, each job once. */
class Entries {
	readonly jobs = new Map<string, Job>();
	/** What is wrong with each entry that is no job. */
	readonly odd: string[] = [];
	private readonly oddPages = new Set<string>();

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

/** The time of the oldest of jobs that are sorted from the newest to the oldest; undefined where they do not show that. */
function oldestOf(jobs: readonly Job[]): number | undefined {
	const times = jobs.map(({ created_at: created }) => timeOf(created) ?? NaN);
	const isSorted = times.every((time, index) => time <= (times[index - 1] ?? Infinity));
	const [newest = NaN, oldest = NaN] = [times[0], times.at(-1)];
	return isSorted && newest > oldest ? oldest : undefined;
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
	const isNumbered = paging !== undefined && paging.cursorParameter === undefined;
	let ask: IDataObject | undefined = { ...(isNumbered && { [paging.pageParameter]: first }), ...size };
	let entries = new Entries();
	const { jobs } = entries;
	let total: number | undefined;
	let [speaks, goesOn, complete, repeats, isEmpty] = [false, false, false, false, false];
	let [longest, hasShorter] = [0, false];
	for (let count = 0; ask !== undefined && count < MOST_PAGES; count++) {
		const reply = await client.listJobs({ ...ask, ...query });
		if (!reply.ok) {
			const { problem } = reply;
			if (count === 0 || !endsTheList(problem)) return reply;
			// Others may mean something else in the request, such as a page that the plan does not include.
			complete = problem.kind === 'wrongAddress' || /\bpages?\b/i.test(problem.reason ?? '');
			break;
		}
		const page = reply.value;
		const { odd = [], next, pages, hasMore } = page;
		const length = page.jobs.length + odd.length;
		const isNew = entries.add(page);
		// Not more than the page holds, it may be the total of the page.
		if (page.total !== undefined && page.total > length) ({ total } = page);
		const seen = jobs.size + entries.odd.length;
		const wasLed = goesOn;
		goesOn = saysMore(page);
		speaks ||= goesOn || next === null || [hasMore, page.total, pages].some((one) => one !== undefined);
		const isLast = pages !== undefined && count + 1 >= pages && !goesOn;
		const isAll = total !== undefined && seen >= total && !goesOn;
		// Where pages lead from one to the next, the last one need not say so.
		const isEnd =
			(next === null && !goesOn) || hasMore === false || isLast || isAll || (wasLed && !goesOn);
		hasShorter ||= isNew && length < longest;
		longest = Math.max(longest, length);
		isEmpty = length === 0 && count === 0;
		repeats = length > 0 && !isNew && !isEnd;
		// An empty first page may also be the second one, where pages begin with 0.
		complete = isEnd || (!goesOn && ((length === 0 && count > 0) || (repeats && hasShorter)));
		if (complete || !isNew || jobs.size >= limit) break;
		if (enough?.([...jobs.values()], page.jobs) === true) break;
		complete = paging === undefined && !goesOn;
		ask = queryAfter(page, first + count + 1, paging, size);
	}
	const mayHaveZero = isNumbered && paging.firstPage === undefined && !speaks;
	const looksForZero = mayHaveZero && request.looksForPageZero === true && jobs.size < limit;
	if (looksForZero) {
		const zero = await client.listJobs({ [paging.pageParameter]: 0, ...size, ...query });
		const inFront = new Entries();
		if (zero.ok && inFront.add(zero.value) && zero.value.jobs.some(({ job_id }) => !jobs.has(job_id))) {
			inFront.add({ jobs: [...jobs.values()], odd: entries.odd });
			entries = inFront;
		}
	}
	const found = [...entries.jobs.values()];
	const isShort = total !== undefined && found.length + entries.odd.length < total;
	return success({
		...{ jobs: found.slice(0, limit), odd: entries.odd, total },
		complete: (complete || (isEmpty && looksForZero)) && !goesOn && !isShort && found.length <= limit,
		...{ saysMore: goesOn || isShort, repeats },
		goesBackTo: mayHaveZero && !looksForZero ? undefined : oldestOf(found.slice(0, limit)),
	});
}

/** The jobs of {@link readList}, for callers that need not know whether they are all. */
export async function listAllJobs(client: ServiceClient, request: JobListRequest): Promise<Outcome<Job[]>> {
	const list = await readList(client, request);
	return list.ok ? success(list.value.jobs) : list;
}

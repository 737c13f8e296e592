import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient } from './client';
import type { JobPage } from './paging';
import { success, traitsOf, type Outcome, type Problem } from './problems';
import type { ListedJobs } from './schemas';
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
	/** Additional query parameters, sent as given. */
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
	/** Where each entry stood that was left out because it is no job. */
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
}

/** What entries of a list are left out and why; undefined where there are none. */
export function leftOutText(odd: readonly string[]): string | undefined {
	if (odd.length === 0) return undefined;
	const more = odd.length > MOST_ODD_NAMED ? '; …' : '';
	return `entries of the list of jobs are left out because they are no jobs (${odd.length}): ${odd.slice(0, MOST_ODD_NAMED).join('; ')}${more}`;
}

/** How the list is read where the user sets nothing. */
export const DEFAULT_PAGING = { pageParameter: 'page', pageSizeParameter: 'per_page' } as const;

/** A refusal that ends the list: there is no such page, or no such request. */
function endsTheList({ status = 0, kind, reason }: Problem): boolean {
	if (status >= 500 || (status < 400 && reason === undefined)) return kind === 'wrongAddress';
	const { accountWide, retry } = traitsOf({ kind });
	return kind === 'wrongAddress' || (!accountWide && retry === 'never');
}

/** The query of the page after this one; undefined when there is no way to ask for it. */
function queryAfter(
	{ next }: JobPage,
	number: number,
	paging: ListPaging | undefined,
	size: IDataObject,
): IDataObject | undefined {
	if (paging === undefined) return undefined;
	if (next && 'query' in next) return next.query;
	if (next && 'cursor' in next) return { ...size, [paging.cursorParameter ?? next.parameter]: next.cursor };
	return paging.cursorParameter === undefined
		? { ...size, [paging.pageParameter]: next?.page ?? number }
		: undefined;
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
	const jobs = new Map<string, Job>();
	const odd: string[] = [];
	/** Takes in a page, each job once. False: it brought nothing new. */
	const take = (page: ListedJobs) => {
		const before = jobs.size;
		for (const job of page.jobs) if (!jobs.has(job.job_id)) jobs.set(job.job_id, job);
		if (jobs.size > before || jobs.size === 0) odd.push(...(page.odd ?? []));
		return jobs.size > before;
	};
	let ask: IDataObject | undefined = { ...(isNumbered && { [paging.pageParameter]: first }), ...size };
	let total: number | undefined;
	let [speaks, goesOn, complete, repeats, isEmpty] = [false, false, false, false, false];
	let longest = 0;
	let hasShorter = false;
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
		const length = page.jobs.length + (page.odd?.length ?? 0);
		const isNew = take(page);
		// Not more than the page holds, it may be the total of the page.
		if (page.total !== undefined && page.total > length) ({ total } = page);
		const wasLed = goesOn;
		goesOn = page.goesOn === true;
		speaks ||= [page.goesOn, page.total, page.pages].some((one) => one !== undefined);
		const isAll = jobs.size + odd.length >= (total ?? Infinity) || count + 1 >= (page.pages ?? Infinity);
		// Where pages lead from one to the next, the last one need not say so.
		const isEnd = !goesOn && (page.goesOn === false || wasLed || isAll);
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
	const mayHaveZero = isNumbered && paging.firstPage === undefined && !speaks && jobs.size < limit;
	if (mayHaveZero && request.looksForPageZero === true) {
		const zero = await client.listJobs({ [paging.pageParameter]: 0, ...size, ...query });
		const behind = [...jobs.values()];
		jobs.clear();
		if (zero.ok) take(zero.value);
		take({ jobs: behind });
		complete ||= isEmpty;
	}
	const isShort = total !== undefined && jobs.size + odd.length < total;
	return success({
		...{ jobs: [...jobs.values()].slice(0, limit), odd, total, repeats },
		complete: complete && !goesOn && !isShort && jobs.size <= limit,
		saysMore: goesOn || isShort,
	});
}

/** The jobs of {@link readList}, for callers that need not know whether they are all. */
export async function listAllJobs(client: ServiceClient, request: JobListRequest): Promise<Outcome<Job[]>> {
	const list = await readList(client, request);
	return list.ok ? success(list.value.jobs) : list;
}

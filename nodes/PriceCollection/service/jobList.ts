import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient } from './client';
import type { JobPage } from './paging';
import { success, traitsOf, type Outcome, type Problem } from './problems';
import type { ListedJobs } from './schemas';
import type { Job } from './types';

/** The page size that is requested; smaller pages are read to the end as well. */
const PAGE_SIZE = 100;
/** Reading stops after this many pages, and the list is reported as incomplete. */
const MOST_PAGES = 10_000;
/** How many invalid entries a text names. */
const MOST_INVALID_NAMED = 3;

/** How further pages are requested, unless the list itself says how it continues. */
export interface ListPaging {
	pageParameter: string;
	pageSizeParameter: string;
	/** The number of the first page; 1 by default. */
	firstPage?: number;
	/** The parameter for a page's cursor; set when pages have no numbers. */
	cursorParameter?: string;
}

export interface JobListRequest {
	/** Stop after this many jobs. */
	limit: number;
	/** Additional query parameters, sent as given. */
	query?: IDataObject;
	/** Absent when a single request returns everything. */
	paging?: ListPaging;
	/** Whether to request page 0 as well, when the list says nothing about paging and may begin with it. */
	looksForPageZero?: boolean;
	/** Called after each page with all jobs so far and those of the page: whether the rest is not needed. */
	enough?: (jobs: readonly Job[], page: readonly Job[]) => boolean;
}

/** The result of reading a list. */
export interface JobList {
	jobs: Job[];
	/** The positions of entries that were left out because they are not jobs. */
	invalid: string[];
	/**
	 * Whether these are certainly all jobs: the service says so, or an empty or shorter page followed others.
	 * A repeated page proves nothing, because the service may return the newest jobs for every page.
	 */
	complete: boolean;
	/** Whether the service says that there are more jobs. */
	saysMore: boolean;
	/** Whether it ended with a page that only repeated others. */
	repeats: boolean;
	/** The total number of jobs, if the service states it. */
	total?: number;
}

/** Says which entries of a list were left out and why; undefined when there are none. */
export function leftOutText(invalid: readonly string[]): string | undefined {
	if (invalid.length === 0) return undefined;
	const more = invalid.length > MOST_INVALID_NAMED ? '; …' : '';
	return `entries of the list of jobs are left out because they are no jobs (${invalid.length}): ${invalid.slice(0, MOST_INVALID_NAMED).join('; ')}${more}`;
}

/** How the list is read by default. */
export const DEFAULT_PAGING = { pageParameter: 'page', pageSizeParameter: 'per_page' } as const;

/** Whether a refusal ends the list: the page or the request does not exist. */
function endsTheList({ status = 0, kind, reason }: Problem): boolean {
	if (status >= 500 || (status < 400 && reason === undefined)) return kind === 'wrongAddress';
	const { accountWide, retry } = traitsOf({ kind });
	return kind === 'wrongAddress' || (!accountWide && retry === 'never');
}

/** The query for the next page; undefined when it cannot be requested. */
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
 * Reads the list of jobs page by page until the limit is reached, the list ends, or a page brings no new job.
 * So each job comes once and reading always ends, even if a server ignores paging, repeats its last page or
 * shifts between requests. A `Link` header, an address or a cursor in the list is followed; otherwise pages
 * are numbered. A refusal after the first page ends the list.
 */
export async function readList(client: ServiceClient, request: JobListRequest): Promise<Outcome<JobList>> {
	const { limit, query = {}, paging, enough } = request;
	const first = paging?.firstPage ?? 1;
	const size = paging === undefined ? {} : { [paging.pageSizeParameter]: Math.min(limit, PAGE_SIZE) };
	const isNumbered = paging !== undefined && paging.cursorParameter === undefined;
	const jobs = new Map<string, Job>();
	const invalid: string[] = [];
	/** Adds the jobs of a page, each once. Returns false when none of them was new. */
	const take = (page: ListedJobs) => {
		const before = jobs.size;
		for (const job of page.jobs) if (!jobs.has(job.job_id)) jobs.set(job.job_id, job);
		if (jobs.size > before || jobs.size === 0) invalid.push(...(page.invalid ?? []));
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
			// Other refusals may concern something else, such as a page that the plan does not include.
			complete = problem.kind === 'wrongAddress' || /\bpages?\b/i.test(problem.reason ?? '');
			break;
		}
		const page = reply.value;
		const length = page.jobs.length + (page.invalid?.length ?? 0);
		const isNew = take(page);
		// A total that does not exceed the page may be the page's own count.
		if (page.total !== undefined && page.total > length) ({ total } = page);
		const wasLed = goesOn;
		goesOn = page.goesOn === true;
		speaks ||= [page.goesOn, page.total, page.pages].some((one) => one !== undefined);
		const isAll =
			jobs.size + invalid.length >= (total ?? Infinity) || count + 1 >= (page.pages ?? Infinity);
		// When pages link to the next one, a page without a link is the last.
		const isEnd = !goesOn && (page.goesOn === false || wasLed || isAll);
		hasShorter ||= isNew && length < longest;
		longest = Math.max(longest, length);
		isEmpty = length === 0 && count === 0;
		repeats = length > 0 && !isNew && !isEnd;
		// An empty page 1 does not prove an empty list when numbering begins with 0.
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
	const isShort = total !== undefined && jobs.size + invalid.length < total;
	return success({
		...{ jobs: [...jobs.values()].slice(0, limit), invalid, total, repeats },
		complete: complete && !goesOn && !isShort && jobs.size <= limit,
		saysMore: goesOn || isShort,
	});
}

/** The jobs of {@link readList}, for callers that do not need to know whether the list is complete. */
export async function listAllJobs(client: ServiceClient, request: JobListRequest): Promise<Outcome<Job[]>> {
	const list = await readList(client, request);
	return list.ok ? success(list.value.jobs) : list;
}

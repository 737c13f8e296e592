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

/** How the list is read where the user sets nothing. */
export const DEFAULT_PAGING = { pageParameter: 'page', pageSizeParameter: 'per_page' } as const;

/** The parameter for a cursor by the name of its field, where the user named none: `next_page_token` → `page_token`. */
function cursorParameterFor(field: string | undefined): string {
	if (field === undefined || field.endsWith('cursor') || field === 'next') return 'cursor';
	return field.replace(/^next_?/, '').replace('pagetoken', 'page_token');
}

/** A list on its way. */
class Reading {
	readonly jobs = new Map<string, Job>();
	readonly odd: string[] = [];
	total: number | undefined;
	/** The latest page says that there are more. */
	saysMore = false;

	constructor(private readonly request: JobListRequest) {}

	/** Takes in a page. False when it brings nothing new. */
	add(page: JobPage): boolean {
		const before = this.jobs.size;
		this.take(page.jobs);
		this.total = page.total ?? this.total;
		const names = [page.next, page.cursor].some((one) => one !== undefined && one !== null);
		this.saysMore = page.hasMore ?? names;
		if (this.jobs.size === before) return false;
		for (const one of page.odd ?? []) this.odd.push(one);
		return true;
	}

	/** Takes in the page before all others. */
	addInFront({ jobs }: JobPage): void {
		const behind = [...this.jobs.values()];
		this.jobs.clear();
		this.take([...jobs, ...behind]);
	}

	private take(jobs: readonly Job[]): void {
		for (const job of jobs) if (!this.jobs.has(job.job_id)) this.jobs.set(job.job_id, job);
	}

	get isFull(): boolean {
		return this.jobs.size >= this.request.limit;
	}

	/** Whether the list says that all of it came. */
	isAllOf(page: JobPage, number: number): boolean {
		if (page.hasMore === false || page.next === null) return true;
		if (page.cursor === null && page.hasMore !== true && page.next === undefined) return true;
		if (this.total !== undefined) return this.jobs.size >= this.total;
		return page.pages !== undefined && page.next === undefined && number >= page.pages;
	}

	result(complete: boolean): JobList {
		const { limit } = this.request;
		const missing = this.total !== undefined && this.jobs.size < this.total;
		const jobs = [...this.jobs.values()].slice(0, limit);
		return {
			jobs,
			odd: this.odd,
			complete: this.isFull || (complete && !missing && !this.saysMore),
			...(this.total !== undefined && { total: this.total }),
		};
	}
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
		const name = paging?.cursorParameter ?? cursorParameterFor(page.cursorField);
		return { ...size, [name]: page.cursor };
	}
	if (paging === undefined || paging.cursorParameter !== undefined) return undefined;
	return { ...size, [paging.pageParameter]: number };
}

/**
 * Reads the list of jobs page by page until the limit is reached, the list says that it ends, or a page brings nothing
 * new: so a server that ignores paging, repeats its last page or shifts between requests gives each job once, and every
 * list ends. Where the list says how it goes on (a `Link` header, an address, a cursor) that is followed; else pages are
 * numbered. A refusal beyond a page that came ends the list.
 */
export async function readList(client: ServiceClient, request: JobListRequest): Promise<Outcome<JobList>> {
	const { limit, query = {}, paging, enough } = request;
	const reading = new Reading(request);
	const first = paging?.firstPage ?? 1;
	const size = paging === undefined ? {} : { [paging.pageSizeParameter]: Math.min(limit, PAGE_SIZE) };
	const numbered = paging !== undefined && paging.cursorParameter === undefined;
	let ask: IDataObject | undefined = { ...(numbered && { [paging.pageParameter]: first }), ...size };
	let speaks = false;
	let complete = false;
	for (let count = 0; ask !== undefined && count < MOST_PAGES; count++) {
		const reply = await client.listJobs({ ...ask, ...query });
		if (!reply.ok) {
			if (count === 0 || !endsTheList(reply.problem)) return reply;
			return success(reading.result(true));
		}
		const page = reply.value;
		const isNew = reading.add(page);
		speaks ||= [page.next, page.cursor, page.hasMore, page.total, page.pages].some(
			(one) => one !== undefined,
		);
		complete = !isNew || reading.isAllOf(page, first === 0 ? count + 1 : count + first);
		if (complete || reading.isFull || enough?.([...reading.jobs.values()], page.jobs) === true) break;
		if (paging === undefined && page.next === undefined && page.cursor === undefined) complete = true;
		ask = paging === undefined ? undefined : queryAfter(page, first + count + 1, request, size);
	}
	if (request.looksForPageZero === true && numbered && first === 1 && complete && !speaks) {
		const zero = await client.listJobs({ [paging.pageParameter]: 0, ...size, ...query });
		if (zero.ok) reading.addInFront(zero.value);
	}
	return success(reading.result(complete));
}

/** The jobs of {@link readList}, for whoever need not know whether they are all. */
export async function listAllJobs(client: ServiceClient, request: JobListRequest): Promise<Outcome<Job[]>> {
	const list = await readList(client, request);
	return list.ok ? success(list.value.jobs) : list;
}

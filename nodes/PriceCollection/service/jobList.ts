import type { IDataObject } from 'n8n-workflow';

import { parseUrl, type ConnectionSettings } from './connection';
import { success, traitsOf, type Outcome, type Problem } from './problems';
import type { ListedJobs } from './schemas';
import { withoutSecrets } from './text';
import { bareName, countOf, flagOf, isObject, type Job } from './types';

/** A page of the job list, and what it says about further pages; unknown fields are absent. */
export interface JobPage extends ListedJobs {
	goesOn?: boolean;
	/** How to request it: by a query, by a cursor with its usual parameter, or by number. */
	next?: { query: IDataObject } | { cursor: string; parameter: string } | { page: number };
	/** A count of jobs: either all of them or those of the page. */
	total?: number;
	pages?: number;
}

/** Names of cursors, likeliest first, and their parameters. All names are in lower case without dashes. */
const CURSORS = {
	nextcursor: 'cursor',
	nextpagetoken: 'page_token',
	nexttoken: 'token',
	continuationtoken: 'continuation_token',
	endcursor: 'cursor',
	cursor: 'cursor',
	next: 'cursor',
};
const NEXT = ['next', 'nexturl', 'nextlink', 'nextpage'];
const CURRENT_PAGES = ['page', 'currentpage', 'pagenumber', 'current'];
const MORE = ['hasmore', 'hasnext', 'hasnextpage', 'more'];
const TOTALS = ['total', 'totalcount', 'totalitems', 'totalentries', 'totalresults', 'totaljobs'];
const PAGES = ['totalpages', 'pages', 'pagecount', 'lastpage'];
/** Fields besides the root in which services describe paging. */
const PLACES = ['meta', 'metadata', 'paging', 'pagination', 'pageinfo', 'links', 'cursor', 'data'];

const LONGEST_HEADER = 8_000;

type Fields = Map<string, unknown>;

/** All fields that may describe paging, by normalised name; outer fields take precedence. */
function fieldsOf(value: unknown, levels = 3): Fields {
	if (!isObject(value)) return new Map();
	const bare = Object.entries(value).map(([name, field]) => [bareName(name), field] as const);
	const inner = levels === 1 ? [] : bare.filter(([name]) => PLACES.includes(name)).reverse();
	return new Map([...inner.flatMap(([, field]) => [...fieldsOf(field, levels - 1)]), ...bare]);
}

/** The query of an address on the service's origin, without the key. Undefined for any other address. */
function queryOf(address: string, connection: ConnectionSettings): IDataObject | undefined {
	const url = parseUrl(address, `${connection.base}/v2/jobs`);
	if (url === undefined || url.origin !== connection.origin || url.search === '') return undefined;
	const query = withoutSecrets(url, connection.secrets)?.searchParams;
	if (connection.authentication === 'queryParameter') query?.delete(connection.parameterName);
	return query && Object.fromEntries(query);
}

/** Reads a Link header: the next page's address, and whether the header describes pages at all. */
function readLink(header = ''): { address?: string; isPaged: boolean } {
	const links = header.slice(0, LONGEST_HEADER).split('<').slice(1);
	const read = links.map((link) => {
		const [address, ...parameters] = link.split(/[>;]/);
		const relation = parameters.map((one) => one.trim().toLowerCase()).find((one) => /^rel\b/.test(one));
		return { address, relations: (relation ?? '').split(/[\s"=,]/) };
	});
	const linkTo = (name: string) => read.find(({ relations }) => relations.includes(name));
	const isPaged = ['prev', 'previous', 'first', 'last'].some(linkTo);
	return { address: linkTo('next')?.address, isPaged };
}

function addressIn(value: unknown): string | undefined {
	const text: unknown = isObject(value) ? value.href : value;
	const isAddress = typeof text === 'string' && /^(https?:\/\/|\/|\?)/.test(text);
	return isAddress ? text.slice(0, LONGEST_HEADER) : undefined;
}

function isCursor(value: unknown): boolean {
	if (typeof value === 'number') return true;
	return typeof value === 'string' && value.trim() !== '' && addressIn(value) === undefined;
}

/** What a page says about further ones: in the headers Link and `X-…`, or in fields beside the jobs. */
export function pagingIn(
	value: unknown,
	headers: Readonly<Record<string, string | undefined>>,
	connection: ConnectionSettings,
): Omit<JobPage, 'jobs'> {
	const told = Object.entries(headers).filter(([name]) => name.startsWith('x-'));
	const inHeaders = told.map(([name, field]) => [bareName(name.slice(2)), field] as const);
	const fields: Fields = new Map([...inHeaders, ...fieldsOf(value)]);
	const firstOf = <T>(names: readonly string[], read: (field: unknown) => T | undefined) =>
		names.map((name) => read(fields.get(name))).find((one) => one !== undefined);
	const link = readLink(headers.link);
	const address = link.address ?? firstOf(NEXT, addressIn);
	const query = address === undefined ? undefined : queryOf(address, connection);
	// A number under "next" is a page if the current page is numbered as well, else perhaps a cursor.
	const isCounted = fields.has('nextpage') || firstOf(CURRENT_PAGES, countOf) !== undefined;
	const page = isCounted ? firstOf(NEXT, countOf) : undefined;
	const [name = '', parameter] = Object.entries(CURSORS).find(([one]) => isCursor(fields.get(one))) ?? [];
	const cursor = parameter ? { cursor: String(fields.get(name)).trim(), parameter } : undefined;
	const saysNone = [...Object.keys(CURSORS), ...NEXT].some((one) =>
		[null, ''].includes(fields.get(one) as string),
	);
	const leadsOn = [address, page, parameter].some((one) => one !== undefined);
	return {
		goesOn: firstOf(MORE, flagOf) ?? (leadsOn || (saysNone || link.isPaged ? false : undefined)),
		next: (query && { query }) ?? (page === undefined ? cursor : { page }),
		total: firstOf(TOTALS, countOf),
		pages: firstOf(PAGES, countOf),
	};
}

/** Smaller pages are read to the end as well; after the last of so many pages the list is incomplete. */
const [PAGE_SIZE, MOST_PAGES, MOST_INVALID_NAMED] = [100, 10_000, 3];

/** How further pages are requested, unless the list itself says how it continues. */
export interface ListPaging {
	pageParameter: string;
	pageSizeParameter: string;
	/** The number of the first page; 1 by default. */
	firstPage?: number;
	/** The parameter for a page's cursor; set when pages have no numbers. */
	cursorParameter?: string;
}

export const DEFAULT_PAGING = { pageParameter: 'page', pageSizeParameter: 'per_page' } as const;

export interface JobListRequest {
	limit: number;
	query?: IDataObject;
	/** Absent when a single request returns everything. */
	paging?: ListPaging;
	/** Whether to request page 0 as well, when the list says nothing about paging and may begin with it. */
	looksForPageZero?: boolean;
	/** Called after each page with all jobs so far and those of the page: whether the rest is not needed. */
	enough?: (jobs: readonly Job[], page: readonly Job[]) => boolean;
}

export interface JobList {
	jobs: Job[];
	/** The positions of entries that were left out because they are not jobs. */
	invalid: string[];
	/**
	 * Whether these are certainly all jobs: the service says so, or an empty or shorter page followed others.
	 * A repeated page proves nothing, because the service may return the newest jobs for every page.
	 */
	complete: boolean;
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
	return `entries of the list of jobs are left out because they are not jobs (${invalid.length}): ${invalid.slice(0, MOST_INVALID_NAMED).join('; ')}${more}`;
}

/** Whether a refusal ends the list: the page or the request does not exist. */
function endsTheList({ status = 0, kind, reason }: Problem): boolean {
	const { accountWide, retry } = traitsOf({ kind });
	const isAnswer = status < 500 && (status >= 400 || reason !== undefined);
	return kind === 'wrongAddress' || (isAnswer && !accountWide && retry === 'never');
}

/** The query for the next page; undefined when it cannot be requested. */
function queryAfter({ next }: JobPage, page: number, paging: ListPaging | undefined, size: IDataObject) {
	if (paging === undefined) return undefined;
	if (next && 'query' in next) return next.query;
	if (next && 'cursor' in next) return { ...size, [paging.cursorParameter ?? next.parameter]: next.cursor };
	if (paging.cursorParameter !== undefined) return undefined;
	return { ...size, [paging.pageParameter]: next?.page ?? page };
}

type PageSource = { listJobs: (query: IDataObject) => Promise<Outcome<JobPage>> };

/**
 * Reads the list of jobs page by page until the limit is reached, the list ends, or a page brings no new job.
 * So each job comes once and reading always ends, even if a server ignores paging, repeats its last page or
 * shifts between requests. A `Link` header, an address or a cursor in the list is followed; otherwise pages
 * are numbered. A refusal after the first page ends the list.
 */
export async function readList(client: PageSource, request: JobListRequest): Promise<Outcome<JobList>> {
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
	let [speaks, goesOn, complete, repeats, isEmpty, hasShorter] = [false, false, false, false, false, false];
	let longest = 0;
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
		jobs: [...jobs.values()].slice(0, limit),
		invalid,
		total,
		repeats,
		complete: complete && !goesOn && !isShort && jobs.size <= limit,
		saysMore: goesOn || isShort,
	});
}

/** The jobs of {@link readList}, for callers that do not need to know whether the list is complete. */
export async function listAllJobs(client: PageSource, request: JobListRequest): Promise<Outcome<Job[]>> {
	const list = await readList(client, request);
	return list.ok ? success(list.value.jobs) : list;
}

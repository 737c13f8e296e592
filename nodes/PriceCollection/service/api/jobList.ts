import type { IDataObject } from 'n8n-workflow';

import type { CallOptions } from '../http/wire';
import { DEFAULTS, keyParameterOf, type ConnectionSettings } from '../connection';
import { parseUrl } from '../address';
import { partsOf, valuesNamed, type Meaning } from '../names';
import { success, type Outcome, type Problem } from '../problems';
import type { ListedJobs } from '../meaning/schemas';
import { countOf, flagOf, isObject, isTextOrNumber, objectFrom, type Job } from '../types';

/** A page of the job list, and what the reply says about further pages. */
export interface JobPage extends ListedJobs {
	goesOn?: boolean;
	/** How to request the next page, according to the reply: with this query, or with this cursor. */
	next?: IDataObject | string;
	/** A count of jobs: of the whole list or only of the page. */
	total?: number;
}

const LONGEST_HEADER = 8_000;
const NEXT_LINK = /<([^<>]*)>[^<]*;\s*rel\s*=[\s"]*(?:[^\s",;<]+\s+)*next(?=[\s",;]|$)/i;

/** Objects beside a list that contain paging information. */
const PAGING_OBJECTS = ['meta', 'paging', 'pagination'];

/**
 * The query of a URL on the service's origin, without the key, which every request gets anyway; undefined for any
 * other URL. A repeated parameter becomes a list of values.
 */
function pageQuery(address: string, connection: ConnectionSettings): IDataObject | undefined {
	const { base, origin, secrets } = connection;
	const keyParameter = keyParameterOf(connection);
	const url = parseUrl(address, `${base}/v2/jobs`);
	if (url?.origin !== origin || url.search === '') return undefined;
	const isKey = (name: string, value: string) => secrets.includes(value) || name === keyParameter;
	const parameters = [...url.searchParams].filter(([name, value]) => !isKey(name, value));
	return objectFrom(
		parameters.map(([name]) => name),
		parameters.map(([, value]) => value),
	);
}

/** What a reply says about further pages, in the Link header or in fields beside the jobs. */
export function pagingIn(
	value: unknown,
	headers: Readonly<Record<string, string | undefined>>,
	connection: ConnectionSettings,
): Omit<JobPage, 'jobs'> {
	const linked = NEXT_LINK.exec((headers.link ?? '').slice(0, LONGEST_HEADER))?.[1];
	// Outer fields take precedence. Only the first cursor counts: another may be the page's own.
	const parts = partsOf(value).reverse();
	const sources = [
		...parts,
		...parts.flatMap((part) => PAGING_OBJECTS.map((name) => part[name]).filter(isObject)),
	];
	const firstField = (meaning: Meaning) =>
		valuesNamed(meaning, ...sources).find((field) => field !== undefined);
	const cursorField = firstField('cursor');
	const cursor = isTextOrNumber(cursorField) ? String(cursorField).trim() : '';
	const goesOnByCursor = cursorField === null || cursorField === '' ? false : undefined;
	return {
		goesOn:
			flagOf(firstField('hasMore')) ?? (linked === undefined && cursor === '' ? goesOnByCursor : true),
		next: linked === undefined ? cursor || undefined : pageQuery(linked, connection),
		total: countOf(firstField('jobCount')),
	};
}

const PAGE_SIZE = 100;
/** The most pages to read of a list, enough even for small pages. A longer list counts as incomplete. */
export const MOST_PAGES = 10_000;

/** How to request pages if the reply does not say so. A parameter with a blank name is not sent. */
type ListPaging = Pick<
	ConnectionSettings,
	'cursorParameter' | 'firstPage' | 'pageParameter' | 'pageSizeParameter' | 'pagination'
>;

export interface JobListRequest {
	limit: number;
	query?: IDataObject;
	/** How long the service may be silent, in milliseconds. */
	timeoutMs?: number;
	/** Where to resume an earlier reading. */
	from?: ListPosition;
	/** Called after each page with all jobs so far and the page's jobs. True stops {@link readList}. */
	enough?: (jobs: readonly Job[], page: readonly Job[]) => boolean;
}

export interface JobList {
	jobs: Job[];
	/** The number of entries left out because they are not jobs. */
	invalid: number;
	/**
	 * Whether these are certainly all jobs, because of what the service says, an empty page, or a list without
	 * paging. A repeated page proves nothing: the service may return the newest jobs for every page.
	 */
	complete: boolean;
	/** The page that could not be read and so ended the list; never the first one. */
	unread?: { page: number; problem: Problem };
	/** Whether the service says that there are more jobs. */
	saysMore: boolean;
	/** Whether the latest page only repeated jobs of earlier pages. */
	repeats: boolean;
	/** The total number of jobs, if the service states it. */
	total?: number;
}

/** Where to resume reading the list: at the page read last, because new and deleted jobs shift the pages. */
export interface ListPosition {
	query: IDataObject;
	/** The page's number, or the number of entries before it. */
	offset: number;
}

/** A page as one step of reading the list. */
export interface ListedPage {
	jobs: Job[];
	/** Jobs that are on no earlier page of this reading. */
	fresh: Job[];
	position: ListPosition;
	/** What is known about the list up to this page. */
	list: Omit<JobList, 'jobs'>;
	/** Whether the list ends here: the service says so, or the page is empty, unreadable or brings no new job. */
	isLast: boolean;
}

/**
 * Whether the service itself says that a page does not exist. A web page, a 403 or a 5xx does not say that, and
 * neither does a service that does not know the page parameter.
 */
export function deniesPage({ faults = [], kind, reason, status = 0 }: Problem): boolean {
	const isUnknown = faults.some(({ complaint }) => complaint === 'unknown');
	const isAboutPage = ['invalidValue', 'refused', 'wrongAddress'].includes(kind) && !isUnknown;
	return isAboutPage && reason !== undefined && [400, 404, 416, 422].includes(status);
}

interface PageSource {
	connection: ListPaging;
	listJobs: (query: IDataObject, options?: Pick<CallOptions, 'timeoutMs'>) => Promise<Outcome<JobPage>>;
}

const asQuery = (name: string, value: number | string): IDataObject => (name === '' ? {} : { [name]: value });
const entryCount = ({ jobs, invalid = 0 }: ListedJobs) => jobs.length + invalid;

/**
 * Yields pages in order until one fails or there is no way to request the next one. Follows a URL in the Link header
 * or a cursor in the reply; otherwise requests pages by number or by offset. If it is unknown whether the service
 * counts from 0 or 1, requests the first page without a number and then page 1.
 */
async function* pages(
	client: PageSource,
	request: JobListRequest,
): AsyncGenerator<{ page: Outcome<JobPage>; position: ListPosition }> {
	const { limit, query, from, timeoutMs } = request;
	const { pagination, firstPage, pageParameter, pageSizeParameter, cursorParameter } = client.connection;
	const isOffset = pagination === 'offset';
	// The default name, `page`, does not suit an offset.
	const counterParameter = isOffset && pageParameter === DEFAULTS.pageParameter ? 'offset' : pageParameter;
	const size = pagination === 'none' ? {} : asQuery(pageSizeParameter, Math.min(limit, PAGE_SIZE));
	const first = pagination === 'pageNumber' && firstPage === '1' ? 1 : 0;
	const isCounted = isOffset || (pagination === 'pageNumber' && firstPage !== 'automatic');
	let { offset, query: pagingQuery } = from ?? {
		offset: first,
		query: { ...(isCounted && asQuery(counterParameter, first)), ...size },
	};
	for (let count = 0; count < MOST_PAGES; count++) {
		const page = await client.listJobs({ ...pagingQuery, ...query }, { timeoutMs });
		yield { page, position: { offset, query: pagingQuery } };
		if (!page.ok || pagination === 'none') return;
		offset += isOffset ? entryCount(page.value) : 1;
		const { next } = page.value;
		if (typeof next === 'string') pagingQuery = { ...asQuery(cursorParameter, next), ...size };
		else if (next !== undefined) pagingQuery = next;
		else if (pagination === 'cursor') return;
		else pagingQuery = { ...asQuery(counterParameter, offset), ...size };
	}
}

/**
 * Reads the list of jobs page by page. The caller decides when to stop, usually at `isLast`. If the first page cannot
 * be read, its problem is the only step. A later unreadable page ends the list, which is then incomplete unless the
 * service says that the page does not exist.
 */
export async function* readPages(
	client: PageSource,
	request: JobListRequest,
): AsyncGenerator<Outcome<ListedPage>> {
	const { from } = request;
	const { pagination, firstPage } = client.connection;
	const isAutomatic = pagination === 'pageNumber' && firstPage === 'automatic';
	const isFirstNumberUnknown = isAutomatic && (from === undefined || from.offset === 0);
	const seen = new Set<string>();
	const list: Omit<JobList, 'jobs'> = { invalid: 0, complete: false, saysMore: false, repeats: false };
	const isShort = () => seen.size + list.invalid < (list.total ?? 0);
	let [count, goesOn, isLinked] = [0, false, false];
	for await (const { page: reply, position } of pages(client, request)) {
		count++;
		if (!reply.ok) {
			if (count === 1) {
				yield reply;
				return;
			}
			list.complete = !goesOn && !isShort() && deniesPage(reply.problem);
			if (!list.complete) list.unread = { page: count, problem: reply.problem };
			yield success({ jobs: [], fresh: [], position, list: { ...list }, isLast: true });
			return;
		}
		const page = reply.value;
		const [length, wasAnnounced] = [entryCount(page), goesOn];
		const fresh = page.jobs.filter(({ job_id: jobId }) => !seen.has(jobId) && seen.add(jobId));
		const isNew = fresh.length > 0;
		if (isNew || page.jobs.length === 0) list.invalid += page.invalid ?? 0;
		// A total no larger than the page may count only the page. A resumed reading cannot be compared with a total.
		const isTotal = page.total !== undefined && (page.total > length || length === 0);
		if (isTotal && from === undefined) list.total = page.total;
		goesOn = page.goesOn === true;
		// If the previous page announced this one, and this one announces none, it is the last.
		const isEnd = page.goesOn === false || wasAnnounced || (list.total !== undefined && !isShort());
		list.complete = (isEnd || pagination === 'none' || length === 0) && !goesOn;
		list.repeats = length > 0 && !isNew && !list.complete;
		// If the service counts from 1, page 1 repeats the first page.
		const isFirstAgain = count === 2 && isFirstNumberUnknown && list.repeats && !isLinked;
		isLinked = page.next !== undefined;
		const isLast = list.complete || (!isNew && !isFirstAgain);
		list.complete &&= !isShort();
		list.saysMore = goesOn || isShort();
		yield success({ jobs: page.jobs, fresh, position, list: { ...list }, isLast });
	}
}

/**
 * Reads the list of jobs until the limit is reached, `enough` returns true or the list ends, see
 * {@link ListedPage.isLast}. Each job occurs once and reading always ends, even if a server ignores paging, repeats
 * its last page or shifts pages between requests.
 */
export async function readList(client: PageSource, request: JobListRequest): Promise<Outcome<JobList>> {
	const { limit, enough } = request;
	const jobs: Job[] = [];
	let list: Omit<JobList, 'jobs'> = { invalid: 0, complete: false, saysMore: false, repeats: false };
	for await (const step of readPages(client, request)) {
		if (!step.ok) return step;
		const page = step.value;
		for (const job of page.fresh) jobs.push(job);
		list = page.list;
		if (page.isLast || jobs.length >= limit || enough?.(jobs, page.jobs) === true) break;
	}
	return success({ ...list, complete: list.complete && jobs.length <= limit, jobs: jobs.slice(0, limit) });
}

/** The jobs of {@link readList}, for callers that do not need to know whether the list is complete. */
export async function listAllJobs(client: PageSource, request: JobListRequest): Promise<Outcome<Job[]>> {
	const list = await readList(client, request);
	return list.ok ? success(list.value.jobs) : list;
}

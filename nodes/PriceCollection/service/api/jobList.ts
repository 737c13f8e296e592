import type { IDataObject } from 'n8n-workflow';

import type { CallOptions } from '../http/wire';
import { DEFAULTS, parseUrl, type ConnectionSettings } from '../connection';
import { partsOf, valuesNamed, type Meaning } from '../names';
import { success, type Outcome, type Problem } from '../problems';
import type { ListedJobs } from '../meaning/schemas';
import { countOf, flagOf, isObject, isTextOrNumber, objectFrom, type Job } from '../types';

/** A page of the job list, and what it says about further pages; what it does not say is absent. */
export interface JobPage extends ListedJobs {
	goesOn?: boolean;
	/** How it says that the next page is requested: with this query, or with this cursor. */
	next?: IDataObject | string;
	/** A count of jobs: either all of them or those of the page. */
	total?: number;
}

const LONGEST_HEADER = 8_000;
const NEXT_LINK = /<([^<>]*)>[^<]*;\s*rel\s*=[\s"]*(?:[^\s",;<]+\s+)*next(?=[\s",;]|$)/i;

/** Objects beside a list in which services say how it goes on. */
const PLACES = ['meta', 'paging', 'pagination'];

/**
 * The query of an address on the service's origin, without the key, which every request gets anyway; undefined for any
 * other address. A parameter that is repeated has a list of values.
 */
function pageQuery(address: string, connection: ConnectionSettings): IDataObject | undefined {
	const { authentication, base, origin, parameterName, secrets } = connection;
	const url = parseUrl(address, `${base}/v2/jobs`);
	if (url?.origin !== origin || url.search === '') return undefined;
	const isKey = (name: string, value: string) =>
		secrets.includes(value) || (authentication === 'queryParameter' && name === parameterName);
	const parameters = [...url.searchParams].filter(([name, value]) => !isKey(name, value));
	return objectFrom(
		parameters.map(([name]) => name),
		parameters.map(([, value]) => value),
	);
}

/** What a page says about further ones: in the header Link, or in fields beside the jobs. */
export function pagingIn(
	value: unknown,
	headers: Readonly<Record<string, string | undefined>>,
	connection: ConnectionSettings,
): Omit<JobPage, 'jobs'> {
	const linked = NEXT_LINK.exec((headers.link ?? '').slice(0, LONGEST_HEADER))?.[1];
	// Outer fields take precedence, and of the cursors the first that is present: another may be the page's own.
	const parts = partsOf(value).reverse();
	const places = [...parts, ...parts.flatMap((part) => PLACES.map((name) => part[name]).filter(isObject))];
	const said = (meaning: Meaning) => valuesNamed(meaning, ...places).find((field) => field !== undefined);
	const next = said('cursor');
	const cursor = isTextOrNumber(next) ? String(next).trim() : '';
	const isEnd = next === null || next === '' ? false : undefined;
	return {
		goesOn: flagOf(said('hasMore')) ?? (linked === undefined && cursor === '' ? isEnd : true),
		next: linked === undefined ? cursor || undefined : pageQuery(linked, connection),
		total: countOf(said('jobCount')),
	};
}

const PAGE_SIZE = 100;
/** Smaller pages are read to the end as well; after the last of so many pages the list is incomplete. */
export const MOST_PAGES = 10_000;

/** How pages are requested where the list does not say it itself; a parameter without a name is not sent. */
type ListPaging = Pick<
	ConnectionSettings,
	'cursorParameter' | 'firstPage' | 'pageParameter' | 'pageSizeParameter' | 'pagination'
>;

export interface JobListRequest {
	limit: number;
	query?: IDataObject;
	/** How long the service may be silent, in milliseconds. */
	timeoutMs?: number;
	/** Where an earlier reading stopped. */
	from?: ListPosition;
	/** Called after each page with all jobs so far and those of the page: whether the rest is not needed. */
	enough?: (jobs: readonly Job[], page: readonly Job[]) => boolean;
}

export interface JobList {
	jobs: Job[];
	/** How many entries were left out because they are not jobs. */
	invalid: number;
	/**
	 * Whether these are certainly all jobs: the service says so, or an empty page followed others. A repeated
	 * page proves nothing, because the service may return the newest jobs for every page.
	 */
	complete: boolean;
	/** The page after the first one that could not be read, which ended the list. */
	unread?: { page: number; problem: Problem };
	/** Whether the service says that there are more. */
	saysMore: boolean;
	/** Whether it ended with a page that only repeated others. */
	repeats: boolean;
	/** The total number of jobs, if the service states it. */
	total?: number;
}

/**
 * Where a reading of the list can be continued: with the page that it read last, because jobs that arrive or go away
 * shift the pages.
 */
export interface ListPosition {
	query: IDataObject;
	/** The number of the page, or of the entries before it. */
	offset: number;
}

/** A page as one step of reading the list. */
export interface ListedPage {
	jobs: Job[];
	/** Those that no earlier page of this reading had. */
	fresh: Job[];
	position: ListPosition;
	/** What is known about the list after this page. */
	list: Omit<JobList, 'jobs'>;
	/** Whether the list ends here: by its own word, with an empty page, or with one that brings no new job. */
	isLast: boolean;
}

/**
 * Whether the service itself says that a page does not exist. A server's web page, a 403 and a 5xx do not, nor does a
 * service that does not know the parameter for the page.
 */
export function deniesPage({ faults = [], kind, reason, status = 0 }: Problem): boolean {
	const isUnknown = faults.some(({ says }) => says === 'unknown');
	const isAboutPage = ['invalidValue', 'refused', 'wrongAddress'].includes(kind) && !isUnknown;
	return isAboutPage && reason !== undefined && [400, 404, 416, 422].includes(status);
}

interface PageSource {
	connection: ListPaging;
	listJobs: (query: IDataObject, options?: Pick<CallOptions, 'timeoutMs'>) => Promise<Outcome<JobPage>>;
}

const named = (name: string, value: number | string): IDataObject => (name === '' ? {} : { [name]: value });
const entryCount = ({ jobs, invalid = 0 }: ListedJobs) => jobs.length + invalid;

/**
 * The pages of the list, one after the other, as long as there is a way to request the next one. An address in the
 * header Link or a cursor in the list is followed; otherwise pages are requested by their number or by the entries before them. If
 * it is not known whether a service counts from 0 or 1, the first page is requested without a number, and then 1.
 */
async function* pages(
	client: PageSource,
	request: JobListRequest,
): AsyncGenerator<{ page: Outcome<JobPage>; position: ListPosition }> {
	const { limit, query, from, timeoutMs } = request;
	const { pagination, firstPage, pageParameter, pageSizeParameter, cursorParameter } = client.connection;
	const isOffset = pagination === 'offset';
	// No service calls an offset a page.
	const counter = isOffset && pageParameter === DEFAULTS.pageParameter ? 'offset' : pageParameter;
	const size = pagination === 'none' ? {} : named(pageSizeParameter, Math.min(limit, PAGE_SIZE));
	const first = pagination === 'pageNumber' && firstPage === '1' ? 1 : 0;
	const isCounted = isOffset || (pagination === 'pageNumber' && firstPage !== 'automatic');
	let { offset, query: ask } = from ?? {
		offset: first,
		query: { ...(isCounted && named(counter, first)), ...size },
	};
	for (let count = 0; count < MOST_PAGES; count++) {
		const page = await client.listJobs({ ...ask, ...query }, { timeoutMs });
		yield { page, position: { offset, query: ask } };
		if (!page.ok || pagination === 'none') return;
		offset += isOffset ? entryCount(page.value) : 1;
		const { next } = page.value;
		if (typeof next === 'string') ask = { ...named(cursorParameter, next), ...size };
		else if (next !== undefined) ask = next;
		else if (pagination === 'cursor') return;
		else ask = { ...named(counter, offset), ...size };
	}
}

/**
 * Reads the list of jobs page by page, for as long as the caller asks for further pages; usually up to the one that is
 * the last. A page that could not be read makes the list incomplete; if it is the first, it is the only step.
 */
export async function* readPages(
	client: PageSource,
	request: JobListRequest,
): AsyncGenerator<Outcome<ListedPage>> {
	const { from } = request;
	const { pagination, firstPage } = client.connection;
	const isAutomatic = pagination === 'pageNumber' && firstPage === 'automatic';
	const countsFromAny = isAutomatic && (from === undefined || from.offset === 0);
	const seen = new Set<string>();
	const list: Omit<JobList, 'jobs'> = { invalid: 0, complete: false, saysMore: false, repeats: false };
	const isShort = () => seen.size + list.invalid < (list.total ?? 0);
	let [count, goesOn, isFollowed] = [0, false, false];
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
		const [length, wasLed] = [entryCount(page), goesOn];
		const fresh = page.jobs.filter(({ job_id: jobId }) => !seen.has(jobId) && seen.add(jobId));
		const isNew = fresh.length > 0;
		if (isNew || page.jobs.length === 0) list.invalid += page.invalid ?? 0;
		// A total that does not exceed the page may be the page's own count, and only a whole reading can be compared with it.
		const isTotal = page.total !== undefined && (page.total > length || length === 0);
		if (isTotal && from === undefined) list.total = page.total;
		goesOn = page.goesOn === true;
		// When a page led to this one, and this one leads nowhere, it is the last.
		const isEnd = page.goesOn === false || wasLed || (list.total !== undefined && !isShort());
		list.complete = (isEnd || pagination === 'none' || length === 0) && !goesOn;
		list.repeats = length > 0 && !isNew && !list.complete;
		// Page 1 is the first page again where pages are counted from 1.
		const isFirstAgain = count === 2 && countsFromAny && list.repeats && !isFollowed;
		isFollowed = page.next !== undefined;
		const isLast = list.complete || (!isNew && !isFirstAgain);
		list.complete &&= !isShort();
		list.saysMore = goesOn || isShort();
		yield success({ jobs: page.jobs, fresh, position, list: { ...list }, isLast });
	}
}

/**
 * Reads the list of jobs until the limit is reached or the list ends: with an empty page, by its own word, or with
 * a page that brings no new job. So each job comes once and reading always ends, even if a server ignores paging,
 * repeats its last page or shifts between requests. A page that could not be read makes the list incomplete.
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

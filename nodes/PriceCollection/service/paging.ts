import type { IDataObject } from 'n8n-workflow';

import { parseUrl, type ConnectionSettings } from './connection';
import type { ListedJobs } from './schemas';
import { withoutSecrets } from './text';
import { bareName, countOf, flagOf, isObject } from './types';

/** What a page of a list says about further pages; unknown fields are absent. */
export interface Paging {
	/** Whether there is another page. */
	goesOn?: boolean;
	/** How to request it: by a query, by a cursor with its usual parameter, or by number. */
	next?: { query: IDataObject } | { cursor: string; parameter: string } | { page: number };
	/** A count of jobs: either all of them or those of the page. */
	total?: number;
	/** The number of pages. */
	pages?: number;
}

/** One page of the job list. */
export type JobPage = ListedJobs & Paging;

/** Names of cursors, likeliest first, and their parameters. All names are in lower case without dashes. */
const CURSORS = {
	...{ nextcursor: 'cursor', nextpagetoken: 'page_token', nexttoken: 'token' },
	...{ continuationtoken: 'continuation_token', endcursor: 'cursor', cursor: 'cursor', next: 'cursor' },
};
const NEXT = ['next', 'nexturl', 'nextlink', 'nextpage'];
const CURRENT_PAGES = ['page', 'currentpage', 'pagenumber', 'current'];
const MORE = ['hasmore', 'hasnext', 'hasnextpage', 'more'];
const TOTALS = ['total', 'totalcount', 'totalitems', 'totalentries', 'totalresults', 'totaljobs'];
const PAGES = ['totalpages', 'pages', 'pagecount', 'lastpage'];
/** Fields besides the root in which services describe paging. */
const PLACES = ['meta', 'metadata', 'paging', 'pagination', 'pageinfo', 'links', 'cursor', 'data'];

/** Longer headers and addresses are ignored. */
const LONGEST_HEADER = 8_000;

/** All fields that may describe paging, by normalised name; outer fields take precedence. */
function fieldsOf(value: unknown, levels = 3): Map<string, unknown> {
	if (!isObject(value)) return new Map();
	const bare = Object.entries(value).map(([name, field]) => [bareName(name), field] as const);
	const inner = levels === 1 ? [] : bare.filter(([name]) => PLACES.includes(name)).reverse();
	return new Map([...inner.flatMap(([, field]) => [...fieldsOf(field, levels - 1)]), ...bare]);
}

type PagingDialect = Pick<
	ConnectionSettings,
	'base' | 'origin' | 'secrets' | 'authentication' | 'parameterName'
>;

/** The query of an address on the service's origin, without the key. Undefined for any other address. */
function queryOf(address: string, connection: PagingDialect): IDataObject | undefined {
	const url = parseUrl(address, `${connection.base}/v2/jobs`);
	if (url === undefined || url.origin !== connection.origin || url.search === '') return undefined;
	const query = withoutSecrets(url, connection.secrets)?.searchParams;
	if (connection.authentication === 'queryParameter') query?.delete(connection.parameterName);
	return query && Object.fromEntries(query);
}

/** Reads a Link header: the next page's address, and whether the header describes pages at all. */
function readLink(header = ''): { address?: string; isPaged: boolean } {
	const relations = new Map<string, string>();
	for (const link of header.slice(0, LONGEST_HEADER).split('<').slice(1)) {
		const [address = '', ...parameters] = link.split(/[>;]/);
		const named = parameters
			.map((one) => one.split('='))
			.find(([name]) => name?.trim().toLowerCase() === 'rel');
		const relation = (named?.[1] ?? '').replace(/[",]/g, ' ').trim().toLowerCase();
		for (const one of relation.split(/\s/)) if (!relations.has(one)) relations.set(one, address);
	}
	const isPaged = ['prev', 'previous', 'first', 'last'].some((one) => relations.has(one));
	return { address: relations.get('next'), isPaged };
}

/** The address in a text or in an object such as `{ href }`. */
function addressIn(value: unknown): string | undefined {
	const text: unknown = isObject(value) ? value.href : value;
	return typeof text === 'string' && /^(https?:\/\/|\/|\?)/.test(text)
		? text.slice(0, LONGEST_HEADER)
		: undefined;
}

function isCursor(value: unknown): boolean {
	if (typeof value === 'number') return true;
	return typeof value === 'string' && value.trim() !== '' && addressIn(value) === undefined;
}

/**
 * Reads what a page of the job list says about further pages: from the Link header, or from fields beside the
 * jobs under their usual names. Everything else is ignored.
 */
export function pagingIn(value: unknown, linkHeader: string | undefined, connection: PagingDialect): Paging {
	const fields = fieldsOf(value);
	const firstOf = <T>(names: readonly string[], read: (field: unknown) => T | undefined) =>
		names.map((name) => read(fields.get(name))).find((one) => one !== undefined);
	const link = readLink(linkHeader);
	const address = link.address ?? firstOf(NEXT, addressIn);
	// A number under "next" is a page if the current page is numbered as well, else perhaps a cursor.
	const isCounted = fields.has('nextpage') || firstOf(CURRENT_PAGES, countOf) !== undefined;
	const page = isCounted ? firstOf(NEXT, countOf) : undefined;
	const [name = '', parameter] = Object.entries(CURSORS).find(([one]) => isCursor(fields.get(one))) ?? [];
	const names = [...Object.keys(CURSORS), ...NEXT];
	const saysNone = names.some((one) => fields.get(one) === null || fields.get(one) === '');
	const leadsOn = address !== undefined || page !== undefined || parameter !== undefined;
	const query = address === undefined ? undefined : queryOf(address, connection);
	const cursor =
		parameter === undefined ? undefined : { cursor: String(fields.get(name)).trim(), parameter };
	return {
		goesOn: firstOf(MORE, flagOf) ?? (leadsOn || (saysNone || link.isPaged ? false : undefined)),
		next: (query && { query }) ?? (page === undefined ? cursor : { page }),
		total: firstOf(TOTALS, countOf),
		pages: firstOf(PAGES, countOf),
	};
}

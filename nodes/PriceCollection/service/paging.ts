import type { IDataObject } from 'n8n-workflow';

import { parseUrl } from './address';
import type { Dialect } from './dialect';
import { withoutSecrets } from './redirect';
import { flagOf } from './schemas';
import { countOf, isObject, type Job } from './types';

/** What a page of a list says about how the list goes on. What it does not say is absent. */
export interface Paging {
	/** The query that the service gives for the next page; null where it says that there is none. */
	next?: IDataObject | null;
	/** What to ask the next page with; null where it says that there is none. */
	cursor?: string | null;
	/** The parameter that carries a cursor of this name, where the user named none. */
	cursorParameter?: string;
	hasMore?: boolean;
	/** How many jobs there are. */
	total?: number;
	/** How many pages there are. */
	pages?: number;
}

/** One page of the job list. */
export interface JobPage extends Paging {
	jobs: Job[];
	/** What is wrong with each entry that was left out because it is no job. */
	odd?: string[];
}

/** Names of cursors, the likeliest first, and the parameters that go with them. All names are compared as `bare` ones. */
const CURSORS = {
	...{ nextcursor: 'cursor', nextpagetoken: 'page_token', nexttoken: 'token' },
	...{ continuationtoken: 'continuation_token', continuation: 'continuation' },
	...{ endcursor: 'cursor', cursor: 'cursor', next: 'cursor' },
};
const MORE = ['hasmore', 'hasnext', 'hasnextpage', 'more'];
const TOTALS = ['total', 'totalcount', 'totalitems', 'totalentries', 'totalresults', 'totaljobs'];
const PAGES = ['totalpages', 'pages', 'pagecount', 'lastpage'];
/** Where services put what they say about paging, besides the root. */
const PLACES = ['meta', 'metadata', 'paging', 'pagination', 'pageinfo', 'links', 'cursor', 'data'];

/** All fields that may speak of paging, by their names in small letters without dashes; outer ones win. */
function fieldsOf(value: unknown, levels = 3): Map<string, unknown> {
	if (!isObject(value)) return new Map();
	const bare = Object.entries(value).map(
		([name, field]) => [name.toLowerCase().replace(/[_-]/g, ''), field] as const,
	);
	const inner = levels === 1 ? [] : bare.filter(([name]) => PLACES.includes(name)).reverse();
	return new Map([...inner.flatMap(([, field]) => [...fieldsOf(field, levels - 1)]), ...bare]);
}

function firstOf<T>(
	fields: Map<string, unknown>,
	names: string[],
	read: (value: unknown) => T | undefined,
): T | undefined {
	return names.map((name) => read(fields.get(name))).find((one) => one !== undefined);
}

type PagingDialect = Pick<Dialect, 'base' | 'origin' | 'secrets' | 'authentication' | 'parameterName'>;

/** The query of an address of the service's own, without the key. Undefined for any other address. */
function queryOf(address: string, dialect: PagingDialect): IDataObject | undefined {
	const url = parseUrl(address, `${dialect.base}/v2/jobs`);
	if (url === undefined || url.origin !== dialect.origin || url.search === '') return undefined;
	const query = withoutSecrets(url, dialect)?.searchParams;
	if (dialect.authentication === 'queryParameter') query?.delete(dialect.parameterName);
	return query && Object.fromEntries(query);
}

/** The address that a Link header names as the next one. */
function nextLink(header: string | undefined): string | undefined {
	for (const [, address = '', parameters = ''] of (header ?? '').matchAll(/<([^>]*)>([^<]*)/g)) {
		if (/;\s*rel\s*=\s*"?[^";]*\bnext\b/i.test(parameters)) return address;
	}
	return undefined;
}

/** A text that is an address, also where it stands in an object, as in `{ href }`. */
function addressIn(value: unknown): string | undefined {
	const text: unknown = isObject(value) ? value.href : value;
	return typeof text === 'string' && /^(https?:\/\/|\/|\?)/.test(text) ? text : undefined;
}

/**
 * What a page of the job list says about how it goes on: in a Link header, or beside the jobs under the names that
 * services use.
 */
export function pagingIn(value: unknown, linkHeader: string | undefined, dialect: PagingDialect): Paging {
	const fields = fieldsOf(value);
	const address = nextLink(linkHeader) ?? addressIn(fields.get('next')) ?? addressIn(fields.get('nexturl'));
	const isLastLink = /\brel\s*=/.test(linkHeader ?? '');
	const named = Object.entries(CURSORS);
	const [name, cursorParameter] = named.find(([one]) => isCursor(fields.get(one))) ?? [];
	const isLastCursor = named.some(([one]) => fields.get(one) === null || fields.get(one) === '');
	return {
		next: address === undefined ? (isLastLink ? null : undefined) : queryOf(address, dialect),
		cursor: name === undefined ? (isLastCursor ? null : undefined) : String(fields.get(name)).trim(),
		cursorParameter,
		hasMore: firstOf(fields, MORE, flagOf),
		total: firstOf(fields, TOTALS, countOf),
		pages: firstOf(fields, PAGES, countOf),
	};
}

function isCursor(value: unknown): boolean {
	if (typeof value === 'number') return true;
	return typeof value === 'string' && value.trim() !== '' && addressIn(value) === undefined;
}

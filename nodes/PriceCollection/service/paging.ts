import type { IDataObject } from 'n8n-workflow';

import { parseUrl } from './address';
import type { Dialect } from './dialect';
import { isObject, type Job } from './types';

/** What a page of a list says about how the list goes on. What it does not say is absent. */
export interface Paging {
	/** The query that the service gives for the next page; null where it says that there is none. */
	next?: IDataObject | null;
	/** What to ask the next page with; null where it says that there is none. */
	cursor?: string | null;
	/** The name of the field that the cursor stands in, in small letters. */
	cursorField?: string;
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

const CURSORS = [
	...['next_cursor', 'nextcursor', 'next_page_token', 'nextpagetoken', 'next_token', 'nexttoken'],
	...['continuation_token', 'continuation', 'end_cursor', 'endcursor', 'cursor', 'next'],
];
const MORE = ['has_more', 'hasmore', 'has_next', 'hasnext', 'has_next_page', 'hasnextpage', 'more'];
const TOTALS = [
	'total',
	'total_count',
	'totalcount',
	'total_items',
	'total_entries',
	'total_results',
	'total_jobs',
];
const PAGES = ['total_pages', 'totalpages', 'pages', 'page_count', 'last_page', 'lastpage'];
/** Where services put what they say about paging, besides the root. */
const PLACES = [
	'meta',
	'metadata',
	'paging',
	'pagination',
	'page_info',
	'pageinfo',
	'links',
	'_links',
	'cursor',
	'data',
];

/** All fields that may speak of paging, by their names in small letters; outer ones win. */
function fieldsOf(value: unknown, levels = 3): Map<string, unknown> {
	const fields = new Map<string, unknown>();
	if (!isObject(value)) return fields;
	const named = Object.entries(value).map(([name, field]) => [name.toLowerCase(), field] as const);
	for (const [name, field] of named) fields.set(name, field);
	if (levels === 1) return fields;
	for (const [name, field] of named) {
		if (!PLACES.includes(name)) continue;
		for (const [inner, told] of fieldsOf(field, levels - 1))
			if (!fields.has(inner)) fields.set(inner, told);
	}
	return fields;
}

function numberOf(value: unknown): number | undefined {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function flagOf(value: unknown): boolean | undefined {
	if (typeof value === 'boolean') return value;
	if (typeof value !== 'string' || !/^(true|false)$/i.test(value.trim())) return undefined;
	return /^true$/i.test(value.trim());
}

function firstOf<T>(
	fields: Map<string, unknown>,
	names: string[],
	read: (value: unknown) => T | undefined,
): T | undefined {
	for (const name of names) {
		const value = read(fields.get(name));
		if (value !== undefined) return value;
	}
	return undefined;
}

/** The query of an address of the service's own, without the key. Undefined for any other address. */
function queryOf(
	address: string,
	{ base, origin, secrets, authentication, parameterName }: PagingDialect,
): IDataObject | undefined {
	const url = parseUrl(address.trim(), `${base}/v2/jobs`);
	if (url === undefined || url.origin !== origin || url.search === '') return undefined;
	const query: IDataObject = {};
	for (const [name, value] of url.searchParams) {
		const isKey = authentication === 'queryParameter' && name === parameterName;
		if (!isKey && !secrets.some((secret) => value.includes(secret))) query[name] = value;
	}
	return query;
}

type PagingDialect = Pick<Dialect, 'base' | 'origin' | 'secrets' | 'authentication' | 'parameterName'>;

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
	const paging: Paging = {};
	const address =
		nextLink(linkHeader) ?? addressIn(fields.get('next')) ?? addressIn(fields.get('next_url'));
	const next = address === undefined ? undefined : queryOf(address, dialect);
	if (next !== undefined) paging.next = next;
	else if (linkHeader !== undefined && address === undefined && /\brel\s*=/.test(linkHeader))
		paging.next = null;
	const named = CURSORS.filter((name) => fields.has(name));
	const cursorField = named.find((name) => isCursor(fields.get(name)));
	if (cursorField !== undefined) {
		paging.cursor = String(fields.get(cursorField)).trim();
		paging.cursorField = cursorField;
	} else if (named.some((name) => fields.get(name) === null || fields.get(name) === '')) {
		paging.cursor = null;
	}
	const hasMore = firstOf(fields, MORE, flagOf);
	if (hasMore !== undefined) paging.hasMore = hasMore;
	const total = firstOf(fields, TOTALS, numberOf);
	if (total !== undefined) paging.total = total;
	const pages = firstOf(fields, PAGES, numberOf);
	if (pages !== undefined) paging.pages = pages;
	return paging;
}

function isCursor(value: unknown): boolean {
	if (typeof value === 'number') return true;
	return typeof value === 'string' && value.trim() !== '' && addressIn(value) === undefined;
}

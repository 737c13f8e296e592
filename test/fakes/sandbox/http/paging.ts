import type { SandboxOptions } from '../options.ts';
import { invalidParameter, Refusal } from '../refusals.ts';
import type { Fields } from './reply.ts';

const DEFAULT_PAGE_SIZE = 25;

/** The part of a list that a request asks for, and how to continue. */
export interface ListPart {
	perPage: number;
	/** First entry and the one after the last. */
	from: number;
	to: number;
	total: number;
	/** The parameters for the next part; absent at the end. */
	next?: Record<string, string>;
}

type Query = Record<string, string | undefined>;

function integerOf(query: Query, name: string, fallback: number, least: number): number {
	const given = query[name];
	if (given === undefined || given === '') return fallback;
	if (!/^\d{1,9}$/.test(given) || Number(given) < least)
		throw invalidParameter(name, `must be an integer from ${least}`);
	return Number(given);
}

/** An opaque cursor that says where to continue. */
const cursorAt = (from: number) => Buffer.from(`after ${from}`).toString('base64url');

function placeOf(cursor: string | undefined, name: string): number {
	if (cursor === undefined || cursor === '') return 0;
	const place = /^after (\d+)$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
	if (place === undefined) throw invalidParameter(name, 'is not a cursor of this list');
	return Number(place);
}

/** Which of `total` entries a request asks for. Throws the refusal for an invalid page or cursor. */
export function listPart(given: Fields, total: number, options: SandboxOptions): ListPart {
	const query = given as Query;
	const { listPaging, listFirstPage, listPageParameter, listPageSizeParameter } = options;
	const size = integerOf(query, listPageSizeParameter, DEFAULT_PAGE_SIZE, 1);
	const perPage = Math.min(size, options.listMaxPageSize);
	const sizes = { [listPageSizeParameter]: String(perPage) };
	if (listPaging === 'capped') {
		const most = options.listMaxPageSize;
		return { perPage: most, from: 0, to: most, total: Math.min(total, most) };
	}
	if (listPaging === 'ignored') return { perPage, from: 0, to: total, total };
	if (listPaging === 'cursor') {
		const from = placeOf(query[options.listCursorParameter], options.listCursorParameter);
		const to = Math.min(total, from + perPage);
		const next = { ...sizes, [options.listCursorParameter]: cursorAt(to) };
		return { perPage, from, to, total, ...(to < total && { next }) };
	}
	if (listPaging === 'offset') {
		const from = integerOf(query, listPageParameter, 0, 0);
		const to = Math.min(total, from + perPage);
		const next = { ...sizes, [listPageParameter]: String(to) };
		return { perPage, from, to, total, ...(to < total && { next }) };
	}
	const asked = integerOf(query, listPageParameter, listFirstPage, listFirstPage);
	const last = listFirstPage + Math.max(1, Math.ceil(total / perPage)) - 1;
	if (listPaging === 'refuse' && asked > last) {
		throw new Refusal('page not found', listPageParameter, `The last page is ${last}.`);
	}
	const page = listPaging === 'repeatLast' ? Math.min(asked, last) : asked;
	const from = (page - listFirstPage) * perPage;
	const next = { ...sizes, [listPageParameter]: String(page + 1) };
	return { perPage, from, to: from + perPage, total, ...(page < last && { next }) };
}

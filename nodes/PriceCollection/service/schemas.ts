import type { IDataObject } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import { fieldsAround, nestedParts } from './decode/envelope';
import { readRefusal, reasonIn } from './decode/refusal';
import { isRunning, terminalStatus } from './status';
import { isObject, QUERY_TEXTS, type Job, type JobResults, type Result, type ResultQuery } from './types';

/** With the readers of what an endpoint gives stands that of what any of them may give instead. */
export { readRefusal };

/** A decoded body as what an endpoint gives, or what it should have been and where it is not. */
export type Read<T> =
	| { ok: true; value: T }
	| {
			ok: false;
			/** What the endpoint gives, such as `a list of jobs`. */
			expected: string;
			/** What is there instead, with the place, such as `[3].job_id is missing`. */
			detail: string;
	  };

/** Numbers count as text where the interface has text: an unquoted GTIN is still a GTIN. */
const text = z.union([z.string(), z.pipe(z.number(), z.transform(String))]);
const filledText = z.pipe(text, z.string().check(z.refine((value) => value.trim() !== '')));

const jobSchema = z.object({ job_id: filledText, status: text });

/**
 * A job object, at the root or in an envelope (see `nestedParts`), with `job_id` filled from `id` where it is absent.
 * What stands beside it in the envelope is kept. A body about a job that is known by `knownId` need not repeat the id;
 * a bare list of its results is such a body too, since only finished jobs have any. `statusIfMissing` is for replies
 * that imply the status, as that to a creation does; elsewhere a job without status is none.
 */
export function readJob(value: unknown, knownId?: string, statusIfMissing?: string): Read<Job> {
	const expected = 'a job with "job_id" and "status"';
	if (knownId !== undefined && isBareResults(value))
		return checkJob({ job_id: knownId, status: 'finished', results: value }, expected);
	const found = findJob(value, knownId !== undefined);
	if (!found) return noneIn(value, expected);
	const around = fieldsAround(value, found);
	const { status } = around;
	for (const flag of ENVELOPE_FLAGS) delete around[flag];
	const job = identified({ ...around, ...found }, knownId, statusIfMissing ?? status);
	return checkJob(job, expected);
}

/** A created job, as its reply names it, or else its address: all that some services answer to a creation. */
export function readCreated(value: unknown, location = ''): Read<Job> {
	const job = readJob(value, undefined, 'new');
	const [, id] = /\/jobs\/([^/?#]+?)(?:\.json|\.xml)?\/?(?:[?#]|$)/.exec(location) ?? [];
	if (job.ok || id === undefined) return job;
	try {
		return readJob({ job_id: decodeURIComponent(id) }, undefined, 'new');
	} catch {
		return readJob({ job_id: id }, undefined, 'new');
	}
}

/** What an envelope says about the request, and not about the job. */
const ENVELOPE_FLAGS = ['success', 'error', 'errors', 'id', 'status', 'code'];

/** Whether a list of results is all there is. */
function isBareResults(value: unknown): boolean {
	const isResult = (one: unknown) =>
		isObject(one) && !isFilled(one.job_id) && ('query' in one || 'content' in one);
	return Array.isArray(value) && value.length > 0 && value.every(isResult);
}

/** Names under which lists of jobs are found, the likeliest first. */
const LISTS = ['data', 'jobs', 'results', 'items', 'entries', 'records', 'list'];

/**
 * A list of jobs: bare, under one of the names for lists, or some of these levels down; empty ones included. What is
 * no job is left out, as long as there is one job among them; `odd` says of each what is wrong with it.
 */
export function readJobList(value: unknown): Read<Job[]> & { odd?: string[] } {
	const expected = 'a list of jobs';
	const list = findList(value, 'job', LISTS);
	if (!list) return noneIn(value, expected);
	const reads = list.map((entry, index) => {
		const job = nestedParts(entry).find((one) => isFilled(one.job_id) || isFilled(one.id));
		return checkJob(job ? identified(job, undefined, '') : entry, expected, `[${index}]`);
	});
	const jobs = reads.flatMap((read) => (read.ok ? [read.value] : []));
	const odd = reads.flatMap((read) => (read.ok ? [] : [read.detail]));
	const isEmpty = (entry: unknown) =>
		![isObject(entry) ? Object.values(entry) : entry].flat().some(isFilled);
	const fault = reads.find((read, index) => !read.ok && !isEmpty(list[index]));
	if (jobs.length === 0 && fault?.ok === false) return fault;
	return { ok: true, value: jobs, ...(odd.length > 0 && { odd }) };
}

/** The object that holds the results of a job, in whatever envelope. */
function rootOfResults(value: unknown): IDataObject | undefined {
	return nestedParts(value).find((part) => Object.hasOwn(part, 'results'));
}

/**
 * The results of a job, with the root's own fields around them. A bare list of results gets a root with
 * `jobId` and the status `finished`, because only finished jobs can be downloaded.
 * Contents are neither looked into nor copied. A result that is odd is no reason to lose the others: see `readResult`.
 */
export function readResults(value: unknown, jobId: string): Read<JobResults> {
	const expected = 'a job with its "results"';
	if (isForeignList(value)) return { ok: false, expected, detail: 'the body is a list of something else' };
	const root = rootOfResults(value);
	const results = root?.results === null ? [] : listOf(root ? root.results : value, 'result');
	if (!results)
		return isObject(value) ? mismatch(expected, 'results', root?.results) : noneIn(value, expected);
	const around = root === undefined ? {} : fieldsAround(value, root);
	const job = checkJob(identified({ ...around, ...root }, jobId, 'finished'), expected);
	if (!job.ok) return job;
	return { ok: true, value: { ...job.value, results: results.map(readResult) } };
}

/** Whether a body is a bare list in which nothing looks like a result: words of a refusal, for one. */
export function isForeignList(value: unknown): boolean {
	if (!Array.isArray(value) || value.length === 0) return false;
	return !value.some(
		(one) => isObject(one) && ['query', 'content', 'metadata'].some((name) => name in one),
	);
}

/** Whether a decoded body holds any result. */
export function hasResults(value: unknown): boolean {
	if (isForeignList(value)) return false;
	const root = rootOfResults(value);
	return (listOf(root ? root.results : value, 'result') ?? []).length > 0;
}

/**
 * Whether a decoded body is that of a job that is not over: one that is known to run, or one with a status that is no
 * end and without results.
 */
export function isOfRunningJob(value: unknown): boolean {
	const [status] = nestedParts(value)
		.map((part) => part.status)
		.filter((one): one is string => typeof one === 'string' && one.trim() !== '');
	if (status === undefined || terminalStatus(status) !== undefined) return false;
	return isRunning(status) || !hasResults(value);
}

/** Any of these makes an object a result. */
const RESULT_FIELDS = ['success', 'reason', 'query', 'content', 'metadata'] as const;

/**
 * One result, whatever it looks like: what is odd about it must not cost the others. `success` in any spelling counts;
 * without it a result is a success unless it has a reason. What is no object becomes a failed result that says so.
 */
export function readResult(value: unknown): Result {
	if (!isObject(value)) {
		const reason = `unreadable result: ${nameOf(value)} instead of an object`;
		return { query: {}, success: false, reason, content: value as Result['content'] };
	}
	if (!RESULT_FIELDS.some((name) => isFilled(value[name]))) {
		const nothing = 'unreadable result: it has neither content nor success, reason or query';
		return { ...value, query: {}, success: false, reason: nothing };
	}
	const reason = typeof value.reason === 'number' ? String(value.reason) : reasonIn(value.reason);
	const told = flagOf(value.success);
	const result: Result = { ...value, query: queryOf(value.query), success: told ?? reason === undefined };
	if (told === undefined && isFilled(value.success)) result.success_as_given = value.success;
	if (reason !== undefined) result.reason = reason;
	else if ('reason' in value) result.reason = null;
	if (typeof value.reason === 'object' && value.reason !== null) result.reason_details = value.reason;
	const { metadata } = value;
	if (isBlank(metadata) || (Array.isArray(metadata) && metadata.length === 0)) result.metadata = {};
	// An object without fields is blank text in XML: nothing there says that it is an object.
	if (isBlank(value.content)) result.content = {};
	return result;
}

function queryOf(value: unknown): ResultQuery {
	if (isFilled(value) && typeof value !== 'object') return { value: String(value) };
	const query: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
	if (!isObject(query)) return {};
	const texts: ResultQuery = { ...query };
	for (const name of QUERY_TEXTS) if (typeof query[name] === 'number') texts[name] = String(query[name]);
	return texts;
}

/** What a flag in any spelling says; undefined for what is none. */
export function flagOf(value: unknown): boolean | undefined {
	if (typeof value === 'boolean') return value;
	if (value === 1 || value === 0) return value === 1;
	if (typeof value !== 'string') return undefined;
	if (/^\s*(true|yes|1)\s*$/i.test(value)) return true;
	return /^\s*(false|no|0)\s*$/i.test(value) ? false : undefined;
}

/** Names of what a reply says about itself. */
const ABOUT_REPLY = new Set(['status', 'status_code', 'statusCode', 'code', 'version']);

/** Whether there is a figure, or nothing in the place of figures: an account that has used nothing yet. */
function mayHoldFigures(value: unknown, levels = 4): boolean {
	if (typeof value === 'number' || value === null) return true;
	if (typeof value === 'string') return /^\s*[-+]?\d+([.,]\d+)*\s*$/.test(value);
	if (typeof value !== 'object' || levels === 0) return false;
	const parts = Object.entries(value);
	return (
		parts.length === 0 ||
		parts.some(([name, part]) => !ABOUT_REPLY.has(name) && mayHoldFigures(part, levels - 1))
	);
}

/** Usage figures as they came. What is no object goes under `reply`; words without a number are none. */
export function readUsage(value: unknown): Read<IDataObject> {
	const expected = 'usage figures';
	if (isObject(value)) {
		return mayHoldFigures(value)
			? { ok: true, value }
			: { ok: false, expected, detail: 'the body holds no figures' };
	}
	const isFigure = typeof value === 'number' || (typeof value === 'string' && /\d/.test(value));
	if (isFigure || Array.isArray(value)) {
		return { ok: true, value: { reply: value as IDataObject[string] } };
	}
	return mismatch(expected, '', value);
}

/** A reply of no set shape as it came, such as that to a cancel. What is no object goes under `reply`. */
export function readAnything(value: unknown): Read<IDataObject> {
	if (!isFilled(value)) return mismatch('an object', '', value);
	return { ok: true, value: isObject(value) ? value : { reply: value as IDataObject[string] } };
}

function findJob(value: unknown, isKnown: boolean): IDataObject | undefined {
	const parts = nestedParts(value);
	return (
		parts.find((part) => isFilled(part.job_id)) ??
		parts.find((part) => isFilled(part.id) && isFilled(part.status)) ??
		parts.find((part) => isFilled(part.id)) ??
		(isKnown ? parts.find((part) => isFilled(part.status)) : undefined)
	);
}

function identified(job: IDataObject, id: string | undefined, status: unknown): IDataObject {
	return {
		...job,
		job_id: [job.job_id, job.id, id].find(isFilled),
		status: isFilled(job.status) ? job.status : (status as IDataObject[string]),
	};
}

function findList(value: unknown, singular: string, names: string[], levels = 2): unknown[] | undefined {
	const list = value === null ? undefined : listOf(value, singular);
	if (list || !isObject(value) || levels === 0) return list;
	for (const name of names) {
		if (value[name] === null) return [];
		const found = name in value ? findList(value[name], singular, names, levels - 1) : undefined;
		if (found) return found;
	}
	return undefined;
}

/** A list, also as XML without types has it: blank text, or an object of the list's singular. */
function listOf(value: unknown, singular: string): unknown[] | undefined {
	if (Array.isArray(value)) return value;
	if (isBlank(value)) return [];
	if (!isObject(value) || Object.keys(value).join() !== singular) return undefined;
	const only: unknown = value[singular];
	return Array.isArray(only) ? only : [only];
}

/** @param at where the value stands, such as `[3]`; empty for the whole body */
function checkJob(value: unknown, expected: string, at = ''): Read<Job> {
	const parsed = jobSchema.safeParse(value);
	// Spread, because an assignment to a field called `__proto__` would replace the prototype.
	if (parsed.success) return { ok: true, value: { ...(value as IDataObject), ...parsed.data } };
	const [field] = parsed.error.issues[0]?.path ?? [];
	if (field === undefined) return mismatch(expected, at, value);
	return mismatch(expected, [at, String(field)].filter(Boolean).join('.'), Object(value)[field]);
}

type Mismatch = Extract<Read<never>, { ok: false }>;

/** Says that something else, or nothing, stands at a place; at the body itself where that is empty. */
function mismatch(expected: string, place: string, there: unknown): Mismatch {
	const detail = there === undefined ? 'is missing' : `is ${nameOf(there)}`;
	return { ok: false, expected, detail: `${place || 'the body'} ${detail}` };
}

/** Says that what was looked for is nowhere in a body. */
function noneIn(body: unknown, expected: string): Mismatch {
	return isObject(body)
		? { ok: false, expected, detail: 'the body has none' }
		: mismatch(expected, '', body);
}

/** What a value is, in words; never the value itself, which may be long or secret. */
function nameOf(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'a list';
	if (isBlank(value)) return 'empty';
	const names: Record<string, string> = { object: 'an object', string: 'text', boolean: 'a boolean' };
	return names[typeof value] ?? 'a number';
}

function isBlank(value: unknown): boolean {
	return typeof value === 'string' && value.trim() === '';
}

function isFilled(value: unknown): boolean {
	return value !== undefined && value !== null && !isBlank(value);
}

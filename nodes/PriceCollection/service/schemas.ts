import type { IDataObject } from 'n8n-workflow';

import { readRefusal, reasonIn } from './decode/refusal';
import { fieldsAround, listIn, MOST_FIELDS, nestedParts, type ListKind } from './decode/shapes';
import { isRunning, terminalStatus } from './status';
import { TOPICS } from './topics';
import { isFilled, isObject, QUERY_TEXTS } from './types';
import type { Job, JobResults, Result, ResultQuery } from './types';

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

type Mismatch = Extract<Read<never>, { ok: false }>;

/** What a reply says about the request, and not about the job. */
const ABOUT_REQUEST = ['success', 'error', 'errors', 'id', 'status', 'code'];
/** A status that is about the request, where it is not the only one. */
const REPLY_STATUS = /^\s*(ok|okay|success|successful|succeeded|accepted|true|\d+)\s*$/i;

/** So much of the ID of another job is shown, and no status is longer. */
const LONGEST_NAME = 100;

const isWord = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
const isJobStatus = (value: unknown): boolean =>
	isWord(value) &&
	value.length <= LONGEST_NAME &&
	(terminalStatus(value) !== undefined || isRunning(value));

const NOT_A_JOB: ReadonlySet<string> = new Set(['content', 'metadata', 'parameters', 'query', 'results']);

/** Every object that may be, or describe, the job: in envelopes, then under any name. */
function partsOf(value: unknown): IDataObject[] {
	const parts = nestedParts(value);
	const others = Object.entries(parts[0] ?? {}).slice(0, MOST_FIELDS);
	const named = others.filter(([name]) => !NOT_A_JOB.has(name));
	return [...parts, ...named.map(([, field]) => field).filter(isObject)];
}

/** The part that certainly names the job: by `job_id`, or by being called one. A mere `id` may be that of the request. */
function namedJob(value: unknown): IDataObject | undefined {
	const parts = partsOf(value);
	const called = parts.map(({ job }) => job).filter(isObject);
	return parts.find(({ job_id: id }) => isFilled(id)) ?? called.find(({ id }) => isFilled(id));
}

function partWithId(value: unknown): IDataObject | undefined {
	const withId = nestedParts(value).filter(({ id }) => isFilled(id));
	return namedJob(value) ?? withId.find(({ status }) => isJobStatus(status)) ?? withId.at(-1);
}

/** The status of the job in a body. What stands around it may have one as well, about the request. */
function statusIn(value: unknown): string | undefined {
	const all = partsOf(value).flatMap(({ status }) => (isWord(status) ? status : []));
	return all.find(isJobStatus) ?? all.find((status) => !REPLY_STATUS.test(status)) ?? all[0];
}

/** Says of a body that it is about another job than the one that was asked for. */
function aboutOther(value: unknown, knownId: string): Mismatch | undefined {
	const ids = nestedParts(value)
		.filter((part) => !isResult(part))
		.map(({ job_id, id, status }) =>
			isFilled(job_id) ? job_id : isWord(status) && !REPLY_STATUS.test(status) ? id : undefined,
		)
		.filter((id) => isFilled(id) && typeof id !== 'object')
		.map((id) => String(id).trim());
	const known = knownId.trim();
	const isKnown = (id: string) => id.length === known.length && id.toLowerCase() === known.toLowerCase();
	const [other] = ids;
	if (other === undefined || ids.some(isKnown)) return undefined;
	const detail = `the body is about job "${other.slice(0, LONGEST_NAME)}"`;
	return { ok: false, expected: `job "${knownId}"`, detail };
}

/**
 * A job object, at the root or in an envelope, with `job_id` filled from `id` where it is absent. What stands beside it in
 * the envelope is kept. A body about the job `knownId` need not repeat the ID, but must not name another one; a bare list
 * of its results is such a body too, since only finished jobs have any. `statusIfMissing` is for replies that imply the
 * status, as that to a creation does; elsewhere a job without status is none.
 */
export function readJob(value: unknown, knownId?: string, statusIfMissing?: string): Read<Job> {
	const expected = 'a job with "job_id" and "status"';
	if (knownId !== undefined && Array.isArray(value) && value.length > 0 && value.every(isResult))
		return checkJob({ job_id: knownId, status: 'finished', results: value }, expected);
	const other = knownId === undefined ? undefined : aboutOther(value, knownId);
	if (other) return other;
	const status = statusIn(value);
	const isDescribed = (part: IDataObject) => part.status !== undefined && part.status === status;
	const described = knownId === undefined ? undefined : partsOf(value).find(isDescribed);
	const named = partWithId(value);
	// A mere ID beside a status of the request is that of the request.
	const isOfRequest =
		named !== undefined && namedJob(value) === undefined && REPLY_STATUS.test(String(named.status));
	const found = (isOfRequest ? described : undefined) ?? named ?? described;
	if (!found) return noneIn(value, expected);
	const around = fieldsAround(value, found);
	for (const name of ABOUT_REQUEST) delete around[name];
	const job = { ...around, ...found };
	if (isJobStatus(status) && REPLY_STATUS.test(String(found.status))) job.status = status;
	return checkJob(identified(job, knownId, statusIfMissing ?? status), expected);
}

/**
 * A created job, as its reply names it, or else its address: all that some services answer to a creation. A mere `id` in
 * the reply may be that of the request; then the address counts.
 */
export function readCreated(value: unknown, location = ''): Read<Job> {
	const job = readJob(value, undefined, 'new');
	const [, id] = /\/jobs\/([^/?#]+?)(?:\.json|\.xml)?\/?(?:[?#]|$)/.exec(location.slice(0, 2_000)) ?? [];
	if (id === undefined || namedJob(value)) return job;
	// Unlike decodeURIComponent this takes what is not encoded as it is.
	const job_id = new URLSearchParams(`id=${id.replaceAll('+', '%2B').replaceAll('&', '%26')}`).get('id');
	return readJob({ ...(job.ok ? job.value : { status: 'new' }), job_id });
}

const JOBS: ListKind = {
	names: ['data', 'jobs', 'results', 'items', 'entries', 'records', 'list'],
	isOne: (value) =>
		isObject(value) && (isFilled(value.job_id) || (isFilled(value.id) && isWord(value.status))),
	keyed: (name, value) => {
		if (JOBS.isOne(value)) return value;
		// A name with digits can be the ID, unless it is but a number of its place.
		return isWord(value.status) && /^(?=.*\d).{6,100}$/.test(name)
			? { job_id: name, ...value }
			: undefined;
	},
};

/**
 * A list of jobs, empty ones included. What is no job is left out, as long as there is one job among them; `odd` says of
 * each what is wrong with it.
 */
export function readJobList(value: unknown): Read<Job[]> & { odd?: string[] } {
	const expected = 'a list of jobs';
	const list = listIn(value, JOBS);
	if (!list) return noneIn(value, expected);
	const reads = list.map((entry, index) => {
		const job = nestedParts(entry).find((one) => isFilled(one.job_id) || isFilled(one.id));
		return checkJob(job ? identified(job, undefined, '') : entry, expected, `[${index}]`);
	});
	const jobs = reads.flatMap((read) => (read.ok ? [read.value] : []));
	const odd = reads.flatMap((read) => (read.ok ? [] : [read.detail]));
	const fault = reads.find((read, index) => !read.ok && isFilled(list[index]));
	if (jobs.length === 0 && fault?.ok === false) return fault;
	return { ok: true, value: jobs, ...(odd.length > 0 && { odd }) };
}

const isResult = (value: unknown): boolean =>
	isObject(value) &&
	!isFilled(value.job_id) &&
	!('results' in value) &&
	['query', 'content', 'metadata', 'success'].some((name) => name in value);

const RESULTS: ListKind = {
	names: ['results', 'result', 'data', 'items', 'entries', 'records', 'list'],
	isOne: isResult,
	keyed: (name, value) => {
		if (!isResult(value)) return undefined;
		// Keyed by what was looked up, unless by a number of their place or as in XML.
		const isValue = value.query === undefined && !/^\d{1,6}$/.test(name) && !RESULTS.names.includes(name);
		return isValue ? { query: { value: name }, ...value } : value;
	},
};

/** The results of a job, and the object that they stand in. A bare list in which nothing looks like a result has none. */
function resultsIn(value: unknown): { holder?: IDataObject; list?: unknown[] } {
	const parts = nestedParts(value).filter((part) => !isResult(part));
	const named = parts.find((part) => Object.hasOwn(part, 'results'));
	if (named)
		return { holder: named, list: named.results === null ? [] : listIn(named.results, RESULTS, 1) };
	// A root that only says "success", such as what another host answers, is no result.
	const isForeign = Array.isArray(value)
		? value.length > 0 && !value.some(isResult)
		: isObject(value) && isResult(value) && !Object.keys(value).some((name) => showsCollected(name));
	const holder = Array.isArray(value) ? undefined : parts.findLast((part) => listIn(part, RESULTS, 1));
	return { holder, list: isForeign ? undefined : listIn(holder ?? value, RESULTS, 1) };
}

/**
 * The results of a job, with the root's own fields around them. A bare list of results gets a root with
 * `jobId` and the status `finished`, because only finished jobs can be downloaded.
 * Contents are neither looked into nor copied. A result that is odd is no reason to lose the others: see `readResult`.
 */
export function readResults(value: unknown, jobId: string): Read<JobResults> {
	const expected = 'a job with its "results"';
	const other = aboutOther(value, jobId);
	if (other) return other;
	const { holder = {}, list } = resultsIn(value);
	if (!list)
		return mismatch(expected, isObject(value) ? 'results' : '', isObject(value) ? holder.results : value);
	const isNamed = Object.hasOwn(holder, 'results');
	const fields = Object.entries(holder).filter(([name]) => isNamed || !RESULTS.names.includes(name));
	const root = { ...fieldsAround(value, holder), ...Object.fromEntries(fields) };
	const job = checkJob(identified(root, jobId, 'finished'), expected);
	return job.ok ? { ok: true, value: { ...job.value, results: list.map(readResult) } } : job;
}

/** Whether a decoded body holds any result. */
export function hasResults(value: unknown): boolean {
	return (resultsIn(value).list ?? []).length > 0;
}

/** Words of a result's status that say how it went. */
const FAILED = /^\s*(error|fail|failed|failure|refused|rejected|[45]\d\d)\s*$/i;
/** What stands for no error. */
const NO_ERROR = /^(\d+|false|no|none|null|nil|ok|)$/i;

/** What is wrong with a result, in its own words. */
function reasonOf({ reason, error, errors, message, status }: IDataObject): string | undefined {
	const told = typeof reason === 'number' ? String(reason) : reasonIn(reason);
	const words = told ?? [error, errors].map(reasonIn).find((one) => one && !NO_ERROR.test(one));
	return (
		words ?? (FAILED.test(String(status)) ? (reasonIn(message) ?? `status ${String(status)}`) : undefined)
	);
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
/** Under these names, in any case, a result has its content. */
const CONTENTS = words('content data result response payload product item');
const PARTS = words('query success reason metadata content job_id');
/** Fields of a result that do not show by themselves that something was collected. */
const ABOUT_RESULT = words('status error errors message comment id tag index created_at updated_at');
/** What is collected, as far as it is known by name. */
const COLLECTED: ReadonlySet<string> = new Set(
	Object.values(TOPICS)
		.flatMap(({ content, entry, lists }) => [...content, ...entry, ...lists])
		.filter((name) => !/^(id|url|type|page|position|rank)$/.test(name)),
);

/** Whether a field of this name shows that something was collected. */
function showsCollected(name: string): boolean {
	return (
		COLLECTED.has(name) ||
		CONTENTS.has(name.toLowerCase()) ||
		['query', 'content', 'metadata'].includes(name)
	);
}

/**
 * What a result holds, and under which name: its content, the same in an envelope, or else its own fields. Where
 * the content says that nothing was found, only fields that are known to be collected say otherwise.
 */
function contentIn(
	result: IDataObject,
	isEchoed: (name: string) => boolean,
	succeeded: boolean,
): [content: unknown, from?: string] {
	if (isFilled(result.content)) return [result.content];
	const names = Object.keys(result).filter((one) => CONTENTS.has(one.toLowerCase()));
	const name = names.find((one) => isFilled(result[one]));
	if (name !== undefined) {
		const inner: unknown = result[name];
		return [isObject(inner) && isFilled(inner.content) ? inner.content : inner, name];
	}
	const own = Object.entries(result).filter(([one]) => !PARTS.has(one) && !isEchoed(one));
	const isContent = ([one, field]: [string, unknown]) =>
		isFilled(field) && !ABOUT_RESULT.has(one) && (names.length === 0 || COLLECTED.has(one));
	if (succeeded && own.some(isContent)) return [Object.fromEntries(own), 'the result itself'];
	return [result[names[0] ?? 'content']];
}

/**
 * One result, whatever it looks like: what is odd about it must not cost the others. `success` in any spelling counts;
 * without it a result is a success unless it says what is wrong. What is no object becomes a failed result that says so.
 */
export function readResult(value: unknown): Result {
	if (!isObject(value)) {
		const reason = `unreadable result: ${nameOf(value)} instead of an object`;
		return { query: {}, success: false, reason, content: value as Result['content'] };
	}
	const reason = reasonOf(value);
	const told = flagOf(value.success);
	const success = told ?? reason === undefined;
	const isEchoed = (name: string) => value.query === undefined && QUERY_TEXTS.some((one) => one === name);
	const [content, from] = contentIn(value, isEchoed, success);
	if (told === undefined && !isFilled(value)) {
		const nothing = 'unreadable result: it has neither content nor success, reason or query';
		return { ...value, query: {}, success: false, reason: nothing };
	}
	const echo = Object.entries(value).filter(([name]) => isEchoed(name));
	const result: Result = { ...value, query: queryOf(value.query ?? Object.fromEntries(echo)), success };
	if (told === undefined && isFilled(value.success)) result.success_as_given = value.success;
	if (reason !== undefined || 'reason' in value) result.reason = reason ?? null;
	if (typeof value.reason === 'object' && value.reason !== null) result.reason_details = value.reason;
	const { metadata } = value;
	if (isBlank(metadata) || (Array.isArray(metadata) && metadata.length === 0)) result.metadata = {};
	if (from !== undefined) result.content_from = from;
	// An object without fields is blank text in XML: nothing there says that it is an object.
	if (content !== undefined) result.content = isBlank(content) ? {} : (content as Result['content']);
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

/** Whether there is a figure, or nothing in the place of figures: an account that has used nothing yet. */
function mayHoldFigures(value: unknown, levels = 4): boolean {
	if (typeof value === 'number' || value === null) return true;
	if (typeof value === 'string') return /^[-+]?\d+(?:[.,]\d+)*$/.test(value.slice(0, 50).trim());
	if (typeof value !== 'object' || levels === 0) return false;
	const aboutReply = /^(status|status_?code|code|version)$/i;
	const parts = Object.entries(value).filter(([name]) => !aboutReply.test(name));
	return Object.keys(value).length === 0 || parts.some(([, part]) => mayHoldFigures(part, levels - 1));
}

/** Usage figures as they came. What is no object goes under `reply`; words without a number are none. */
export function readUsage(value: unknown): Read<IDataObject> {
	const expected = 'usage figures';
	if (isObject(value) && !mayHoldFigures(value))
		return { ok: false, expected, detail: 'the body holds no figures' };
	const isFigure = typeof value === 'number' || (typeof value === 'string' && /\d/.test(value));
	return isFigure || typeof value === 'object' ? readReply(value, expected) : mismatch(expected, '', value);
}

/** A reply as it came; what is no object goes under `reply`. */
function readReply(value: unknown, expected: string): Read<IDataObject> {
	if (value === undefined || value === null || isBlank(value)) return mismatch(expected, '', value);
	return { ok: true, value: isObject(value) ? value : { reply: value as IDataObject[string] } };
}

/** A reply of no set shape about a job, such as that to a cancel. */
export function readAnything(value: unknown, knownId: string): Read<IDataObject> {
	return aboutOther(value, knownId) ?? readReply(value, 'an object');
}

function identified(job: IDataObject, id: string | undefined, status: unknown): IDataObject {
	return {
		...job,
		job_id: [job.job_id, id, job.id].find(isFilled),
		status: isFilled(job.status) ? job.status : (status as IDataObject[string]),
	};
}

/** A job whose ID and status are texts. Numbers count as text: an unquoted ID is still an ID. */
function checkJob(value: unknown, expected: string, at = ''): Read<Job> {
	if (!isObject(value)) return mismatch(expected, at, value);
	const asText = (one: unknown) => (typeof one === 'number' ? String(one) : one);
	const [job_id, status] = [asText(value.job_id), asText(value.status)];
	const place = (name: string) => (at === '' ? name : `${at}.${name}`);
	if (!isWord(job_id)) return mismatch(expected, place('job_id'), job_id);
	if (typeof status !== 'string') return mismatch(expected, place('status'), status);
	// Spread, because an assignment to a field called `__proto__` would replace the prototype.
	return { ok: true, value: { ...value, job_id, status } };
}

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
	if (value === null || isBlank(value)) return value === null ? 'null' : 'empty';
	const names: Record<string, string> = { object: 'an object', string: 'text', boolean: 'a boolean' };
	return Array.isArray(value) ? 'a list' : (names[typeof value] ?? 'a number');
}

const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === '';

import type { IDataObject } from 'n8n-workflow';

import { errorIn, reasonIn } from './decode/refusal';
import { fieldsAround, listIn, MOST_FIELDS, nestedParts, type ListKind } from './decode/shapes';
import { success, type Outcome } from './problems';
import { isRunning, terminalStatus } from './status';
import { TOPICS } from './topics';
import { isFilled, isObject, LONGEST_BLANKS, QUERY_TEXTS, wordOf } from './types';
import type { Job, JobResults, Result, ResultQuery } from './types';

/** A decoded body as what an endpoint gives, or what is there instead: a sentence without full stop. */
export type Read<T> = Outcome<T, string>;

type Misread = Extract<Read<never>, { ok: false }>;

const A_JOB = 'a job with "job_id" and "status"';

/** So much of the ID of another job is shown. */
const LONGEST_NAME = 100;

const isBlank = (value: unknown) => typeof value === 'string' && value.slice(0, LONGEST_BLANKS).trim() === '';
const isWord = (value: unknown): value is string => typeof value === 'string' && !isBlank(value);
const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Whether a status is about the request, where it is not the only one. */
const isOfRequest = (status: unknown) =>
	/^(ok|okay|success|successful|succeeded|accepted|true|\d+)$/.test(wordOf(status));
const isJobStatus = (status: unknown) => terminalStatus(status) !== undefined || isRunning(status);

/** What a reply says about the request, and not about the job. */
const ABOUT_REQUEST = words('success error errors id status code');
/** What is not looked into for a job. */
const NO_JOB = words('content metadata parameters query results');

/** What a reply says of one job. */
interface Found {
	/** The part that certainly names it: by `job_id`, or by being called a job. A mere `id` may be that of the request. */
	named?: IDataObject;
	/** The part that is the likeliest to be it. */
	likely?: IDataObject;
	/** The innermost of its statuses, because what stands around it may have one about the request. */
	status?: string;
}

/** Looks for a job in envelopes from the outside in, then under any name. One that is known need not have an ID. */
function jobIn(value: unknown, isKnown: boolean): Found {
	const envelopes = nestedParts(value);
	const fields = Object.entries(envelopes[0] ?? {}).slice(0, MOST_FIELDS);
	const others = fields.flatMap(([name, field]) => (!NO_JOB.has(name) && isObject(field) ? [field] : []));
	const parts = [...new Set([...envelopes, ...others])];
	const innermost = [...new Set([...envelopes.toReversed(), ...others])].map((part) => part.status);
	const statuses = innermost.filter(isWord);
	const status = statuses.find(isJobStatus) ?? statuses.find((one) => !isOfRequest(one)) ?? statuses.at(0);
	const called = envelopes.map(({ job }) => job).filter(isObject);
	const named = parts.find((one) => isFilled(one.job_id)) ?? called.find((one) => isFilled(one.id));
	const withId = envelopes.filter(({ id }) => isFilled(id));
	const described = parts.find((one) => isKnown && isWord(status) && one.status === status);
	const likely = named ?? withId.find((one) => isJobStatus(one.status)) ?? described ?? withId.at(-1);
	return { named, likely, status };
}

/** Whether a decoded body is that of a job that is not over: one that is known to run, or without results and without an end. */
export function isOfRunningJob(value: unknown): boolean {
	const { status } = jobIn(value, true);
	if (isJobStatus(status)) return terminalStatus(status) === undefined;
	return status !== undefined && !isOfRequest(status) && !hasResults(value);
}

/** Says of a body that it is about another job than the one that was asked for. */
function aboutOther(value: unknown, knownId: string): Misread | undefined {
	const ids = nestedParts(value)
		.filter((part) => !isResult(part))
		.map(({ job_id, id, status }) => {
			const own = isWord(status) && !isOfRequest(status) ? id : undefined;
			return isFilled(job_id) ? job_id : own;
		})
		.filter((id) => isFilled(id) && typeof id !== 'object')
		.map((id) => String(id).slice(0, LONGEST_NAME + knownId.length));
	const isSame = (id: string) => id.trim().toLowerCase() === knownId.trim().toLowerCase();
	const [other] = ids;
	if (other === undefined || ids.some(isSame)) return undefined;
	return misread(`job "${knownId}"`, `the body is about job "${other.trim().slice(0, LONGEST_NAME)}"`);
}

/**
 * A job object, at the root or in an envelope, with `job_id` filled from `id` where it is absent. What stands beside it in
 * the envelope is kept. A body about the job `knownId` need not repeat the ID, but must not name another one; a bare list
 * of its results is such a body too, since only finished jobs have any. `statusIfMissing` is for replies that imply the
 * status, as that to a creation does; elsewhere a job without status is none.
 */
export function readJob(value: unknown, knownId?: string, statusIfMissing?: string): Read<Job> {
	if (knownId !== undefined && Array.isArray(value) && value.length > 0 && value.every(isResult))
		return success({ job_id: knownId, status: 'finished', results: value });
	const other = knownId === undefined ? undefined : aboutOther(value, knownId);
	if (other) return other;
	const { likely, status } = jobIn(value, knownId !== undefined);
	if (!likely) return mismatch(A_JOB, value);
	const around = Object.entries(fieldsAround(value, likely)).filter(([name]) => !ABOUT_REQUEST.has(name));
	const own = isOfRequest(likely.status) && isJobStatus(status) ? status : likely.status;
	const job = { ...Object.fromEntries(around), ...likely, status: own };
	return checkJob(job, knownId, statusIfMissing ?? status);
}

/**
 * A created job, as its reply names it, or else its address: all that some services answer to a creation. A mere `id` in
 * the reply may be that of the request; then the address counts.
 */
export function readCreated(value: unknown, location = ''): Read<Job> {
	const job = readJob(value, undefined, 'new');
	const [, id] = /\/jobs\/([^/?#]+?)(?:\.json|\.xml)?\/?(?:[?#]|$)/.exec(location.slice(0, 2_000)) ?? [];
	if (id === undefined || jobIn(value, false).named) return job;
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

/** Jobs, and the place of each entry that was left out because it is no job, such as `[3]`. */
export interface ListedJobs {
	jobs: Job[];
	odd?: string[];
}

/** A list of jobs, empty ones included. What is no job is left out, as long as there is one job among them. */
export function readJobList(value: unknown): Read<ListedJobs> {
	const list = listIn(value, JOBS);
	if (!list) return mismatch('a list of jobs', value);
	const reads = list.map((entry, index) => {
		const parts = nestedParts(entry);
		const job = parts.find((one) => isFilled(one.job_id) || isFilled(one.id)) ?? parts[0];
		return job ? checkJob(job, undefined, '', `[${index}].`) : mismatch(A_JOB, entry);
	});
	const jobs = reads.flatMap((read) => (read.ok ? [read.value] : []));
	const fault = reads.find((read) => !read.ok);
	if (fault && jobs.length === 0 && list.some(isFilled)) return fault;
	const odd = reads.flatMap(({ ok }, index) => (ok ? [] : [`[${index}]`]));
	return success({ jobs, ...(odd.length > 0 && { odd }) });
}

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
const isContentName = (name: string) => CONTENTS.has(wordOf(name));

/** Whether a value is a result. A root that only says "success", such as what another host answers, is none. */
function isResult(value: unknown): boolean {
	if (!isObject(value) || isFilled(value.job_id) || 'results' in value) return false;
	if ('query' in value || 'content' in value || 'metadata' in value) return true;
	const tells = (name: string) => name === 'reason' || COLLECTED.has(name) || isContentName(name);
	return 'success' in value && Object.keys(value).some(tells);
}

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
	if (Array.isArray(value)) return { list: value.length === 0 || value.some(isResult) ? value : undefined };
	const holder = parts.findLast((part) => listIn(part, RESULTS, 1));
	return { holder, list: listIn(holder ?? value, RESULTS, 1) };
}

/**
 * The results of a job, with the root's own fields around them. A bare list of results gets a root with
 * `jobId` and the status `finished`, because only finished jobs can be downloaded.
 * Contents are neither looked into nor copied. A result that is odd is no reason to lose the others: see `readResult`.
 */
export function readResults(value: unknown, jobId: string): Read<JobResults> {
	const other = aboutOther(value, jobId);
	if (other) return other;
	const { holder = {}, list } = resultsIn(value);
	const [there, place] = isObject(value) ? [holder.results, 'results'] : [value];
	if (!list) return mismatch('a job with its "results"', there, place);
	const isNamed = Object.hasOwn(holder, 'results');
	const fields = Object.entries(holder).filter(([name]) => isNamed || !RESULTS.names.includes(name));
	const root = { ...fieldsAround(value, holder), ...Object.fromEntries(fields) };
	const job = checkJob(root, jobId, 'finished');
	return job.ok ? success({ ...job.value, results: list.map(readResult) }) : job;
}

/** Whether a decoded body holds any result. */
export function hasResults(value: unknown): boolean {
	return (resultsIn(value).list ?? []).length > 0;
}

/** What is wrong with a result, in its own words. */
function reasonOf({ reason, error, errors, message, status }: IDataObject): string | undefined {
	const told = typeof reason === 'number' ? String(reason) : reasonIn(reason);
	const failed = /^(error|fail|failed|failure|refused|rejected|[45]\d\d)$/.test(wordOf(status));
	const byStatus = failed ? (reasonIn(message) ?? `status ${String(status)}`) : undefined;
	return told ?? errorIn(error, errors) ?? byStatus;
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
	const names = Object.keys(result).filter(isContentName);
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
	const unreadable = (why: string) => ({ query: {}, success: false, reason: `unreadable result: ${why}` });
	if (!isObject(value)) {
		const content = value as Result['content'];
		return { ...unreadable(`${nameOf(value)} instead of an object`), content };
	}
	const reason = reasonOf(value);
	const told = flagOf(value.success);
	if (told === undefined && !isFilled(value))
		return { ...value, ...unreadable('it has neither content nor success, reason or query') };
	const succeeded = told ?? reason === undefined;
	const isEchoed = (name: string) => value.query === undefined && QUERY_TEXTS.some((one) => one === name);
	const [content, from] = contentIn(value, isEchoed, succeeded);
	const echo = Object.entries(value).filter(([name]) => isEchoed(name));
	const query = queryOf(value.query ?? Object.fromEntries(echo));
	const result: Result = { ...value, query, success: succeeded };
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
	const [query = {}] = nestedParts(value, 0);
	const texts: ResultQuery = { ...query };
	for (const name of QUERY_TEXTS) if (typeof query[name] === 'number') texts[name] = String(query[name]);
	return texts;
}

/** What a flag in any spelling says; undefined for what is none. */
export function flagOf(value: unknown): boolean | undefined {
	if (/^(true|yes|1)$/.test(wordOf(value))) return true;
	return /^(false|no|0)$/.test(wordOf(value)) ? false : undefined;
}

/** Whether there is a figure, or nothing in the place of figures: an account that has used nothing yet. */
function mayHoldFigures(value: unknown, levels = 4): boolean {
	if (typeof value !== 'object' || value === null)
		return value === null || /^[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?$/.test(wordOf(value));
	const aboutReply = /^(status|status_?code|code|version)$/i;
	const parts = Object.entries(value).filter(([name]) => !aboutReply.test(name));
	const isDeeper = levels > 0 && parts.some(([, part]) => mayHoldFigures(part, levels - 1));
	return Object.keys(value).length === 0 || isDeeper;
}

/** Usage figures as they came. What is no object goes under `reply`; words without a number are none. */
export function readUsage(value: unknown): Read<IDataObject> {
	const expected = 'usage figures';
	if (isObject(value) && !mayHoldFigures(value)) return misread(expected, 'the body holds no figures');
	const isFigure = typeof value === 'object' || /\d/.test(wordOf(value));
	return isFigure ? readReply(value, expected) : mismatch(expected, value);
}

/** A reply of no set shape about a job, such as that to a cancel. */
export function readAnything(value: unknown, knownId: string): Read<IDataObject> {
	return aboutOther(value, knownId) ?? readReply(value, 'an object');
}

/** A reply as it came; what is no object goes under `reply`. */
function readReply(value: unknown, expected: string): Read<IDataObject> {
	if (value === undefined || value === null || isBlank(value)) return mismatch(expected, value);
	return success(isObject(value) ? value : { reply: value as IDataObject[string] });
}

/**
 * A job whose ID and status are texts, its own or those that are known. Numbers count as text: an unquoted ID is an ID.
 *
 * @param at where it stands in the body, such as `[3].`
 */
function checkJob(value: IDataObject, knownId?: string, status?: string, at = ''): Read<Job> {
	const asText = (one: unknown) => (typeof one === 'number' ? String(one) : one);
	const id = asText([value.job_id, knownId, value.id].find(isFilled) ?? value.id);
	const own = asText(isFilled(value.status) ? value.status : status);
	if (!isWord(id)) return mismatch(A_JOB, id, `${at}job_id`);
	if (typeof own !== 'string') return mismatch(A_JOB, own, `${at}status`);
	// Spread, because an assignment to a field called `__proto__` would replace the prototype.
	return success({ ...value, job_id: id, status: own });
}

/** Says that something else, or nothing, stands at a place; at the body itself where none is named. */
function mismatch(expected: string, there: unknown, place = 'the body'): Misread {
	return misread(expected, `${place} is ${there === undefined ? 'missing' : nameOf(there)}`);
}

function misread(expected: string, what: string): Misread {
	return { ok: false, problem: `Expected ${expected}, but ${what}` };
}

/** What a value is, in words; never the value itself, which may be long or secret. */
function nameOf(value: unknown): string {
	if (value === null) return 'null';
	if (typeof value === 'string') return isBlank(value) ? 'empty' : 'text';
	if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
	return `a ${typeof value}`;
}

import type { IDataObject } from 'n8n-workflow';

import { reasonIn } from './decode/refusal';
import { fieldsAround, listIn, MOST_FIELDS, nestedParts, type ListKind } from './decode/shapes';
import { success, type Outcome } from './problems';
import { isRunning, terminalStatus } from './status';
import { TOPICS } from './topics';
import { isFilled, isObject, LONGEST_BLANKS, QUERY_TEXTS } from './types';
import type { Job, JobResults, Result, ResultQuery } from './types';

/** A decoded body as what an endpoint gives, or what is there instead: a sentence without full stop. */
export type Read<T> = Outcome<T, string>;

type Misread = Extract<Read<never>, { ok: false }>;

const A_JOB = 'a job with "job_id" and "status"';

/** So much of the ID of another job is shown, and no status is longer. */
const LONGEST_NAME = 100;

const isBlank = (value: unknown) => typeof value === 'string' && value.slice(0, LONGEST_BLANKS).trim() === '';
const isWord = (value: unknown): value is string => typeof value === 'string' && !isBlank(value);
const wordOf = (value: unknown) => (isWord(value) ? value.slice(0, LONGEST_NAME).trim().toLowerCase() : '');

/** Whether a status is about the request, where it is not the only one. */
const isOfRequest = (status: unknown) =>
	/^(ok|okay|success|successful|succeeded|accepted|true|\d+)$/.test(wordOf(status));
const isJobStatus = (status: unknown) => terminalStatus(status) !== undefined || isRunning(wordOf(status));

/** What a reply says about the request, and not about the job. */
const ABOUT_REQUEST: ReadonlySet<string> = new Set(['success', 'error', 'errors', 'id', 'status', 'code']);
const NOT_A_JOB: ReadonlySet<string> = new Set(['content', 'metadata', 'parameters', 'query', 'results']);

/** Every object that may be, or describe, the job: in envelopes from the outside in, then under any name. */
function partsOf(value: unknown): { envelopes: IDataObject[]; others: IDataObject[] } {
	const envelopes = nestedParts(value);
	const fields = Object.entries(envelopes[0] ?? {}).slice(0, MOST_FIELDS);
	const others = fields.filter(([name]) => !NOT_A_JOB.has(name)).map(([, field]) => field);
	return { envelopes, others: others.filter(isObject).filter((one) => !envelopes.includes(one)) };
}

/** The part that certainly names the job: by `job_id`, or by being called one. A mere `id` may be that of the request. */
function namedJob(value: unknown): IDataObject | undefined {
	const { envelopes, others } = partsOf(value);
	const called = envelopes.map(({ job }) => job).filter(isObject);
	return (
		[...envelopes, ...others].find((one) => isFilled(one.job_id)) ??
		called.find((one) => isFilled(one.id))
	);
}

/** The status of the job in a body: the innermost, because what stands around it may have one about the request. */
function statusIn(value: unknown): string | undefined {
	const { envelopes, others } = partsOf(value);
	const all = [...envelopes.reverse(), ...others].map(({ status }) => status).filter(isWord);
	return all.find(isJobStatus) ?? all.find((status) => !isOfRequest(status)) ?? all[0];
}

/** Whether a decoded body is that of a job that is not over: one that is known to run, or without results and without an end. */
export function isOfRunningJob(value: unknown): boolean {
	const status = statusIn(value);
	if (isJobStatus(status)) return terminalStatus(status) === undefined;
	return status !== undefined && !isOfRequest(status) && !hasResults(value);
}

/** Says of a body that it is about another job than the one that was asked for. */
function aboutOther(value: unknown, knownId: string): Misread | undefined {
	const ids = nestedParts(value)
		.filter((part) => !isResult(part))
		.map(({ job_id, id, status }) =>
			isFilled(job_id) ? job_id : isWord(status) && !isOfRequest(status) ? id : undefined,
		)
		.filter((id) => isFilled(id) && typeof id !== 'object')
		.map((id) =>
			String(id)
				.slice(0, knownId.length + LONGEST_NAME)
				.trim(),
		);
	const [other] = ids;
	const known = knownId.trim().toLowerCase();
	if (other === undefined || ids.some((id) => id.toLowerCase() === known)) return undefined;
	return misread(`job "${knownId}"`, `the body is about job "${other.slice(0, LONGEST_NAME)}"`);
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
	const status = statusIn(value);
	const { envelopes, others } = partsOf(value);
	const withId = envelopes.filter(({ id }) => isFilled(id));
	const described = [...envelopes, ...others].find((one) => isWord(status) && one.status === status);
	const found =
		namedJob(value) ??
		withId.find((one) => isJobStatus(one.status)) ??
		(knownId === undefined ? undefined : described) ??
		withId.at(-1);
	if (!found) return mismatch(A_JOB, value);
	const around = Object.entries(fieldsAround(value, found)).filter(([name]) => !ABOUT_REQUEST.has(name));
	const own = isOfRequest(found.status) && isJobStatus(status) ? status : found.status;
	const job = { ...Object.fromEntries(around), ...found, status: own };
	return checkJob(identified(job, knownId, statusIfMissing ?? status));
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

/** Jobs, and the place of each entry that was left out because it is no job, such as `[3]`. */
export interface ListedJobs {
	jobs: Job[];
	odd?: string[];
}

/** A list of jobs, empty ones included. What is no job is left out, as long as there is one job among them. */
export function readJobList(value: unknown): Read<ListedJobs> {
	const expected = 'a list of jobs';
	const list = listIn(value, JOBS);
	if (!list) return mismatch(expected, value);
	const reads = list.map((entry, index) => {
		const job = nestedParts(entry).find((one) => isFilled(one.job_id) || isFilled(one.id));
		return checkJob(job ? identified(job, undefined, '') : entry, `[${index}].`);
	});
	const jobs = reads.flatMap((read) => (read.ok ? [read.value] : []));
	const fault = jobs.length === 0 && list.some(isFilled) ? reads.find(({ ok }) => !ok) : undefined;
	const odd = reads.flatMap(({ ok }, index) => (ok ? [] : [`[${index}]`]));
	return fault?.ok === false ? fault : success({ jobs, ...(odd.length > 0 && { odd }) });
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

/** Whether a value is a result. A root that only says "success", such as what another host answers, is none. */
function isResult(value: unknown): boolean {
	if (!isObject(value) || isFilled(value.job_id) || 'results' in value) return false;
	if ('query' in value || 'content' in value || 'metadata' in value) return true;
	const isContent = (name: string) =>
		name === 'reason' || COLLECTED.has(name) || CONTENTS.has(name.slice(0, LONGEST_NAME).toLowerCase());
	return 'success' in value && Object.keys(value).some(isContent);
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
	const expected = 'a job with its "results"';
	const other = aboutOther(value, jobId);
	if (other) return other;
	const { holder = {}, list } = resultsIn(value);
	if (!list)
		return isObject(value) ? mismatch(expected, holder.results, 'results') : mismatch(expected, value);
	const isNamed = Object.hasOwn(holder, 'results');
	const fields = Object.entries(holder).filter(([name]) => isNamed || !RESULTS.names.includes(name));
	const root = { ...fieldsAround(value, holder), ...Object.fromEntries(fields) };
	const job = checkJob(identified(root, jobId, 'finished'));
	return job.ok ? success({ ...job.value, results: list.map(readResult) }) : job;
}

/** Whether a decoded body holds any result. */
export function hasResults(value: unknown): boolean {
	return (resultsIn(value).list ?? []).length > 0;
}

/** What is wrong with a result, in its own words. */
function reasonOf({ reason, error, errors, message, status }: IDataObject): string | undefined {
	const isError = (text?: string) => text !== undefined && !/^(\d+|false|no|none|null|nil|ok)$/i.test(text);
	const told = typeof reason === 'number' ? String(reason) : reasonIn(reason);
	const failed = /^(error|fail|failed|failure|refused|rejected|[45]\d\d)$/.test(wordOf(String(status)));
	const byStatus = failed ? (reasonIn(message) ?? `status ${String(status)}`) : undefined;
	return told ?? [error, errors].map(reasonIn).find(isError) ?? byStatus;
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
	const names = Object.keys(result).filter((one) => CONTENTS.has(one.slice(0, LONGEST_NAME).toLowerCase()));
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
	if (!isObject(value))
		return {
			...unreadable(`${nameOf(value)} instead of an object`),
			content: value as Result['content'],
		};
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
	const word = wordOf(String(value));
	if (['true', 'yes', '1'].includes(word)) return true;
	return ['false', 'no', '0'].includes(word) ? false : undefined;
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
	if (isObject(value) && !mayHoldFigures(value)) return misread(expected, 'the body holds no figures');
	const isFigure = typeof value === 'number' || (typeof value === 'string' && /\d/.test(value));
	return isFigure || typeof value === 'object' ? readReply(value, expected) : mismatch(expected, value);
}

/** A reply as it came; what is no object goes under `reply`. */
function readReply(value: unknown, expected: string): Read<IDataObject> {
	if (value === undefined || value === null || isBlank(value)) return mismatch(expected, value);
	return success(isObject(value) ? value : { reply: value as IDataObject[string] });
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

/**
 * A job whose ID and status are texts. Numbers count as text: an unquoted ID is still an ID.
 *
 * @param at where it stands in the body, such as `[3].`
 */
function checkJob(value: unknown, at = ''): Read<Job> {
	if (!isObject(value)) return mismatch(A_JOB, value);
	const asText = (one: unknown) => (typeof one === 'number' ? String(one) : one);
	const [job_id, status] = [asText(value.job_id), asText(value.status)];
	if (!isWord(job_id)) return mismatch(A_JOB, job_id, `${at}job_id`);
	if (typeof status !== 'string') return mismatch(A_JOB, status, `${at}status`);
	// Spread, because an assignment to a field called `__proto__` would replace the prototype.
	return success({ ...value, job_id, status });
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
	if (value === null || isBlank(value)) return value === null ? 'null' : 'empty';
	const names: Record<string, string> = { object: 'an object', string: 'text', boolean: 'a boolean' };
	return Array.isArray(value) ? 'a list' : (names[typeof value] ?? 'a number');
}

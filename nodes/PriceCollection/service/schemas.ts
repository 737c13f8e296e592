import type { IDataObject } from 'n8n-workflow';

import { decodedPart } from './connection';
import { success, type Outcome } from './problems';
import { errorIn, reasonIn } from './refusal';
import { TOPICS, words } from './topics';
import { flagOf, isBlankText, isFilled, isObject, isRunning, terminalStatus, wordOf } from './types';
import { QUERY_TEXTS, type Job, type JobResults, type Result, type ResultQuery } from './types';

/** A decoded body as an endpoint's type, or what was found instead: a sentence without full stop. */
export type Read<T> = Outcome<T, string>;

type Misread = Extract<Read<never>, { ok: false }>;

/** Names that services use for envelopes around their data. */
const ENVELOPES = ['job', 'data', 'result', 'response', 'payload', 'attributes'];
/** How deep envelopes may be nested, and how many fields of a reply are examined. */
const [LEVELS, MOST_FIELDS] = [2, 100];

const isWord = (value: unknown): value is string => typeof value === 'string' && !isBlankText(value);
const nameSet = (text: string): ReadonlySet<string> => new Set(words(text));

/** An object and those that it wraps, outermost first. A list with one element counts as that element. */
function nestedParts(value: unknown, levels = LEVELS): IDataObject[] {
	const whole: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
	if (!isObject(whole)) return [];
	return [whole, ...(levels > 0 ? ENVELOPES : []).flatMap((name) => nestedParts(whole[name], levels - 1))];
}

/** The fields of the envelopes around a part of `value`, without the part itself. */
function fieldsAround(value: unknown, part: IDataObject): Array<[string, IDataObject[string]]> {
	const parts = nestedParts(value);
	const fields = parts.slice(0, Math.max(parts.indexOf(part), 0)).flatMap((one) => Object.entries(one));
	return fields.filter(([, field]) => !nestedParts(field).includes(part));
}

/** Names under which a list is found, likeliest first. */
const LISTS = ['results', 'result', 'data', 'jobs', 'items', 'entries', 'records', 'list'];

/** The element of a list that a value certainly is, alone or under a name; undefined when it is none. */
type ElementOf = (value: unknown, name?: string) => unknown;

/**
 * Finds a list: bare, under any name, keyed by numbers or names, or a single element in its place. Only a
 * list under one of the usual names may be empty or contain other values.
 */
function listIn(value: unknown, elementOf: ElementOf, levels = LEVELS): unknown[] | undefined {
	if (Array.isArray(value)) return value;
	if (typeof value === 'string' && !isFilled(value)) return [];
	if (!isObject(value)) return undefined;
	const isOne = (one: unknown) => elementOf(one) !== undefined;
	const keyed = Object.entries(value).map(([name, field]) => elementOf(field, name));
	if (keyed.length > 0 && keyed.every((one) => one !== undefined)) return keyed;
	const known = LISTS.filter((name) => Object.hasOwn(value, name));
	const others = Object.keys(value).slice(0, MOST_FIELDS);
	const lists = (levels === 0 ? [] : [...new Set([...known, ...others])]).flatMap((name) => {
		const list = value[name] === null ? [] : listIn(value[name], elementOf, levels - 1);
		return list && (known.includes(name) || list.some(isOne)) ? [list] : [];
	});
	return lists.find((list) => list.some(isOne)) ?? (isOne(value) ? [value] : lists[0]);
}

const A_JOB = 'a job with "job_id" and "status"';

/** Whether a status describes the request rather than the job, if there are several. */
const isOfRequest = (status: unknown) =>
	/^(ok|okay|success|successful|succeeded|accepted|true|\d+)$/.test(wordOf(status));
const isJobStatus = (status: unknown) => terminalStatus(status) !== undefined || isRunning(status);

/** Fields of a reply that describe the request, not the job. */
const ABOUT_REQUEST = nameSet('success error errors id status code');
/** Fields that are not searched for a job. */
const NO_JOB = nameSet('content metadata parameters query results');

/** Looks for a job in envelopes, outermost first, then under any name. A known job does not need an ID. */
function jobIn(value: unknown, isKnown: boolean) {
	const envelopes = nestedParts(value);
	const fields = Object.entries(envelopes[0] ?? {}).slice(0, MOST_FIELDS);
	const others = fields.flatMap(([name, field]) => (NO_JOB.has(name) ? [] : nestedParts(field, 0)));
	// The innermost status counts, because an outer one may describe the request.
	const statuses = [...envelopes.toReversed(), ...others].map((part) => part.status).filter(isWord);
	const status = statuses.find(isJobStatus) ?? statuses.find((one) => !isOfRequest(one)) ?? statuses.at(0);
	// By `job_id` or the name `job`: an `id` may be the request's.
	const called = envelopes.map(({ job }) => job).filter(isObject);
	const parts = [...envelopes, ...others];
	const named = parts.find((one) => isFilled(one.job_id)) ?? called.find((one) => isFilled(one.id));
	const withId = envelopes.filter(({ id }) => isFilled(id));
	const described = parts.find((one) => isKnown && isWord(status) && one.status === status);
	const likely = named ?? withId.find((one) => isJobStatus(one.status)) ?? described ?? withId.at(-1);
	return { named, likely, status };
}

/** Whether a decoded body is an unfinished job's: its status is running, or unknown without results. */
export function isOfRunningJob(value: unknown): boolean {
	const { status } = jobIn(value, true);
	if (isJobStatus(status)) return terminalStatus(status) === undefined;
	return status !== undefined && !isOfRequest(status) && !hasResults(value);
}

const LONGEST_NAME = 100;

/** Reports a body that is about another job than the requested one. */
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
 * Reads a job object, with `job_id` filled from `id` when absent. The body may omit the requested job's ID, but
 * must not name another job; a bare list of results counts as the finished job.
 *
 * @param statusIfMissing for replies that imply it, such as that to a creation; elsewhere it is required
 */
export function readJob(value: unknown, knownId?: string, statusIfMissing?: string): Read<Job> {
	if (knownId !== undefined && Array.isArray(value) && value.length > 0 && value.every(isResult))
		return success({ job_id: knownId, status: 'finished', results: value });
	const other = knownId === undefined ? undefined : aboutOther(value, knownId);
	if (other) return other;
	const { likely, status } = jobIn(value, knownId !== undefined);
	if (!likely) return mismatch(A_JOB, value);
	const around = fieldsAround(value, likely).filter(([name]) => !ABOUT_REQUEST.has(name));
	const own = isOfRequest(likely.status) && isJobStatus(status) ? status : likely.status;
	const job = { ...Object.fromEntries(around), ...likely, status: own };
	return checkJob(job, knownId, statusIfMissing ?? status);
}

/** The created job from the reply or its Location; an `id` may be that of the request. */
export function readCreated(value: unknown, location = ''): Read<Job> {
	const job = readJob(value, undefined, 'new');
	const [, id] = /\/jobs\/([^/?#]+?)(?:\.json|\.xml)?\/?(?:[?#]|$)/.exec(location.slice(0, 2_000)) ?? [];
	if (id === undefined || jobIn(value, false).named) return job;
	return readJob({ ...(job.ok ? job.value : { status: 'new' }), job_id: decodedPart(id) });
}

const listedJob: ElementOf = (value, name = '') => {
	if (!isObject(value)) return undefined;
	if (isFilled(value.job_id) || (isFilled(value.id) && isWord(value.status))) return value;
	// A name with digits can be the job's ID, unless it is just the position.
	const isId = isWord(value.status) && /^(?=.*\d).{6,100}$/.test(name);
	return isId ? { job_id: name, ...value } : undefined;
};

/** Jobs, and the position (such as `[3]`) of each entry that was left out because it is not a job. */
export interface ListedJobs {
	jobs: Job[];
	invalid?: string[];
}

/** A list of jobs, possibly empty. Entries that are not jobs are left out if there is at least one job. */
export function readJobList(value: unknown): Read<ListedJobs> {
	const list = listIn(value, listedJob);
	if (!list) return mismatch('a list of jobs', value);
	const reads = list.map((entry, index) => {
		const parts = nestedParts(entry);
		const job = parts.find((one) => isFilled(one.job_id) || isFilled(one.id)) ?? parts[0];
		return job ? checkJob(job, undefined, '', `[${index}].`) : mismatch(A_JOB, entry);
	});
	const jobs = reads.flatMap((read) => (read.ok ? [read.value] : []));
	const fault = reads.find((read) => !read.ok);
	if (fault && jobs.length === 0 && list.some(isFilled)) return fault;
	const invalid = reads.flatMap(({ ok }, index) => (ok ? [] : [`[${index}]`]));
	return success({ jobs, ...(invalid.length > 0 && { invalid }) });
}

/** Names under which a result has its content, in any case. */
const CONTENTS = nameSet('content data result response payload product item');
const PARTS = nameSet('query success reason metadata content job_id');
/** Fields of a result that do not prove that something was collected. */
const ABOUT_RESULT = nameSet('status error errors message comment id tag index created_at updated_at');
/** Names of collected data that the topics table knows. */
const COLLECTED: ReadonlySet<string> = new Set(
	Object.values(TOPICS)
		.flatMap(({ content, entry, lists }) => [...content, ...entry, ...lists])
		.filter((name) => !/^(id|url|type|page|position|rank)$/.test(name)),
);
const isContentName = (name: string) => CONTENTS.has(wordOf(name));

/** Whether a value is a result. A root with nothing but "success", such as another host's answer, is not. */
function isResult(value: unknown): boolean {
	if (!isObject(value) || isFilled(value.job_id) || 'results' in value) return false;
	if ('query' in value || 'content' in value || 'metadata' in value) return true;
	const tells = (name: string) => name === 'reason' || COLLECTED.has(name) || isContentName(name);
	return 'success' in value && Object.keys(value).some(tells);
}

const listedResult: ElementOf = (value, name = '') => {
	if (!isObject(value) || !isResult(value)) return undefined;
	// The names are the lookup values, unless they are positions or element names from XML.
	const isValue = value.query === undefined && !/^\d{1,6}$/.test(name) && !LISTS.includes(name);
	return isValue ? { query: { value: name }, ...value } : value;
};

/** The results of a job and the object around them. A bare list without a result has none. */
function resultsIn(value: unknown): { holder?: IDataObject; list?: unknown[] } {
	const parts = nestedParts(value).filter((part) => !isResult(part));
	const named = parts.find((part) => Object.hasOwn(part, 'results'));
	if (named)
		return { holder: named, list: named.results === null ? [] : listIn(named.results, listedResult, 1) };
	if (Array.isArray(value)) return { list: value.length === 0 || value.some(isResult) ? value : undefined };
	const holder = parts.findLast((part) => listIn(part, listedResult, 1));
	return { holder, list: listIn(holder ?? value, listedResult, 1) };
}

/**
 * The results of a job, with the root's own fields. A bare list gets a root with the status `finished`, because
 * only finished jobs can be downloaded. An invalid result does not affect the others.
 */
export function readResults(value: unknown, jobId: string): Read<JobResults> {
	const other = aboutOther(value, jobId);
	if (other) return other;
	const { holder = {}, list } = resultsIn(value);
	const [there, place] = isObject(value) ? [holder.results, 'results'] : [value];
	if (!list) return mismatch('a job with its "results"', there, place);
	const isNamed = Object.hasOwn(holder, 'results');
	const fields = Object.entries(holder).filter(([name]) => isNamed || !LISTS.includes(name));
	const root = Object.fromEntries([...fieldsAround(value, holder), ...fields]);
	const job = checkJob(root, jobId, 'finished');
	return job.ok ? success({ ...job.value, results: list.map(readResult) }) : job;
}

export const hasResults = (value: unknown) => (resultsIn(value).list ?? []).length > 0;

function reasonOf({ reason, error, errors, message, status }: IDataObject): string | undefined {
	const told = typeof reason === 'number' ? String(reason) : reasonIn(reason);
	const failed = /^(error|fail|failed|failure|refused|rejected|[45]\d\d)$/.test(wordOf(status));
	const byStatus = failed ? (reasonIn(message) ?? `status ${String(status)}`) : undefined;
	return told ?? errorIn(error, errors) ?? byStatus;
}

/**
 * The content of a result and the name under which it was found: its content, the same in an envelope, or its
 * own fields. When the content is empty, only fields that are known to be collected count as content.
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
 * Reads one result of any shape: an invalid one must not cost the others. `success` counts in any spelling;
 * without it, a result succeeded unless it gives a reason. Values that are not objects become failed results.
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
	if (isBlankText(metadata) || (Array.isArray(metadata) && metadata.length === 0)) result.metadata = {};
	if (from !== undefined) result.content_from = from;
	// In XML an object without fields is indistinguishable from blank text.
	if (content !== undefined) result.content = isBlankText(content) ? {} : (content as Result['content']);
	return result;
}

function queryOf(value: unknown): ResultQuery {
	if (isFilled(value) && typeof value !== 'object') return { value: String(value) };
	const [query = {}] = nestedParts(value, 0);
	const texts: ResultQuery = { ...query };
	for (const name of QUERY_TEXTS) if (typeof query[name] === 'number') texts[name] = String(query[name]);
	return texts;
}

/** Whether a value contains a figure, or is null or empty: an account without usage. */
function mayHoldFigures(value: unknown, levels = 4): boolean {
	if (typeof value !== 'object' || value === null)
		return value === null || /^[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?$/.test(wordOf(value));
	const aboutReply = /^(status|status_?code|code|version)$/i;
	const parts = Object.entries(value).filter(([name]) => !aboutReply.test(name));
	const isDeeper = levels > 0 && parts.some(([, part]) => mayHoldFigures(part, levels - 1));
	return Object.keys(value).length === 0 || isDeeper;
}

/** Usage figures, unmodified; a value that is not an object goes under `reply`. */
export function readUsage(value: unknown): Read<IDataObject> {
	const expected = 'usage figures';
	if (isObject(value) && !mayHoldFigures(value)) return misread(expected, 'the body holds no figures');
	const isFigure = typeof value === 'object' || /\d/.test(wordOf(value));
	return isFigure ? readReply(value, expected) : mismatch(expected, value);
}

/** A reply of unspecified shape about a job, such as the one to Cancel. */
export function readAnything(value: unknown, knownId: string): Read<IDataObject> {
	return aboutOther(value, knownId) ?? readReply(value, 'an object');
}

/** An unmodified reply; a value that is not an object goes under `reply`. */
function readReply(value: unknown, expected: string): Read<IDataObject> {
	if (value === undefined || value === null || isBlankText(value)) return mismatch(expected, value);
	return success(isObject(value) ? value : { reply: value as IDataObject[string] });
}

/** A job whose ID and status are texts, its own or the given ones; `at` is its position, such as `[3].` */
function checkJob(value: IDataObject, knownId?: string, status?: string, at = ''): Read<Job> {
	const asText = (one: unknown) => (typeof one === 'number' ? String(one) : one);
	const id = asText([value.job_id, knownId, value.id].find(isFilled) ?? value.id);
	const own = asText(isFilled(value.status) ? value.status : status);
	if (!isWord(id)) return mismatch(A_JOB, id, `${at}job_id`);
	if (typeof own !== 'string') return mismatch(A_JOB, own, `${at}status`);
	return success({ ...value, job_id: id, status: own });
}

/** Reports what was found instead of the expected value, at `place` or in the body itself. */
function mismatch(expected: string, there: unknown, place = 'the body'): Misread {
	return misread(expected, `${place} is ${there === undefined ? 'missing' : nameOf(there)}`);
}

function misread(expected: string, what: string): Misread {
	return { ok: false, problem: `Expected ${expected}, but ${what}` };
}

/** The type of a value in words; never the value itself, which may be long or secret. */
function nameOf(value: unknown): string {
	if (value === null) return 'null';
	if (typeof value === 'string') return isBlankText(value) ? 'empty' : 'text';
	if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
	return `a ${typeof value}`;
}

import type { IDataObject } from 'n8n-workflow';

import { fieldOf, fieldsNamed, partsOf, plainField, reading, valuesNamed, words } from '../names';
import { success, type Outcome } from '../problems';
import { speaksOfError } from './refusal';
import { errorIn, reasonIn } from '../text';
import { bareName, figureOf, flagOf, isFilled, isObject, isTextOrNumber } from '../types';
import {
	QUERY_TEXTS,
	SUCCESS_UNKNOWN,
	type Job,
	type JobResults,
	type Result,
	type ResultQuery,
} from '../types';

/** A decoded body as an endpoint's type, or what was found instead: a sentence without full stop. */
export type ParseResult<T> = Outcome<T, string>;

type Misread = Extract<ParseResult<never>, { ok: false }>;

const A_JOB = 'a job with "job_id" and "status"';

/**
 * Finds the job of a reply and what it says: the object with a `job_id`, or else the first one that has an ID, a
 * status or results. An `id` is only the job's in a list of jobs, or where nothing in the reply speaks of an error
 * and no envelope stands beside it: it may be that of the request.
 */
function jobIn(value: unknown, isListed = false) {
	const parts = partsOf(value);
	const isNamed = (part: IDataObject) => plainField(part, 'jobId') !== undefined;
	const isDescribed = (part: IDataObject) =>
		(['id', 'status', 'results'] as const).some((meaning) => fieldsNamed(part, meaning).length > 0);
	const part = parts.find(isNamed) ?? parts.find(isDescribed);
	if (part === undefined) return undefined;
	// Also a list in an envelope, as in `{ id, data: [ … ] }`.
	const isWrapped = valuesNamed('envelope', part).some(
		(inner) => typeof inner === 'object' && isFilled(inner),
	);
	const isOfRequest = parts.some(speaksOfError) || isWrapped;
	const own = isOfRequest && !isListed ? undefined : plainField(part, 'id');
	const [id, said] = [plainField(part, 'jobId') ?? own, fieldOf(part, 'status')];
	// In XML the status may have attributes.
	const status = isObject(said) ? said.text : said;
	return { part, id: id?.toString(), status: isTextOrNumber(status) ? String(status) : undefined };
}

/** The job's own status in a decoded body; undefined when it has none. */
export const statusIn = (value: unknown) => jobIn(value)?.status;

const LONGEST_NAME = 100;

/** Reports a body that is about another job than the requested one. */
function aboutOther(value: unknown, knownId: string): Misread | undefined {
	const id = jobIn(value)?.id?.trim();
	if (id === undefined || id.toLowerCase() === knownId.trim().toLowerCase()) return undefined;
	return misread(`job "${knownId}"`, `the body is about job "${id.slice(0, LONGEST_NAME)}"`);
}

/** The fields of the root beside the envelope of a job. */
function fieldsAround(value: unknown, part: IDataObject): IDataObject {
	if (!isObject(value) || value === part) return {};
	return Object.fromEntries(Object.entries(value).filter(([, field]) => !partsOf(field).includes(part)));
}

/** A job with its ID and status under the documented names, beside all of its own fields. */
function asJob(
	value: unknown,
	knownId?: string,
	statusIfMissing?: string,
	isListed = false,
): ParseResult<Job> {
	const found = jobIn(value, isListed);
	if (found === undefined) return mismatch(A_JOB, value);
	const { part, id = knownId, status = statusIfMissing } = found;
	if (id === undefined) return mismatch(A_JOB, part.job_id ?? part.id, 'job_id');
	if (status === undefined) return mismatch(A_JOB, fieldOf(part, 'status'), 'status');
	return success({ ...fieldsAround(value, part), ...part, job_id: id, status });
}

/**
 * Reads a job object. The body may omit the requested job's ID, but must not name another job. A bare list of
 * results, which is the document's XML, is the finished job.
 */
export function readJob(value: unknown, knownId?: string): ParseResult<Job> {
	if (knownId !== undefined && Array.isArray(value) && value.some(isResult))
		return success({ job_id: knownId, status: 'finished', results: value });
	const other = knownId === undefined ? undefined : aboutOther(value, knownId);
	return other ?? asJob(value, knownId);
}

/** The created job, which has the status `new` unless the reply says another. */
export function readCreated(value: unknown): ParseResult<Job> {
	return asJob(value, undefined, 'new');
}

/** The list under one of a meaning's names, in an envelope or at the root, or the body itself. */
function listUnder(value: unknown, meaning: 'jobs' | 'results'): unknown[] | undefined {
	return Array.isArray(value) ? value : valuesNamed(meaning, ...partsOf(value)).find(Array.isArray);
}

/** Jobs, and how many entries were left out because they are not jobs. */
export interface ListedJobs {
	jobs: Job[];
	invalid?: number;
}

/**
 * A list of jobs, possibly empty; null is no list. Entries that are not jobs are left out if there is at least one job.
 */
export function readJobList(value: unknown): ParseResult<ListedJobs> {
	const list = listUnder(value, 'jobs');
	if (!list) return mismatch('a list of jobs', value);
	const reads = list.map((entry) => asJob(entry, undefined, '', true));
	const jobs = reads.flatMap((read) => (read.ok ? [read.value] : []));
	const fault = reads.find((read) => !read.ok);
	if (fault && jobs.length === 0 && list.some(isFilled)) return fault;
	return success({ jobs, invalid: list.length - jobs.length });
}

/** Whether a value has a field of its own that only results have. */
function isResult(value: unknown): boolean {
	const parts = ['query', 'content', 'success'] as const;
	return isObject(value) && parts.some((meaning) => fieldsNamed(value, meaning).length > 0);
}

/** The results in a body, none for null; undefined when it says nothing of them, or is a bare list of other things. */
function resultsIn(value: unknown): unknown[] | undefined {
	const isOther = Array.isArray(value) && value.length > 0 && !value.some(isResult);
	if (isOther) return undefined;
	const isNull = valuesNamed('results', ...partsOf(value)).includes(null);
	return listUnder(value, 'results') ?? (isNull ? [] : undefined);
}

/**
 * The results of a job, with the root's own fields. A body without a status is that of a finished job, because
 * only finished jobs can be downloaded. An invalid result does not affect the others.
 */
export function readResults(value: unknown, jobId: string): ParseResult<JobResults> {
	const other = aboutOther(value, jobId);
	if (other) return other;
	const list = resultsIn(value);
	if (!list)
		return mismatch('a job with its "results"', isObject(value) ? value.results : value, 'results');
	const job = isObject(value) ? asJob(value, jobId, 'finished') : undefined;
	const root = job?.ok === true ? job.value : { job_id: jobId, status: 'finished' };
	return success({ ...root, results: list.map(readResult) });
}

export const hasResults = (value: unknown) => (resultsIn(value) ?? []).length > 0;

/**
 * Reads one result: an invalid one must not cost the others. Where `success` is missing, a result succeeded if it
 * has content and reports no failure; a word that is neither yes nor no says nothing.
 */
export function readResult(value: unknown): Result {
	if (!isObject(value)) {
		const reason = `unreadable result: ${typeName(value)} instead of an object`;
		return { query: {}, success: false, reason, content: value as Result['content'] };
	}
	const read = reading(value);
	const [said, content] = [read('success'), read('content') ?? value.content];
	const told = flagOf(said);
	const isShown = said === undefined && isFilled(content);
	const reason = failureReason(value, told, isShown ? REMARK_FIELDS : []);
	const succeeded = told ?? (isShown && reason === undefined);
	const unsaid = told === undefined && !succeeded ? SUCCESS_UNKNOWN : undefined;
	const result: Result = { ...value, query: resultQuery(read('query')), success: succeeded };
	if (reason !== undefined || unsaid !== undefined) result.reason = reason ?? unsaid;
	if (isObject(value.reason)) result.reason_details = value.reason;
	const metadata = read('metadata');
	if (isObject(metadata)) result.metadata = metadata;
	if (content !== undefined) result.content = content as Result['content'];
	return result;
}

/** Words that may stand beside a price, such as `comment: "incl. VAT"`. They explain a failure, but report none. */
const REMARK_FIELDS: readonly string[] = words('comment message detail');

/** Why a result failed, in the service's words; under other names than `reason` only where it did not succeed. */
function failureReason(value: IDataObject, succeeded: boolean | undefined, remarks: readonly string[]) {
	const names = fieldsNamed(value, 'reason').filter((name) => !remarks.includes(bareName(name)));
	const said = names.map((name) => value[name]);
	return reasonIn(value.reason) ?? (succeeded === true ? undefined : errorIn(...said));
}

function resultQuery(value: unknown): ResultQuery {
	if (!isObject(value)) return {};
	const query: ResultQuery = { ...value };
	for (const name of QUERY_TEXTS) {
		const said = plainField(value, name);
		if (said !== undefined) query[name] = String(said);
	}
	return query;
}

/** Fields about the reply itself, whose numbers are no usage. */
const ABOUT_REPLY = /^(status|status_?code|code|version)$/i;

/** Whether a value contains a figure, or null or nothing in place of one: an account without usage. */
function holdsFigures(value: unknown): boolean {
	if (typeof value !== 'object') return figureOf(value) !== undefined;
	const parts = Object.entries(value ?? {});
	// An envelope that holds null is no answer.
	const isEmpty = (name: string, part: unknown) =>
		part === null && fieldsNamed({ [name]: 0 }, 'envelope').length > 0;
	const isFigure = ([name, part]: [string, unknown]) =>
		!ABOUT_REPLY.test(name) && !isEmpty(name, part) && holdsFigures(part);
	return parts.length === 0 || parts.some(isFigure);
}

/** Usage figures, unmodified; a value that is not an object goes under `reply`. A text is usage if it has a digit. */
export function readUsage(value: unknown): ParseResult<IDataObject> {
	const expected = 'usage figures';
	if (value === null) return mismatch(expected, value);
	const isUsage = typeof value === 'string' ? /\d/.test(value) : holdsFigures(value);
	if (!isUsage) return misread(expected, 'the body holds no figures');
	return success(isObject(value) ? value : { reply: value as IDataObject[string] });
}

/**
 * The reply to a cancellation, whose shape is not documented: empty, a job, or an object that says success. Anything
 * else, such as a mere message, does not say that the job was cancelled.
 */
export function readCancelled(value: unknown, knownId: string): ParseResult<IDataObject> {
	const other = aboutOther(value, knownId);
	if (other) return other;
	const says = (part: IDataObject) => flagOf(fieldOf(part, 'success') ?? part.ok) === true;
	const isClear = jobIn(value) !== undefined || partsOf(value).some(says) || !isFilled(value);
	return isClear && isObject(value) ? success(value) : mismatch('that the job is cancelled', value);
}

/** Reports what was found instead of the expected value, at `place` or in the body itself. */
function mismatch(expected: string, there: unknown, place = 'the body'): Misread {
	return misread(expected, `${place} is ${there === undefined ? 'missing' : typeName(there)}`);
}

function misread(expected: string, what: string): Misread {
	return { ok: false, problem: `Expected ${expected}, but ${what}` };
}

/** The type of a value in words; never the value itself, which may be long or secret. */
function typeName(value: unknown): string {
	if (value === null) return 'null';
	if (typeof value === 'string') return 'text';
	if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
	return `a ${typeof value}`;
}

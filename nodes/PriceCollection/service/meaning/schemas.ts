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

/** A decoded body as an endpoint's type, or what was found instead: a sentence without a full stop. */
export type ParseResult<T> = Outcome<T, string>;

type Misread = Extract<ParseResult<never>, { ok: false }>;

const A_JOB = 'a job with "job_id" and "status"';

/**
 * Finds the job in a reply, with its ID and status: the object with a `job_id`, or else the first object with an ID, a
 * status or results. An `id` may also be the request's: outside a job list, it is the job's only if nothing in the reply
 * reports an error and there is no envelope beside it.
 */
function jobIn(value: unknown, isListed = false) {
	const parts = partsOf(value);
	const isNamed = (part: IDataObject) => plainField(part, 'jobId') !== undefined;
	const isDescribed = (part: IDataObject) =>
		(['id', 'status', 'results'] as const).some((meaning) => fieldsNamed(part, meaning).length > 0);
	const part = parts.find(isNamed) ?? parts.find(isDescribed);
	if (part === undefined) return undefined;
	// The envelope may hold a list, as in `{ id, data: [ … ] }`.
	const isWrapped = valuesNamed('envelope', part).some(
		(inner) => typeof inner === 'object' && isFilled(inner),
	);
	const isOfRequest = parts.some(speaksOfError) || isWrapped;
	const plainId = isOfRequest && !isListed ? undefined : plainField(part, 'id');
	const [id, statusField] = [plainField(part, 'jobId') ?? plainId, fieldOf(part, 'status')];
	// In XML the status may have attributes.
	const status = isObject(statusField) ? statusField.text : statusField;
	return { part, id: id?.toString(), status: isTextOrNumber(status) ? String(status) : undefined };
}

/** The job's status in a decoded body; undefined if it has none. */
export const statusIn = (value: unknown) => jobIn(value)?.status;

const LONGEST_NAME = 100;

/** Reports a body about a job other than the requested one. */
function aboutOther(value: unknown, knownId: string): Misread | undefined {
	const id = jobIn(value)?.id?.trim();
	if (id === undefined || id.toLowerCase() === knownId.trim().toLowerCase()) return undefined;
	return misread(`job "${knownId}"`, `the body is about job "${id.slice(0, LONGEST_NAME)}"`);
}

/** The root's fields beside the envelope that holds the job. */
function fieldsAround(value: unknown, part: IDataObject): IDataObject {
	if (!isObject(value) || value === part) return {};
	return Object.fromEntries(Object.entries(value).filter(([, field]) => !partsOf(field).includes(part)));
}

/** Reads a job: all its fields, plus its ID and status under the documented names. */
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
 * results, as in the documented XML, is the finished job.
 */
export function readJob(value: unknown, knownId?: string): ParseResult<Job> {
	if (knownId !== undefined && Array.isArray(value) && value.some(isResult))
		return success({ job_id: knownId, status: 'finished', results: value });
	const wrongJob = knownId === undefined ? undefined : aboutOther(value, knownId);
	return wrongJob ?? asJob(value, knownId);
}

/** Reads the created job. Its status is `new` if the reply has none. */
export function readCreated(value: unknown): ParseResult<Job> {
	return asJob(value, undefined, 'new');
}

/** The list under one of a meaning's names, in an envelope or at the root, or the body itself if it is a list. */
function listUnder(value: unknown, meaning: 'jobs' | 'results'): unknown[] | undefined {
	return Array.isArray(value) ? value : valuesNamed(meaning, ...partsOf(value)).find(Array.isArray);
}

/** Jobs, and the number of entries left out because they are not jobs. */
export interface ListedJobs {
	jobs: Job[];
	invalid?: number;
}

/**
 * Reads a list of jobs, which may be empty but not null. Entries that are not jobs are left out if there is at least
 * one job.
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

/** Whether a value has a field that only results have. */
function isResult(value: unknown): boolean {
	const parts = ['query', 'content', 'success'] as const;
	return isObject(value) && parts.some((meaning) => fieldsNamed(value, meaning).length > 0);
}

/** The results in a body; null means an empty list. Undefined without results, or for a bare list of other things. */
function resultsIn(value: unknown): unknown[] | undefined {
	const isOther = Array.isArray(value) && value.length > 0 && !value.some(isResult);
	if (isOther) return undefined;
	const isNull = valuesNamed('results', ...partsOf(value)).includes(null);
	return listUnder(value, 'results') ?? (isNull ? [] : undefined);
}

/**
 * Reads a job's results together with the root's fields. A body without a status belongs to a finished job, because
 * only finished jobs can be downloaded. An invalid result does not affect the others.
 */
export function readResults(value: unknown, jobId: string): ParseResult<JobResults> {
	const wrongJob = aboutOther(value, jobId);
	if (wrongJob) return wrongJob;
	const list = resultsIn(value);
	if (!list)
		return mismatch('a job with its "results"', isObject(value) ? value.results : value, 'results');
	const job = isObject(value) ? asJob(value, jobId, 'finished') : undefined;
	const root = job?.ok === true ? job.value : { job_id: jobId, status: 'finished' };
	return success({ ...root, results: list.map(readResult) });
}

export const hasResults = (value: unknown) => (resultsIn(value) ?? []).length > 0;

/**
 * Reads one result. An invalid one becomes a failed result, so that the others are kept. If `success` is missing, a result
 * succeeded if it has content and reports no failure; if `success` is neither yes nor no, the result failed.
 */
export function readResult(value: unknown): Result {
	if (!isObject(value)) {
		const reason = `unreadable result: ${typeName(value)} instead of an object`;
		return { query: {}, success: false, reason, content: value as Result['content'] };
	}
	const read = reading(value);
	const [successField, content] = [read('success'), read('content') ?? value.content];
	const successFlag = flagOf(successField);
	const hasContentOnly = successField === undefined && isFilled(content);
	const reason = failureReason(value, successFlag, hasContentOnly ? REMARK_FIELDS : []);
	const succeeded = successFlag ?? (hasContentOnly && reason === undefined);
	const defaultReason = successFlag === undefined && !succeeded ? SUCCESS_UNKNOWN : undefined;
	const result: Result = { ...value, query: resultQuery(read('query')), success: succeeded };
	if (reason !== undefined || defaultReason !== undefined) result.reason = reason ?? defaultReason;
	if (isObject(value.reason)) result.reason_details = value.reason;
	const metadata = read('metadata');
	if (isObject(metadata)) result.metadata = metadata;
	if (content !== undefined) result.content = content as Result['content'];
	return result;
}

/** Remarks that may accompany a price, such as `comment: "incl. VAT"`. They can explain a failure, but not report one. */
const REMARK_FIELDS: readonly string[] = words('comment message detail');

/** Why a result failed, in the service's words. Names other than `reason` are ignored if it succeeded. */
function failureReason(value: IDataObject, succeeded: boolean | undefined, remarks: readonly string[]) {
	const names = fieldsNamed(value, 'reason').filter((name) => !remarks.includes(bareName(name)));
	const values = names.map((name) => value[name]);
	return reasonIn(value.reason) ?? (succeeded === true ? undefined : errorIn(...values));
}

function resultQuery(value: unknown): ResultQuery {
	if (!isObject(value)) return {};
	const query: ResultQuery = { ...value };
	for (const name of QUERY_TEXTS) {
		const text = plainField(value, name);
		if (text !== undefined) query[name] = String(text);
	}
	return query;
}

/** Fields about the reply itself, whose numbers are not usage. */
const ABOUT_REPLY = /^(status|status_?code|code|version)$/i;

/** Whether a value contains a figure, or is null or empty in place of one, as for an account without usage. */
function holdsFigures(value: unknown): boolean {
	if (typeof value !== 'object') return figureOf(value) !== undefined;
	const parts = Object.entries(value ?? {});
	// An envelope that holds null is not an answer.
	const isEmpty = (name: string, part: unknown) =>
		part === null && fieldsNamed({ [name]: 0 }, 'envelope').length > 0;
	const isFigure = ([name, part]: [string, unknown]) =>
		!ABOUT_REPLY.test(name) && !isEmpty(name, part) && holdsFigures(part);
	return parts.length === 0 || parts.some(isFigure);
}

/** Reads usage figures, unchanged; a value that is not an object goes under `reply`. A text needs a digit to count. */
export function readUsage(value: unknown): ParseResult<IDataObject> {
	const expected = 'usage figures';
	if (value === null) return mismatch(expected, value);
	const isUsage = typeof value === 'string' ? /\d/.test(value) : holdsFigures(value);
	if (!isUsage) return misread(expected, 'the body holds no figures');
	return success(isObject(value) ? value : { reply: value as IDataObject[string] });
}

/**
 * Reads the reply to a cancellation, whose shape is not documented: empty, a job, or an object that reports success.
 * Anything else, such as a mere message, does not prove that the job was cancelled.
 */
export function readCancelled(value: unknown, knownId: string): ParseResult<IDataObject> {
	const wrongJob = aboutOther(value, knownId);
	if (wrongJob) return wrongJob;
	const reportsSuccess = (part: IDataObject) => flagOf(fieldOf(part, 'success') ?? part.ok) === true;
	const isClear = jobIn(value) !== undefined || partsOf(value).some(reportsSuccess) || !isFilled(value);
	return isClear && isObject(value) ? success(value) : mismatch('that the job is cancelled', value);
}

/** Reports what was found instead of the expected value; `subject`: the field, or the body itself. */
function mismatch(expected: string, found: unknown, subject = 'the body'): Misread {
	return misread(expected, `${subject} is ${found === undefined ? 'missing' : typeName(found)}`);
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

import type { IDataObject } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import { isObject, type Job, type JobResults, type Result } from './types';

/** With the readers of what an endpoint gives stands that of what any of them may give instead. */
export { readRefusal } from './decode/refusal';

/** A decoded body as what an endpoint gives, or what it should have been and where it is not. */
export type Read<T> =
	| { ok: true; value: T }
	| {
			ok: false;
			/** What the endpoint gives, such as `a list of jobs`. */
			expected: string;
			/** Where the body differs, such as `results[3].success`; empty for the whole. */
			path: string;
			/** What is there instead, with the place, such as `results[3].success is missing`. */
			detail: string;
	  };

/** Numbers count as text where the interface has text: an unquoted GTIN is still a GTIN. */
const text = z.union([z.string(), z.pipe(z.number(), z.transform(String))]);
const filledText = z.pipe(text, z.string().check(z.refine((value) => value.trim() !== '')));
const flag = z.union([
	z.boolean(),
	z.pipe(
		z.string().check(z.refine((word) => isWord(word, 'true') || isWord(word, 'false'))),
		z.transform((word) => isWord(word, 'true')),
	),
]);

const jobSchema = z.looseObject({ job_id: filledText, status: text });

const querySchema = z.looseObject({
	source: z.nullish(text),
	country: z.nullish(text),
	topic: z.nullish(text),
	key: z.nullish(text),
	value: z.nullish(text),
});

/** An object without fields is blank text in XML: nothing there says that it is an object. */
const blankAsObject = (value: unknown) => (isBlank(value) ? {} : value);

const resultSchema = z.looseObject({
	query: z.pipe(
		z.transform((value: unknown) => blankAsObject(value) ?? {}),
		querySchema,
	),
	success: flag,
	reason: z.nullish(text),
	metadata: z.optional(z.pipe(z.transform(blankAsObject), z.nullable(z.looseObject({})))),
	content: z.optional(z.pipe(z.unknown(), z.transform(blankAsObject))),
});

/**
 * A job object, at the root or one level down (`job`, `data`), with `job_id` filled from `id` where it is
 * absent. A body about a job that is known by `knownId` need not repeat the id. `statusIfMissing` is for replies
 * that imply the status, as that to a creation does; elsewhere a job without status is none.
 */
export function readJob(value: unknown, knownId?: string, statusIfMissing?: string): Read<Job> {
	const found = findJob(value, knownId !== undefined);
	const expected = 'a job with "job_id" and "status"';
	if (!found) return mismatch(expected, '', isObject(value) ? 'has none' : `is ${nameOf(value)}`);
	return check<Job>(jobSchema, identified(found, knownId, statusIfMissing), expected);
}

/** A list of jobs: bare, under `data`, `jobs` or `results`, or two of these levels down; empty ones included. */
export function readJobList(value: unknown): Read<Job[]> {
	const expected = 'a list of jobs';
	const list = findList(value, 'job', ['data', 'jobs', 'results']);
	if (!list) return mismatch(expected, '', isObject(value) ? 'has none' : `is ${nameOf(value)}`);
	const jobs = list.map((job) => (isObject(job) ? identified(job, undefined, '') : job));
	return check<Job[]>(z.array(jobSchema), jobs, expected);
}

/**
 * The results of a job, with the root's own fields around them. A bare list of results gets a root with
 * `jobId` and the status `finished`, because only finished jobs can be downloaded.
 * Contents are neither looked into nor copied.
 */
export function readResults(value: unknown, jobId: string): Read<JobResults> {
	const expected = 'a job with its "results"';
	const parts = isObject(value) ? [value, value.job, value.data] : [];
	const root = parts.filter(isObject).find((part) => 'results' in part);
	const results = root?.results === null ? [] : listOf(root ? root.results : value, 'result');
	if (!results && isObject(value)) {
		return mismatch(expected, 'results', root ? `is ${nameOf(root.results)}` : 'is missing');
	}
	if (!results) return mismatch(expected, '', `is ${nameOf(value)}`);
	const job = check<Job>(jobSchema, identified(root ?? {}, jobId, 'finished'), expected);
	if (!job.ok) return job;
	const checked: Result[] = [];
	// One by one, because zod would collect a fault for every one of thousands.
	for (const [index, result] of results.entries()) {
		const read = check<Result>(resultSchema, result, expected, ['results', index]);
		if (!read.ok) return read;
		checked.push(read.value);
	}
	return { ok: true, value: { ...job.value, results: checked } };
}

/** A reply of no set shape as it came: usage figures, or that to a cancel. What is no object goes under `reply`. */
export function readUsage(value: unknown): Read<IDataObject> {
	if (isObject(value)) return { ok: true, value };
	if (value === null || isBlank(value)) return mismatch('an object', '', `is ${nameOf(value)}`);
	return { ok: true, value: { reply: value as IDataObject[string] } };
}

function findJob(value: unknown, isKnown: boolean): IDataObject | undefined {
	if (!isObject(value)) return undefined;
	const parts = [value, value.job, value.data].filter(isObject);
	return (
		parts.find((part) => isFilled(part.job_id)) ??
		parts.find((part) => isFilled(part.id) && isFilled(part.status)) ??
		parts.find((part) => isFilled(part.id)) ??
		(isKnown ? parts.find((part) => isFilled(part.status)) : undefined)
	);
}

function identified(job: IDataObject, id: string | undefined, status: string | undefined): IDataObject {
	return {
		...job,
		job_id: [job.job_id, job.id, id].find(isFilled),
		status: isFilled(job.status) ? job.status : status,
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

/** `T` is the type that the house has for what the schema lets through; `at` is where the value stands. */
function check<T>(
	schema: z.ZodMiniType,
	value: unknown,
	expected: string,
	at: Array<string | number> = [],
): Read<T> {
	const parsed = schema.safeParse(value);
	if (parsed.success) return { ok: true, value: parsed.data as T };
	const steps = parsed.error.issues[0]?.path ?? [];
	const names = [...at, ...steps].map((step) =>
		typeof step === 'number' ? `[${step}]` : `.${String(step)}`,
	);
	const there = steps.reduce<unknown>((part, step) => Object(part)[step], value);
	const detail = there === undefined ? 'is missing' : `is ${nameOf(there)}`;
	return mismatch(expected, names.join('').replace(/^\./, ''), detail);
}

function mismatch(expected: string, path: string, detail: string): Read<never> {
	return { ok: false, expected, path, detail: `${path === '' ? 'the body' : path} ${detail}` };
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

function isWord(value: string, word: string): boolean {
	return value.trim().toLowerCase() === word;
}

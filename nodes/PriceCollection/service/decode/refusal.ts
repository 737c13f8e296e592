import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../types';
import { nestedParts } from './shapes';

/** Why the service did not do what it was asked, in its own words. */
export interface Refusal {
	/** A short phrase to branch on, or the best text there is. */
	reason: string;
	/** The creation parameter it is about. */
	parameter?: string;
	/** For people. */
	comment?: string;
}

/** The reason of a refusal that has no words of its own. */
export const NO_REASON = 'no reason given';

/**
 * The refusal in a decoded body: `success: false` with `reason`, `parameter` and `comment`, or what frameworks make of
 * it: `{ error: text }`, `{ error: { message } }`, `{ errors: […] }`, `{ errors: { field: […] } }`, `{ detail: […] }`,
 * `{ code, msg }`, `{ title, detail }`, a list of these, a text. Undefined for anything else, and for results, whose
 * own `success` is about what was looked up.
 * With a `status` below 400 the body itself must say that the request failed: a mere message, a job that mentions an
 * error, or a number of errors, is a normal reply then.
 */
export function readRefusal(value: unknown, status?: number): Refusal | undefined {
	const certain = status !== undefined && status >= 400;
	if (!isObject(value)) return certain ? refusalOf(wordsIn(value), false) : undefined;
	if (isAboutResults(value)) return undefined;
	const parts = nestedParts(value);
	const words = parts.map(wordsOf).find(({ reason }) => reason !== undefined) ?? {};
	const denied = parts.some((part) => isDenial(field(part, 'success'), words));
	if (certain || status === undefined) return refusalOf(words, denied);
	if (parts.some(isJob)) return undefined;
	if (denied) return refusalOf(words, true);
	const speaks = parts.some(
		(part) => saysError(part) && part.job_id === undefined && part.id === undefined,
	);
	return speaks ? refusalOf(words, false) : undefined;
}

function refusalOf({ reason, parameter, comment }: Words, denied: boolean): Refusal | undefined {
	const said = reason ?? (denied ? NO_REASON : undefined);
	if (said === undefined) return undefined;
	return {
		reason: said,
		...(parameter !== undefined && { parameter }),
		...(comment !== undefined && comment !== said && { comment }),
	};
}

interface Words {
	reason?: string;
	parameter?: string;
	comment?: string;
}

/** The names under which a refusal's text for people is found. */
const COMMENTS = ['message', 'msg', 'detail', 'description', 'error_description', 'error_message'];
/** The names under which there are several errors, or one with fields of its own. */
const INNER = ['error', 'errors', 'detail', 'details', 'fault', 'failure', 'problem'];
/** Words that say that there is no error, or how many there are. */
const NO_ERROR = /^(\d+|false|none|null|nil|ok)$/i;

/** A field by its name, in whatever case and with either dash. */
function field(body: IDataObject, name: string): unknown {
	if (Object.hasOwn(body, name)) return body[name];
	const found = Object.keys(body).find((key) => key.toLowerCase().replaceAll('-', '_') === name);
	return found === undefined ? undefined : body[found];
}

/** What a text, a list of errors or an error object says. */
function wordsIn(value: unknown): Words {
	const text = phrase(value);
	if (text !== undefined) return { reason: text };
	if (Array.isArray(value)) {
		const all = value.map(wordsIn).filter(({ reason }) => reason !== undefined);
		const [first] = all;
		return first === undefined ? {} : { ...first, reason: all.map(({ reason }) => reason).join('; ') };
	}
	return isObject(value) ? wordsOf(value) : {};
}

/** The service's own fields first, then those of common error bodies. */
function wordsOf(body: IDataObject): Words {
	const says = (...names: string[]) =>
		names.map((name) => phrase(field(body, name))).find((found) => found !== undefined);
	const inner = INNER.map((name) => innerWords(field(body, name))).find(
		({ reason }) => reason !== undefined,
	);
	const error = phrase(field(body, 'error'));
	const told = error !== undefined && NO_ERROR.test(error) ? undefined : error;
	const reason = says('reason') ?? told ?? inner?.reason ?? says('message', 'msg', 'title', ...COMMENTS);
	return {
		reason,
		parameter: says('parameter', 'param', 'field') ?? lastOf(field(body, 'loc')) ?? inner?.parameter,
		comment: says('comment') ?? inner?.comment ?? says(...COMMENTS),
	};
}

/** The words of a reason: a text, a list of texts, an object with a message. */
export function reasonIn(value: unknown): string | undefined {
	return phrase(value) ?? innerWords(value).reason;
}

/** What stands under a name for errors: an object, a list, or a map of fields to what is wrong with each. */
function innerWords(value: unknown): Words {
	if (Array.isArray(value)) return wordsIn(value);
	if (!isObject(value)) return {};
	const own = wordsOf(value);
	if (own.reason !== undefined) return own;
	const fields = Object.entries(value).flatMap(([name, texts]) => {
		const { reason } = wordsIn(texts);
		return reason === undefined ? [] : [{ name, text: `${name}: ${reason}` }];
	});
	const [first] = fields;
	if (first === undefined) return {};
	return { reason: fields.map(({ text }) => text).join('; '), parameter: first.name.toLowerCase() };
}

function lastOf(path: unknown): string | undefined {
	return Array.isArray(path) ? phrase(path.at(-1)) : undefined;
}

function phrase(value: unknown): string | undefined {
	if (typeof value !== 'string' || value.trim() === '') return undefined;
	return value.trim();
}

/** Whether an object says that it is an error, and is not merely named like one. */
function saysError(body: IDataObject): boolean {
	const { error, errors } = { error: field(body, 'error'), errors: field(body, 'errors') };
	const text = phrase(error);
	if (text !== undefined) return !NO_ERROR.test(text);
	if (error === true) return true;
	if ([error, errors].some((one) => innerWords(one).reason !== undefined)) return true;
	if ([field(body, 'detail')].flat().some(isFieldError)) return true;
	return (
		isErrorCode(field(body, 'code')) && phrase(field(body, 'msg') ?? field(body, 'message')) !== undefined
	);
}

/** What is wrong with a part of the request, as FastAPI says it. */
function isFieldError(value: unknown): boolean {
	return isObject(value) && Array.isArray(value.loc) && phrase(value.msg) !== undefined;
}

function isErrorCode(code: unknown): boolean {
	const number = Number(code ?? 0);
	return number !== 0 && !(number >= 200 && number < 300) && code !== true;
}

/** `success` as a flag that says no. A zero is one only beside words: it may be the number of successes. */
function isDenial(success: unknown, words: Words): boolean {
	if (success === false) return true;
	if (success === 0 || success === '0') return words.reason !== undefined;
	return typeof success === 'string' && /^(false|no)$/i.test(success.trim());
}

/** Statuses that a refusal may have in the place of a job's. */
const REFUSED_STATUS = /^(error|fail|failed|failure|refused|rejected|invalid|denied)$/i;

/** A job with its status: that it exists counts for more than what is said beside it. */
function isJob(part: IDataObject): boolean {
	const { job_id: jobId, id, status } = part;
	const isNamed = [jobId, id].some(
		(one) => (typeof one === 'string' && one !== '') || typeof one === 'number',
	);
	return (
		isNamed && typeof status === 'string' && status.trim() !== '' && !REFUSED_STATUS.test(status.trim())
	);
}

function isAboutResults(body: IDataObject): boolean {
	return nestedParts(body).some(
		(part) => isObject(part.query) || (Array.isArray(part.results) && part.results.length > 0),
	);
}

import type { IDataObject } from 'n8n-workflow';

import type { Decoded } from './decode/body';
import { fieldOf, NAMES, partsOf, plainField } from './names';
import type { Problem, ProblemKind } from './problems';
import { oneLine } from './text';
import { bareName, effectOf, ENDPOINTS, flagOf, isFilled, isObject, wordOf, type Endpoint } from './types';

const NO_REASON = 'no reason given';

/** Limits: fields examined per object or list, depth, and characters of words kept. */
const [MOST_FIELDS, DEEPEST, MOST_CHARACTERS] = [50, 6, 5_000];
/** Text for people; addresses, times and identifiers are not. */
const WORDS = /(?<![\p{L}\d])\p{L}{2,}(?![\p{L}\d])/u;
const ADDRESS = /^[a-z]{1,9}:\S*$|^\//i;
/** Names of fields that only announce words. Other names are shown as well, as in `country: is missing`. */
const NAMES_OF_WORDS = new Set(NAMES.reason.map(bareName).concat('title', 'description'));
/** Fields that say whether the request succeeded. They and the parameter's name are not a reason. */
const VERDICTS = [...NAMES.status, 'result', 'outcome'];
const NO_WORDS = new Set([...VERDICTS, 'success', 'ok', 'parameter']);
const REFUSED = /^(error|errored|fail|failed|failure|refused|rejected)$/;
const NO_ERROR = /^(\d+|false|no|none|null|nil|ok|)$/i;

const isText = (value: unknown): value is string => typeof value === 'string' && isFilled(value);
const httpError = (value: unknown) => /^[45]\d\d(?!\d)/.exec(wordOf(value))?.[0];
const codesIn = ({ status, code, status_code }: IDataObject) =>
	[status, code, status_code].flatMap((value) => httpError(value) ?? []);

function* textsIn(value: unknown, name = '', levels = DEEPEST): Generator<string> {
	if (typeof value === 'string') {
		const text = value.slice(0, MOST_CHARACTERS).trim();
		const isSaid = WORDS.test(text) && !ADDRESS.test(text);
		const isNamed = name !== '' && !NAMES_OF_WORDS.has(bareName(name));
		if (isSaid) yield isNamed ? `${name.slice(0, 40)}: ${text}` : text;
	} else if (typeof value === 'object' && value !== null && levels > 0) {
		for (const [key, field] of Object.entries(value).slice(0, MOST_FIELDS)) {
			const isList = Array.isArray(value);
			if (isList || isObject(field) || !NO_WORDS.has(bareName(key)))
				yield* textsIn(field, isList ? name : key, levels - 1);
		}
	}
}

function wordsIn(value: unknown): string[] {
	const words = new Set<string>();
	let left = MOST_CHARACTERS;
	for (const text of textsIn(value)) {
		words.add(text);
		left -= text.length;
		if (left <= 0) break;
	}
	return [...words];
}

/** Joins texts, with a semicolon after those that have no full stop. */
const joined = (words: readonly string[]) => words.join('; ').replace(/([.!?]); /g, '$1 ');

/** The words of a reason of any shape, in their order. */
export function reasonIn(value: unknown): string | undefined {
	return isText(value) ? value.trim() : joined(wordsIn(value)) || undefined;
}

/** The words of the first field that speaks of an error. */
export function errorIn(...values: unknown[]): string | undefined {
	return values.map(reasonIn).find((text = '') => !NO_ERROR.test(text));
}

/** Whether one object of a reply speaks of an error: by a flag, a status, an HTTP status or an error field. */
export function speaksOfError(part: IDataObject): boolean {
	const { success, ok, error, errors } = part;
	// A zero may be a number of successes.
	const saysNo = (flag: unknown) =>
		flagOf(flag) === false && (wordOf(flag) !== '0' || wordsIn(part).length > 0);
	if ([success, ok].some(saysNo) || VERDICTS.some((name) => REFUSED.test(wordOf(part[name])))) return true;
	return codesIn(part).length > 0 || error === true || errorIn(error, errors) !== undefined;
}

/**
 * Whether an object is a job, which counts for more than any error beside it: it has a status, and a `job_id`, the
 * requested ID, or an `id` where nothing speaks of an error.
 */
function isJob(part: IDataObject, jobId?: string): boolean {
	if (!isText(fieldOf(part, 'status')) || codesIn(part).length > 0) return false;
	const id = plainField(part, 'id');
	const isOwn = id !== undefined && (String(id) === jobId || !speaksOfError(part));
	return plainField(part, 'jobId') !== undefined || isOwn;
}

/**
 * Reads the refusal in a decoded body: its `reason`, or else all its texts in their order, the texts beside it, the
 * parameter and the HTTP status that it names. With an HTTP status below 400 the body itself must speak of an error.
 */
export function readRefusal(value: unknown, status: number, jobId?: string) {
	const parts = partsOf(value);
	const hasResults = parts.some(({ results }) => Array.isArray(results) && results.length > 0);
	const isRefused = status >= 400 || parts.some(speaksOfError);
	if (!isRefused || hasResults || (status < 400 && parts.some((part) => isJob(part, jobId))))
		return undefined;
	const words = wordsIn(value);
	if (status >= 400 && words.length === 0) return undefined;
	const firstText = (name: string) => parts.map((part) => part[name]).find(isText);
	const told = firstText('reason')?.trim();
	const comment = joined(words.filter((text) => text !== told));
	const [code] = parts.flatMap(codesIn);
	return {
		reason: told ?? (comment || NO_REASON),
		parameter: firstText('parameter'),
		comment: told === undefined || comment === '' ? undefined : comment,
		status: code === undefined ? undefined : Number(code),
	};
}

/** What the documented phrases mean. Other words are shown and never interpreted. */
const KINDS_OF_PHRASES: Readonly<Record<string, ProblemKind>> = {
	unauthorized: 'unauthorized',
	'missing parameter': 'missingParameter',
	'parameter value invalid': 'invalidValue',
	'invalid value': 'invalidValue',
	'unknown source': 'unknownSource',
	'unsupported country': 'unsupported',
	'unsupported key': 'unsupported',
	'source disabled': 'unsupported',
	'key disabled': 'unsupported',
	'value disabled': 'unsupported',
	'not enough free credits': 'noCredits',
	'daily quota exceeded': 'noCredits',
	'too many values': 'tooManyValues',
	'too many requests': 'rateLimited',
	'job not found': 'jobNotFound',
	'job forbidden': 'forbidden',
	'not finished': 'notFinished',
};

const KIND_OF_STATUS: Readonly<Record<number, ProblemKind>> = {
	401: 'unauthorized',
	402: 'noCredits',
	403: 'forbidden',
	405: 'wrongAddress',
	406: 'formatRefused',
	408: 'timedOut',
	415: 'formatRefused',
	425: 'notFinished',
	429: 'rateLimited',
	504: 'timedOut',
};

/** @param hasWords whether the service said anything; a web page is not the service's */
function kindOfStatus(status: number, endpoint: Endpoint, hasWords: boolean): ProblemKind {
	if (status === 404 || status === 410) {
		if (endpoint.ofJob) return hasWords ? 'jobNotFound' : 'nothingThere';
		return hasWords ? 'refused' : 'wrongAddress';
	}
	if (status === 409 && endpoint === ENDPOINTS.cancel) return 'jobOver';
	if (status === 409 && endpoint === ENDPOINTS.download) return 'notFinished';
	return KIND_OF_STATUS[status] ?? (status >= 500 ? 'unavailable' : 'refused');
}

/** What arrived instead of data or of the service's own words. */
function detailOf(body: Decoded, excerpt: string, redact: (text: string) => string): string | undefined {
	if (body.ok) return excerpt === '' ? undefined : `Its answer begins with: ${excerpt}`;
	// A load balancer's page does not help the user; it is quoted for technical problems only.
	if (body.problem === 'empty' || body.problem === 'html') return undefined;
	return `${redact(body.detail)}. It begins with: ${excerpt}`;
}

const SAYS_MISSING = /missing|required|blank|empty|mandatory|provide/i;

/** Advice for a refusal that misses a parameter: one that was sent was not understood; Source may not be chosen. */
function aboutParameters(said: string, parameter: string | undefined, sent: IDataObject): string | undefined {
	const isNamed = (name: string) =>
		(parameter ?? said)
			.toLowerCase()
			.split(/[^\w]+/)
			.includes(name);
	if (isNamed('source') && !('source' in sent)) return 'Choose a Source in the node';
	if (!SAYS_MISSING.test(said) || !Object.keys(sent).some(isNamed)) return undefined;
	return 'The parameter was sent. If the service does not read it, change Request Body (JSON or Form) under Customize Service in the credential';
}

/** A reply, as far as it shows a refusal. */
export interface ReplyToJudge {
	status: number;
	body: Decoded;
	retryAfterMs?: number;
	/** The beginning of the body, without secrets. */
	excerpt: string;
	/** The job that was asked for, and the parameters that were sent. */
	jobId?: string;
	sent?: IDataObject;
}

const LONGEST_WORDS = 500;

/**
 * The only place that decides whether a reply, status and body together, is a refusal; undefined if it is an
 * answer. A documented phrase says what it means, except in a 5xx; otherwise the HTTP status does.
 */
export function refusalIn(
	{ body, excerpt, retryAfterMs, jobId, sent = {}, ...reply }: ReplyToJudge,
	endpoint: Endpoint,
	redact: (text: string) => string,
): Problem | undefined {
	const refusal = body.ok ? readRefusal(body.value, reply.status, jobId) : undefined;
	// A success status around a refusal means nothing: the status in the body counts.
	const status = reply.status < 400 ? (refusal?.status ?? reply.status) : reply.status;
	const isTheirs = status >= 500 || status === 408;
	// The service may have started the work in spite of the error.
	const mayHaveBegun = isTheirs || (status < 400 && refusal === undefined);
	const effect = mayHaveBegun ? effectOf(endpoint) : 'none';
	const common = { endpoint, status: reply.status, retryAfterMs, effect } as const;
	const detail = detailOf(body, excerpt, redact);
	if (refusal === undefined) {
		if (status >= 400) return { ...common, kind: kindOfStatus(status, endpoint, false), detail };
		if (body.ok) return undefined;
		const kind = body.problem === 'html' ? 'htmlBody' : 'unreadableBody';
		return { ...common, kind: body.truncated ? 'truncatedBody' : kind, detail };
	}
	const clean = (text = '') => oneLine(text, LONGEST_WORDS, redact) || undefined;
	const [reason = '', comment, parameter] = [refusal.reason, refusal.comment, refusal.parameter].map(clean);
	const phrase = reason.toLowerCase().replace(/[_-]+/g, ' ').replace(/[.!]$/, '');
	const known = isTheirs || !Object.hasOwn(KINDS_OF_PHRASES, phrase) ? undefined : KINDS_OF_PHRASES[phrase];
	const kind = known ?? kindOfStatus(status, endpoint, true);
	const advice = endpoint.changes
		? aboutParameters(`${reason} ${comment ?? ''}`, parameter, sent)
		: undefined;
	return { ...common, kind, reason, comment, parameter, detail: reason === NO_REASON ? detail : advice };
}

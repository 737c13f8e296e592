import type { Decoded } from './decode/body';
import type { Problem, ProblemKind } from './problems';
import { oneLine } from './text';
import { bareName, effectOf, ENDPOINTS, isFilled, isObject, wordOf, type Endpoint } from './types';

const NO_REASON = 'no reason given';

/** Limits: fields examined per object or list, depth, and characters of words kept. */
const [MOST_FIELDS, DEEPEST, MOST_CHARACTERS] = [50, 6, 5_000];
/** Text for people; addresses, times and identifiers are not. */
const WORDS = /(?<![\p{L}\d])\p{L}{2,}(?![\p{L}\d])/u;
const ADDRESS = /^[a-z]{1,9}:\S*$|^\//i;
/** Field names that only announce words. Other names are included, as in `country: is missing`. */
const NAMES_WORDS =
	/(^|error|message|msg|reason|title|details?|description|comment|text|failure|violation)s?$/;
/** Fields that say whether the request succeeded. They and the parameter's name are not a reason. */
const VERDICTS = ['status', 'state', 'result', 'outcome'];
const FLAGS = [...VERDICTS, 'success', 'ok'];
const NO_WORDS = new Set([...FLAGS, 'parameter']);
const CODES = ['status', 'code', 'statuscode', 'httpstatus', 'errorcode'];
const REFUSED =
	/^(error|exception|fail|failed|failure|refused|rejected|invalid|denied|forbidden|unauthori[sz]ed)$/;
const NO_ERROR = /^(\d+|false|no|none|null|nil|ok|)$/i;

const isText = (value: unknown): value is string => typeof value === 'string' && isFilled(value);
const httpError = (value: unknown) => /^[45]\d\d(?!\d)/.exec(wordOf(value))?.[0];

type Part = Readonly<Record<string, unknown>>;

/** An object and its nested objects, outermost first, without results and queries. */
function partsOf(value: unknown, levels = 3): Part[] {
	if (!isObject(value) || levels === 0) return [];
	const fields = Object.entries(value).slice(0, MOST_FIELDS);
	const inner = fields.filter(([name]) => !/^(results|content|query)$/.test(name));
	const part = Object.fromEntries(fields.reverse().map(([name, field]) => [bareName(name), field]));
	return [part, ...inner.flatMap(([, field]) => partsOf(field, levels - 1))];
}

function* textsIn(value: unknown, name = '', levels = DEEPEST): Generator<string> {
	if (typeof value === 'string') {
		const text = value.slice(0, MOST_CHARACTERS).trim();
		const isSaid = WORDS.test(text) && !ADDRESS.test(text);
		if (isSaid) yield NAMES_WORDS.test(bareName(name)) ? text : `${name.slice(0, 40)}: ${text}`;
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

/** The words of a reason of any shape. */
export function reasonIn(value: unknown): string | undefined {
	return isText(value) ? value.trim() : joined(wordsIn(value)) || undefined;
}

/** The words of an error field, unless it says that there is no error. */
export function errorIn(...values: unknown[]): string | undefined {
	return values.map(reasonIn).find((text = '') => !NO_ERROR.test(text));
}

/** Whether a part reports an error: by a status, a code or an error field. */
function saysError(part: Part): boolean {
	if (VERDICTS.some((name) => REFUSED.test(wordOf(part[name])))) return true;
	if (CODES.some((name) => httpError(part[name])) || part.error === true) return true;
	const { error, errors, message, msg } = part;
	if (errorIn(error, errors) !== undefined) return true;
	return /^(?!2\d\d$)-?[1-9]\d*$/.test(wordOf(part.code)) && [message, msg].some(isText);
}

const hasId = ({ jobid, id }: Part) => wordOf(jobid ?? id) !== '';
/** A job with its status: that it exists counts for more than any error beside it. */
const isJob = (part: Part) =>
	hasId(part) && isText(part.status) && !REFUSED.test(wordOf(part.status)) && !httpError(part.status);
const isAboutResults = ({ query, results }: Part) =>
	isObject(query) || (Array.isArray(results) && results.length > 0);

/**
 * Reads the refusal in a decoded body of any shape: its `reason` or else all its texts in their order, the texts
 * beside it, the parameter and the HTTP status that it names. With an HTTP status below 400 the body itself
 * must say that the request failed; an error beside a job ID is not enough.
 */
export function readRefusal(value: unknown, status: number) {
	const parts = partsOf(value);
	if (parts.some(isAboutResults)) return undefined;
	const saysNo = parts.some((part) => FLAGS.some((name) => /^(false|no)$/.test(wordOf(part[name]))));
	const isZero = parts.some(({ success, ok }) => [success, ok].some((flag) => wordOf(flag) === '0'));
	const failed = parts.some((part) => saysError(part) && !hasId(part));
	if (status < 400 && (parts.some(isJob) || !(saysNo || failed || isZero))) return undefined;
	const words = wordsIn(value);
	// A zero only means failure if there are words beside it: it may be the number of successes.
	if (words.length === 0 && !saysNo && !(status < 400 && failed)) return undefined;
	const firstText = (...names: string[]) =>
		parts.flatMap((part) => names.map((name) => part[name])).find(isText);
	const told = firstText('reason')?.trim();
	const comment = joined(words.filter((text) => text !== told));
	const inner = parts.flatMap((part) => CODES.map((name) => httpError(part[name]))).find(isText);
	return {
		reason: told ?? (comment || NO_REASON),
		parameter: firstText('parameter', 'param', 'field'),
		comment: told === undefined || comment === '' ? undefined : comment,
		status: failed && inner !== undefined ? Number(inner) : undefined,
	};
}

const LONGEST_WORDS = 500;

const NOT_GOOD =
	/not found|unknown|expired|invalid|revoked|missing|required|disabled|inactive|wrong|incorrect/;
const NOT_FOUND = /not found|unknown job|no such job|there is no job\b|^gone$|expired/;
/** How servers describe a missing endpoint, as opposed to something that the request names. */
const BARE_NOT_FOUND =
	/^(http )?(404 )?((the )?(requested )?(page|route|url|resource|endpoint|path|address)( was| is|s)? )?not found\.?( 404)?$/;
/** Words about version 1 or its retired address, as opposed to an expired job. */
const RETIRED =
	/retired|deprecated|shut ?down|no longer (accepted|supported|served|available here)|version 1\b|\bv1\b/;

/** The request that the words answer, and their HTTP status. */
interface Place {
	endpoint: Endpoint;
	status: number;
	reason: string;
	/** The reason together with the texts beside it. */
	all: string;
}

/** What the service's words mean, and for which replies. The first match counts. */
const KINDS_OF_WORDS: ReadonlyArray<readonly [ProblemKind, RegExp, ((at: Place) => boolean)?]> = [
	// The key, account or plan is not valid; not the job or a parameter that happens to be named key.
	['planLimit', /\b(subscription|plan|licen[cs]e|trial|contract)\b/, ({ reason }) => NOT_GOOD.test(reason)],
	[
		'unauthorized',
		/\b(api ?keys?|tokens?|credentials?|authorization|account|user|client)\b/,
		({ reason }) => NOT_GOOD.test(reason),
	],
	['unauthorized', /\bkey\b/, ({ status, reason }) => [401, 403].includes(status) && NOT_GOOD.test(reason)],
	['unauthorized', /unauthori[sz]ed|invalid key|authenticat/],
	[
		'jobOver',
		/already|\bover\b|finished|terminated|completed|ended|cancell?ed|cannot be cancel/,
		({ endpoint, reason }) => endpoint === ENDPOINTS.cancel && !NOT_FOUND.test(reason),
	],
	['missingParameter', /missing parameter/],
	['rateLimited', /too many requests|rate limit|per (second|minute)/],
	['noCredits', /not enough|insufficient|\bno (\w+ ){0,3}credit|payment required|quota/],
	['tooManyValues', /too many values/],
	[
		'unknownSource',
		/(unknown|invalid|such|is no) source|\bsource\b.{0,80}(not found|unknown|does not exist)/,
	],
	['invalidValue', /invalid value|value invalid|parameter invalid|invalid parameter/],
	['unsupported', /unsupported|not supported|disabled/],
	['planLimit', /not allowed|upgrade/],
	['retired', /^/, ({ all }) => RETIRED.test(all)],
	// Any other 401 is about the key.
	['unauthorized', /^/, ({ status }) => status === 401],
	['notFinished', /not finished|not ready|still (running|working)|not (yet )?complete/],
	[
		'notFinished',
		/\byet\b|\bstill\b|in progress|pending|queued|being processed|too early/,
		({ endpoint, status }) => endpoint.ofJob && status < 500,
	],
	['forbidden', /forbidden/],
	['jobNotFound', NOT_FOUND, ({ endpoint }) => endpoint.ofJob],
	['retired', /^gone$/],
	// On an endpoint without a job, the endpoint or something that the request names is missing.
	['wrongAddress', NOT_FOUND, ({ status, endpoint }) => status === 404 && !endpoint.changes],
	['wrongAddress', /^/, ({ reason }) => reason.split('; ').some((one) => BARE_NOT_FOUND.test(one))],
	['invalidValue', NOT_FOUND],
	['cancelled', /\bcancell?ed\b/],
	// Temporary conditions that arrive as a refusal.
	['unavailable', /unavailable|maintenance|overload|internal|try again/],
];

const KIND_OF_STATUS: Readonly<Record<number, ProblemKind>> = {
	401: 'unauthorized',
	402: 'noCredits',
	403: 'forbidden',
	404: 'wrongAddress',
	405: 'wrongAddress',
	406: 'formatRefused',
	408: 'timedOut',
	410: 'retired',
	415: 'formatRefused',
	425: 'notFinished',
	429: 'rateLimited',
	504: 'timedOut',
};

function kindOfStatus(status: number, endpoint: Endpoint): ProblemKind {
	if (endpoint.ofJob && (status === 404 || status === 410)) return 'jobNotFound';
	if (status === 409 && endpoint === ENDPOINTS.cancel) return 'jobOver';
	if (status === 409 && endpoint === ENDPOINTS.download) return 'notFinished';
	return KIND_OF_STATUS[status] ?? (status >= 500 ? 'unavailable' : 'refused');
}

/** What a refusal without words means. One that another server wrote says more about the address. */
function kindOfWordless(status: number, endpoint: Endpoint, body: Decoded, excerpt: string): ProblemKind {
	const isForeign = !body.ok && body.problem !== 'empty';
	if (isForeign && (status === 410 || RETIRED.test(excerpt.toLowerCase()))) return 'retired';
	return isForeign && status === 404 ? 'wrongAddress' : kindOfStatus(status, endpoint);
}

/** What arrived instead of data or of the service's own words. */
function detailOf(body: Decoded, excerpt: string, redact: (text: string) => string): string | undefined {
	if (body.ok) return excerpt === '' ? undefined : `Its answer begins with: ${excerpt}`;
	// A load balancer's page does not help the user; it is quoted for technical problems only.
	if (body.problem === 'empty' || body.problem === 'html') return undefined;
	return `${redact(body.detail)}. It begins with: ${excerpt}`;
}

/**
 * The only place that decides whether a reply, status and body together, is a refusal; undefined if it is an
 * answer. `excerpt`: the beginning of the body, without secrets.
 */
export function refusalIn(
	reply: { status: number; body: Decoded; retryAfterMs?: number; excerpt: string },
	endpoint: Endpoint,
	redact: (text: string) => string,
): Problem | undefined {
	const { body, excerpt, retryAfterMs } = reply;
	const refusal = body.ok ? readRefusal(body.value, reply.status) : undefined;
	// A success status around a refusal means nothing: the status in the body counts.
	const status = reply.status < 400 ? (refusal?.status ?? reply.status) : reply.status;
	// The service may have started the work in spite of the error.
	const mayHaveBegun = status >= 500 || status === 408 || (status < 400 && refusal === undefined);
	const effect = mayHaveBegun ? effectOf(endpoint) : 'none';
	const common = { endpoint, status: reply.status, retryAfterMs, effect } as const;
	const detail = detailOf(body, excerpt, redact);
	if (refusal === undefined) {
		if (status >= 400)
			return { ...common, kind: kindOfWordless(status, endpoint, body, excerpt), detail };
		if (body.ok) return undefined;
		const kind = body.problem === 'html' ? 'htmlBody' : 'unreadableBody';
		return { ...common, kind: body.truncated ? 'truncatedBody' : kind, detail };
	}
	const clean = (text = '') => oneLine(text, LONGEST_WORDS, redact) || undefined;
	const [reason = '', comment, parameter] = [refusal.reason, refusal.comment, refusal.parameter].map(clean);
	const plain = (text: string) => text.toLowerCase().replace(/[_-]+/g, ' ').trim();
	const at = { endpoint, status, reason: plain(reason), all: plain(`${reason} ${comment ?? ''}`) };
	const known = KINDS_OF_WORDS.find(([, words, isAt]) => words.test(at.reason) && isAt?.(at) !== false);
	const kind = known?.[0] ?? kindOfStatus(status, endpoint);
	return { ...common, kind, reason, comment, parameter, detail: reason === NO_REASON ? detail : undefined };
}

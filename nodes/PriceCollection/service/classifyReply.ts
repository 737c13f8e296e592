import type { Decoded } from './decode/body';
import { NO_REASON, type Refusal } from './decode/refusal';
import { effectOf, ENDPOINTS, type Endpoint } from './endpoints';
import type { Problem, ProblemKind } from './problems';
import { oneLine } from './text';

/** Longest part of each of the service's texts that is examined and shown. */
const LONGEST_WORDS = 500;

/** A pattern that words must match, or two of them. */
type Test = Pick<RegExp, 'test'>;
const both = (...tests: Test[]): Test => ({ test: (words) => tests.every((one) => one.test(words)) });

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
	/** The reason together with the texts beside it. */
	all: string;
}

/** What the service's words mean, and for which replies. The first match counts. */
const KINDS_OF_WORDS: ReadonlyArray<readonly [ProblemKind, Test, ((at: Place) => boolean)?]> = [
	// The key, account or plan is not valid; not the job or a parameter that happens to be named key.
	['planLimit', both(/\b(subscription|plan|licen[cs]e|trial|contract)\b/, NOT_GOOD)],
	[
		'unauthorized',
		both(/\b(api ?keys?|tokens?|credentials?|authorization|account|user|client)\b/, NOT_GOOD),
	],
	['unauthorized', both(/\bkey\b/, NOT_GOOD), ({ status }) => status === 401 || status === 403],
	['unauthorized', /unauthori[sz]ed|invalid key|authentication/],
	[
		'jobOver',
		both(/already|\bover\b|finished|terminated|completed|ended|cancell?ed|cannot be cancel/, {
			test: (words) => !NOT_FOUND.test(words),
		}),
		({ endpoint }) => endpoint === ENDPOINTS.cancel,
	],
	['missingParameter', /missing parameter/],
	['noCredits', /not enough|insufficient|\bno (\w+ ){0,3}credit|payment required|quota/],
	['tooManyValues', /too many values/],
	['rateLimited', /too many requests|rate limit/],
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
	['forbidden', /forbidden/],
	['jobNotFound', NOT_FOUND, ({ endpoint }) => endpoint.ofJob],
	['retired', /^gone$/],
	// On an endpoint without a job, the endpoint or something that the request names is missing.
	['wrongAddress', NOT_FOUND, ({ status, endpoint }) => status === 404 && !endpoint.changes],
	['wrongAddress', { test: (words) => words.split('; ').some((one) => BARE_NOT_FOUND.test(one)) }],
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
 * The only place that decides whether a reply, status and body together, is an answer or a refusal.
 *
 * @param reply `refusal`: the refusal in the body, if any; `excerpt`: its beginning, without secrets
 * @param redact removes secrets from a text
 * @returns undefined when the reply is an answer
 */
export function classifyReply(
	reply: { status: number; body: Decoded; refusal?: Refusal; retryAfterMs?: number; excerpt: string },
	endpoint: Endpoint,
	redact: (text: string) => string,
): Problem | undefined {
	const { body, refusal, excerpt, retryAfterMs } = reply;
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
	const plain = (text = '') => text.toLowerCase().replace(/[_-]+/g, ' ').trim();
	const at = { endpoint, status, all: plain(`${reason} ${comment ?? ''}`) };
	const known = KINDS_OF_WORDS.find(([, words, isAt]) => words.test(plain(reason)) && isAt?.(at) !== false);
	const kind = known?.[0] ?? kindOfStatus(status, endpoint);
	return { ...common, kind, reason, comment, parameter, detail: reason === NO_REASON ? detail : undefined };
}

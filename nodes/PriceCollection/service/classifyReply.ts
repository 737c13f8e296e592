import { NO_REASON, type Refusal } from './decode/refusal';
import type { Decoded } from './decode/body';
import { effectOf, ENDPOINTS, type Endpoint } from './endpoints';
import type { Problem, ProblemKind } from './problems';
import { oneLine } from './text';

/** So much of each of the service's words is shown, and looked at. */
const LONGEST_WORDS = 500;

/** Whose key, account or plan is not good for this, rather than the job or a parameter that is called key. */
const ABOUT_ACCESS = /\b(api ?keys?|tokens?|credentials?|authorization|account|user|client)\b/;
const ABOUT_PLAN = /\b(subscription|plan|licen[cs]e|trial|contract)\b/;
const NOT_GOOD =
	/not found|unknown|expired|invalid|revoked|missing|required|disabled|inactive|wrong|incorrect/;

/** Reasons that are documented or were seen, by what they mean. */
const KIND_OF_REASON: ReadonlyArray<readonly [RegExp, ProblemKind]> = [
	[/unauthori[sz]ed|invalid key|authentication/, 'unauthorized'],
	[/missing parameter/, 'missingParameter'],
	[/not enough|insufficient|\bno (\w+ ){0,3}credit|payment required|quota/, 'noCredits'],
	[/too many values/, 'tooManyValues'],
	[/too many requests|rate limit/, 'rateLimited'],
	[
		/(unknown|invalid|such|is no) source|\bsource\b.{0,80}(not found|unknown|does not exist)/,
		'unknownSource',
	],
	[/invalid value|value invalid|parameter invalid|invalid parameter/, 'invalidValue'],
	[/unsupported|not supported|disabled/, 'unsupported'],
	[/not allowed|upgrade/, 'planLimit'],
	[/not finished|not ready|still (running|working)|not (yet )?complete/, 'notFinished'],
	[/forbidden/, 'forbidden'],
	[/not found|unknown job|no such job|there is no job\b|^gone$|expired/, 'jobNotFound'],
];

/** What a missing endpoint is called, as opposed to something that the request names. */
const BARE_NOT_FOUND =
	/^(http )?(404 )?((the )?(requested )?(page|route|url|resource|endpoint|path|address)( was| is|s)? )?not found\.?( 404)?$|cannot (get|post) |no route/;
/** What says that version 1 or its address is meant, not a job that is gone. */
const RETIRED =
	/retired|deprecated|shut ?down|no longer (accepted|supported|served|available here)|version 1\b|\bv1\b/;
/** What a cancel is told when the job had already ended, whichever way. */
const ALREADY_OVER = /already|\bover\b|finished|terminated|completed|ended|cancell?ed|cannot be cancel/;
/** Reasons that pass with time although they come as a refusal. */
const UNAVAILABLE_REASON = /unavailable|maintenance|overload|internal|try again/;

/** Kinds of which a 401 only says that it is about the key. */
const BECAUSE_OF_ACCESS: ReadonlySet<ProblemKind | undefined> = new Set<ProblemKind | undefined>([
	...([undefined, 'jobNotFound', 'notFinished', 'forbidden'] as const),
]);

/** What words say about who asks. Of a key, where the status does not say so, only in unmistakable terms. */
function kindOfAccess(reason: string, status: number): ProblemKind | undefined {
	if (!NOT_GOOD.test(reason)) return undefined;
	if (ABOUT_PLAN.test(reason)) return 'planLimit';
	const isKey = (status === 401 || status === 403) && /\bkey\b/.test(reason);
	return ABOUT_ACCESS.test(reason) || isKey ? 'unauthorized' : undefined;
}

/** What the service's words and the HTTP status mean together. */
function kindOfReason(
	words: string,
	comment = '',
	endpoint: Endpoint,
	status: number,
): ProblemKind | undefined {
	const [reason, more] = [words, comment].map((text) => text.toLowerCase().replace(/[_-]+/g, ' ').trim());
	if (reason === undefined) return undefined;
	const known =
		kindOfAccess(reason, status) ?? KIND_OF_REASON.find(([pattern]) => pattern.test(reason))?.[1];
	const isUnsure = known === undefined || known === 'jobNotFound' || known === 'notFinished';
	if (isUnsure && RETIRED.test(`${reason} ${more}`)) return 'retired';
	const mayBeOver = endpoint === ENDPOINTS.cancel && known !== 'unauthorized' && known !== 'jobNotFound';
	if (mayBeOver && ALREADY_OVER.test(reason)) return 'jobOver';
	if (status === 401 && BECAUSE_OF_ACCESS.has(known)) return 'unauthorized';
	if (known === undefined && /\bcancell?ed\b/.test(reason)) return 'cancelled';
	if (known !== 'jobNotFound')
		return known ?? (UNAVAILABLE_REASON.test(reason) ? 'unavailable' : undefined);
	if (status === 403 && !/\bjob\b|^not found/.test(reason)) return 'forbidden';
	if (endpoint.ofJob) return 'jobNotFound';
	if (reason === 'gone') return 'retired';
	// On an endpoint without a job it says that the endpoint is missing, or something that the request names.
	const isBare = reason.split('; ').some((text) => BARE_NOT_FOUND.test(text));
	return isBare || (status === 404 && !endpoint.changes) ? 'wrongAddress' : 'invalidValue';
}

const KIND_OF_STATUS: Readonly<Record<number, ProblemKind>> = {
	401: 'unauthorized',
	402: 'noCredits',
	403: 'forbidden',
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
	if (status === 404 || status === 410) {
		if (endpoint.ofJob) return 'jobNotFound';
		return status === 404 ? 'wrongAddress' : 'retired';
	}
	if (status === 409 && endpoint === ENDPOINTS.cancel) return 'jobOver';
	if (status === 409 && endpoint === ENDPOINTS.download) return 'notFinished';
	return KIND_OF_STATUS[status] ?? (status >= 500 ? 'unavailable' : 'refused');
}

/** What a status means whose body has no words of the service: those of another server say more about the address. */
function kindOfWordless(status: number, endpoint: Endpoint, body: Decoded, excerpt: string): ProblemKind {
	const isForeign = !body.ok && body.problem !== 'empty';
	if (isForeign && (status === 410 || RETIRED.test(excerpt.toLowerCase()))) return 'retired';
	return isForeign && status === 404 ? 'wrongAddress' : kindOfStatus(status, endpoint);
}

/** What came instead of data, or of words of the service. */
function detailOf(body: Decoded, excerpt: string, redact: (text: string) => string): string | undefined {
	if (body.ok) return excerpt === '' ? undefined : `Its answer begins with: ${excerpt}`;
	// The page of a load balancer helps nobody; its first words are for the technical kinds only.
	if (body.problem === 'empty' || body.problem === 'html') return undefined;
	return `${redact(body.detail)}. It begins with: ${excerpt}`;
}

/**
 * The one judgement on replies: whether status and body together are an answer or a refusal.
 *
 * @param reply `refusal`: what the body says of one, when it says something; `excerpt`: how it begins, without secrets
 * @param redact takes secrets out of a text
 * @returns undefined when the reply is an answer
 */
export function classifyReply(
	reply: { status: number; body: Decoded; refusal?: Refusal; retryAfterMs?: number; excerpt: string },
	endpoint: Endpoint,
	redact: (text: string) => string,
): Problem | undefined {
	const { body, refusal, excerpt, retryAfterMs } = reply;
	// A status of success around a refusal says nothing: that of the body counts.
	const status = reply.status < 400 ? (refusal?.status ?? reply.status) : reply.status;
	// The service may have begun the work, whatever it says about it.
	const mayHaveBegun = status >= 500 || status === 408 || (status < 400 && refusal === undefined);
	const effect = mayHaveBegun ? effectOf(endpoint) : 'none';
	const detail = detailOf(body, excerpt, redact);
	const common = { endpoint, status: reply.status, retryAfterMs, effect, detail } as const;
	if (refusal !== undefined) {
		const clean = (text = '') => oneLine(text, LONGEST_WORDS, redact) || undefined;
		const [reason = '', comment] = [clean(refusal.reason), clean(refusal.comment)];
		const kind = kindOfReason(reason, comment, endpoint, status) ?? kindOfStatus(status, endpoint);
		const said = { reason, comment, parameter: clean(refusal.parameter) };
		return { ...common, ...said, kind, detail: reason === NO_REASON ? detail : undefined };
	}
	if (status >= 400) return { ...common, kind: kindOfWordless(status, endpoint, body, excerpt) };
	if (body.ok) return undefined;
	const kind = body.problem === 'html' ? 'htmlBody' : 'unreadableBody';
	return { ...common, kind: body.truncated ? 'truncatedBody' : kind };
}

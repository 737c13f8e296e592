import { excerptOf, type BodyProblem, type Decoded } from './decode/body';
import { NO_REASON, type Refusal } from './decode/refusal';
import { effectOf } from './endpoints';
import type { Problem, ProblemKind } from './problems';

/** Whose key, account or plan is not good for this, rather than the job or a parameter that is called key. */
const ABOUT_ACCESS = /\b(api[ -]?keys?|tokens?|credentials?|authorization|account|user|client)\b/;
const ABOUT_PLAN = /\b(subscription|plan|licen[cs]e|trial|contract)\b/;
const NOT_GOOD =
	/not found|unknown|expired|invalid|revoked|missing|required|disabled|inactive|wrong|incorrect/;

/** Reasons that are documented or were seen, by what they mean. */
const KIND_OF_REASON: ReadonlyArray<readonly [RegExp, ProblemKind]> = [
	[/unauthori[sz]ed|invalid key|authentication/, 'unauthorized'],
	[/missing parameter/, 'missingParameter'],
	[/not enough|insufficient|no .*credit|payment required/, 'noCredits'],
	[/quota/, 'quotaExceeded'],
	[/too many values/, 'tooManyValues'],
	[/too many requests|rate limit/, 'rateLimited'],
	[
		/(unknown|invalid) source|\bsource\b.*(not found|unknown|does not exist)|no such source|there is no source/,
		'unknownSource',
	],
	[/invalid value|value invalid|parameter invalid|invalid parameter/, 'invalidValue'],
	[/unsupported|not supported/, 'unsupported'],
	[/disabled/, 'disabled'],
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

/** So much of each of the service's words is shown. */
const LONGEST_WORDS = 500;

/** Reasons that pass with time although they come as a refusal. */
const UNAVAILABLE_REASON = /unavailable|maintenance|overload|internal|try again/;

function normalise(text: string): string {
	return text.toLowerCase().replace(/[_-]+/g, ' ').trim();
}

/** What words say about who asks. Of a key, where the status does not say so, only in unmistakable terms. */
function kindOfAccess(reason: string, status: number): ProblemKind | undefined {
	if (!NOT_GOOD.test(reason)) return undefined;
	if (ABOUT_PLAN.test(reason)) return 'planLimit';
	const isKey = (status === 401 || status === 403) && /\bkey\b/.test(reason);
	return ABOUT_ACCESS.test(reason) || isKey ? 'unauthorized' : undefined;
}

/** Kinds that a status of 401 or 403 does not make any less likely. */
const BESIDE_ACCESS: ReadonlySet<ProblemKind> = new Set<ProblemKind>([
	...(['noCredits', 'quotaExceeded', 'rateLimited', 'tooManyValues', 'planLimit'] as const),
	...(['unsupported', 'disabled', 'unknownSource', 'retired', 'missingParameter', 'invalidValue'] as const),
]);

/** A "not found" by what it is about. */
function kindOfNotFound(reason: string, endpoint: string, status: number): ProblemKind {
	if (endpoint.includes('{job_id}')) return 'jobNotFound';
	if (reason === 'gone') return 'retired';
	// On an endpoint without a job it says that the endpoint is missing, or something that the request names.
	return BARE_NOT_FOUND.test(reason) || (status === 404 && !endpoint.startsWith('POST'))
		? 'wrongAddress'
		: 'invalidValue';
}

/** What the service's words and the HTTP status mean together. */
function kindOfReason(refusal: Refusal, endpoint: string, status: number): ProblemKind | undefined {
	const reason = normalise(refusal.reason);
	const known =
		kindOfAccess(reason, status) ?? KIND_OF_REASON.find(([pattern]) => pattern.test(reason))?.[1];
	const mayBeRetired = known === undefined || known === 'jobNotFound' || known === 'notFinished';
	if (mayBeRetired && RETIRED.test(`${reason} ${normalise(refusal.comment ?? '')}`)) return 'retired';
	const cancels = endpoint.endsWith('/cancel');
	if (cancels && known !== 'unauthorized' && known !== 'jobNotFound' && ALREADY_OVER.test(reason))
		return 'jobOver';
	if (status === 401 && (known === undefined || !BESIDE_ACCESS.has(known))) return 'unauthorized';
	if (known === undefined && /\bcancell?ed\b/.test(reason)) return 'cancelled';
	if (known === 'jobNotFound') {
		if (status === 403 && !/\bjob\b|^not found/.test(reason)) return 'forbidden';
		return kindOfNotFound(reason, endpoint, status);
	}
	return known ?? (UNAVAILABLE_REASON.test(reason) ? 'unavailable' : undefined);
}

const KIND_OF_STATUS: ReadonlyMap<number, ProblemKind> = new Map([
	[401, 'unauthorized'],
	[402, 'noCredits'],
	[403, 'forbidden'],
	[405, 'wrongAddress'],
	[406, 'formatRefused'],
	[408, 'timedOut'],
	[410, 'retired'],
	[415, 'formatRefused'],
	[425, 'notFinished'],
	[429, 'rateLimited'],
	[504, 'timedOut'],
]);

function kindOfStatus(status: number, endpoint: string): ProblemKind {
	const ofJob = endpoint.includes('{job_id}');
	if (status === 404) return ofJob ? 'jobNotFound' : 'wrongAddress';
	if (status === 410 && ofJob) return 'jobNotFound';
	if (status === 409 && endpoint.endsWith('/cancel')) return 'jobOver';
	if (status === 409 && endpoint.endsWith('/download')) return 'notFinished';
	return KIND_OF_STATUS.get(status) ?? (status >= 500 ? 'unavailable' : 'refused');
}

const KIND_OF_BODY: Readonly<Record<BodyProblem, ProblemKind>> = {
	empty: 'emptyBody',
	html: 'htmlBody',
	text: 'unreadableBody',
	malformed: 'unreadableBody',
};

/** What a status means whose body has no words of the service: those of another server say more about the address. */
function kindOfWordless(status: number, endpoint: string, body: Decoded): ProblemKind {
	const isForeign = !body.ok && body.problem !== 'empty';
	if (isForeign && (status === 410 || RETIRED.test(normalise(excerptOf(body.head))))) return 'retired';
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
	endpoint: string,
	redact: (text: string) => string,
): Problem | undefined {
	const { status, body, refusal, excerpt, retryAfterMs } = reply;
	// The service may have begun the work, whatever it says about it.
	const mayHaveBegun = status >= 500 || status === 408 || (status < 400 && refusal === undefined);
	const effect = mayHaveBegun ? effectOf(endpoint) : 'none';
	const common: Omit<Problem, 'kind'> = { endpoint, status, retryAfterMs, effect };
	const detail = detailOf(body, excerpt, redact);
	if (refusal !== undefined) {
		const { reason, parameter, comment } = refusal;
		const kind = kindOfReason(refusal, endpoint, status) ?? kindOfStatus(status, endpoint);
		const clean = (text?: string) => text && redact(text).slice(0, LONGEST_WORDS);
		return {
			...{ ...common, kind, detail: reason === NO_REASON ? detail : undefined },
			...{ reason: clean(reason), parameter: clean(parameter), comment: clean(comment) },
		};
	}
	if (status >= 400) {
		const kind = kindOfWordless(status, endpoint, body);
		return { ...common, kind, detail: status >= 500 && !body.ok ? undefined : detail };
	}
	if (body.ok) return undefined;
	return { ...common, kind: body.truncated ? 'truncatedBody' : KIND_OF_BODY[body.problem], detail };
}

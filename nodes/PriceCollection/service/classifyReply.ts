import type { Decoded } from './decode/body';
import type { Problem, ProblemKind } from './problems';

/** A refusal in the service's own words. */
export interface Refusal {
	reason?: string;
	parameter?: string;
	comment?: string;
}

/** Reasons that are documented or were seen, by what they mean. The reason counts more than the HTTP status. */
const KIND_OF_REASON: ReadonlyArray<readonly [RegExp, ProblemKind]> = [
	[/^unauthori[sz]ed|invalid (api ?)?(key|token)|authentication/, 'unauthorized'],
	[/^missing parameter/, 'missingParameter'],
	[/not enough|insufficient|no .*credits?|payment required/, 'noCredits'],
	[/quota/, 'quotaExceeded'],
	[/too many values/, 'tooManyValues'],
	[/too many requests|rate limit/, 'rateLimited'],
	[/invalid value|value invalid|parameter invalid|invalid parameter/, 'invalidValue'],
	[/^(unknown|invalid) source/, 'unknownSource'],
	[/unsupported|not supported/, 'unsupported'],
	[/disabled/, 'disabled'],
	[/not allowed|upgrade/, 'planLimit'],
	[/not finished|not ready|still (running|working)|not (yet )?complete/, 'notFinished'],
	[/forbidden/, 'forbidden'],
	[/not found|unknown job|no such job|^gone$|expired/, 'jobNotFound'],
];

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

function kindOfReason(refusal: Refusal, endpoint: string): ProblemKind | undefined {
	const reason = normalise(refusal.reason ?? refusal.comment ?? '');
	if (reason === '') return undefined;
	const known = KIND_OF_REASON.find(([pattern]) => pattern.test(reason))?.[1];
	const mayBeRetired = known === undefined || known === 'jobNotFound' || known === 'notFinished';
	if (mayBeRetired && RETIRED.test(`${reason} ${normalise(refusal.comment ?? '')}`)) return 'retired';
	const cancels = endpoint.endsWith('/cancel');
	if (cancels && known !== 'unauthorized' && known !== 'jobNotFound' && ALREADY_OVER.test(reason))
		return 'jobOver';
	if (known === undefined && /\bcancell?ed\b/.test(reason)) return 'cancelled';
	// A "not found" on an endpoint without a job says that the endpoint itself is missing.
	if (known === 'jobNotFound' && !endpoint.includes('{job_id}'))
		return reason === 'gone' ? 'retired' : 'wrongAddress';
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

const KIND_OF_BODY: Readonly<Record<'empty' | 'html' | 'text' | 'malformed', ProblemKind>> = {
	empty: 'emptyBody',
	html: 'htmlBody',
	text: 'unreadableBody',
	malformed: 'unreadableBody',
};

/** What a status means whose body has no words of the service: those of another server say more about the address. */
function kindOfWordless(status: number, endpoint: string, body: Decoded): ProblemKind {
	const { excerpt } = body.ok ? { excerpt: '' } : body;
	if (RETIRED.test(normalise(excerpt))) return 'retired';
	if (!body.ok && body.problem !== 'empty') {
		if (status === 404) return 'wrongAddress';
		if (status === 410) return 'retired';
	}
	return kindOfStatus(status, endpoint);
}

/** What came instead of data. */
function detailOf(body: Decoded, redact: (text: string) => string): string | undefined {
	if (body.ok || body.problem === 'empty') return undefined;
	// The page of a load balancer helps nobody; its first words are for the technical kinds only.
	if (body.problem === 'html') return undefined;
	return `${redact(body.detail)}. It begins with: ${redact(body.excerpt)}`;
}

/** The service's own words without secrets, and no longer than a person reads. */
function redacted(refusal: Refusal, redact: (text: string) => string): Refusal {
	const clean = (text: string | undefined) =>
		text === undefined ? undefined : redact(text).slice(0, LONGEST_WORDS);
	return {
		reason: clean(refusal.reason),
		parameter: clean(refusal.parameter),
		comment: clean(refusal.comment),
	};
}

/**
 * The one classifyReply of replies: whether status and body together are an answer or a refusal.
 *
 * @param refusal what the body says of a refusal, when it says something
 * @param changes whether the request changes something, so that a reply without words leaves its effect unknown
 * @param redact takes secrets out of a text
 * @returns undefined when the reply is an answer
 */
export function classifyReply(
	reply: { status: number; body: Decoded; refusal?: Refusal; retryAfterMs?: number },
	request: { endpoint: string; changes: boolean },
	redact: (text: string) => string,
): Problem | undefined {
	const { status, body, refusal } = reply;
	const { endpoint, changes } = request;
	const common = { endpoint, status, retryAfterMs: reply.retryAfterMs };
	if (refusal !== undefined) {
		return {
			...common,
			kind: kindOfReason(refusal, endpoint) ?? kindOfStatus(status, endpoint),
			...redacted(refusal, redact),
			// A refusal in words is the service's own; behind a 5xx it may still have begun the work.
			effect: changes && status >= 500 ? 'unknown' : 'none',
		};
	}
	if (status >= 400) {
		return {
			...common,
			kind: kindOfWordless(status, endpoint, body),
			detail: status >= 500 ? undefined : detailOf(body, redact),
			effect: changes && (status >= 500 || status === 408) ? 'unknown' : 'none',
		};
	}
	if (!body.ok) {
		return {
			...common,
			kind: body.truncated ? 'truncatedBody' : KIND_OF_BODY[body.problem],
			detail: detailOf(body, redact),
			effect: changes ? 'unknown' : 'none',
		};
	}
	return undefined;
}

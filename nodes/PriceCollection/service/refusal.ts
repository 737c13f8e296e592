import type { IDataObject } from 'n8n-workflow';

import type { ConnectionSettings } from './connection';
import type { Decoded } from './decode/body';
import { fieldOf, partsOf, plainField, valuesNamed } from './names';
import type { Problem, ProblemKind } from './problems';
import { statusMeaning } from './statuses';
import { errorIn, joined, oneLine, reasonIn, wordsIn } from './text';
import { effectOf, ENDPOINTS, flagOf, wordOf, type Endpoint } from './types';

/** Characters that are kept of the words. */
const LONGEST_WORDS = 500;

const statusOf = (part: IDataObject) => wordOf(fieldOf(part, 'status'));
/** Some services call the flag `ok`. */
const saysNo = (part: IDataObject) =>
	[fieldOf(part, 'success'), part.ok].some((flag) => flagOf(flag) === false);

/** A status that speaks of an error, and one that is none of a job: a flag, or the status of an HTTP reply. */
const [ERROR_WORD, NO_JOBS_STATUS] = [/^(error|fail|failed|failure)$/, /^(false$|[45]\d\d\b)/];

/** Whether an object of a reply speaks of an error itself: by a flag, a status or an error field. */
export function speaksOfError(part: IDataObject): boolean {
	if (saysNo(part) || [ERROR_WORD, NO_JOBS_STATUS].some((words) => words.test(statusOf(part)))) return true;
	return valuesNamed('error', part).some((error) => error === true || errorIn(error) !== undefined);
}

/** The request that a reply answers. */
export interface Asked {
	endpoint: Endpoint;
	jobId?: string;
	body?: IDataObject;
}

/** Whether a reply has results or names a job. An `id` alone is only the job's if that was asked for. */
function isAnswer(parts: readonly IDataObject[], { endpoint, jobId }: Asked): boolean {
	// A refusal may repeat the ID that was asked for, but it has no status of a job.
	const needsStatus = endpoint.ofJob || parts.some(saysNo);
	return parts.some((part) => {
		if (valuesNamed('results', part).some((list) => Array.isArray(list) && list.length > 0)) return true;
		const isAsked = jobId !== undefined && wordOf(plainField(part, 'id')) === wordOf(jobId);
		const status = statusOf(part);
		// A job may have failed, but where its cancellation was asked for, that is the outcome of the request.
		const isOther = endpoint === ENDPOINTS.cancel && ERROR_WORD.test(status);
		const isJob = status === '' ? !needsStatus : !isOther && !NO_JOBS_STATUS.test(status);
		return isJob && (isAsked || plainField(part, 'jobId') !== undefined);
	});
}

/** The documented phrases, in lower case with blanks. Other words are shown and never interpreted. */
const PHRASES: ReadonlyArray<readonly [ProblemKind, string]> = [
	['unauthorized', 'unauthorized'],
	['missingParameter', 'missing parameter'],
	['invalidValue', 'parameter value invalid, invalid value'],
	['unknownSource', 'unknown source'],
	['unsupported', 'unsupported country, unsupported key, source disabled, key disabled, value disabled'],
	['noCredits', 'not enough free credits, daily quota exceeded'],
	['tooManyValues', 'too many values'],
	['rateLimited', 'too many requests'],
	['jobNotFound', 'job not found'],
	['forbidden', 'job forbidden'],
];
/** Those that are only documented for requests about a job. */
const PHRASES_ABOUT_JOBS: typeof PHRASES = [
	['jobNotFound', 'not found'],
	['notFinished', 'not finished'],
	['jobOver', 'job is already finished or cancelled'],
];

/** What a documented phrase means; undefined for other words. */
export function kindOfPhrase(text: string, { ofJob }: Endpoint): ProblemKind | undefined {
	const plain = text.toLowerCase().replace(/[\s_-]+/g, ' ');
	const phrase = plain
		.trim()
		.replace(/[.!?…]$/, '')
		.replace(/\bcanceled\b/g, 'cancelled');
	const all = ofJob ? [...PHRASES, ...PHRASES_ABOUT_JOBS] : PHRASES;
	return all.find(([, phrases]) => phrases.split(', ').includes(phrase))?.[0];
}

/** `reason`: the documented field; `isSaid`: whether there are words of the service, as opposed to a page or nothing. */
type Said = Asked & { isSaid: boolean; reason?: string };

/** What a status means; the first row that applies counts. */
const STATUSES: ReadonlyArray<readonly [ProblemKind, readonly number[], applies?: (said: Said) => boolean]> =
	[
		['jobNotFound', [404, 410], ({ endpoint, isSaid }) => endpoint.ofJob && isSaid],
		['nothingThere', [404, 410], ({ endpoint }) => endpoint.ofJob],
		// Something that the creation names, as opposed to the address.
		['refused', [404], ({ endpoint, reason }) => endpoint.changes && reason !== undefined],
		['refused', [405], ({ endpoint }) => endpoint.changes && endpoint.ofJob],
		['jobOver', [409], ({ endpoint }) => endpoint === ENDPOINTS.cancel],
		['notFinished', [409], ({ endpoint }) => endpoint === ENDPOINTS.download],
		// A page proves nothing about a job.
		['refused', [403], ({ isSaid }) => !isSaid],
		['unauthorized', [401]],
		['noCredits', [402]],
		['forbidden', [403]],
		['wrongAddress', [404, 405, 410]],
		['formatRefused', [406]],
		['timedOut', [408, 504]],
		['notFinished', [425]],
		['rateLimited', [429]],
	];

function kindOfStatus(status: number, said: Said): ProblemKind {
	const row = STATUSES.find(([, all, applies]) => all.includes(status) && applies?.(said) !== false);
	return row?.[0] ?? (status >= 500 ? 'unavailable' : 'refused');
}

/** Validators begin with the name: "topic is missing", "'topic' must not be blank". */
const NAME_FIRST = /^(?:the |parameter |field )*["'`]?([\w-]{1,40})/i;

/** The advice for a refusal because of a parameter that was sent: perhaps the service did not read the body. */
function aboutBody(
	{ kind, parameter }: Problem,
	{ body }: Asked,
	words: readonly string[],
	isForm: boolean,
): string | undefined {
	if (body === undefined || !['missingParameter', 'refused'].includes(kind)) return undefined;
	const names = [parameter, ...words.map((text) => NAME_FIRST.exec(text)?.[1])];
	const named = names.find((name) => name !== undefined && Object.hasOwn(body, name));
	if (named === undefined) return undefined;
	const [reads, other] = isForm ? ['JSON', 'JSON'] : ['forms', 'Form'];
	return `${named} was sent. If the service reads ${reads}, set Request Body to ${other} under Customize Service in the credential`;
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
 * answer. A documented phrase says what it means, or else the HTTP status; other words are only shown.
 *
 * @param reply `excerpt`: the beginning of the body, without secrets
 */
export function refusalIn(
	reply: { status: number; body: Decoded; retryAfterMs?: number; excerpt: string },
	asked: Asked,
	connection: Pick<ConnectionSettings, 'failedStatuses' | 'finishedStatuses' | 'requestBody'>,
	redact: (text: string) => string,
): Problem | undefined {
	const { body, excerpt, retryAfterMs } = reply;
	const { endpoint } = asked;
	const value = body.ok ? body.value : undefined;
	const parts = partsOf(value);
	const isRefused = reply.status >= 400 || (parts.some(speaksOfError) && !isAnswer(parts, asked));
	if (body.ok && !isRefused) return undefined;
	const detail = detailOf(body, excerpt, redact);
	const common = { endpoint, status: reply.status, retryAfterMs } as const;
	if (!body.ok && !isRefused) {
		const kind = body.problem === 'html' ? 'htmlBody' : 'unreadableBody';
		return {
			...common,
			kind: body.truncated ? 'truncatedBody' : kind,
			detail,
			effect: effectOf(endpoint),
		};
	}
	const textOf = (name: 'parameter' | 'reason') =>
		parts.map((part) => part[name]).find((text) => typeof text === 'string' && text.trim());
	const words = wordsIn(value);
	const reason = reasonIn(textOf('reason'));
	const others = joined(words.filter((text) => text !== reason));
	// A success status around a refusal means nothing: the status in the body counts.
	const inner = parts.map((part) => parseInt(statusOf(part))).find((code) => code >= 400);
	const status = reply.status < 400 ? (inner ?? reply.status) : reply.status;
	// The service may have started the work in spite of such an error, whatever its words are.
	const mayHaveBegun = status >= 500 || status === 408;
	// An ID beside the status of a job may be that of the new job, whatever error is said beside them.
	const isRunning = (part: IDataObject) =>
		plainField(part, 'id') && statusMeaning(fieldOf(part, 'status'), connection) === 'running';
	const namesJob = reply.status < 300 && parts.some(isRunning);
	const phrase = mayHaveBegun ? undefined : kindOfPhrase(reason ?? words[0] ?? '', endpoint);
	const clean = (text = '') => oneLine(text, LONGEST_WORDS, redact) || undefined;
	const problem: Problem = {
		...common,
		kind: phrase ?? kindOfStatus(status, { ...asked, isSaid: words.length > 0, reason }),
		effect: mayHaveBegun || namesJob ? effectOf(endpoint) : 'none',
		reason: clean(reason ?? others),
		parameter: clean(reasonIn(textOf('parameter'))),
		comment: reason === undefined ? undefined : clean(others),
	};
	const advice = aboutBody(problem, asked, words, connection.requestBody === 'form');
	return { ...problem, detail: advice ?? (words.length === 0 ? detail : undefined) };
}

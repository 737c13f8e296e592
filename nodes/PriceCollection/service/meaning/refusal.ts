import type { IDataObject } from 'n8n-workflow';

import type { ConnectionSettings } from '../connection';
import type { Decoded } from '../http/decode/body';
import { fieldOf, partsOf, plainField, valuesNamed } from '../names';
import type { Problem, ProblemKind } from '../problems';
import { documentedName } from '../requestNames';
import { statusMeaning } from '../statuses';
import { REQUIRED_PARAMETERS, faultsIn } from './parameterFaults';
import { settingsFor } from './parameterAdvice';
import { ERROR_WORDS, errorIn, joinedSentences, oneLine, reasonIn, messagesIn } from '../text';
import { effectOf, ENDPOINTS, flagOf, isObject, wordOf, type Endpoint } from '../types';

/** How many characters of a message, and of a parameter's name, are kept. */
const [LONGEST_WORDS, LONGEST_NAME] = [500, 40];

const statusOf = (part: IDataObject) => wordOf(fieldOf(part, 'status'));
/** Whether a flag reports failure: `success`, which some services call `ok`. */
const flagsFailure = (part: IDataObject) =>
	[fieldOf(part, 'success'), part.ok].some((flag) => flagOf(flag) === false);

/** Values that cannot be a job's status: a flag, or an HTTP status. */
const NOT_A_JOB_STATUS = /^(false$|[45]\d\d\b)/;

/** Objects beside the data that report the outcome, such as `meta` in `{ meta: { code: 402 }, data: null }`. */
const headsOf = (parts: readonly IDataObject[]) => valuesNamed('head', ...parts).filter(isObject);

/** The HTTP error statuses in these objects, as words. */
const codesIn = (heads: readonly IDataObject[]) =>
	valuesNamed('code', ...heads)
		.map(wordOf)
		.filter((code) => NOT_A_JOB_STATUS.test(code));

/** Whether an object beside the data reports an error, whatever the data is. */
const headReportsError = (parts: readonly IDataObject[]) => {
	const heads = headsOf(parts);
	return codesIn(heads).length > 0 || heads.some(reportsError);
};

/** Whether a part of a reply reports an error, in its own fields or in an object beside the data. */
export const speaksOfError = (part: IDataObject) => reportsError(part) || headReportsError([part]);

/** Whether an object reports an error with a flag, a status or an error field. */
function reportsError(part: IDataObject): boolean {
	const status = statusOf(part);
	if (flagsFailure(part) || ERROR_WORDS.includes(status) || NOT_A_JOB_STATUS.test(status)) return true;
	return valuesNamed('error', part).some((error) => error === true || errorIn(error) !== undefined);
}

/** The request that a reply answers. */
export interface RequestInfo {
	endpoint: Endpoint;
	jobId?: string;
	body?: IDataObject;
	query?: IDataObject;
}

/** Whether a reply has results or describes a job. Without a `job_id`, an `id` must be the requested one. */
function isAnswer(parts: readonly IDataObject[], { endpoint, jobId }: RequestInfo): boolean {
	if (headReportsError(parts)) return false;
	// A refusal may repeat the requested ID, but it does not have a job's status.
	const needsStatus = endpoint.ofJob || parts.some(flagsFailure);
	return parts.some((part) => {
		if (valuesNamed('results', part).some((list) => Array.isArray(list) && list.length > 0)) return true;
		const isRequestedJob = jobId !== undefined && wordOf(plainField(part, 'id')) === wordOf(jobId);
		const status = statusOf(part);
		// An error status may mean a failed job. In the reply to a cancellation it means that the cancellation failed.
		const isFailedCancellation = endpoint === ENDPOINTS.cancel && ERROR_WORDS.includes(status);
		const isJob = status === '' ? !needsStatus : !isFailedCancellation && !NOT_A_JOB_STATUS.test(status);
		return isJob && (isRequestedJob || plainField(part, 'jobId') !== undefined);
	});
}

/** The documented phrases, in lower case with spaces. What other messages are read for is said at {@link refusalIn}. */
const PHRASES: ReadonlyArray<readonly [ProblemKind, string]> = [
	['unauthorized', 'unauthorized'],
	['missingParameter', 'missing parameter'],
	['invalidValue', 'parameter value invalid, invalid value'],
	['unknownSource', 'unknown source'],
	['unsupported', 'unsupported country, unsupported key, source disabled, key disabled, value disabled'],
	['noCredits', 'not enough free credits, daily quota exceeded'],
	['tooManyValues', 'too many values'],
	['rateLimited', 'too many requests, too many open jobs'],
	['jobNotFound', 'job not found'],
	['forbidden', 'job forbidden'],
];
/** Phrases that are only documented for requests about a job. */
const PHRASES_ABOUT_JOBS: typeof PHRASES = [
	['notFinished', 'not finished'],
	['jobOver', 'job is already finished or cancelled'],
];
/** Documented only as the `reason` for requests about a job. In other fields, frameworks say it about an address. */
const NOT_FOUND: typeof PHRASES = [['jobNotFound', 'not found']];

/** What a documented phrase means; undefined for any other text. */
function kindOfPhrase(text: string, { ofJob }: Endpoint, isReason: boolean): ProblemKind | undefined {
	const normalised = text.toLowerCase().replace(/[\s_-]+/g, ' ');
	const phrase = normalised
		.trim()
		.replace(/[.!?…]$/, '')
		.replace(/\bcanceled\b/g, 'cancelled');
	const aboutJobs = ofJob ? [...PHRASES_ABOUT_JOBS, ...(isReason ? NOT_FOUND : [])] : [];
	return [...PHRASES, ...aboutJobs].find(([, phrases]) => phrases.split(', ').includes(phrase))?.[0];
}

/** Without the hyphen: in a pattern for Unicode, an escaped one is an error. */
const SPECIAL = /[$()*+./?[\\\]^{|}]/g;

/** Whether texts mention the job's ID. An ID in a path does not count: gateways repeat the request's path. */
function mentionJob(texts: readonly string[], jobId = ''): boolean {
	const id = new RegExp(`(?<![\\p{L}\\d_-])${jobId.replace(SPECIAL, '\\$&')}(?![\\p{L}\\d_-])`, 'iu');
	const withoutPaths = texts.flatMap((text) => text.split(/\s+/)).filter((word) => !word.includes('/'));
	return jobId !== '' && id.test(withoutPaths.join(' '));
}

/** What a problem is about, if the service's message proves it. */
const ABOUT: Partial<Record<ProblemKind, Problem['about']>> = {
	forbidden: 'job',
	jobNotFound: 'job',
	jobOver: 'job',
	unauthorized: 'key',
};

/**
 * `reason`: the documented field; `isMereDenial`: whether the message only repeats the meaning of HTTP 403; `namesJob`,
 * `namesParameter`: whether it names the job or a parameter of the request.
 */
type RefusalFacts = RequestInfo & {
	isMereDenial: boolean;
	namesJob: boolean;
	namesParameter: boolean;
	reason?: string;
};

const ACCESS_DENIED = /^(access denied|forbidden)\W?$/i;

/** What an HTTP status means. The first row that applies wins. */
const STATUSES: ReadonlyArray<
	readonly [ProblemKind, readonly number[], applies?: (facts: RefusalFacts) => boolean]
> = [
	['jobNotFound', [404, 410], ({ namesJob }) => namesJob],
	['nothingThere', [404, 410], ({ endpoint }) => endpoint.ofJob],
	// The 404 is about something that the creation names, not about the address.
	[
		'refused',
		[404],
		({ endpoint, reason, namesParameter }) =>
			endpoint.changes && (reason !== undefined || namesParameter),
	],
	['refused', [405], ({ endpoint }) => endpoint.changes && endpoint.ofJob],
	['jobOver', [409], ({ endpoint }) => endpoint === ENDPOINTS.cancel],
	['notFinished', [409], ({ endpoint }) => endpoint === ENDPOINTS.download],
	['unauthorized', [401]],
	['noCredits', [402]],
	['forbidden', [403], ({ isMereDenial, namesJob }) => isMereDenial || namesJob],
	// Other messages, such as one about a suspended account, explain themselves. A web page proves nothing about a job.
	['refused', [403]],
	['wrongAddress', [404, 405, 410]],
	['formatRefused', [406]],
	['timedOut', [408, 504]],
	['notFinished', [425]],
	['rateLimited', [429]],
];

function kindOfStatus(status: number, facts: RefusalFacts): ProblemKind {
	const row = STATUSES.find(
		([, statuses, applies]) => statuses.includes(status) && applies?.(facts) !== false,
	);
	return row?.[0] ?? (status >= 500 ? 'unavailable' : 'refused');
}

/** Statuses that mean for certain that nothing was done, even without a message from the service. */
const NOTHING_DONE: readonly number[] = [401, 404, 405, 413, 429];

const BOTH_EMPTY = 'Source and Country are both empty: fill in both';

/** Shown for a refusal that may not come from the service. */
const WITHOUT_MESSAGE =
	'It gives no reason. A firewall, or the proxy that n8n uses, may have refused the request before it reached the service';

const ANOTHERS_JOB = 'The job may belong to another account';

/** The problem of a body that is not data, despite a success status. */
const UNUSABLE = {
	empty: 'emptyBody',
	html: 'htmlBody',
	malformed: 'unreadableBody',
	text: 'unreadableBody',
} as const;

/** Problems whose message may be about a parameter. */
const ABOUT_PARAMETERS: readonly ProblemKind[] = [
	...(['invalidValue', 'missingParameter', 'refused', 'unknownSource', 'unsupported'] as const),
];

/** Describes what arrived instead of data or a message from the service. */
function detailOf(body: Decoded, excerpt: string, redact: (text: string) => string): string | undefined {
	if (body.ok) return excerpt === '' ? undefined : `Its answer begins with: ${excerpt}`;
	// A load balancer's page does not help the user.
	if (body.problem === 'empty' || body.problem === 'html') return undefined;
	return `${redact(body.detail)}. It begins with: ${excerpt}`;
}

/**
 * Decides from status and body whether a reply is a refusal or unusable; undefined if it is an answer. The kind of
 * refusal follows from a documented phrase, or else from the HTTP status. Other messages are shown; they are read only
 * for the job's ID, for parameters (`parameterFaults.ts`), for a mere "access denied" and, in a creation, for a limit of
 * values (`creation/encodings.ts`). The cases are in `test/unit/service/meaning/refusal.cases.txt`.
 *
 * @param reply `excerpt`: the beginning of the body, without secrets
 */
export function refusalIn(
	reply: { status: number; body: Decoded; retryAfterMs?: number; excerpt: string },
	request: RequestInfo,
	connection: ConnectionSettings,
	redact: (text: string) => string,
): Problem | undefined {
	const { body, excerpt, retryAfterMs } = reply;
	const { endpoint } = request;
	const value = body.ok ? body.value : undefined;
	const parts = partsOf(value);
	const isRefused = reply.status >= 400 || (parts.some(speaksOfError) && !isAnswer(parts, request));
	if (body.ok && !isRefused) return undefined;
	const detail = detailOf(body, excerpt, redact);
	const common = { endpoint, status: reply.status, retryAfterMs } as const;
	if (!body.ok && !isRefused) {
		return {
			...common,
			kind: body.truncated ? 'truncatedBody' : UNUSABLE[body.problem],
			detail,
			effect: effectOf(endpoint),
		};
	}
	const documentedText = (name: 'parameter' | 'reason') =>
		parts.map((part) => part[name]).find((text) => typeof text === 'string' && text.trim());
	const texts = messagesIn(value);
	const shownTexts = [...texts.keys()];
	const reason = reasonIn(documentedText('reason'));
	const otherTexts = joinedSentences(shownTexts.filter((text) => text !== reason));
	// A success status on a refusal means nothing: the status in the body counts.
	const statusWords = [...codesIn(headsOf(parts)), ...parts.map(statusOf)];
	const statusInBody = statusWords.map((code) => parseInt(code)).find((code) => code >= 400);
	const status = reply.status < 400 ? (statusInBody ?? reply.status) : reply.status;
	const hasMessage = shownTexts.length > 0;
	// On such an error the service may have begun the work, whatever its message says. And a firewall's page may replace
	// the reply to a request that was carried out.
	const isOutage = status >= 500 || status === 408;
	const mayHaveBegun = isOutage || !(hasMessage || NOTHING_DONE.includes(status));
	// An ID with the status of a running job may be the new job's, whatever error is reported with it.
	const isRunning = (part: IDataObject) =>
		(plainField(part, 'jobId') ?? plainField(part, 'id')) &&
		statusMeaning(fieldOf(part, 'status'), connection) === 'running';
	const namesNewJob = reply.status < 300 && parts.some(isRunning);
	const namesJob = mentionJob(shownTexts, request.jobId);
	const [firstText] = texts.values();
	const phrase = isOutage
		? undefined
		: kindOfPhrase(reason ?? firstText?.text ?? '', endpoint, reason !== undefined);
	const parameter = reasonIn(documentedText('parameter'));
	const namedFaults = faultsIn([...texts.values()], parameter, request, connection);
	const isMereDenial = hasMessage && shownTexts.every((text) => ACCESS_DENIED.test(text));
	const statedKind =
		phrase ??
		kindOfStatus(status, {
			...request,
			isMereDenial,
			namesJob,
			namesParameter: namedFaults.length > 0,
			reason,
		});
	const nameIn = (text: string) => oneLine(text, LONGEST_NAME, redact);
	const faults = (ABOUT_PARAMETERS.includes(statedKind) ? namedFaults : []).map((one) => ({
		...one,
		serviceName: nameIn(one.serviceName),
		parameter: nameIn(one.parameter),
	}));
	// A refusal of a source or country that was not sent means that it is missing, not misspelt.
	const unsent = faults.find((one) => !one.isSent && REQUIRED_PARAMETERS.includes(one.parameter));
	const kind = unsent === undefined ? statedKind : 'missingParameter';
	// Gateways say "unauthorized" too, but not in `reason`.
	const isDocumentedPhrase = phrase !== undefined && (reason !== undefined || phrase !== 'unauthorized');
	const isProof = isDocumentedPhrase || (namesJob && kind !== 'jobOver');
	const clean = (text = '') => oneLine(text, LONGEST_WORDS, redact) || undefined;
	const problem: Problem = {
		...common,
		kind,
		effect: mayHaveBegun || namesNewJob ? effectOf(endpoint) : 'none',
		reason: clean(reason ?? otherTexts),
		...(isProof && ABOUT[kind] !== undefined && { about: ABOUT[kind] }),
		parameter: clean(unsent?.parameter ?? (parameter && documentedName(parameter, connection))),
		...(faults.length > 0 && { faults }),
		comment: reason === undefined ? undefined : clean(otherTexts),
	};
	if (kind === 'forbidden' && endpoint.ofJob) return { ...problem, detail: ANOTHERS_JOB };
	const setting = settingsFor(faults, request, connection);
	if (setting !== undefined) return { ...problem, setting: redact(setting) };
	// If both are missing, say so: otherwise the next run would stop at the other one.
	const isMissing = (name: string) => {
		const serviceName = connection.requestNames[name] ?? name;
		return name !== unsent?.parameter && serviceName !== '' && request.body?.[serviceName] === undefined;
	};
	if (unsent !== undefined && REQUIRED_PARAMETERS.some(isMissing))
		return { ...problem, setting: BOTH_EMPTY };
	const fallback = detail ?? (kind === 'refused' ? WITHOUT_MESSAGE : undefined);
	return { ...problem, detail: hasMessage ? undefined : fallback };
}

import type { IDataObject } from 'n8n-workflow';

import type { ConnectionSettings } from '../connection';
import type { Decoded } from '../http/decode/body';
import { fieldOf, partsOf, plainField, valuesNamed } from '../names';
import type { Problem, ProblemKind } from '../problems';
import { documentedName } from '../requestNames';
import { statusMeaning } from '../statuses';
import { CHOSEN, faultsIn, settingsFor } from './parameterFaults';
import { ERROR_WORDS, errorIn, joinedSentences, oneLine, reasonIn, saidIn } from '../text';
import { effectOf, ENDPOINTS, flagOf, isObject, wordOf, type Endpoint } from '../types';

/** Characters that are kept of the words, and of the name of a parameter. */
const [LONGEST_WORDS, LONGEST_NAME] = [500, 40];

const statusOf = (part: IDataObject) => wordOf(fieldOf(part, 'status'));
/** Some services call the flag `ok`. */
const saysNo = (part: IDataObject) =>
	[fieldOf(part, 'success'), part.ok].some((flag) => flagOf(flag) === false);

/** Values that cannot be a job's status: a flag, or the status of an HTTP reply. */
const NO_JOBS_STATUS = /^(false$|[45]\d\d\b)/;

/** The objects beside the data that say how the request went, such as `meta` in `{ meta: { code: 402 }, data: null }`. */
const headsOf = (parts: readonly IDataObject[]) => valuesNamed('head', ...parts).filter(isObject);

/** The statuses of HTTP replies in these objects, as words. */
const codesIn = (heads: readonly IDataObject[]) =>
	valuesNamed('code', ...heads)
		.map(wordOf)
		.filter((code) => NO_JOBS_STATUS.test(code));

/** Whether an object beside the data reports an error, whatever the data is. */
const headReportsError = (parts: readonly IDataObject[]) => {
	const heads = headsOf(parts);
	return codesIn(heads).length > 0 || heads.some(reportsError);
};

/** Whether a part of a reply reports an error, itself or by an object beside the data. */
export const speaksOfError = (part: IDataObject) => reportsError(part) || headReportsError([part]);

/** Whether an object reports an error by a flag, a status or an error field. */
function reportsError(part: IDataObject): boolean {
	const status = statusOf(part);
	if (saysNo(part) || ERROR_WORDS.includes(status) || NO_JOBS_STATUS.test(status)) return true;
	return valuesNamed('error', part).some((error) => error === true || errorIn(error) !== undefined);
}

/** The request that a reply answers. */
export interface Asked {
	endpoint: Endpoint;
	jobId?: string;
	body?: IDataObject;
	query?: IDataObject;
}

/** Whether a reply has results or names a job. An `id` alone is only the job's if that was asked for. */
function isAnswer(parts: readonly IDataObject[], { endpoint, jobId }: Asked): boolean {
	if (headReportsError(parts)) return false;
	// A refusal may repeat the ID that was asked for, but it has no status of a job.
	const needsStatus = endpoint.ofJob || parts.some(saysNo);
	return parts.some((part) => {
		if (valuesNamed('results', part).some((list) => Array.isArray(list) && list.length > 0)) return true;
		const isAsked = jobId !== undefined && wordOf(plainField(part, 'id')) === wordOf(jobId);
		const status = statusOf(part);
		// A job may have failed, but where its cancellation was asked for, that is the outcome of the request.
		const isOther = endpoint === ENDPOINTS.cancel && ERROR_WORDS.includes(status);
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
	['rateLimited', 'too many requests, too many open jobs'],
	['jobNotFound', 'job not found'],
	['forbidden', 'job forbidden'],
];
/** Those that are only documented for requests about a job. */
const PHRASES_ABOUT_JOBS: typeof PHRASES = [
	['notFinished', 'not finished'],
	['jobOver', 'job is already finished or cancelled'],
];
/** Documented as the `reason` of such a request. Frameworks say the same of an address, under other names. */
const NOT_FOUND: typeof PHRASES = [['jobNotFound', 'not found']];

/** What a documented phrase means; undefined for other words. */
function kindOfPhrase(text: string, { ofJob }: Endpoint, isReason: boolean): ProblemKind | undefined {
	const plain = text.toLowerCase().replace(/[\s_-]+/g, ' ');
	const phrase = plain
		.trim()
		.replace(/[.!?…]$/, '')
		.replace(/\bcanceled\b/g, 'cancelled');
	const aboutJobs = ofJob ? [...PHRASES_ABOUT_JOBS, ...(isReason ? NOT_FOUND : [])] : [];
	return [...PHRASES, ...aboutJobs].find(([, phrases]) => phrases.split(', ').includes(phrase))?.[0];
}

const SPECIAL = /[$()*+./?[\\\]^{|}-]/g;

/** Whether words name the job by its ID. A path in them does not: it is the request's, which gateways repeat. */
function nameJob(words: readonly string[], jobId = ''): boolean {
	const id = new RegExp(`(?<![\\p{L}\\d_-])${jobId.replace(SPECIAL, '\\$&')}(?![\\p{L}\\d_-])`, 'iu');
	const unaddressed = words.flatMap((text) => text.split(/\s+/)).filter((word) => !word.includes('/'));
	return jobId !== '' && id.test(unaddressed.join(' '));
}

/** What a problem that the service's own words prove is about. */
const ABOUT: Partial<Record<ProblemKind, Problem['about']>> = {
	forbidden: 'job',
	jobNotFound: 'job',
	jobOver: 'job',
	unauthorized: 'key',
};

/**
 * `reason`: the documented field; `isSaid`: whether there are words, as opposed to a page or nothing; `isVerdict`: whether
 * they only repeat what HTTP 403 means; `namesJob`, `namesParameter`: whether they name the job or a parameter of the request.
 */
type RefusalFacts = Asked & {
	isSaid: boolean;
	isVerdict: boolean;
	namesJob: boolean;
	namesParameter: boolean;
	reason?: string;
};

const ACCESS_DENIED = /^(access denied|forbidden)\W?$/i;

/** What a status means; the first row that applies counts. */
const STATUSES: ReadonlyArray<
	readonly [ProblemKind, readonly number[], applies?: (said: RefusalFacts) => boolean]
> = [
	['jobNotFound', [404, 410], ({ endpoint, namesJob }) => endpoint.ofJob && namesJob],
	['nothingThere', [404, 410], ({ endpoint }) => endpoint.ofJob],
	// Something that the creation names, as opposed to the address.
	[
		'refused',
		[404],
		({ endpoint, reason, namesParameter }) =>
			endpoint.changes && (reason !== undefined || namesParameter),
	],
	['refused', [405], ({ endpoint }) => endpoint.changes && endpoint.ofJob],
	['jobOver', [409], ({ endpoint }) => endpoint === ENDPOINTS.cancel],
	['notFinished', [409], ({ endpoint }) => endpoint === ENDPOINTS.download],
	// A page proves nothing about a job.
	['refused', [403], ({ isSaid }) => !isSaid],
	['unauthorized', [401]],
	['noCredits', [402]],
	['forbidden', [403], ({ endpoint, isVerdict, namesJob }) => isVerdict || (endpoint.ofJob && namesJob)],
	// Other words, such as those about a suspended account, say themselves what is forbidden.
	['refused', [403]],
	['wrongAddress', [404, 405, 410]],
	['formatRefused', [406]],
	['timedOut', [408, 504]],
	['notFinished', [425]],
	['rateLimited', [429]],
];

function kindOfStatus(status: number, said: RefusalFacts): ProblemKind {
	const row = STATUSES.find(([, all, applies]) => all.includes(status) && applies?.(said) !== false);
	return row?.[0] ?? (status >= 500 ? 'unavailable' : 'refused');
}

/** Statuses with which certainly nothing was done, even without words of the service. */
const NOTHING_DONE: readonly number[] = [401, 404, 405, 413, 429];

/** Of a refusal that is not the service's as far as can be seen. */
const BOTH_EMPTY = 'Source and Country are both empty: fill in both';

const WITHOUT_WORDS =
	'It gives no reason. A firewall, or the proxy that n8n uses, may have refused the request before the service';

const ANOTHERS_JOB = 'The job may belong to another account';

/** A body with a success status that is no data. */
const UNUSABLE = {
	empty: 'emptyBody',
	html: 'htmlBody',
	malformed: 'unreadableBody',
	text: 'unreadableBody',
} as const;

/** Problems of which the words may be about a parameter. */
const ABOUT_PARAMETERS: readonly ProblemKind[] = [
	...(['invalidValue', 'missingParameter', 'refused', 'unknownSource', 'unsupported'] as const),
];

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
	connection: ConnectionSettings,
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
		return {
			...common,
			kind: body.truncated ? 'truncatedBody' : UNUSABLE[body.problem],
			detail,
			effect: effectOf(endpoint),
		};
	}
	const textOf = (name: 'parameter' | 'reason') =>
		parts.map((part) => part[name]).find((text) => typeof text === 'string' && text.trim());
	const said = saidIn(value);
	const words = [...said.keys()];
	const reason = reasonIn(textOf('reason'));
	const others = joinedSentences(words.filter((text) => text !== reason));
	// A success status around a refusal means nothing: the status in the body counts.
	const codes = [...codesIn(headsOf(parts)), ...parts.map(statusOf)];
	const inner = codes.map((code) => parseInt(code)).find((code) => code >= 400);
	const status = reply.status < 400 ? (inner ?? reply.status) : reply.status;
	const isSaid = words.length > 0;
	// The service may have started the work in spite of such an error, whatever its words are. A page of a firewall may
	// come in place of the reply to a request that was carried out.
	const isOutage = status >= 500 || status === 408;
	const mayHaveBegun = isOutage || !(isSaid || NOTHING_DONE.includes(status));
	// An ID beside the status of a job may be that of the new job, whatever error is said beside them.
	const isRunning = (part: IDataObject) =>
		(plainField(part, 'jobId') ?? plainField(part, 'id')) &&
		statusMeaning(fieldOf(part, 'status'), connection) === 'running';
	const namesNewJob = reply.status < 300 && parts.some(isRunning);
	const namesJob = nameJob(words, asked.jobId);
	const [first] = said.values();
	const phrase = isOutage
		? undefined
		: kindOfPhrase(reason ?? first?.text ?? '', endpoint, reason !== undefined);
	const parameter = reasonIn(textOf('parameter'));
	const named = faultsIn([...said.values()], parameter, asked, connection);
	const isVerdict = isSaid && words.every((text) => ACCESS_DENIED.test(text));
	const kindSaid =
		phrase ??
		kindOfStatus(status, {
			...asked,
			isSaid,
			isVerdict,
			namesJob,
			namesParameter: named.length > 0,
			reason,
		});
	const nameIn = (text: string) => oneLine(text, LONGEST_NAME, redact);
	const faults = (ABOUT_PARAMETERS.includes(kindSaid) ? named : []).map((one) => ({
		...one,
		wireName: nameIn(one.wireName),
		parameter: nameIn(one.parameter),
	}));
	// A refusal for a source or country that was not sent means that it is missing, not that it is misspelt.
	const unsent = faults.find((one) => !one.isSent && CHOSEN.includes(one.parameter));
	const kind = unsent === undefined ? kindSaid : 'missingParameter';
	// Gateways say "unauthorized" as well, under other names.
	const isDocumented = phrase !== undefined && (reason !== undefined || phrase !== 'unauthorized');
	const isProof = isDocumented || (namesJob && kind !== 'jobOver');
	const clean = (text = '') => oneLine(text, LONGEST_WORDS, redact) || undefined;
	const problem: Problem = {
		...common,
		kind,
		effect: mayHaveBegun || namesNewJob ? effectOf(endpoint) : 'none',
		reason: clean(reason ?? others),
		...(isProof && ABOUT[kind] !== undefined && { about: ABOUT[kind] }),
		parameter: clean(unsent?.parameter ?? (parameter && documentedName(parameter, connection))),
		...(faults.length > 0 && { faults }),
		comment: reason === undefined ? undefined : clean(others),
	};
	if (kind === 'forbidden' && endpoint.ofJob) return { ...problem, detail: ANOTHERS_JOB };
	const setting = settingsFor(faults, asked, connection);
	if (setting !== undefined) return { ...problem, setting: redact(setting) };
	// So that the next run does not stop at the other one.
	const isMissing = (name: string) => {
		const own = connection.requestNames[name] ?? name;
		return name !== unsent?.parameter && own !== '' && asked.body?.[own] === undefined;
	};
	if (unsent !== undefined && CHOSEN.some(isMissing)) return { ...problem, setting: BOTH_EMPTY };
	const withoutWords = detail ?? (kind === 'refused' ? WITHOUT_WORDS : undefined);
	return { ...problem, detail: isSaid ? undefined : withoutWords };
}

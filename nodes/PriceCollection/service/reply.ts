import type { DownloadFormat } from './connection';
import { decodeBody, type Decoded } from './decode/body';
import { fieldOf } from './names';
import { networkProblem } from './network';
import { readRetryAfter } from './pacing';
import { failure, success, traitsOf, type Outcome, type Problem } from './problems';
import { kindOfPhrase, refusalIn } from './refusal';
import { hasResults, statusIn, type Read } from './schemas';
import { statusMeaning, type End } from './statuses';
import { mayHoldSecret, oneLine, reasonIn, redactText, redactValue } from './text';
import { readHttpDate } from './time';
import { effectOf, ENDPOINTS, type Endpoint, type Job } from './types';
import { discard, readHead, type RequestScope, type WireReply, type WireRequest } from './wire';

export interface Exchange {
	scope: RequestScope;
	request: WireRequest;
	reply: WireReply;
}

/** Larger bodies are not turned into items, which would need several times this much of n8n's memory. */
const MOST_BYTES = 64 * 1024 * 1024;
const LONGEST_EXCERPT = 200;

/** If a redirect led to another host, its refusal is about the key, which is not sent there. */
function blamingRedirect(problem: Problem, { foreign }: WireReply): Problem {
	if (foreign === undefined) return problem;
	const forKey = problem.kind === 'unauthorized' || problem.kind === 'forbidden';
	const detail = [`A redirect led to ${foreign}.`, problem.detail].filter(Boolean).join(' ');
	return { ...problem, kind: forKey ? 'redirectedAway' : problem.kind, detail };
}

/** The body is not what was requested; its beginning is quoted. */
export function unexpected({ scope, request }: Exchange, detail: string, excerpt: string) {
	const { endpoint } = request;
	const begin = excerpt === '' ? 'It is empty' : `It begins with: ${excerpt}`;
	const said = `${redactText(detail, scope.connection.secrets)}. ${begin}`;
	return failure({ kind: 'unexpectedBody', endpoint, detail: said, effect: effectOf(endpoint) });
}

/** Whether a successful reply only means "not yet": no content, accepted, or no results of a running job. */
function isEarly({ scope, request }: Exchange, status: number, value: unknown): boolean {
	const { endpoint } = request;
	if (!endpoint.ofJob || endpoint.changes || status >= 300) return false;
	if (value === undefined || value === null) return true;
	if (endpoint !== ENDPOINTS.download) return false;
	const word = statusIn(value);
	const meaning = statusMeaning(word, scope.connection);
	const isUnknown = word !== undefined && meaning === undefined && !hasResults(value);
	return status === 202 || meaning === 'running' || isUnknown;
}

/** The problem of a reply that came too early; every wait for a job continues after it. */
export function tooEarly(endpoint: Endpoint, status: number, detail?: string) {
	return failure({ kind: 'notFinished', endpoint, status, detail, effect: 'none' });
}

/**
 * Classifies a decoded body as refusal, early reply or answer. Used for rows and files alike. `excerpt`: the
 * beginning of the text without secrets, for error messages.
 */
export function judge(exchange: Exchange, body: Decoded): Outcome<{ value: unknown; excerpt: string }> {
	const { scope, request, reply } = exchange;
	const { endpoint } = request;
	const { status, headers } = reply;
	const value = body.ok ? body.value : undefined;
	const isEmpty = body.ok ? value === null : body.problem === 'empty';
	// A request that changes something may be answered without content.
	if (isEmpty && endpoint.changes && status < 300) return success({ value: {}, excerpt: '' });
	if (isEmpty && isEarly(exchange, status, undefined))
		return tooEarly(endpoint, status, 'The service answered without content');
	const redact = (text: string) => redactText(text, scope.connection.secrets);
	const excerpt = oneLine(body.head.trimStart(), LONGEST_EXCERPT, redact);
	const retryAfterMs = readRetryAfter(headers['retry-after'], scope.clock.now());
	const problem = refusalIn({ status, body, retryAfterMs, excerpt }, request, scope.connection, redact);
	const isAccepted = problem?.reason === undefined && isEarly(exchange, status, {});
	if (problem !== undefined && !isAccepted) return failure(blamingRedirect(problem, reply));
	return isEarly(exchange, status, value) ? tooEarly(endpoint, status) : success({ value, excerpt });
}

/** Reads, decodes and classifies a reply, and converts it to the endpoint's type. */
export async function readReply<T>(
	exchange: Exchange,
	read: (value: unknown, headers: WireReply['headers']) => Read<T>,
): Promise<Outcome<T>> {
	const { scope, request, reply } = exchange;
	const { headers, status } = reply;
	const { endpoint } = request;
	const { secrets } = scope.connection;
	const date = readHttpDate(headers.date);
	if (date !== undefined && reply.foreign === undefined) scope.clockAheadMs = date - scope.clock.now();
	try {
		const { head: bytes, ended } = await readHead(reply.body, MOST_BYTES, { ...scope, ...request });
		if (!ended) {
			discard(reply.body);
			return failure({ kind: 'tooLarge', endpoint, status, effect: effectOf(endpoint) });
		}
		const body = await decodeBody(bytes, headers['content-type'], scope.clock.yieldToEventLoop);
		const answer = judge(exchange, body);
		if (!answer.ok) return answer;
		let { value } = answer.value;
		if (mayHoldSecret(bytes, secrets)) value = await redactValue(value, secrets, scope.clock);
		const result = read(value, headers);
		if (result.ok) return result;
		if (status === 202 && isEarly(exchange, status, undefined)) return tooEarly(endpoint, status);
		return unexpected(exchange, result.problem, answer.value.excerpt);
	} catch (error) {
		return failure({ ...networkProblem(error, endpoint, scope.connection, true), status });
	}
}

/** Whether a problem with a download leaves open what it means, so that the job must be read. */
export function leavesOpen(problem: Problem): boolean {
	const { kind, status = 0, detail, reason = '', endpoint } = problem;
	if (kind === 'unexpectedBody') return true;
	if (kind === 'notFinished' && status < 300) return detail !== undefined;
	const isDocumented = kind === 'notFinished' && kindOfPhrase(reason, endpoint) !== undefined;
	const isRefusal = kind === 'refused' || (status >= 400 && status < 500);
	return isRefusal && !traitsOf(problem).accountWide && !isDocumented;
}

/**
 * What a refused download means beside its job: an unknown job, one without results, a format that is refused, or
 * results that are still being written. It keeps the words of the refusal, and gets those of the job.
 *
 * @param end how the job ended, if it did
 */
export function downloadProblem(
	problem: Problem,
	job: Outcome<Job>,
	end: End | undefined,
	format: DownloadFormat = 'json',
): Problem {
	const { kind, status = 0, comment } = problem;
	if (!job.ok) return job.problem.kind === 'jobNotFound' ? { ...problem, kind: 'jobNotFound' } : problem;
	if (end === 'cancelled') return { ...problem, kind: 'cancelled' };
	const reason = reasonIn(fieldOf(job.value, 'reason'));
	if (end === 'failed') return { ...problem, kind: 'jobFailed', comment: reason ?? comment };
	const isUnavailable = kind === 'notFinished' || [404, 406, 410].includes(status);
	if (end === undefined)
		return isUnavailable || kind === 'unexpectedBody' ? { ...problem, kind: 'notFinished' } : problem;
	if (!isUnavailable) return problem;
	return { ...problem, kind: format === 'json' ? 'notReady' : 'formatRefused' };
}

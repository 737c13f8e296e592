import { decodeBody, type Decoded } from '../http/decode/body';
import { networkProblem } from '../http/network';
import { readRetryAfter } from '../http/pacing';
import { failure, success, type Outcome, type Problem } from '../problems';
import { refusalIn } from './refusal';
import type { ParseResult } from './schemas';
import { mayHoldSecret, redactText, redactValue } from '../secrets';
import { oneLine } from '../text';
import { readHttpDate } from '../time';
import { effectOf } from '../types';
import { discard, readHead, type RequestScope, type WireReply, type WireRequest } from '../http/wire';

export interface Exchange {
	scope: RequestScope;
	request: WireRequest;
	reply: WireReply;
}

/** Larger bodies are not turned into items: the items would take several times as much of n8n's memory. */
const MOST_BYTES = 64 * 1024 * 1024;
const LONGEST_EXCERPT = 200;

/** If a redirect led to another host, a refusal may only mean that the key is missing: it is not sent there. */
function blamingRedirect(problem: Problem, { foreign }: WireReply): Problem {
	if (foreign === undefined) return problem;
	// Without a reason, a 403 may be a web page from any server in between.
	const isForbidden = problem.status === 403 && problem.reason !== undefined;
	const isAboutKey = problem.kind === 'unauthorized' || problem.kind === 'forbidden' || isForbidden;
	const detail = [`A redirect led to ${foreign}.`, problem.detail].filter(Boolean).join(' ');
	return { ...problem, kind: isAboutKey ? 'redirectedAway' : problem.kind, detail };
}

/** The failure for a body that is not what was requested. It quotes the beginning of the body. */
export function unexpected({ scope, request }: Exchange, detail: string, excerpt: string) {
	const { endpoint } = request;
	const begin = excerpt === '' ? 'It is empty' : `It begins with: ${excerpt}`;
	const message = `${redactText(detail, scope.connection.secrets)}. ${begin}`;
	return failure({ kind: 'unexpectedBody', endpoint, detail: message, effect: effectOf(endpoint) });
}

/**
 * Classifies a decoded body as a refusal or an answer, both for rows and for files.
 *
 * @returns `excerpt`: the beginning of the text without secrets, for error messages
 */
export function judge(exchange: Exchange, body: Decoded): Outcome<{ value: unknown; excerpt: string }> {
	const { scope, request, reply } = exchange;
	const { endpoint } = request;
	const { status, headers } = reply;
	const value = body.ok ? body.value : undefined;
	const isEmpty = body.ok ? value === null : body.problem === 'empty';
	// A request that changes something may be answered without content.
	if (isEmpty && endpoint.changes && status < 300) return success({ value: {}, excerpt: '' });
	const redact = (text: string) => redactText(text, scope.connection.secrets);
	const excerpt = oneLine(body.head.trimStart(), LONGEST_EXCERPT, redact);
	const retryAfterMs = readRetryAfter(headers['retry-after'], scope.clock.now());
	const problem = refusalIn({ status, body, retryAfterMs, excerpt }, request, scope.connection, redact);
	if (problem !== undefined) return failure(blamingRedirect(problem, reply));
	return success({ value, excerpt });
}

/** In place of a refusal's body that did not arrive. */
const LOST_BODY: Decoded = { ok: false, problem: 'empty', detail: '', head: '', truncated: false };

/** Why a reply could not be read. If the status alone means a refusal, the problem is that refusal. */
export function brokenReply(exchange: Exchange, error: unknown): Problem {
	const { scope, request, reply } = exchange;
	const { status } = reply;
	const problem = { ...networkProblem(error, request.endpoint, scope.connection), status };
	const refusal = status >= 400 && problem.kind !== 'stopped' ? judge(exchange, LOST_BODY) : undefined;
	return refusal === undefined || refusal.ok ? problem : refusal.problem;
}

/** Reads, decodes and classifies a reply, and converts it to the endpoint's type. */
export async function readReply<T>(
	exchange: Exchange,
	read: (value: unknown, reply: Pick<WireReply, 'headers' | 'status'>) => ParseResult<T>,
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
		const result = read(value, reply);
		if (result.ok) return result;
		return unexpected(exchange, result.problem, answer.value.excerpt);
	} catch (error) {
		return failure(brokenReply(exchange, error));
	}
}

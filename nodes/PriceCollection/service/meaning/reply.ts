import { decodeBody, type Decoded } from '../http/decode/body';
import { networkProblem } from '../http/network';
import { readRetryAfter } from '../http/pacing';
import { failure, success, type Outcome, type Problem } from '../problems';
import { refusalIn } from './refusal';
import type { ParseResult } from './schemas';
import { mayHoldSecret, oneLine, redactText, redactValue } from '../text';
import { readHttpDate } from '../time';
import { effectOf } from '../types';
import { discard, readHead, type RequestScope, type WireReply, type WireRequest } from '../http/wire';

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
	// A page with HTTP 403 may come from any server in between.
	const isForbidden = problem.status === 403 && problem.reason !== undefined;
	const forKey = problem.kind === 'unauthorized' || problem.kind === 'forbidden' || isForbidden;
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

/**
 * Classifies a decoded body as refusal or answer. Used for rows and files alike. `excerpt`: the beginning of the text
 * without secrets, for error messages.
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

/** The words of a refusal that did not arrive. */
const NO_WORDS: Decoded = { ok: false, problem: 'empty', detail: '', head: '', truncated: false };

/** Why a reply could not be read: a refusal whose words are lost is still known by its status. */
export function brokenReply(exchange: Exchange, error: unknown): Problem {
	const { scope, request, reply } = exchange;
	const { status } = reply;
	const problem = { ...networkProblem(error, request.endpoint, scope.connection), status };
	const judged = status >= 400 && problem.kind !== 'stopped' ? judge(exchange, NO_WORDS) : undefined;
	return judged === undefined || judged.ok ? problem : judged.problem;
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

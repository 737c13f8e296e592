import { limitSilence, piecesOf, TooLarge } from './body';
import { decodeBody, type Decoded } from './decode/body';
import { isEarly, tooEarly } from './early';
import { effectOf } from './endpoints';
import { classifyReply } from './classifyReply';
import { networkProblem } from './network';
import { failure, success, type Outcome, type Problem } from './problems';
import { redactText, redactValue, SecretWatch } from './redact';
import { readRetryAfter } from './retry';
import { readRefusal, type Read } from './schemas';
import { oneLine } from './text';
import { readHttpDate } from './time';
import { patienceFor, type RequestScope, type WireReply, type WireRequest } from './wire';

/** A request and the reply to it. */
export interface Exchange {
	scope: RequestScope;
	request: WireRequest;
	reply: WireReply;
}

/** A reply's data without secrets, and how its text begins, for an error text. */
export interface Answer {
	value: unknown;
	excerpt: string;
}

const LONGEST_EXCERPT = 200;

/** Takes the time from a reply's Date header, where it has one. */
function setClock({ scope, reply }: Exchange): void {
	const date = readHttpDate(reply.headers.date);
	if (date !== undefined && reply.foreign === undefined) scope.clockAheadMs = date - scope.clock.now();
}

/** A refusal by the foreign host that a redirect led to is about the missing key, which must stay behind. */
function blamingRedirect(problem: Problem, { foreign }: WireReply): Problem {
	if (foreign === undefined) return problem;
	const forKey = problem.kind === 'unauthorized' || problem.kind === 'forbidden';
	const detail = [`A redirect led to ${foreign}.`, problem.detail].filter(Boolean).join(' ');
	return { ...problem, kind: forKey ? 'redirectedAway' : problem.kind, detail };
}

/** How a body begins, without secrets. */
function excerptOf({ scope }: Exchange, { head }: Decoded): string {
	const { secrets } = scope.dialect;
	return oneLine(head.trimStart(), LONGEST_EXCERPT, (text) => redactText(text, secrets));
}

/** A body that is not what was asked for, with how it begins. */
export function unexpected(
	exchange: Exchange,
	detail: string,
	excerpt: string,
): { ok: false; problem: Problem } {
	const { endpoint } = exchange.request;
	const said = `${redactText(detail, exchange.scope.dialect.secrets)}. It begins with: ${excerpt}`;
	return failure({ kind: 'unexpectedBody', endpoint, detail: said, effect: effectOf(endpoint) });
}

/** Judges a decoded body: a refusal, a reply that came too early, or an answer. The same for rows and files. */
export function judge(exchange: Exchange, body: Decoded): Outcome<Answer> {
	const { scope, request, reply } = exchange;
	const { endpoint } = request;
	const { status, headers } = reply;
	const isEmpty = body.ok ? body.value === null : body.problem === 'empty';
	if (isEmpty && status < 300) {
		// What changes something need not say anything about it.
		if (endpoint.changes) return success({ value: {}, excerpt: '' });
		if (isEarly(endpoint, status, undefined))
			return tooEarly(endpoint, status, 'The service answered without content');
	}
	const excerpt = excerptOf(exchange, body);
	const refusal = body.ok ? readRefusal(body.value, status) : undefined;
	const retryAfterMs = readRetryAfter(headers['retry-after'], scope.clock.now());
	const problem = classifyReply({ status, body, refusal, retryAfterMs, excerpt }, endpoint, (words) =>
		redactText(words, scope.dialect.secrets),
	);
	const isAccepted = problem?.reason === undefined && isEarly(endpoint, status, {});
	if (problem !== undefined && !isAccepted) return failure(blamingRedirect(problem, reply));
	const value = body.ok ? body.value : undefined;
	return isEarly(endpoint, status, value) ? tooEarly(endpoint, status) : success({ value, excerpt });
}

/** What is wrong with a reply whose body could not be read to its end. */
export function bodyProblem({ scope, request, reply: { status } }: Exchange, error: unknown): Problem {
	const { endpoint } = request;
	if (error instanceof TooLarge) return { kind: 'tooLarge', endpoint, status, effect: effectOf(endpoint) };
	return { ...networkProblem(error, endpoint, scope.dialect, true), status };
}

/** Reads, decodes and judges a reply, and turns it into what its endpoint gives. */
export async function readReply<T>(
	exchange: Exchange,
	read: (value: unknown, headers: WireReply['headers']) => Read<T>,
): Promise<Outcome<T>> {
	const { scope, request, reply } = exchange;
	const { headers, status } = reply;
	const { unmistakableSecrets } = scope.dialect;
	setClock(exchange);
	try {
		limitSilence(reply.body, patienceFor(scope, request));
		const watch = new SecretWatch(unmistakableSecrets);
		const pieces = watch.over(piecesOf(reply.body));
		const body = await decodeBody(pieces, headers['content-type'], scope.clock.yieldToEventLoop);
		const answer = judge(exchange, body);
		if (!answer.ok) return answer;
		if (body.ok && body.mended !== undefined) {
			const { endpoint, path, query } = request;
			scope.onMended?.(JSON.stringify([endpoint.text, path, query]), body.mended);
		}
		const { excerpt } = answer.value;
		const value = watch.found
			? await redactValue(answer.value.value, unmistakableSecrets, scope.clock)
			: answer.value.value;
		const result = read(value, headers);
		if (result.ok) return success(result.value);
		if (status === 202 && isEarly(request.endpoint, status, undefined))
			return tooEarly(request.endpoint, status);
		return unexpected(exchange, `Expected ${result.expected}, but ${result.detail}`, excerpt);
	} catch (error) {
		return failure(bodyProblem(exchange, error));
	}
}

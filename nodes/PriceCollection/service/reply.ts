import { limitSilence, readBytes, textOf } from './body';
import { decodeBody, excerptOf, type Decoded } from './decode/body';
import { ENDPOINTS } from './endpoints';
import { classifyReply } from './classifyReply';
import { networkProblem } from './network';
import { failure, success, type Outcome, type Problem } from './problems';
import { mayHoldSecret, redactText, redactValue } from './redact';
import { readRetryAfter } from './retry';
import { readRefusal, type Read } from './schemas';
import { terminalStatus } from './status';
import { isObject } from './types';
import { patienceFor, type RequestScope, type WireReply, type WireRequest } from './wire';

/** Takes the time from a reply's Date header, where it has one. */
function setClock(scope: RequestScope, reply: WireReply): void {
	const date = Date.parse(reply.headers.date ?? '');
	if (!Number.isNaN(date) && reply.foreign === undefined) scope.clockAheadMs = date - scope.clock.now();
}

/** A reply's data, and how its text begins, for an error text. */
export interface Answer {
	value: unknown;
	excerpt: string;
}

/** Whether a request that was answered so may have done something. */
function effectOf(request: WireRequest): Problem['effect'] {
	return request.method === 'POST' ? 'unknown' : 'none';
}

/** A refusal by the foreign host that a redirect led to is about the missing key, which must stay behind. */
function blamingRedirect(problem: Problem, reply: WireReply): Problem {
	if (reply.foreign === undefined) return problem;
	const forKey = problem.kind === 'unauthorized' || problem.kind === 'forbidden';
	const detail = [`A redirect led to ${reply.foreign}.`, problem.detail].filter(Boolean).join(' ');
	return { ...problem, kind: forKey ? 'redirectedAway' : problem.kind, detail };
}

/** So much of a text is cleaned before it is cut to an excerpt: cut first, half a secret would remain. */
const CLEANED_CHARACTERS = 8_000;

/** How a text begins, without secrets. */
function cleanExcerpt(text: string, secrets: readonly string[]): string {
	const start = Math.max(text.search(/\S/), 0);
	return excerptOf(redactText(text.slice(start, start + CLEANED_CHARACTERS), secrets));
}

/** Judges a reply by its status and its text, and gives the data without secrets. */
export async function classifyText(
	{ dialect, clock }: RequestScope,
	request: WireRequest,
	reply: WireReply,
	text: string,
): Promise<Outcome<Answer>> {
	const { endpoint } = request;
	const redact = (words: string) => redactText(words, dialect.secrets);
	const decoded = await decodeBody(text, clock.yieldToEventLoop);
	const excerpt = cleanExcerpt(text, dialect.secrets);
	const body: Decoded = decoded.ok ? decoded : { ...decoded, excerpt };
	const refusal = body.ok ? readRefusal(body.value, reply.status) : undefined;
	const problem = classifyReply(
		{
			status: reply.status,
			body,
			refusal,
			retryAfterMs: readRetryAfter(reply.headers['retry-after'], clock.now()),
		},
		{ endpoint, changes: request.method === 'POST' },
		redact,
	);
	if (problem !== undefined) return failure(blamingRedirect(problem, reply));
	const value = body.ok ? body.value : undefined;
	return success({
		value: mayHoldSecret(text, dialect.secrets) ? redactValue(value, dialect.secrets) : value,
		excerpt,
	});
}

/** Reads a reply as data and judges it. An empty answer is taken for `{}` where `mayBeEmpty`. */
export async function readReply(
	scope: RequestScope,
	request: WireRequest,
	reply: WireReply,
	mayBeEmpty: boolean,
): Promise<Outcome<Answer>> {
	const { endpoint } = request;
	const { status } = reply;
	setClock(scope, reply);
	let bytes: Buffer | undefined;
	try {
		limitSilence(reply.body, patienceFor(scope, request));
		bytes = await readBytes(reply.body);
	} catch (error) {
		return failure({ ...networkProblem(error, request, scope.dialect, true), status });
	}
	if (bytes === undefined)
		return failure({ kind: 'tooLarge', endpoint, status, effect: effectOf(request) });
	const text = textOf(bytes, reply.headers['content-type']);
	const isEmpty = text.trim() === '' || text.trim() === 'null';
	if (mayBeEmpty && status < 300 && isEmpty) return success({ value: {}, excerpt: '' });
	return await classifyText(scope, request, reply, text);
}

/** A download that came too early: a running job, and no results with it. */
export function tooEarly(endpoint: string, value: unknown): boolean {
	if (endpoint !== ENDPOINTS.download || !isObject(value)) return false;
	const { status, results } = value;
	const running = typeof status === 'string' && status !== '' && terminalStatus(status) === undefined;
	return running && (!Array.isArray(results) || results.length === 0);
}

/** Turns an answer into what its endpoint gives, or says what it should have been and what came instead. */
export function checked<T>(
	request: WireRequest,
	answer: Answer,
	read: (value: unknown) => Read<T>,
	secrets: readonly string[],
): Outcome<T> {
	const { endpoint } = request;
	if (tooEarly(endpoint, answer.value)) return failure({ kind: 'notFinished', endpoint, effect: 'none' });
	const result = read(answer.value);
	if (result.ok) return success(result.value);
	const detail = redactText(`Expected ${result.expected}, but ${result.detail}.`, secrets);
	return failure({
		kind: 'unexpectedBody',
		endpoint,
		detail: `${detail} It begins with: ${answer.excerpt}`,
		effect: effectOf(request),
	});
}

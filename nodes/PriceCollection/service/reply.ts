import { limitSilence, piecesOf, TooLarge } from './body';
import { decodeBody, excerptOf, type Decoded } from './decode/body';
import { effectOf, ENDPOINTS } from './endpoints';
import { classifyReply } from './classifyReply';
import { networkProblem } from './network';
import { failure, success, type Outcome, type Problem } from './problems';
import { redactText, redactValue, SecretWatch } from './redact';
import { readRetryAfter } from './retry';
import { isOfRunningJob, readRefusal, type Read } from './schemas';
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
	headers: WireReply['headers'];
}

/** Takes the time from a reply's Date header, where it has one. */
function setClock({ scope, reply }: Exchange): void {
	const now = scope.clock.now();
	const date = readHttpDate(reply.headers.date ?? '');
	if (date !== undefined && reply.foreign === undefined) scope.clockAheadMs = date - now;
}

/** A refusal by the foreign host that a redirect led to is about the missing key, which must stay behind. */
function blamingRedirect(problem: Problem, { foreign }: WireReply): Problem {
	if (foreign === undefined) return problem;
	const forKey = problem.kind === 'unauthorized' || problem.kind === 'forbidden';
	const detail = [`A redirect led to ${foreign}.`, problem.detail].filter(Boolean).join(' ');
	return { ...problem, kind: forKey ? 'redirectedAway' : problem.kind, detail };
}

/** How many characters of a text are cleaned before it is cut to an excerpt: cut first, half a secret would remain. */
const CLEANED_CHARACTERS = 8_000;

/** How a text begins, without secrets. */
export function cleanExcerpt(text: string, secrets: readonly string[]): string {
	return excerptOf(redactText(text.trimStart().slice(0, CLEANED_CHARACTERS), secrets));
}

/** Whether a decoded reply is an answer, or why it is none: the one judgement for every endpoint and for files. */
export function problemWith({ scope, request, reply }: Exchange, body: Decoded): Problem | undefined {
	const { secrets } = scope.dialect;
	const problem = classifyReply(
		{
			status: reply.status,
			body,
			refusal: body.ok ? readRefusal(body.value, reply.status) : undefined,
			retryAfterMs: readRetryAfter(reply.headers['retry-after'], scope.clock.now()),
			excerpt: cleanExcerpt(body.head, secrets),
		},
		request.endpoint,
		(words) => redactText(words, secrets),
	);
	return problem === undefined ? undefined : blamingRedirect(problem, reply);
}

/** What is wrong with a reply whose body could not be read to its end. */
export function bodyProblem({ scope, request, reply: { status } }: Exchange, error: unknown): Problem {
	const { endpoint } = request;
	if (error instanceof TooLarge) return { kind: 'tooLarge', endpoint, status, effect: effectOf(endpoint) };
	return { ...networkProblem(error, endpoint, scope.dialect, true), status };
}

/** Reads, decodes and judges a reply. An empty answer is taken for `{}` where `mayBeEmpty`. */
export async function readReply(exchange: Exchange, mayBeEmpty: boolean): Promise<Outcome<Answer>> {
	const { scope, request, reply } = exchange;
	const { headers, status } = reply;
	const { secrets, unmistakableSecrets } = scope.dialect;
	setClock(exchange);
	try {
		limitSilence(reply.body, patienceFor(scope, request));
		const watch = new SecretWatch(unmistakableSecrets);
		const pieces = watch.over(piecesOf(reply.body));
		const body = await decodeBody(pieces, headers['content-type'], scope.clock.yieldToEventLoop);
		const isEmpty = body.ok ? body.value === null : body.problem === 'empty';
		if (mayBeEmpty && status < 300 && isEmpty) return success({ value: {}, excerpt: '', headers });
		const problem = problemWith(exchange, body);
		if (problem !== undefined) return failure(problem);
		const value = body.ok ? body.value : undefined;
		if (body.ok && body.mended !== undefined) {
			const { endpoint, path, query } = request;
			scope.onMended?.(JSON.stringify([endpoint, path, query]), body.mended);
		}
		return success({
			value: watch.found ? await redactValue(value, unmistakableSecrets, scope.clock) : value,
			excerpt: cleanExcerpt(body.head, secrets),
			headers,
		});
	} catch (error) {
		return failure(bodyProblem(exchange, error));
	}
}

/** A download that came too early: that of a job that is not over. */
export function tooEarly(endpoint: string, value: unknown): Problem | undefined {
	const isEarly = endpoint === ENDPOINTS.download && isOfRunningJob(value);
	return isEarly ? { kind: 'notFinished', endpoint, effect: 'none' } : undefined;
}

/** Turns an answer into what its endpoint gives, or says what it should have been and what came instead. */
export function checked<T>(
	endpoint: string,
	answer: Answer,
	read: (value: unknown, headers: Answer['headers']) => Read<T>,
	secrets: readonly string[],
): Outcome<T> {
	const early = tooEarly(endpoint, answer.value);
	if (early !== undefined) return failure(early);
	const result = read(answer.value, answer.headers);
	if (result.ok) return success(result.value);
	const detail = redactText(`Expected ${result.expected}, but ${result.detail}.`, secrets);
	return failure({
		kind: 'unexpectedBody',
		endpoint,
		detail: `${detail} It begins with: ${answer.excerpt}`,
		effect: effectOf(endpoint),
	});
}

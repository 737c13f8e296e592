import { limitSilence, piecesOf, TooLarge } from './body';
import { decodeBody, excerptOf, type Decoded } from './decode/body';
import { ENDPOINTS } from './endpoints';
import { classifyReply } from './classifyReply';
import { networkProblem } from './network';
import { failure, success, type Outcome, type Problem } from './problems';
import { redactText, redactValue, SecretWatch } from './redact';
import { readRetryAfter } from './retry';
import { isOfRunningJob, readRefusal, type Read } from './schemas';
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
	headers: WireReply['headers'];
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

/** How many characters of a text are cleaned before it is cut to an excerpt: cut first, half a secret would remain. */
const CLEANED_CHARACTERS = 8_000;

/** How a text begins, without secrets. */
export function cleanExcerpt(text: string, secrets: readonly string[]): string {
	const start = Math.max(text.search(/\S/), 0);
	return excerptOf(redactText(text.slice(start, start + CLEANED_CHARACTERS), secrets));
}

/** Whether a decoded reply is an answer, or why it is none: the one judgement for every endpoint and for files. */
export function problemWith(
	{ dialect, clock }: RequestScope,
	request: WireRequest,
	reply: WireReply,
	body: Decoded,
): Problem | undefined {
	const problem = classifyReply(
		{
			status: reply.status,
			body,
			refusal: body.ok ? readRefusal(body.value, reply.status) : undefined,
			retryAfterMs: readRetryAfter(reply.headers['retry-after'], clock.now()),
			excerpt: cleanExcerpt(body.head, dialect.secrets),
		},
		{ endpoint: request.endpoint, changes: request.method === 'POST' },
		(words: string) => redactText(words, dialect.secrets),
	);
	return problem === undefined ? undefined : blamingRedirect(problem, reply);
}

/** Decodes and judges a body, and gives its data without secrets. */
export async function readPieces(
	scope: RequestScope,
	request: WireRequest,
	reply: WireReply,
	pieces: AsyncIterable<Buffer>,
	mayBeEmpty = false,
): Promise<Outcome<Answer>> {
	const { dialect, clock } = scope;
	const { headers, status } = reply;
	const watch = new SecretWatch(dialect.unmistakableSecrets);
	const body = await decodeBody(watch.over(pieces), headers['content-type'], clock.yieldToEventLoop);
	const isEmpty = body.ok ? body.value === null : body.problem === 'empty';
	if (mayBeEmpty && status < 300 && isEmpty) return success({ value: {}, excerpt: '', headers });
	const problem = problemWith(scope, request, reply, body);
	if (problem !== undefined) return failure(problem);
	const value = body.ok ? body.value : undefined;
	return success({
		value: watch.found ? await redactValue(value, dialect.unmistakableSecrets, clock) : value,
		excerpt: cleanExcerpt(body.head, dialect.secrets),
		headers,
	});
}

/** What is wrong with a reply whose body could not be read to its end. */
export function bodyProblem(
	scope: RequestScope,
	request: WireRequest,
	status: number,
	error: unknown,
): Problem {
	const { endpoint } = request;
	if (error instanceof TooLarge) return { kind: 'tooLarge', endpoint, status, effect: effectOf(request) };
	return { ...networkProblem(error, request, scope.dialect, true), status };
}

/** Reads a reply as data and judges it. An empty answer is taken for `{}` where `mayBeEmpty`. */
export async function readReply(
	scope: RequestScope,
	request: WireRequest,
	reply: WireReply,
	mayBeEmpty: boolean,
): Promise<Outcome<Answer>> {
	setClock(scope, reply);
	try {
		limitSilence(reply.body, patienceFor(scope, request));
		return await readPieces(scope, request, reply, piecesOf(reply.body), mayBeEmpty);
	} catch (error) {
		return failure(bodyProblem(scope, request, reply.status, error));
	}
}

/** A body that is there as a whole. */
export async function* wholeOf(bytes: Buffer): AsyncGenerator<Buffer> {
	yield bytes;
}

/** A download that came too early: that of a job that is not over. */
export function tooEarly({ endpoint }: Pick<WireRequest, 'endpoint'>, value: unknown): Problem | undefined {
	const isEarly = endpoint === ENDPOINTS.download && isOfRunningJob(value);
	return isEarly ? { kind: 'notFinished', endpoint, effect: 'none' } : undefined;
}

/** Turns an answer into what its endpoint gives, or says what it should have been and what came instead. */
export function checked<T>(
	request: WireRequest,
	answer: Answer,
	read: (value: unknown, headers: Answer['headers']) => Read<T>,
	secrets: readonly string[],
): Outcome<T> {
	const { endpoint } = request;
	const early = tooEarly(request, answer.value);
	if (early !== undefined) return failure(early);
	const result = read(answer.value, answer.headers);
	if (result.ok) return success(result.value);
	const detail = redactText(`Expected ${result.expected}, but ${result.detail}.`, secrets);
	return failure({
		kind: 'unexpectedBody',
		endpoint,
		detail: `${detail} It begins with: ${answer.excerpt}`,
		effect: effectOf(request),
	});
}

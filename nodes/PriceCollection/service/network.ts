import type { Dialect } from './dialect';
import { effectOf, type Endpoint } from './endpoints';
import type { Problem, ProblemKind } from './problems';
import { redactText } from './redact';
import { oneLine } from './text';

const KINDS_OF_CODES: ReadonlyArray<readonly [ProblemKind, RegExp]> = [
	['connectionRefused', /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/],
	['invalidHeader', /^(ERR_INVALID_CHAR|ERR_HTTP_INVALID_HEADER_VALUE|ERR_INVALID_HTTP_TOKEN)$/],
	['hostNotFound', /^(ENOTFOUND|EAI_AGAIN|EAI_FAIL|EAI_NODATA)$/],
	['timedOut', /^(ETIMEDOUT|ECONNABORTED)$/],
	['connectionLost', /^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/],
	['stopped', /^ERR_CANCELED$/],
];
/** The service's certificate was refused, also before anything was sent. */
const CERTIFICATE_CODE = /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;
/** Other troubles of a secure connection, which can come late. */
const TLS_CODE = /^(ERR_TLS|ERR_SSL|EPROTO)/;
/** After these nothing has reached the service. */
const NOT_SENT: readonly ProblemKind[] = ['connectionRefused', 'hostNotFound', 'invalidHeader'];
/** The system calls that fail before a request can have left. */
const BEFORE_SENDING = /^(connect|getaddrinfo|bind|query\w{0,20})$/;
/** What n8n's protection against forged requests says, and the domains of a credential that it restricts to some. */
const FORBIDDEN =
	/^(The request was blocked because|Domain not allowed|No allowed domains|This credential (is configured to prevent|restricts requests))/;
const LONGEST_WORDS = 500;
/** n8n wraps what the network reports, at times twice. */
const DEEPEST_CAUSE = 5;

/** An error and what it wraps, from the outside in. */
function causesOf(error: unknown, levels = DEEPEST_CAUSE): Array<Record<string, unknown>> {
	if (typeof error !== 'object' || error === null || levels === 0) return [];
	const fields = error as Record<string, unknown>;
	return [fields, ...[fields.cause, fields.errorResponse].flatMap((one) => causesOf(one, levels - 1))];
}

/** The error that n8n wrapped: for some codes n8n puts words about the service in its place. */
function innermost(error: unknown): unknown {
	return error instanceof Error && error.cause instanceof Error ? innermost(error.cause) : error;
}

/**
 * What a request means that got no reply, or whose body broke off.
 *
 * @param begun whether a reply, or a redirect on the way to it, had already come
 */
export function networkProblem(
	error: unknown,
	endpoint: Endpoint,
	{ secrets }: Pick<Dialect, 'secrets'>,
	begun: boolean,
): Problem {
	const causes = causesOf(error);
	const textIn = (name: string) => causes.map((one) => one[name]).find((one) => typeof one === 'string');
	const [code = '', syscall] = [textIn('code'), textIn('syscall')];
	const isEarly = BEFORE_SENDING.test(syscall ?? '');
	const isForbidden = causes.some(
		({ name, message }) => String(name).startsWith('SsrfBlocked') || FORBIDDEN.test(String(message)),
	);
	// A connection that failed is one of n8n's own where the library for requests says nothing of it.
	const isOwn = !causes.some(({ isAxiosError }) => isAxiosError === true) && (code === '' || isEarly);
	const isOfN8n = !begun && (isForbidden || isOwn);
	// The network can fail under a connection that stands: the request may have left by then.
	const mayHaveLeft = begun || !(isEarly || (syscall === undefined && code === 'ECONNREFUSED'));
	const isSecurity = CERTIFICATE_CODE.test(code) || TLS_CODE.test(code);
	const known = KINDS_OF_CODES.find(([, codes]) => codes.test(code))?.[0];
	let kind: ProblemKind = known ?? (isSecurity ? 'certificate' : 'connectionLost');
	if (kind === 'connectionRefused' && mayHaveLeft) kind = 'connectionLost';
	if (isOfN8n) kind = isForbidden ? 'addressForbidden' : 'notSent';
	const nothingSent = !begun && (isOfN8n || NOT_SENT.includes(kind) || CERTIFICATE_CODE.test(code));
	const told = isOfN8n ? innermost(error) : error;
	const redact = (text: string) => redactText(text, secrets);
	const message = oneLine(told instanceof Error ? told.message : String(told), LONGEST_WORDS, redact);
	// The known codes need no more words; anything else is shown, so that it can be looked up.
	const detail = known !== undefined && !isOfN8n ? undefined : `Details: ${message}`;
	return { kind, endpoint, detail, effect: nothingSent ? 'none' : effectOf(endpoint) };
}

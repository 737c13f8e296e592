import type { ConnectionSettings } from './connection';
import type { Problem, ProblemKind } from './problems';
import { oneLine, redactText } from './text';
import { effectOf, type Endpoint } from './types';

/** What the codes mean, and whether nothing was sent with them. Other errors of a secure connection can occur late. */
const CODES: ReadonlyArray<readonly [ProblemKind, isEarly: boolean, codes: RegExp]> = [
	['connectionRefused', true, /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/],
	['invalidHeader', true, /^(ERR_INVALID_CHAR|ERR_HTTP_INVALID_HEADER_VALUE|ERR_INVALID_HTTP_TOKEN)$/],
	['hostNotFound', true, /^(ENOTFOUND|EAI_AGAIN|EAI_FAIL|EAI_NODATA)$/],
	['certificate', true, /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/],
	['certificate', false, /^(ERR_TLS|ERR_SSL|EPROTO)/],
	['timedOut', false, /^(ETIMEDOUT|ECONNABORTED)$/],
	['connectionLost', false, /^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/],
	['stopped', false, /^ERR_CANCELED$/],
];
/** System calls that fail before a request is sent. */
const BEFORE_SENDING = /^(connect|getaddrinfo|bind|query\w{0,20})$/;
/** Messages of n8n's protection against forged requests, and of a credential's allowed domains. */
const FORBIDDEN =
	/^(The request was blocked because|Domain not allowed|No allowed domains|This credential (is configured to prevent|restricts requests))/;
const LONGEST_WORDS = 500;

/** An error and the errors it wraps, outermost first: n8n wraps network errors, sometimes twice. */
function causesOf(error: unknown, levels = 5): Array<Record<string, unknown>> {
	if (typeof error !== 'object' || error === null || levels === 0) return [];
	const fields = error as Record<string, unknown>;
	return [fields, ...[fields.cause, fields.errorResponse].flatMap((one) => causesOf(one, levels - 1))];
}

/** Classifies a request that got no reply (`begun`: after a redirect), or whose body broke off. */
export function networkProblem(
	error: unknown,
	endpoint: Endpoint,
	{ secrets }: Pick<ConnectionSettings, 'secrets'>,
	begun: boolean,
): Problem {
	const causes = causesOf(error);
	const textIn = (name: string) => causes.map((one) => one[name]).find((one) => typeof one === 'string');
	const [code = '', syscall] = [textIn('code'), textIn('syscall')];
	const isEarly = BEFORE_SENDING.test(syscall ?? '');
	const isForbidden = causes.some(
		({ name, message }) => String(name).startsWith('SsrfBlocked') || FORBIDDEN.test(String(message)),
	);
	// A connection error that is not from the HTTP library is one of n8n's own, such as its database.
	const isOwn = !causes.some(({ isAxiosError }) => isAxiosError === true) && (code === '' || isEarly);
	const isOfN8n = !begun && (isForbidden || isOwn);
	// The network can also fail under an open connection, after the request was sent.
	const mayHaveLeft = begun || !(isEarly || (syscall === undefined && code === 'ECONNREFUSED'));
	const [known, isEarlyCode] = CODES.find(([, , codes]) => codes.test(code)) ?? ['connectionLost' as const];
	const isLate = known === 'connectionRefused' && mayHaveLeft;
	let kind = isLate ? 'connectionLost' : known;
	if (isOfN8n) kind = isForbidden ? 'addressForbidden' : 'notSent';
	const nothingSent = !begun && (isOfN8n || (isEarlyCode === true && !isLate));
	// For some codes n8n wraps the error in one about the service.
	const told = isOfN8n ? (causes.findLast((one) => one instanceof Error) ?? error) : error;
	const redact = (text: string) => redactText(text, secrets);
	const message = oneLine(told instanceof Error ? told.message : String(told), LONGEST_WORDS, redact);
	// Known codes need no details; other errors are shown, so that users can search for them.
	const isCommon = isEarlyCode !== undefined && known !== 'certificate' && !isOfN8n;
	const detail = isCommon ? undefined : `Details: ${message}`;
	return { kind, endpoint, detail, effect: nothingSent ? 'none' : effectOf(endpoint) };
}

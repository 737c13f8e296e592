import type { ConnectionSettings } from '../connection';
import type { Problem, ProblemKind } from '../problems';
import { oneLine } from '../text';
import { redactText } from '../secrets';
import { effectOf, type Endpoint } from '../types';

/** Error codes. `isEarly`: the code proves that nothing was sent. Other TLS errors can also occur later. */
const CODES: ReadonlyArray<readonly [ProblemKind, isEarly: boolean, codes: RegExp]> = [
	['connectionRefused', true, /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/],
	['invalidHeader', true, /^(ERR_INVALID_CHAR|ERR_HTTP_INVALID_HEADER_VALUE|ERR_INVALID_HTTP_TOKEN)$/],
	['hostNotFound', true, /^(ENOTFOUND|EAI_AGAIN|EAI_FAIL|EAI_NODATA)$/],
	[
		'unknownIssuer',
		true,
		/^(UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_VERIFY_LEAF|DEPTH_ZERO_|SELF_SIGNED_|CERT_UNTRUSTED)/,
	],
	['certificate', true, /^(CERT_|ERR_TLS_CERT|UNABLE_TO_)/],
	['certificate', false, /^(ERR_TLS|ERR_SSL|EPROTO)/],
	['timedOut', false, /^(ETIMEDOUT|ECONNABORTED)$/],
	['connectionLost', false, /^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/],
	['headersTooLarge', false, /^HPE_HEADER_OVERFLOW$/],
	['invalidHttp', false, /^HPE_/],
	['stopped', false, /^ERR_CANCELED$/],
];
/** Messages of Node, OpenSSL and the proxy library for errors that have no specific code. */
const MESSAGES: ReadonlyArray<readonly [ProblemKind, isEarly: boolean, message: RegExp]> = [
	['closedEarly', true, /^Client network socket disconnected before secure TLS connection/],
	['proxyFailed', true, /proxy (CONNECT response|connection ended before)/i],
	['noHttps', false, /:SSL routines:\w*:wrong version number:/],
];
/** System calls that fail before a request is sent. */
const BEFORE_SENDING = /^(connect|getaddrinfo|bind|query\w{0,20})$/;
/** Captures the reason in an OpenSSL message, which also names functions and files. */
const OPENSSL = /^.*:SSL routines:[^:]*:([^:]+):.*$/s;
/** Messages of n8n's SSRF protection and of a credential's allowed domains. */
const BLOCKED_BY_N8N =
	/^(The request was blocked because|Domain not allowed|No allowed domains|This credential (is configured to prevent|restricts requests))/;
const LONGEST_MESSAGE = 500;
/** Kinds that have several causes. Messages of unknown codes are shown too, so that users can search for them. */
const SHOWN_WITH_MESSAGE: readonly ProblemKind[] = ['certificate', 'unknownIssuer', 'invalidHttp'];

/** An error and the errors it wraps, outermost first: n8n wraps network errors, sometimes twice. */
function causesOf(error: unknown, depth = 5): Array<Record<string, unknown>> {
	if (typeof error !== 'object' || error === null || depth === 0) return [];
	const fields = error as Record<string, unknown>;
	return [fields, ...[fields.cause, fields.errorResponse].flatMap((one) => causesOf(one, depth - 1))];
}

/** Whether a server answered a plain HTTP request with a TLS alert (RFC 8446, section 5.1). */
function isTlsAlert({ rawPacket }: Record<string, unknown>): boolean {
	return Buffer.isBuffer(rawPacket) && rawPacket[0] === 0x15 && rawPacket[1] === 0x03;
}

/** What a network error means, and whether its code or message proves that nothing was sent. */
function networkMeaning(causes: ReadonlyArray<Record<string, unknown>>, code: string) {
	if (causes.some(isTlsAlert)) return ['httpsOnly', true] as const;
	const messages = causes.map(({ message }) => String(message));
	return (
		MESSAGES.find(([, , pattern]) => messages.some((message) => pattern.test(message))) ??
		CODES.find(([, , codes]) => codes.test(code))
	);
}

/** The proxy that n8n tried to connect to in place of the service; undefined if it tried the service itself. */
function proxyTried(causes: ReadonlyArray<Record<string, unknown>>, url: URL): string | undefined {
	const { hostname, address, port } = causes.find(({ syscall }) => typeof syscall === 'string') ?? {};
	if (typeof hostname === 'string') return hostname.toLowerCase() === url.hostname ? undefined : hostname;
	const defaultPort = url.protocol === 'https:' ? 443 : 80;
	const isOtherPort = typeof port === 'number' && port !== Number(url.port || defaultPort);
	return isOtherPort ? `${String(address)}:${port}` : undefined;
}

const LOCALHOST = /^(localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/;

/** A likely cause, judged by the address alone. */
function likelyCause(kind: ProblemKind, { protocol, hostname }: URL): string | undefined {
	if (kind === 'connectionRefused' && LOCALHOST.test(hostname))
		return `${hostname} is the machine or the container in which n8n itself runs. If that is a container, enter the name of the service's container, or host.docker.internal for its host machine`;
	if (kind === 'connectionLost' && protocol === 'http:')
		return 'The Base URL begins with http://. A service that expects https:// may close such connections';
	return undefined;
}

/**
 * Classifies a request that got no reply, or a reply whose body broke off.
 *
 * @param url the address of the request; undefined if a redirect or a reply has already arrived
 */
export function networkProblem(
	error: unknown,
	endpoint: Endpoint,
	{ secrets }: Pick<ConnectionSettings, 'secrets'>,
	url?: URL,
): Problem {
	const causes = causesOf(error);
	const textIn = (name: string) => causes.map((one) => one[name]).find((one) => typeof one === 'string');
	const [code = '', syscall] = [textIn('code'), textIn('syscall')];
	const isEarly = BEFORE_SENDING.test(syscall ?? '');
	const isBlocked = causes.some(
		({ name, message }) => String(name).startsWith('SsrfBlocked') || BLOCKED_BY_N8N.test(String(message)),
	);
	// An error that is not from axios, and has no code or is about connecting, comes from n8n itself, such as its database.
	const isInternal = !causes.some(({ isAxiosError }) => isAxiosError === true) && (code === '' || isEarly);
	const isN8nsFault = url !== undefined && (isBlocked || isInternal);
	// The network can also fail during an open connection, after the request was sent.
	const mayHaveLeft = url === undefined || !(isEarly || (syscall === undefined && code === 'ECONNREFUSED'));
	const [known, isEarlyKind] = networkMeaning(causes, code) ?? ['connectionLost' as const];
	const isLate = known === 'connectionRefused' && mayHaveLeft;
	let kind: ProblemKind = isLate ? 'connectionLost' : known;
	if (isN8nsFault) kind = isBlocked ? 'addressForbidden' : 'notSent';
	// OpenSSL reports an error for a write only until the whole request is written.
	const isUnwritten = code === 'EPROTO' && syscall === 'write';
	const nothingSent =
		url !== undefined && (isN8nsFault || isEarly || isUnwritten || (isEarlyKind === true && !isLate));
	const proxy = url && isEarly && !isN8nsFault ? proxyTried(causes, url) : undefined;
	if (proxy !== undefined) kind = 'proxyFailed';
	// For some codes, n8n wraps its own error in one about the service, so the innermost is shown.
	const shownError = isN8nsFault ? (causes.findLast((one) => one instanceof Error) ?? error) : error;
	const message = (shownError instanceof Error ? shownError.message : String(shownError)).replace(
		OPENSSL,
		'$1',
	);
	const needsMessage = isN8nsFault || isEarlyKind === undefined || SHOWN_WITH_MESSAGE.includes(kind);
	const detail = [
		proxy !== undefined && `n8n tried ${proxy}, which is not the service's address`,
		url && likelyCause(kind, url),
		needsMessage && `Details: ${oneLine(message, LONGEST_MESSAGE, (text) => redactText(text, secrets))}`,
	];
	return {
		kind,
		endpoint,
		detail: detail.filter(Boolean).join('. ') || undefined,
		effect: nothingSent ? 'none' : effectOf(endpoint),
	};
}

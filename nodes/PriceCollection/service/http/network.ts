import type { ConnectionSettings } from '../connection';
import type { Problem, ProblemKind } from '../problems';
import { oneLine, redactText } from '../text';
import { effectOf, type Endpoint } from '../types';

/** What the codes mean, and whether nothing was sent with them. Other errors of a secure connection can occur late. */
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
/** Messages that say more than their code, which Node, OpenSSL and the library for proxies have no code for. */
const MESSAGES: ReadonlyArray<readonly [ProblemKind, isEarly: boolean, message: RegExp]> = [
	['closedEarly', true, /^Client network socket disconnected before secure TLS connection/],
	['proxyFailed', true, /proxy (CONNECT response|connection ended before)/i],
	['noHttps', false, /:SSL routines:\w*:wrong version number:/],
];
/** System calls that fail before a request is sent. */
const BEFORE_SENDING = /^(connect|getaddrinfo|bind|query\w{0,20})$/;
/** OpenSSL's reason, among the names of its functions and files. */
const OPENSSL = /^.*:SSL routines:[^:]*:([^:]+):.*$/s;
/** Messages of n8n's protection against forged requests, and of a credential's allowed domains. */
const BLOCKED_BY_N8N =
	/^(The request was blocked because|Domain not allowed|No allowed domains|This credential (is configured to prevent|restricts requests))/;
const LONGEST_WORDS = 500;
/** Kinds whose errors have several reasons. The words of unknown codes are shown too, so that users can search for them. */
const WITH_WORDS: readonly ProblemKind[] = ['certificate', 'unknownIssuer', 'invalidHttp'];

/** An error and the errors it wraps, outermost first: n8n wraps network errors, sometimes twice. */
function causesOf(error: unknown, levels = 5): Array<Record<string, unknown>> {
	if (typeof error !== 'object' || error === null || levels === 0) return [];
	const fields = error as Record<string, unknown>;
	return [fields, ...[fields.cause, fields.errorResponse].flatMap((one) => causesOf(one, levels - 1))];
}

/** Whether a server answered a request in plain HTTP with an alert of TLS (RFC 8446, section 5.1). */
function isTlsAlert({ rawPacket }: Record<string, unknown>): boolean {
	return Buffer.isBuffer(rawPacket) && rawPacket[0] === 0x15 && rawPacket[1] === 0x03;
}

/** What an error of the network means, and whether nothing was sent with it, as far as its code or message says so. */
function networkMeaning(causes: ReadonlyArray<Record<string, unknown>>, code: string) {
	if (causes.some(isTlsAlert)) return ['httpsOnly', true] as const;
	const messages = causes.map(({ message }) => String(message));
	return (
		MESSAGES.find(([, , words]) => messages.some((message) => words.test(message))) ??
		CODES.find(([, , codes]) => codes.test(code))
	);
}

/** The address that n8n tried in place of the service's, which is then a proxy's; undefined if it tried the service's. */
function proxyTried(causes: ReadonlyArray<Record<string, unknown>>, url: URL): string | undefined {
	const { hostname, address, port } = causes.find(({ syscall }) => typeof syscall === 'string') ?? {};
	if (typeof hostname === 'string') return hostname.toLowerCase() === url.hostname ? undefined : hostname;
	const usual = url.protocol === 'https:' ? 443 : 80;
	const isOther = typeof port === 'number' && port !== Number(url.port || usual);
	return isOther ? `${String(address)}:${port}` : undefined;
}

const LOCALHOST = /^(localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/;

/** What the address alone suggests as the reason. */
function suspicionOf(kind: ProblemKind, { protocol, hostname }: URL): string | undefined {
	if (kind === 'connectionRefused' && LOCALHOST.test(hostname))
		return `${hostname} is the machine or the container in which n8n itself runs. If that is a container, enter the name of the service's container, or host.docker.internal for the machine around it`;
	if (kind === 'connectionLost' && protocol === 'http:')
		return 'The Base URL begins with http://. A service that expects https:// may close such connections';
	return undefined;
}

/**
 * Classifies a request that got no reply, or whose body broke off.
 *
 * @param url the address that the request was sent to; undefined when something came back before, a redirect or a reply
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
	const isForbidden = causes.some(
		({ name, message }) => String(name).startsWith('SsrfBlocked') || BLOCKED_BY_N8N.test(String(message)),
	);
	// A connection error that is not from the HTTP library is one of n8n's own, such as its database.
	const isOwn = !causes.some(({ isAxiosError }) => isAxiosError === true) && (code === '' || isEarly);
	const isOfN8n = url !== undefined && (isForbidden || isOwn);
	// The network can also fail under an open connection, after the request was sent.
	const mayHaveLeft = url === undefined || !(isEarly || (syscall === undefined && code === 'ECONNREFUSED'));
	const [known, isEarlyKind] = networkMeaning(causes, code) ?? ['connectionLost' as const];
	const isLate = known === 'connectionRefused' && mayHaveLeft;
	let kind: ProblemKind = isLate ? 'connectionLost' : known;
	if (isOfN8n) kind = isForbidden ? 'addressForbidden' : 'notSent';
	// OpenSSL's error is that of a write only until all of the request is written.
	const isUnwritten = code === 'EPROTO' && syscall === 'write';
	const nothingSent =
		url !== undefined && (isOfN8n || isEarly || isUnwritten || (isEarlyKind === true && !isLate));
	const proxy = url && isEarly && !isOfN8n ? proxyTried(causes, url) : undefined;
	if (proxy !== undefined) kind = 'proxyFailed';
	// For some codes n8n wraps the error in one about the service.
	const told = isOfN8n ? (causes.findLast((one) => one instanceof Error) ?? error) : error;
	const words = (told instanceof Error ? told.message : String(told)).replace(OPENSSL, '$1');
	const needsWords = isOfN8n || isEarlyKind === undefined || WITH_WORDS.includes(kind);
	const detail = [
		proxy !== undefined && `n8n tried ${proxy}, which is not the service's address`,
		url && suspicionOf(kind, url),
		needsWords && `Details: ${oneLine(words, LONGEST_WORDS, (text) => redactText(text, secrets))}`,
	];
	return {
		kind,
		endpoint,
		detail: detail.filter(Boolean).join('. ') || undefined,
		effect: nothingSent ? 'none' : effectOf(endpoint),
	};
}

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

import { decodedPart, parseUrl } from '../service/connection';

/** The query parameters of a signature. */
export const SIGNATURE_PARAMETERS = ['pc_expires', 'pc_nonce', 'pc_signature'] as const;

/** The form of each of them. */
const FORMS = [/^[1-9]\d{0,11}$/, /^[\w-]{1,128}$/, /^[0-9a-f]{64}$/];

/** Number of segments at the end of a callback's path that identify the called node. */
const SIGNED_SEGMENTS = 2;

const HOUR_MS = 3_600_000;
/** A job can wait before its timeout starts, and a callback can be repeated after its end. */
const MARGIN_MS = 48 * HOUR_MS;
/** How long services of this kind keep results; a callback is useful until then. */
const SHORTEST_MS = 72 * HOUR_MS;

/** Separates signatures of other schemes and of later versions. */
const SCHEME = 'price-collection-callback/1';

/**
 * The signed part of a callback's path: its last two segments. In n8n they identify the node:
 * `<webhook id>/price-collection` for the trigger, `<execution id>/<node id>` for a waiting `collect`. So
 * test and production URLs, renamed webhook endpoints and prefixes of a reverse proxy have the same
 * signature, and the URL of one node is worthless at another.
 *
 * @param path path of a URL, without query
 */
export function signedPath(path: string): string {
	const segments = path.split('/').filter((segment) => segment !== '');
	return segments.slice(-SIGNED_SEGMENTS).map(decodedPart).join('/');
}

/**
 * The signature of a callback URL: HMAC-SHA256.
 *
 * @param path path of the URL, without query; `expires` in seconds since 1970, as in the URL
 */
export function signatureOf(path: string, expires: string, nonce: string, secret: string): Buffer {
	// No two inputs give the same text: expiry and nonce contain no line feed, and the path comes last.
	const text = [SCHEME, expires, nonce, signedPath(path)].join('\n');
	return createHmac('sha256', secret).update(text, 'utf8').digest();
}

/**
 * When a signed callback URL expires: later than its job can run, at least 72 hours from now.
 *
 * @param now milliseconds since 1970, like the result
 * @param timeoutMinutes the job's own timeout; ignored if it is not a number
 */
export function callbackExpiry(now: number, timeoutMinutes = 0): number {
	const timeoutMs = Number.isFinite(timeoutMinutes) ? timeoutMinutes * 60_000 : 0;
	return now + Math.max(timeoutMs + MARGIN_MS, SHORTEST_MS);
}

/** Whether a query parameter is part of a signature. */
export function isSignatureParameter(name: string): boolean {
	return SIGNATURE_PARAMETERS.some((own) => own === name);
}

/** A random nonce that cannot be guessed. */
export function newNonce(): string {
	return randomBytes(16).toString('hex');
}

/**
 * Adds `pc_expires` (in seconds), `pc_nonce` and `pc_signature` to a callback URL. Other parameters, such as
 * the `signature` of n8n's resume URLs, stay unchanged; an earlier signature of ours is replaced. Without a
 * secret, or if the text is not a URL, it is returned unchanged.
 *
 * @param expiresAt when the URL expires, see {@link callbackExpiry}; every URL needs its own nonce
 */
export function signCallbackUrl(
	url: string,
	secret: string,
	{ expiresAt, nonce }: { expiresAt: number; nonce: string },
): string {
	const signed = parseUrl(url);
	if (secret === '' || signed === undefined) return url;
	const expires = String(Math.floor(expiresAt / 1000));
	const signature = signatureOf(signed.pathname, expires, nonce, secret).toString('hex');
	const own = { pc_expires: expires, pc_nonce: nonce, pc_signature: signature };
	const pairs = signed.search.slice(1).split('&');
	const others = pairs.filter((pair) => pair !== '' && !isSignatureParameter(pair.split('=', 1)[0] ?? ''));
	signed.search = [...others, ...Object.entries(own).map((pair) => pair.join('='))].join('&');
	return signed.href;
}

/**
 * Identifies the signature of a callback without revealing it.
 *
 * @param query of a signed URL, or of a call to one
 * @returns undefined without a signature
 */
export function hashOfSignature(query: Readonly<Record<string, unknown>>): string | undefined {
	const parts = SIGNATURE_PARAMETERS.map((name) => query[name]);
	if (!parts.every((part) => typeof part === 'string' && part !== '')) return undefined;
	return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** Like {@link hashOfSignature}, from a callback URL. */
export function signatureHashOf(url: unknown): string | undefined {
	return hashOfSignature(Object.fromEntries(parseUrl(String(url))?.searchParams ?? []));
}

export interface CallToVerify {
	/** Path of the called node, without query: that of any of its URLs, with or without prefix. */
	path: string;
	/** The query as parsed by n8n: a repeated parameter is a list, `a[b]=` an object. */
	query: Readonly<Record<string, unknown>>;
	/** The accepted secrets, current and previous; blank ones are ignored. */
	secrets: readonly string[];
	/** Milliseconds since 1970. */
	now: number;
}

/**
 * Whether the called URL was signed for this node with one of the secrets and has not expired.
 *
 * @returns `missing` without a signature; `wrong` if it is malformed, forged or expired
 */
export function verifyCallback({ path, query, secrets, now }: CallToVerify): 'genuine' | 'missing' | 'wrong' {
	const given = SIGNATURE_PARAMETERS.map((name) => (Object.hasOwn(query, name) ? query[name] : undefined));
	// A repeated parameter, a list, is rejected: a proxy may have checked the other value.
	const [expires = '', nonce = '', signature = ''] = given.map((one) =>
		typeof one === 'string' ? one : '',
	);
	if (![expires, nonce, signature].every((text, index) => FORMS[index]?.test(text)))
		return given.includes(undefined) ? 'missing' : 'wrong';
	const isRight = secrets
		.filter((one) => one !== '')
		.map((one) => timingSafeEqual(signatureOf(path, expires, nonce, one), Buffer.from(signature, 'hex')))
		.includes(true);
	return isRight && Number(expires) * 1000 > now ? 'genuine' : 'wrong';
}

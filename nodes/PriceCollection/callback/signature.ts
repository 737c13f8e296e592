import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

import { decodedPart, parseUrl } from '../service/connection';

/** The query parameters of a signature and their forms. */
const SIGNATURE_PATTERNS = {
	pc_expires: /^[1-9]\d{0,11}$/,
	pc_nonce: /^[\w-]{1,128}$/,
	pc_signature: /^[0-9a-f]{64}$/,
} as const;

const HOUR_MS = 3_600_000;
/** A job can wait before its timeout starts, and a callback can be repeated after its end. */
const MARGIN_MS = 48 * HOUR_MS;
/** How long services of this kind keep results; a callback is useful until then. */
const SHORTEST_MS = 72 * HOUR_MS;

/** Separates signatures of other schemes and of later versions. */
const SIGNATURE_SCHEME = 'price-collection-callback/1';

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
	return segments.slice(-2).map(decodedPart).join('/');
}

/** HMAC-SHA256 of a URL's path without query and its parameters; `expires` in seconds since 1970. */
export function signatureOf(path: string, expires: string, nonce: string, secret: string): Buffer {
	// No two inputs give the same text: expiry and nonce contain no line feed, and the path comes last.
	const text = [SIGNATURE_SCHEME, expires, nonce, signedPath(path)].join('\n');
	return createHmac('sha256', secret).update(text, 'utf8').digest();
}

/** When a signed callback URL expires, in milliseconds since 1970: later than its job can run. */
export function callbackExpiry(now: number, timeoutMinutes = 0): number {
	const timeoutMs = Number.isFinite(timeoutMinutes) ? timeoutMinutes * 60_000 : 0;
	return now + Math.max(timeoutMs + MARGIN_MS, SHORTEST_MS);
}

export function isSignatureParameter(name: string): boolean {
	return Object.hasOwn(SIGNATURE_PATTERNS, name);
}

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

/** Identifies the signature in a query without revealing it; undefined without a signature. */
export function hashOfSignature(query: Readonly<Record<string, unknown>>): string | undefined {
	const parts = Object.keys(SIGNATURE_PATTERNS).map((name) => query[name]);
	if (!parts.every((part) => typeof part === 'string' && part !== '')) return undefined;
	return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** Like {@link hashOfSignature}, from a callback URL. */
export function signatureHashOf(url: unknown): string | undefined {
	return hashOfSignature(Object.fromEntries(parseUrl(String(url))?.searchParams ?? []));
}

/**
 * Whether a URL was signed for a node with one of the secrets and has not expired.
 *
 * @param call the path of any URL of the node, with or without prefix; the query as n8n parses it: a repeated
 * parameter is a list, `a[b]=` an object; the current and previous secrets, blank ones are ignored
 * @returns `missing` without a signature; `wrong` if it is malformed, forged or expired
 */
export function verifyCallback(call: {
	path: string;
	query: Readonly<Record<string, unknown>>;
	secrets: readonly string[];
	now: number;
}): 'genuine' | 'missing' | 'wrong' {
	const { path, query, secrets, now } = call;
	const own = Object.keys(SIGNATURE_PATTERNS).map((name) =>
		Object.hasOwn(query, name) ? query[name] : undefined,
	);
	if (own.includes(undefined)) return 'missing';
	// A repeated parameter, a list, is rejected: a proxy may have checked the other value.
	const texts = own.filter((one) => typeof one === 'string');
	if (!Object.values(SIGNATURE_PATTERNS).every((form, index) => form.test(texts[index] ?? '')))
		return 'wrong';
	const [expires = '', nonce = '', signature = ''] = texts;
	const given = Buffer.from(signature, 'hex');
	const isRight = secrets.some(
		(one) => one !== '' && timingSafeEqual(signatureOf(path, expires, nonce, one), given),
	);
	return isRight && Number(expires) * 1000 > now ? 'genuine' : 'wrong';
}

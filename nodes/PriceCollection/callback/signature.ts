import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

import { decodedPart, parseUrl } from '../service/address';

/** The query parameters of a signature and their formats. */
const SIGNATURE_PATTERNS = {
	pc_expires: /^[1-9]\d{0,11}$/,
	pc_nonce: /^[\w-]{1,128}$/,
	pc_signature: /^[0-9a-f]{64}$/,
} as const;

const HOUR_MS = 3_600_000;
/** A job may queue before its timeout starts, and the service may repeat a callback after the job's end. */
const MARGIN_MS = 48 * HOUR_MS;
/** Services of this kind keep results for this long, and a callback is useful until then. */
const SHORTEST_LIFETIME_MS = 72 * HOUR_MS;

/** Keeps signatures of other schemes and later versions apart. */
const SIGNATURE_SCHEME = 'price-collection-callback/1';

/**
 * The signed part of a callback's path: its last two segments, which identify the node in n8n:
 * `<webhook id>/price-collection` for the trigger, `<execution id>/<node id>` for a waiting `collect`. The
 * signature is therefore the same for test and production URLs, renamed webhook endpoints and prefixes of a
 * reverse proxy, and the URL of one node is worthless at another.
 *
 * @param path a URL's path, without the query
 */
export function signedPath(path: string): string {
	const segments = path.split('/').filter((segment) => segment !== '');
	return segments.slice(-2).map(decodedPart).join('/');
}

/** HMAC-SHA256 of a URL's path (without the query), expiry (in seconds since 1970) and nonce. */
export function signatureOf(path: string, expires: string, nonce: string, secret: string): Buffer {
	// Unambiguous: expiry and nonce contain no line feed, and the path comes last.
	const text = [SIGNATURE_SCHEME, expires, nonce, signedPath(path)].join('\n');
	return createHmac('sha256', secret).update(text, 'utf8').digest();
}

/** When a signed callback URL expires, in milliseconds since 1970: later than its job can run. */
export function callbackExpiry(now: number, timeoutMinutes = 0): number {
	const timeoutMs = Number.isFinite(timeoutMinutes) ? timeoutMinutes * 60_000 : 0;
	return now + Math.max(timeoutMs + MARGIN_MS, SHORTEST_LIFETIME_MS);
}

export function isSignatureParameter(name: string): boolean {
	return Object.hasOwn(SIGNATURE_PATTERNS, name);
}

export function newNonce(): string {
	return randomBytes(16).toString('hex');
}

/**
 * Adds `pc_expires` (in seconds), `pc_nonce` and `pc_signature` to a callback URL. Other parameters, such as
 * the `signature` of n8n's resume URLs, stay unchanged; an earlier signature of ours is replaced. Returns the
 * input unchanged if the secret is blank or the text is not a URL.
 *
 * @param options `expiresAt`: in milliseconds since 1970, see {@link callbackExpiry}; `nonce`: unique to each URL
 */
export function signCallbackUrl(
	url: string,
	secret: string,
	{ expiresAt, nonce }: { expiresAt: number; nonce: string },
): string {
	const target = parseUrl(url);
	if (secret === '' || target === undefined) return url;
	const expires = String(Math.floor(expiresAt / 1000));
	const signature = signatureOf(target.pathname, expires, nonce, secret).toString('hex');
	const signatureParameters = { pc_expires: expires, pc_nonce: nonce, pc_signature: signature };
	const pairs = target.search.slice(1).split('&');
	const otherPairs = pairs.filter(
		(pair) => pair !== '' && !isSignatureParameter(pair.split('=', 1)[0] ?? ''),
	);
	target.search = [
		...otherPairs,
		...Object.entries(signatureParameters).map((pair) => pair.join('=')),
	].join('&');
	return target.href;
}

/** A hash that identifies the signature in a query without revealing it; undefined without a complete signature. */
export function hashOfSignature(query: Readonly<Record<string, unknown>>): string | undefined {
	const parts = Object.keys(SIGNATURE_PATTERNS).map((name) => query[name]);
	if (!parts.every((part) => typeof part === 'string' && part !== '')) return undefined;
	return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** {@link hashOfSignature} for a callback URL. */
export function signatureHashOf(url: unknown): string | undefined {
	return hashOfSignature(Object.fromEntries(parseUrl(String(url))?.searchParams ?? []));
}

/**
 * Checks that a URL was signed for a node with one of the secrets and has not expired.
 *
 * @param call `path`: of any of the node's URLs, with or without a prefix; `query`: as n8n parses it, where a
 * repeated parameter is a list and `a[b]=` an object; `secrets`: the current and previous ones, of which blank
 * ones are ignored; `now`: in milliseconds since 1970
 * @returns `missing` if a part of the signature is absent; `wrong` if it is malformed, forged or expired
 */
export function verifyCallback(call: {
	path: string;
	query: Readonly<Record<string, unknown>>;
	secrets: readonly string[];
	now: number;
}): 'genuine' | 'missing' | 'wrong' {
	const { path, query, secrets, now } = call;
	const values = Object.keys(SIGNATURE_PATTERNS).map((name) =>
		Object.hasOwn(query, name) ? query[name] : undefined,
	);
	if (values.includes(undefined)) return 'missing';
	// A repeated parameter is a list and is rejected: a proxy may have checked the other value.
	const texts = values.filter((one) => typeof one === 'string');
	if (!Object.values(SIGNATURE_PATTERNS).every((pattern, index) => pattern.test(texts[index] ?? '')))
		return 'wrong';
	const [expires = '', nonce = '', signature = ''] = texts;
	const received = Buffer.from(signature, 'hex');
	const isValid = secrets.some(
		(secret) => secret !== '' && timingSafeEqual(signatureOf(path, expires, nonce, secret), received),
	);
	return isValid && Number(expires) * 1000 > now ? 'genuine' : 'wrong';
}

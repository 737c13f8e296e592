import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

import { decodedPart, parseUrl } from '../service/address';

/** The query parameters that carry a signature. */
export const SIGNATURE_PARAMETERS = ['pc_expires', 'pc_nonce', 'pc_signature'] as const;

/** What each of them looks like. */
const FORMS = [/^[1-9]\d{0,11}$/, /^[\w-]{1,128}$/, /^[0-9a-f]{64}$/];

/** Segments at the end of a callback's path that name the node that is called. */
const SIGNED_SEGMENTS = 2;

const HOUR_MS = 3_600_000;
/** A job can wait before its timeout begins to count, and a callback can be repeated after its end. */
const MARGIN_MS = 48 * HOUR_MS;
/** Services of this kind keep results for so long after the request; until then a callback is worth something. */
const SHORTEST_MS = 72 * HOUR_MS;

/** Keeps signatures of other schemes, and of later versions of this one, apart. */
const SCHEME = 'price-collection-callback/1';

/**
 * The part of a callback's path that is signed: its last two segments. In n8n they name the node whatever stands
 * before them: `<webhook id>/price-collection` of the trigger, `<execution id>/<node id>` of a waiting `collect`.
 * So test and production URLs, renamed webhook endpoints and prefixes that a reverse proxy adds or strips give
 * the same signature, and the URL of one node is worthless at another.
 *
 * @param path path of a URL, without query
 */
export function signedPath(path: string): string {
	const segments = path.split('/').filter((segment) => segment !== '');
	return segments.slice(-SIGNED_SEGMENTS).map(decodedPart).join('/');
}

/**
 * The signature of one callback URL, as HMAC-SHA256.
 *
 * @param path path of the URL, without query; `expires` in seconds since 1970, as it stands in the URL
 */
export function signatureOf(path: string, expires: string, nonce: string, secret: string): Buffer {
	// A line feed cannot occur in expiry or nonce, and the path comes last: no two inputs give the same text.
	const text = [SCHEME, expires, nonce, signedPath(path)].join('\n');
	return createHmac('sha256', secret).update(text, 'utf8').digest();
}

/**
 * Until when a signed callback URL is valid: longer than its job can run, at least 72 hours.
 *
 * @param now milliseconds since 1970, as the result
 * @param timeoutMinutes the job's own limit; what is no number says nothing
 */
export function callbackExpiry(now: number, timeoutMinutes = 0): number {
	const timeoutMs = Number.isFinite(timeoutMinutes) ? timeoutMinutes * 60_000 : 0;
	return now + Math.max(timeoutMs + MARGIN_MS, SHORTEST_MS);
}

/** Whether a query parameter is part of a signature. */
export function isSignatureParameter(name: string): boolean {
	return SIGNATURE_PARAMETERS.some((own) => own === name);
}

/** A nonce that nobody can guess. */
export function newNonce(): string {
	return randomBytes(16).toString('hex');
}

/**
 * Adds `pc_expires` (in seconds), `pc_nonce` and `pc_signature` to a callback URL. What the URL holds already,
 * such as the `signature` of n8n's resume URLs, stays as it is; an earlier signature of ours is replaced.
 * Without a secret, or when the text is no URL, it comes back unchanged.
 *
 * @param expiresAt until when the URL is valid, see {@link callbackExpiry}; the nonce is another one for every URL
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
 * Names the signature of a callback without giving it away.
 *
 * @param query of a signed URL, or of a call that came by one
 * @returns undefined where it is not signed
 */
export function hashOfSignature(query: Readonly<Record<string, unknown>>): string | undefined {
	const parts = SIGNATURE_PARAMETERS.map((name) => query[name]);
	if (!parts.every((part) => typeof part === 'string' && part !== '')) return undefined;
	return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** The same for a callback URL. */
export function signatureHashOf(url: unknown): string | undefined {
	return hashOfSignature(Object.fromEntries(parseUrl(String(url))?.searchParams ?? []));
}

export interface CallToVerify {
	/** Path of the node that is called, without query: any of its URLs will do, with or without prefix. */
	path: string;
	/** The call's query as n8n parsed it: a repeated parameter is a list there, `a[b]=` an object. */
	query: Readonly<Record<string, unknown>>;
	/** The secrets that are accepted, the present one and the previous one; blank ones count for nothing. */
	secrets: readonly string[];
	/** Milliseconds since 1970. */
	now: number;
}

/**
 * Whether a call came by a URL that was signed with one of the secrets for this node, and in time.
 *
 * @returns `missing` where it has no signature at all, `wrong` where it has one that is none, another's or over
 */
export function verifyCallback({ path, query, secrets, now }: CallToVerify): 'genuine' | 'missing' | 'wrong' {
	const given = SIGNATURE_PARAMETERS.map((name) => (Object.hasOwn(query, name) ? query[name] : undefined));
	// Of a parameter given twice, which is a list, nobody knows which one the others looked at.
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

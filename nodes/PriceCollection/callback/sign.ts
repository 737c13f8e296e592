import { createHash, randomBytes } from 'node:crypto';

import { parseUrl } from '../service/address';
import { SIGNATURE_PARAMETERS, signatureOf } from './canonical';

export interface SigningOptions {
	/** Until when the URL is valid, in milliseconds since 1970; see `callbackExpiry`. */
	expiresAt: number;
	/** Up to 128 letters, digits, `-` and `_`, different for every URL; see {@link newNonce}. */
	nonce: string;
}

const OWN_NAMES: ReadonlySet<string> = new Set(Object.values(SIGNATURE_PARAMETERS));

/** A nonce that nobody can guess. */
export function newNonce(): string {
	return randomBytes(16).toString('hex');
}

/** The query without parameters of an earlier signature; all others stay byte by byte as they are. */
function withoutSignature(query: string): string[] {
	return query.split('&').filter((pair) => pair !== '' && !OWN_NAMES.has(pair.split('=', 1)[0] ?? ''));
}

/**
 * Adds `pc_expires` (in seconds), `pc_nonce` and `pc_signature` to a callback URL. What the URL holds already,
 * such as the `signature` of n8n's resume URLs, stays as it is; an earlier signature of ours is replaced.
 * Without a secret, or when the text is no URL, it comes back unchanged.
 */
export function signCallbackUrl(url: string, secret: string, { expiresAt, nonce }: SigningOptions): string {
	const path = parseUrl(url)?.pathname;
	if (secret === '' || path === undefined) return url;
	const expires = String(Math.floor(expiresAt / 1000));
	const signature = signatureOf(path, expires, nonce, secret).toString('hex');
	const hashAt = url.indexOf('#');
	const withoutHash = hashAt === -1 ? url : url.slice(0, hashAt);
	const queryAt = withoutHash.indexOf('?');
	const query = [
		...withoutSignature(queryAt === -1 ? '' : withoutHash.slice(queryAt + 1)),
		`${SIGNATURE_PARAMETERS.expires}=${expires}`,
		`${SIGNATURE_PARAMETERS.nonce}=${encodeURIComponent(nonce)}`,
		`${SIGNATURE_PARAMETERS.signature}=${signature}`,
	];
	const address = queryAt === -1 ? withoutHash : withoutHash.slice(0, queryAt);
	return `${address}?${query.join('&')}${url.slice(withoutHash.length)}`;
}

/**
 * Names the signature of a callback without giving it away.
 *
 * @param query of a signed URL, or of a call that came by one
 * @returns undefined where it is not signed
 */
export function hashOfSignature(query: Readonly<Record<string, unknown>>): string | undefined {
	const parts = Object.values(SIGNATURE_PARAMETERS).map((name) => query[name]);
	if (!parts.every((part) => typeof part === 'string' && part !== '')) return undefined;
	return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** The same for a callback URL. */
export function signatureHashOf(url: unknown): string | undefined {
	return hashOfSignature(Object.fromEntries(parseUrl(String(url))?.searchParams ?? []));
}

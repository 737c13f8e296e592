import { createHmac } from 'node:crypto';

/** The query parameters that carry a signature. */
export const SIGNATURE_PARAMETERS = {
	expires: 'pc_expires',
	nonce: 'pc_nonce',
	signature: 'pc_signature',
} as const;

/** So many segments at the end of a callback's path name the node that is called. */
const SIGNED_SEGMENTS = 2;

/** Keeps signatures of other schemes, and of later versions of this one, apart. */
const SCHEME = 'price-collection-callback/1';

function decoded(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		// Not percent-encoding, just a percent sign: both sides then sign it as it is.
		return segment;
	}
}

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
	return segments.slice(-SIGNED_SEGMENTS).map(decoded).join('/');
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

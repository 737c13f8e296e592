import { timingSafeEqual } from 'node:crypto';

import { SIGNATURE_PARAMETERS, signatureOf } from './sign';

/** Why a call is refused. `expired` is said of genuine signatures only. */
export type SignatureFault = 'missing' | 'malformed' | 'wrong' | 'expired';

export type Verification =
	/** `nonce`: what tells the URL from all others that were signed. */
	{ ok: true; nonce: string } | { ok: false; reason: SignatureFault };

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

const EXPIRES = /^[1-9]\d{0,11}$/;
const NONCE = /^[\w-]{1,128}$/;
const SIGNATURE = /^[0-9a-f]{64}$/;

function isOf(form: RegExp, value: unknown): value is string {
	return typeof value === 'string' && form.test(value);
}

/** Whether a call came by a URL that was signed with one of the secrets for this node, and in time. */
export function verifyCallback({ path, query, secrets, now }: CallToVerify): Verification {
	const refused = (reason: SignatureFault): Verification => ({ ok: false, reason });
	const [expires, nonce, signature] = Object.values(SIGNATURE_PARAMETERS).map((name) =>
		Object.hasOwn(query, name) ? query[name] : undefined,
	);
	if (expires === undefined || nonce === undefined || signature === undefined) return refused('missing');
	// Of a parameter given twice, which is a list, nobody knows which one the others looked at.
	if (!isOf(EXPIRES, expires) || !isOf(NONCE, nonce) || !isOf(SIGNATURE, signature)) {
		return refused('malformed');
	}
	const given = Buffer.from(signature, 'hex');
	const isRight = secrets
		.filter((one) => one !== '')
		.map((one) => timingSafeEqual(signatureOf(path, expires, nonce, one), given))
		.includes(true);
	if (!isRight) return refused('wrong');
	return Number(expires) * 1000 > now ? { ok: true, nonce } : refused('expired');
}

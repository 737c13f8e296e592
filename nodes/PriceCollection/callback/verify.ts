import { timingSafeEqual } from 'node:crypto';

import { SIGNATURE_PARAMETERS, signatureOf } from './sign';

/** Why a call is refused. `expired` is said of genuine signatures only. */
export type SignatureFault = 'missing' | 'malformed' | 'wrong' | 'expired';

export type Verification = { ok: true } | { ok: false; reason: SignatureFault };

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

const FORMS = [/^[1-9]\d{0,11}$/, /^[\w-]{1,128}$/, /^[0-9a-f]{64}$/];

/** Whether a call came by a URL that was signed with one of the secrets for this node, and in time. */
export function verifyCallback({ path, query, secrets, now }: CallToVerify): Verification {
	const refused = (reason: SignatureFault): Verification => ({ ok: false, reason });
	const given = SIGNATURE_PARAMETERS.map((name) => (Object.hasOwn(query, name) ? query[name] : undefined));
	if (given.includes(undefined)) return refused('missing');
	// Of a parameter given twice, which is a list, nobody knows which one the others looked at.
	const texts = given.filter((value): value is string => typeof value === 'string');
	const isWellFormed = FORMS.every((form, index) => form.test(texts[index] ?? ''));
	const [expires = '', nonce = '', signature = ''] = texts;
	if (!isWellFormed || texts.length < given.length) return refused('malformed');
	const isRight = secrets
		.filter((one) => one !== '')
		.map((one) => timingSafeEqual(signatureOf(path, expires, nonce, one), Buffer.from(signature, 'hex')))
		.includes(true);
	if (!isRight) return refused('wrong');
	return Number(expires) * 1000 > now ? { ok: true } : refused('expired');
}

import { timingSafeEqual } from 'node:crypto';

import { SIGNATURE_PARAMETERS, signatureOf } from './sign';

/** Whether a call is genuine; if not, whether it has no signature at all, or one that is none, another's or over. */
export type Verification = { ok: true } | { ok: false; isMissing: boolean };

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
	const given = SIGNATURE_PARAMETERS.map((name) => (Object.hasOwn(query, name) ? query[name] : undefined));
	// Of a parameter given twice, which is a list, nobody knows which one the others looked at.
	const texts = given.map((value) => (typeof value === 'string' ? value : ''));
	const [expires = '', nonce = '', signature = ''] = texts;
	if (!FORMS.every((form, index) => form.test(texts[index] ?? '')))
		return { ok: false, isMissing: given.includes(undefined) };
	const isRight = secrets
		.filter((one) => one !== '')
		.map((one) => timingSafeEqual(signatureOf(path, expires, nonce, one), Buffer.from(signature, 'hex')))
		.includes(true);
	return isRight && Number(expires) * 1000 > now ? { ok: true } : { ok: false, isMissing: false };
}

import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { SIGNATURE_PARAMETERS } from '../../callback/canonical';
import { cleanCopy } from '../clean';

/** A notification is short; of a body that n8n left unread no more than this is looked at, in bytes. */
const LONGEST_RAW = 1024 * 1024;

const OWN_NAMES: ReadonlySet<string> = new Set(Object.values(SIGNATURE_PARAMETERS));

function isEmpty(body: unknown): boolean {
	if (typeof body === 'object' && body !== null) return Object.keys(body).length === 0;
	return body === undefined || body === null || body === '';
}

/** The body as n8n parsed it, or as text where it did not know the content type. */
export function bodyOf(context: IWebhookFunctions): unknown {
	const body: unknown = context.getBodyData();
	if (!isEmpty(body)) return body;
	const { rawBody } = context.getRequestObject() as { rawBody?: unknown };
	return Buffer.isBuffer(rawBody) ? rawBody.subarray(0, LONGEST_RAW).toString('utf8') : body;
}

/**
 * What was received, for an item: the body, or the query without the signature where there is none.
 *
 * @param secrets the spellings that the dialect lists
 */
export function payloadOf(body: unknown, query: IDataObject, secrets: readonly string[]): IDataObject {
	if (typeof body === 'string' && body !== '') return cleanCopy({ text: body }, secrets);
	if (typeof body === 'object' && body !== null && !isEmpty(body)) return cleanCopy(body, secrets);
	const rest = Object.entries(query).filter(([name]) => !OWN_NAMES.has(name));
	return cleanCopy(Object.fromEntries(rest), secrets);
}

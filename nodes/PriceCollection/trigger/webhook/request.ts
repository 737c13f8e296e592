import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { LARGEST_CALL } from '../../callback/bounds';
import { SIGNATURE_PARAMETERS } from '../../callback/canonical';
import { cleanCopy } from '../clean';

const OWN_NAMES: ReadonlySet<string> = new Set(Object.values(SIGNATURE_PARAMETERS));

/** Without a list of all names, which may be many. */
function isEmptyObject(value: object): boolean {
	for (const name in value) if (Object.hasOwn(value, name)) return false;
	return true;
}

function isEmpty(body: unknown): boolean {
	if (typeof body === 'object' && body !== null) return isEmptyObject(body);
	return body === undefined || body === null || body === '';
}

/** What arrived, before n8n parsed it. */
function rawBodyOf(context: IWebhookFunctions): Buffer | undefined {
	const { rawBody } = context.getRequestObject() as { rawBody?: unknown };
	return Buffer.isBuffer(rawBody) ? rawBody : undefined;
}

/** Whether a call is longer than a notification can be. */
export function isTooLong(context: IWebhookFunctions): boolean {
	return (rawBodyOf(context)?.length ?? 0) > LARGEST_CALL.bytes;
}

/** The body as n8n parsed it, or as text where it did not know the content type. */
export function bodyOf(context: IWebhookFunctions): unknown {
	const body: unknown = context.getBodyData();
	if (!isEmpty(body)) return body;
	return rawBodyOf(context)?.toString('utf8') ?? body;
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

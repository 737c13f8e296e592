import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { isWithinBounds, LARGEST_CALL } from '../../callback/bounds';
import { isSignatureParameter } from '../../callback/sign';
import { cleanCopy } from '../clean';

/** What came with a call. */
export interface Received {
	/** As n8n parsed it, or as text where it did not know the content type. */
	body: unknown;
	query: IDataObject;
}

/** Without a list of all names, which may be many. */
function isEmpty(body: unknown): boolean {
	if (typeof body !== 'object' || body === null) return body === undefined || body === null || body === '';
	for (const name in body) if (Object.hasOwn(body, name)) return false;
	return true;
}

/** Body and query of a call, before anything in them is believed; undefined where they are larger than a notification. */
export function receivedBy(context: IWebhookFunctions): Received | undefined {
	const { rawBody } = context.getRequestObject() as { rawBody?: unknown };
	const raw = Buffer.isBuffer(rawBody) ? rawBody : undefined;
	if ((raw?.length ?? 0) > LARGEST_CALL.bytes) return undefined;
	const parsed: unknown = context.getBodyData();
	const body = isEmpty(parsed) ? (raw?.toString('utf8') ?? parsed) : parsed;
	const query = context.getQueryData() as IDataObject;
	return isWithinBounds(body) && isWithinBounds(query) ? { body, query } : undefined;
}

/**
 * What was received, for an item: the body, or the query without the signature where there is none.
 *
 * @param secrets the spellings that the dialect lists
 */
export function payloadOf({ body, query }: Received, secrets: readonly string[]): IDataObject {
	if (typeof body === 'string' && body !== '') return cleanCopy({ text: body }, secrets);
	if (typeof body === 'object' && body !== null && !isEmpty(body)) return cleanCopy(body, secrets);
	const rest = Object.entries(query).filter(([name]) => !isSignatureParameter(name));
	return cleanCopy(Object.fromEntries(rest), secrets);
}

import type { IWebhookFunctions } from 'n8n-workflow';

import { fieldsOf, type CredentialFields } from '../service/dialect';
import { RecentMap } from '../service/recentMap';
import type { RequestContext } from '../service/types';
import { now } from './clock';

/** The credential of this node. */
export async function credentialOf(
	context: Pick<RequestContext, 'getCredentials'>,
): Promise<CredentialFields> {
	return fieldsOf(await context.getCredentials('priceCollectionApi'));
}

/** A changed credential counts after so long at the latest. */
const FRESH_MS = 1_000;
const MOST_CREDENTIALS = 100;

/**
 * Reads a credential once a second instead of for each call. Reading it, decrypting it and resolving its expressions is
 * what a call that is refused costs most: without this one costs more than a whole execution of n8n's Webhook node.
 *
 * @returns gives a context of a call that reads its credential so
 */
export function readingCredentialsOnce(): (context: IWebhookFunctions) => IWebhookFunctions {
	const kept = new RecentMap<string, { readAt: number; fields: Promise<object> }>(MOST_CREDENTIALS);
	return (context) => {
		const id = context.getNode().credentials?.priceCollectionApi?.id;
		// Without an ID nothing tells two credentials apart.
		if (typeof id !== 'string') return context;
		const read = async () => {
			let entry = kept.get(id);
			if (entry === undefined || now() - entry.readAt >= FRESH_MS) {
				entry = { readAt: now(), fields: context.getCredentials('priceCollectionApi') };
				kept.set(id, entry);
			}
			return { ...(await entry.fields) };
		};
		return Object.create(context, { getCredentials: { value: read } }) as IWebhookFunctions;
	};
}

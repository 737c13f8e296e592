import type { IWebhookFunctions } from 'n8n-workflow';

import type { Clock } from '../../service/clock';
import type { CredentialFields } from '../../service/dialect';
import { RecentMap } from '../../service/recentMap';

/** A changed credential counts after so long at the latest, in milliseconds. */
const FRESH_MS = 1_000;
const MOST_CREDENTIALS = 100;

/**
 * Reads a credential once a second instead of up to twice per call: in a burst of callbacks, reading and decrypting
 * it is what n8n spends most time on. Every webhook process has a cache of its own.
 */
export class CredentialCache {
	private readonly kept = new RecentMap<string, { readAt: number; fields: Promise<CredentialFields> }>(
		MOST_CREDENTIALS,
	);

	constructor(private readonly clock: Pick<Clock, 'now'>) {}

	/** The context of a call, which reads its credential through the cache. */
	contextFor(context: IWebhookFunctions): IWebhookFunctions {
		const id = context.getNode().credentials?.priceCollectionApi?.id;
		// Without an ID nothing tells two credentials apart.
		if (typeof id !== 'string') return context;
		const read = async () => {
			const readAt = this.clock.now();
			const known = this.kept.get(id);
			if (known !== undefined && readAt - known.readAt < FRESH_MS) return { ...(await known.fields) };
			const fields = context.getCredentials<CredentialFields>('priceCollectionApi');
			this.kept.set(id, { readAt, fields });
			return { ...(await fields) };
		};
		return Object.create(context, { getCredentials: { value: read } }) as IWebhookFunctions;
	}
}

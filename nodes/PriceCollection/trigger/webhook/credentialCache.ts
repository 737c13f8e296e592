import type { IWebhookFunctions } from 'n8n-workflow';

import type { now } from '../../n8n/clock';
import type { CredentialFields } from '../../service/dialect';

/** A changed credential counts after so long at the latest, in milliseconds. */
const FRESH_MS = 1_000;
const MOST_CREDENTIALS = 100;

interface Kept {
	readAt: number;
	fields: Promise<CredentialFields>;
}

/**
 * Reads a credential once a second instead of up to twice per call: in a burst of callbacks, reading and decrypting
 * it is what n8n spends most time on. Every webhook process has a cache of its own.
 */
export class CredentialCache {
	private readonly kept = new Map<string, Kept>();

	constructor(private readonly clock: { now: typeof now }) {}

	/** The context of a call, which reads its credential through the cache. */
	contextFor(context: IWebhookFunctions): IWebhookFunctions {
		const id = context.getNode().credentials?.priceCollectionApi?.id;
		// Without an ID nothing tells two credentials apart.
		if (typeof id !== 'string') return context;
		const read = async () => ({ ...(await this.read(id, context)) });
		return Object.create(context, { getCredentials: { value: read } }) as IWebhookFunctions;
	}

	private async read(id: string, context: IWebhookFunctions): Promise<CredentialFields> {
		const known = this.kept.get(id);
		const at = this.clock.now();
		if (known !== undefined && at - known.readAt < FRESH_MS) return await known.fields;
		if (this.kept.size >= MOST_CREDENTIALS) this.kept.clear();
		const fields = context.getCredentials<CredentialFields>('priceCollectionApi');
		this.kept.set(id, { readAt: at, fields });
		return await fields;
	}
}

import type { IWebhookFunctions } from 'n8n-workflow';

import { CredentialCache } from '../../../../nodes/PriceCollection/trigger/webhook/credentialCache';

/** A context whose credential says how often it was read. */
function contextWith(id: string | undefined) {
	let reads = 0;
	const context = {
		getNode: () => ({ credentials: { priceCollectionApi: { id, name: 'x' } } }),
		getCredentials: async () => ({ apiKey: `read ${++reads}` }),
		getMode: () => 'webhook',
	} as unknown as IWebhookFunctions;
	return context;
}

const keyOf = async (context: IWebhookFunctions) =>
	(await context.getCredentials<{ apiKey: string }>('priceCollectionApi')).apiKey;

describe('the cache of credentials', () => {
	it('reads a credential once a second, also for calls at the same time', async () => {
		let time = 0;
		const cache = new CredentialCache({ now: () => time });
		const context = contextWith('1');
		const keys = await Promise.all([1, 2, 3].map(async () => await keyOf(cache.contextFor(context))));
		expect(keys).toEqual(['read 1', 'read 1', 'read 1']);
		time = 999;
		expect(await keyOf(cache.contextFor(context))).toBe('read 1');
		time = 1_000;
		expect(await keyOf(cache.contextFor(context))).toBe('read 2');
	});

	it('keeps credentials apart', async () => {
		const cache = new CredentialCache({ now: () => 0 });
		await keyOf(cache.contextFor(contextWith('1')));
		const other = contextWith('2');
		await keyOf(other);
		expect(await keyOf(cache.contextFor(other))).toBe('read 2');
	});

	it('does not keep what has no ID', async () => {
		const cache = new CredentialCache({ now: () => 0 });
		const context = contextWith(undefined);
		expect(await keyOf(cache.contextFor(context))).toBe('read 1');
		expect(await keyOf(cache.contextFor(context))).toBe('read 2');
	});

	it('does not keep a failure for longer than anything else', async () => {
		let time = 0;
		const cache = new CredentialCache({ now: () => time });
		const context = contextWith('1');
		context.getCredentials = async () => await Promise.reject(new Error('gone'));
		await expect(keyOf(cache.contextFor(context))).rejects.toThrow('gone');
		context.getCredentials = contextWith('1').getCredentials;
		time = 1_000;
		expect(await keyOf(cache.contextFor(context))).toBe('read 1');
	});

	it('hands out copies, so that a change does not reach the next call', async () => {
		const cache = new CredentialCache({ now: () => 0 });
		const context = contextWith('1');
		const first = await cache
			.contextFor(context)
			.getCredentials<{ apiKey: string }>('priceCollectionApi');
		first.apiKey = 'changed';
		expect(await keyOf(cache.contextFor(context))).toBe('read 1');
	});

	it('leaves everything else of the context as it is', () => {
		expect(new CredentialCache({ now: () => 0 }).contextFor(contextWith('1')).getMode()).toBe('webhook');
	});
});

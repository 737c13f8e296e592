import { connect, node } from '../engine/workflow';
import { NODE_TYPE, SANDBOX_KEY, createCredential, n8n, runWorkflow } from './harness/e2e';
import { sharedServers } from './harness/shared';

/** The look-up node and each of the triggers are told apart by their icons, in both themes. */
const ICONS = ['priceCollection', 'priceCollectionTrigger', 'priceCollectionPollingTrigger'].flatMap(
	(icon) => [`${icon}.svg`, `${icon}.dark.svg`],
);

const usage = node('Usage', NODE_TYPE, { resource: 'usage', operation: 'getToday' });
const done = node('Done', 'n8n-nodes-base.noOp');

describe('the packed package in a real n8n', () => {
	it.each(['manual', 'production'] as const)('runs a %s execution', async (mode) => {
		const credential = await createCredential();
		const outcome = await runWorkflow([usage, done], connect({ Start: ['Usage'], Usage: ['Done'] }), {
			credential,
			mode,
			input: [{ a: 1 }, { a: 2 }],
		});
		expect(outcome.error).toBeUndefined();
		expect(outcome.status).toBe('success');
		expect(outcome.items('Done')).toHaveLength(2);
		expect(outcome.outputItems('Usage').map((item) => item.pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
		]);
	});

	it('passes the credential test with the right key and fails it with a wrong one', async () => {
		const baseUrl = sharedServers().sandboxUrl;
		const good = await n8n().testCredential({ baseUrl, apiKey: SANDBOX_KEY });
		expect(good.status).toBe('OK');
		const bad = await n8n().testCredential({ baseUrl, apiKey: 'wrong' });
		expect(bad.status).toBe('Error');
	});

	it('offers nodes and credential with their icons', async () => {
		for (const icon of ICONS) {
			const reply = await fetch(
				`${sharedServers().n8nUrl}/icons/n8n-nodes-price-collection/dist/icons/${icon}`,
			);
			expect(reply.status).toBe(200);
			expect(reply.headers.get('content-type')).toContain('image/svg+xml');
		}
	});
});

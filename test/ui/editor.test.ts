import type { Page } from 'playwright-core';
import { NODE_TYPE, createCredential, n8n } from '../e2e/harness/e2e';
import { connect, node } from '../engine/workflow';
import { openEditor } from './editor.cjs';

describe.each(['light', 'dark'] as const)('the editor, %s', (theme) => {
	let editor: Awaited<ReturnType<typeof openEditor>> | undefined;
	let page: Page;

	beforeAll(async () => {
		editor = await openEditor(n8n(), { theme });
		page = editor.page;
	});

	afterAll(async () => await editor?.close());

	it('shows that a right key passes the credential test', async () => {
		const { id } = await createCredential();
		await editor?.openCredential(id);
		await page.getByText('Connection tested successfully').waitFor();
	});

	it('shows that a wrong key fails the credential test', async () => {
		const { id } = await createCredential({ apiKey: 'wrong' });
		await editor?.openCredential(id);
		await page.getByText(/Couldn.t connect with these settings/).waitFor();
	});

	it('runs the node on a click and shows its row', async () => {
		const credential = await createCredential();
		const usage = node(
			'Usage',
			NODE_TYPE,
			{ resource: 'usage', operation: 'getToday' },
			{ position: [240, 0], credentials: { priceCollectionApi: credential } },
		);
		const { id } = await n8n().createWorkflow({
			nodes: [node('Start', 'n8n-nodes-base.manualTrigger'), usage],
			connections: connect({ Start: ['Usage'] }),
		});
		await editor?.openNode(id, usage.id);
		await page.getByTestId('node-execute-button').click();
		await page.getByTestId('output-panel').getByText('1 item').first().waitFor();
	});
});

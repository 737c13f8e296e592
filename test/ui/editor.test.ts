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
		await page.getByText('More details').click();
		await page
			.getByText(/The service did not accept the key\. Check the key, and how it is sent/)
			.waitFor();
	});

	it.each([
		['PollingTrigger', 'Fetch Test Event'],
		['Trigger', 'Execute step'],
	])('shows in the test event of the %s why the key is refused', async (kind, button) => {
		const credential = await createCredential({ apiKey: 'wrong' });
		const trigger = node(
			'Ends',
			`${NODE_TYPE}${kind}`,
			{},
			{ credentials: { priceCollectionApi: credential } },
		);
		const { id } = await n8n().createWorkflow({ nodes: [trigger], connections: {} });
		await editor?.openNode(id, trigger.id);
		await page.getByTestId('node-execute-button').filter({ hasText: button }).first().click();
		await page.getByText('The service did not accept the key').first().waitFor();
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

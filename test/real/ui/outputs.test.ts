import type { IConnections } from 'n8n-workflow';

import { collect, requestsAbout } from '../e2e/harness/collecting';
import { createCredential, MANUAL_TRIGGER, n8n, NODE_TYPE } from '../e2e/harness/e2e';
import { connect, node } from '../../engine/support/workflow';
import { Editor, expectSoon } from './editor';

const COLLECT = 'Collect prices and product data';
/** No other test of this n8n asks for it. */
const GTIN = '4012345678901';
const TWO = ['Finished', 'Still Running'];

describe('the outputs of a node', () => {
	let editor: Editor;

	beforeAll(async () => {
		editor = await Editor.open();
	});

	afterAll(async () => await editor?.close());

	/** The labels at the outputs of the nodes on the canvas, without numbers of items. */
	async function named(): Promise<string[]> {
		const texts = await editor.page.getByTestId('canvas-node-output-handle').allInnerTexts();
		return texts.flatMap((text) => TWO.filter((name) => text.startsWith(name)));
	}

	const isPinned = async () =>
		await editor.node(COLLECT).locator('[data-test-id="canvas-node-status-pinned"]').waitFor();

	it('are one in a first workflow, whose rows are pinned, stay, and are not asked for again', async () => {
		const { name } = await createCredential();
		const nodes = [node('Start', MANUAL_TRIGGER)];
		const { id } = await n8n().createWorkflow({ nodes, connections: {} });
		await editor.openWorkflow(id);
		await editor.addNode(editor.plusOf('Start'), 'Price Collection', COLLECT);
		await editor.chooseCredential(name);
		await editor.parameter('useTestSource').locator('.el-switch').click();
		await editor.paste('country', 'de');
		await editor.paste('values', GTIN);
		await editor.run();
		const first = editor.output.locator('tbody tr').getByText(GTIN, { exact: true });
		await first.waitFor();
		await editor.panel.getByTestId('ndv-pin-data').click();
		await editor.panel.getByText('This data is pinned').waitFor();
		await editor.closePanel();
		expect(await named()).toEqual([]);

		await editor.page.getByTestId('execute-workflow-button').first().click();
		await editor.node('Start').locator('[data-test-id="canvas-node-status-success"]').waitFor();
		await editor.openWorkflow(id);
		await isPinned();
		const paid = (await requestsAbout(GTIN)).filter(({ method }) => method === 'POST');
		expect(paid).toHaveLength(1);
	});

	it('are two as soon as a job can leave still running', async () => {
		await editor.openPanel(COLLECT);
		await editor.choose('waitMode', 'Sleep Between Checks');
		await editor.closePanel();
		await expectSoon(named, TWO);

		await editor.openPanel(COLLECT);
		await editor.choose('waitMode', 'Keep Checking');
		await editor.addOption('Add wait option', 'If Not Finished in Time');
		const chosen = editor.parameter('onDeadline').getByRole('combobox').first();
		await expectSoon(async () => await chosen.inputValue(), 'Output Rows');
		await editor.closePanel();
		expect(await named()).toEqual([]);

		await editor.openPanel(COLLECT);
		await editor.choose('onDeadline', 'Output as Still Running');
		await editor.closePanel();
		await expectSoon(named, TWO);
	});

	it('stay connected in a workflow from elsewhere that has connected one that is not there', async () => {
		const credentials = { priceCollectionApi: await createCredential() };
		const position = (x: number, y: number) => ({ credentials, position: [x, y] as [number, number] });
		const { name, ...one } = collect({ values: 'kettle' });
		const { id } = await n8n().createWorkflow({
			nodes: [
				node('Start', MANUAL_TRIGGER),
				{ ...one, name, ...position(300, 0) },
				node('Rows', 'n8n-nodes-base.noOp', {}, { position: [600, 0] }),
				node('Wait', NODE_TYPE, { resource: 'job', operation: 'wait' }, position(600, 200)),
			],
			connections: connect({ Start: [name], [name]: ['Rows', 'Wait'] }),
		});
		await editor.openWorkflow(id);
		await editor.openPanel(name);
		await editor.paste('values', 'mug');
		await editor.closePanel();
		await editor.page.getByTestId('execute-workflow-button').first().click();
		await editor.node('Rows').locator('[data-test-id="canvas-node-status-success"]').waitFor();
		expect(await editor.node('Wait').locator('[data-test-id^="canvas-node-status"]').count()).toBe(0);

		const stored = (await n8n().call('GET', `/rest/workflows/${id}`)) as { connections: IConnections };
		expect(stored.connections[name]).toEqual(connect({ [name]: ['Rows', 'Wait'] })[name]);
		// The output is back as soon as jobs can leave by it.
		await editor.openPanel(name);
		await editor.choose('waitMode', 'Sleep Between Checks');
		await editor.closePanel();
		await expectSoon(named, TWO);
		await editor.page.locator('.vue-flow__edge-path').nth(2).waitFor();
	});
});

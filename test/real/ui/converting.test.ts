import { readFile } from 'node:fs/promises';

import { MANUAL_TRIGGER, n8n, NODE_TYPE } from '../e2e/harness/e2e';
import { connect, node } from '../../engine/support/workflow';
import { Editor } from './editor';

const LEGACY = 'https://legacy.example.com';
const URL_OF_STATUS = `=${LEGACY}/jobs/{{ $('Create').item.json.job_id }}`;

/** A workflow of version 1, as n8n exports it. */
const OLD = JSON.stringify(
	{
		name: 'Old prices',
		nodes: [
			node('Start', MANUAL_TRIGGER),
			node('Create', 'n8n-nodes-base.httpRequest', { method: 'POST', url: `${LEGACY}/jobs` }),
			node('Status', 'n8n-nodes-base.httpRequest', { url: URL_OF_STATUS }),
			node('Mine', 'n8n-nodes-base.set', { note: '={{ $json.status }}' }),
		],
		connections: connect({ Start: ['Create'], Create: ['Status'], Status: ['Mine'] }),
	},
	null,
	2,
);

describe('converting a workflow', () => {
	let editor: Editor;

	beforeAll(async () => {
		editor = await Editor.open();
		const parameters = {
			...{ resource: 'migration', operation: 'convertWorkflow', workflow: '' },
			...{ baseUrl: 'https://api.example.com', legacyBaseUrl: LEGACY },
		};
		const { id } = await n8n().createWorkflow({
			nodes: [node('Start', MANUAL_TRIGGER), node('Convert', NODE_TYPE, parameters)],
			connections: connect({ Start: ['Convert'] }),
		});
		await editor.openWorkflow(id);
	});

	afterAll(async () => await editor?.close());

	it('says that the errors which n8n shows under a pasted one mean nothing', async () => {
		await editor.openPanel('Convert');
		await editor.paste('workflow', OLD);
		await editor.panel.getByText("[ERROR: Referenced node doesn't exist]").first().waitFor();
		const hint =
			'n8n may show red text below a pasted workflow, such as "Referenced node doesn’t exist". Ignore it: it concerns the expressions of that workflow, which are converted anyway.';
		await editor.panel.getByText(hint, { exact: true }).waitFor();
	});

	it('keeps the expressions of one that is pasted into the field', async () => {
		await editor.run();
		await editor.output.getByText('Old prices (version 2).json').waitFor();
		const downloading = editor.page.waitForEvent('download');
		await editor.output.getByText('Download', { exact: true }).click();
		const file = await readFile(await (await downloading).path(), 'utf8');
		const { nodes } = JSON.parse(file) as { nodes: Array<{ name: string; parameters: unknown }> };
		expect(nodes.find(({ name }) => name === 'Mine')?.parameters).toEqual({
			note: '={{ $json.status }}',
		});
	});
});

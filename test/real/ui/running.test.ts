import type { INodeParameters } from 'n8n-workflow';

import { collect, finishJob, locator } from '../e2e/harness/collecting';
import {
	createCredential,
	MANUAL_TRIGGER,
	n8n,
	NODE_TYPE,
	SANDBOX_KEY,
	TRIGGER_TYPE,
	unique,
} from '../e2e/harness/e2e';
import { sharedServers } from '../e2e/harness/shared';
import { createJob } from '../../engine/support/triggerSupport';
import { connect, node } from '../../engine/support/workflow';
import { Editor, expectSoon } from './editor';

describe('running the node', () => {
	let editor: Editor;
	let testUrl: string;

	beforeAll(async () => {
		editor = await Editor.open();
		const what = { ...collect({ values: 'kettle' }).parameters, operation: 'create' };
		const wrong = { ...what, source: locator('name', 'amazzon') };
		const waitOptions = { maxWait: 0, onDeadline: 'stillRunning' };
		const slow = { values: 'kettle\nslow kettle', waitOptions };
		const ours = (name: string, parameters: INodeParameters, position: [number, number]) =>
			node(name, NODE_TYPE, { resource: 'job', ...parameters }, { position });
		const called = { position: [0, 540] as [number, number], webhookId: unique('price-jobs') };
		const credentials = { priceCollectionApi: await createCredential() };
		const nodes = [
			ours('Wrong source', wrong, [240, 0]),
			ours('Slow', collect(slow).parameters, [240, 180]),
			ours('Get', { operation: 'get', jobId: locator('id', '') }, [240, 360]),
			node('Called', TRIGGER_TYPE, {}, called),
			ours('Create', what, [240, 540]),
		];
		const { id } = await n8n().createWorkflow({
			nodes: [node('Start', MANUAL_TRIGGER), ...nodes.map((one) => ({ ...one, credentials }))],
			connections: connect({ Start: [['Wrong source', 'Slow', 'Get', 'Create']] }),
			// Otherwise the editor would wait for a call of the other trigger.
			pinData: { Start: [{ json: {} }] },
		});
		await editor.openWorkflow(id);
	});

	afterAll(async () => await editor?.close());
	afterEach(async () => await editor?.closePanel());

	it('says what the service said, and what to do, where it refuses', async () => {
		await editor.openPanel('Wrong source');
		await editor.run();
		await editor.output.getByText('The service does not know this source', { exact: true }).waitFor();
		const what = editor.output.getByText(
			'Choose a source that your account can use. Sources are written like google_shopping, with underscores. The service says: "unknown source" (parameter source): There is no source \'amazzon\'. Endpoint: POST /v2/jobs, HTTP 400.',
			{ exact: true },
		);
		await what.waitFor();
		const details = editor.output.getByText('Other info');
		await editor.picture('error-of-the-service', what, ...editor.outputDownTo(details));
	});

	it('gives jobs that are not over to the output Still Running, which Wait goes on with', async () => {
		await editor.openPanel('Slow');
		await editor.run();
		await editor.output.getByText('On the output Still Running: 1 job.').waitFor();
		await editor.output.getByText('Still Running Branch (1 item)').click();
		await expectSoon(
			async () => (await editor.columns()).slice(0, 3),
			['job_id', 'status', 'still_running'],
		);
		const [row = []] = await editor.rows(3);
		expect(row.slice(1)).toEqual([expect.stringMatching(/^(new|working)$/), 'true']);
		await editor.closePanel();

		await finishJob(row[0]);
		// With its defaults, without typing a word.
		await editor.addNode(editor.plusOf('Slow', 1), 'Price Collection', 'Wait for job');
		await editor.run();
		// It keeps checking, so it has one output without a name.
		await editor.output.getByText('1 item', { exact: true }).waitFor();
		const alone =
			'This execution does not know which items asked for 1 job, so its rows have no input fields and no comparison with your prices. If you have run this node alone, run the whole workflow instead.';
		await editor.output.getByText(alone, { exact: true }).waitFor();
	});

	it('lists the latest jobs, and finds one by what is typed', async () => {
		await editor.openPanel('Get');
		await editor.openList('jobId');
		await editor.page.getByTestId('rlc-item').first().waitFor();
		const labels = await editor.listed();
		expect(labels[0]).toMatch(
			/^\d{4}-\d\d-\d\d \d\d:\d\d · \w+ · google_shopping · de · product_and_offers \(\w+\)$/,
		);

		const last = labels.at(-1) ?? '';
		const jobId = /\((\w+)\)$/.exec(last)?.[1] ?? '';
		await editor.page.getByTestId('rlc-search').fill(jobId);
		await expectSoon(async () => await editor.listed(), [last]);
		await editor.page.getByTestId('rlc-item').click();
		await editor.run();
		await expectSoon(async () => [...new Set((await editor.rows(1)).flat())], [jobId]);
	});

	it('starts with the end of a job that calls the test URL of the trigger', async () => {
		await editor.openPanel('Called');
		const fields = ['httpMethod', 'events', 'output', 'columns', 'bestPriceOptions', 'options'];
		await expectSoon(async () => await editor.fields(), fields);
		const urls = editor.panel.getByText('Webhook URLs', { exact: true });
		await urls.click();
		const shown = editor.panel.getByText(/\/webhook-test\//);
		await shown.waitFor();
		const webhook_url = (await shown.innerText()).trim();
		// The picture shows the address that a service calls.
		await editor.panel.getByText('Production URL', { exact: true }).click();
		await editor.panel.getByText(/\/webhook\//).waitFor();
		const output = editor.parameter('output');
		expect(await output.getByRole('combobox').first().inputValue()).toBe('One Row per Product');
		await editor.picture('webhook-trigger', urls, output, editor.parameter('columns'));

		await editor.run();
		await editor.panel.getByText('Listening for test event').waitFor();
		const account = { url: sharedServers().sandboxUrl, apiKey: SANDBOX_KEY };
		const what = { topic: 'product_and_offers', source: 'google_shopping', country: 'de' };
		await createJob(account, { ...what, values: 'kettle', webhook_url });
		await expectSoon(async () => await editor.cells('value', 'found'), [['kettle', 'true']]);
		testUrl = webhook_url;
	});

	it('says of a job that calls the test URL that it is answered only while the trigger listens', async () => {
		await editor.openPanel('Create');
		await editor.addOption('Add option', 'Webhook URL');
		await editor.paste('webhookUrl', testUrl);
		await editor.run();
		const hint =
			'Webhook URL is a test URL of n8n, which works only while the trigger listens for a test event. After you publish the workflow of the trigger, use its production URL.';
		await editor.output.getByText(hint, { exact: true }).waitFor();
	});
});

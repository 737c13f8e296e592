import { POLLING_TRIGGER_TYPE, SANDBOX_KEY, TRIGGER_TYPE, unique } from '../e2e/harness/e2e';
import { sharedServers } from '../e2e/harness/shared';
import { createJob } from '../engine/triggerSupport';
import { node } from '../engine/workflow';
import { Editor, expectSoon } from './editor';
import { saveWorkflow } from './scenes';

/** Fields by the names that the interface contract promises; the times of polling are n8n's. */
const BEST_PRICE = ['columns', 'bestPriceOptions'];
const POLLING = ['pollTimes', 'mode', 'events', 'output'];

/** A job of the account that calls the address when it ends. */
async function createKettle(webhook_url: string): Promise<void> {
	const account = { url: sharedServers().sandboxUrl, apiKey: SANDBOX_KEY };
	const more = { topic: 'product_and_offers', source: 'google_shopping', values: 'kettle', webhook_url };
	await createJob(account, { ...more, country: 'de' });
}

/** Both triggers, giving results. */
async function saveTriggers(): Promise<string> {
	const webhookId = unique('price-jobs');
	const called = node('Called', TRIGGER_TYPE, { output: 'results' }, { position: [0, 200], webhookId });
	const pollTimes = { item: [{ mode: 'everyMinute' }] };
	const polling = node('Polling', POLLING_TRIGGER_TYPE, { pollTimes }, { position: [0, 400] });
	return await saveWorkflow([called, polling]);
}

describe('the triggers', () => {
	let editor: Editor;
	const shows = async (fields: string[]) => await expectSoon(async () => await editor.fields(), fields);

	beforeAll(async () => {
		editor = await Editor.open();
		await editor.openWorkflow(await saveTriggers());
	});

	afterAll(async () => await editor?.close());
	afterEach(async () => await editor?.closePanel());

	it('starts with the end of a job that calls the test URL', async () => {
		await editor.openPanel('Called');
		await shows(['httpMethod', 'events', 'output', ...BEST_PRICE, 'options']);
		const urls = editor.panel.getByText('Webhook URLs', { exact: true });
		await urls.click();
		const shown = editor.panel.getByText(/\/webhook-test\//);
		await shown.waitFor();
		const url = (await shown.innerText()).trim();
		const hint = editor.panel.getByText('Prices are in the rows');
		await editor.picture('webhook-trigger', urls, editor.parameter('output'), hint);

		await editor.run();
		await editor.panel.getByText('Listening for test event').waitFor();
		await createKettle(url);
		await expectSoon(async () => await editor.rows(2), [['kettle', 'true']]);
	});

	it('asks for the latest job that has ended', async () => {
		await editor.openPanel('Polling');
		await shows([...POLLING, 'options']);
		await editor.choose('output', 'One Row per Product');
		await shows([...POLLING, ...BEST_PRICE, 'options']);
		await editor.run('Fetch Test Event');
		await expectSoon(async () => await editor.rows(2), [['kettle', 'true']]);
	});
});

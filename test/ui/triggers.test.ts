import { POLLING_TRIGGER_TYPE, SANDBOX_KEY, TRIGGER_TYPE } from '../e2e/harness/e2e';
import { sharedServers } from '../e2e/harness/shared';
import { node } from '../engine/workflow';
import { Editor, expectSoon } from './editor';
import { LOOKS } from './pictures';
import { saveWorkflow } from './scenes';

/** Fields by the names that the interface contract promises; the times of polling are n8n's. */
const BEST_PRICE = ['columns', 'bestPriceOptions'];
const POLLING = ['pollTimes', 'mode', 'events', 'output'];

/** A job of the account that calls the address when it ends. */
async function createJob(value: string, webhookUrl?: string): Promise<void> {
	const job = { topic: 'product_and_offers', source: 'google_shopping', country: 'de', key: 'term', value };
	const reply = await fetch(`${sharedServers().sandboxUrl}/v2/jobs?token=${SANDBOX_KEY}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ ...job, webhook_url: webhookUrl }),
	});
	expect(reply.ok).toBe(true);
}

let workflows = 0;

/** Both triggers, giving results. */
async function saveTriggers(credential: Record<string, unknown> = {}): Promise<string> {
	const webhookId = `price-jobs-${++workflows}`;
	const called = node('Called', TRIGGER_TYPE, { output: 'results' }, { position: [0, 200], webhookId });
	const pollTimes = { item: [{ mode: 'everyMinute' }] };
	const polling = node('Polling', POLLING_TRIGGER_TYPE, { pollTimes }, { position: [0, 400] });
	return await saveWorkflow([called, polling], {}, credential);
}

describe.each(LOOKS)('the triggers, $theme and $size', (look) => {
	let editor: Editor;
	const shows = async (fields: string[]) => await expectSoon(async () => await editor.fields(), fields);

	beforeAll(async () => {
		editor = await Editor.open(look);
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
		await editor.picture('webhook-trigger-listening');
		const value = `kettle ${look.theme} ${look.size}`;
		await createJob(value, url);
		await expectSoon(async () => await editor.rows(2), [[value, 'true']]);
		await editor.picture('webhook-trigger-event');
	});

	it('asks for the latest job that has ended', async () => {
		await editor.openPanel('Polling');
		await shows([...POLLING, 'options']);
		await editor.choose('output', 'One Row per Product');
		await shows([...POLLING, ...BEST_PRICE, 'options']);
		await editor.picture('polling-trigger');
		await editor.run('Fetch Test Event');
		const value = `kettle ${look.theme} ${look.size}`;
		await expectSoon(async () => await editor.rows(2), [[value, 'true']]);
		await editor.picture('polling-trigger-event');
	});

	describe('with a wrong key', () => {
		beforeAll(async () => await editor.openWorkflow(await saveTriggers({ apiKey: 'wrong' })));

		it.each([
			['Called', 'Execute step'],
			['Polling', 'Fetch Test Event'],
		])('%s says in its test event why it is refused', async (name, button) => {
			await editor.openPanel(name);
			await editor.run(button);
			await editor.page.getByText('The service did not accept the key').first().waitFor();
			await editor.picture(`refused-${name}`);
		});
	});
});

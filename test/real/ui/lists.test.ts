import { collect, finishJob } from '../e2e/harness/collecting';
import { createCredential, MANUAL_TRIGGER, n8n, NODE_TYPE, SANDBOX_KEY, unique } from '../e2e/harness/e2e';
import { sharedServers } from '../e2e/harness/shared';
import { createJob } from '../../engine/support/triggerSupport';
import { connect, node } from '../../engine/support/workflow';
import { Editor, expectSoon } from './editor';

const USAGE = 'Usage';
const CONVERT = 'Convert';
const CANCEL = 'Cancel job';

describe('what the editor offers', () => {
	let editor: Editor;

	beforeAll(async () => {
		editor = await Editor.open();
		const { name, ...one } = collect({ values: 'kettle' });
		const credentials = { priceCollectionApi: await createCredential() };
		const at = (y: number) => ({ credentials, position: [240, y] as [number, number] });
		const create = { ...one.parameters, operation: 'create' };
		const convert = { resource: 'migration', operation: 'convertWorkflow', workflow: '{}' };
		const usage = { resource: 'usage', operation: 'getToday' };
		const { id } = await n8n().createWorkflow({
			nodes: [
				node('Start', MANUAL_TRIGGER),
				{ ...one, name, ...at(0) },
				node('Create', NODE_TYPE, create, at(160)),
				node(CONVERT, NODE_TYPE, convert, at(320)),
				node(USAGE, NODE_TYPE, usage, at(480)),
			],
			connections: connect({ Start: [[name, 'Create', CONVERT, USAGE]] }),
		});
		await editor.openWorkflow(id);
	});

	afterAll(async () => await editor?.close());

	it('finds a country by its name', async () => {
		await editor.openPanel('Collect');
		await editor.openList('country');
		await editor.page.getByTestId('rlc-item').first().waitFor();
		await editor.page.getByTestId('rlc-search').fill('swi');
		await expectSoon(async () => await editor.listed(), ['Switzerland (ch) – not used by you yet']);
		await editor.page.getByTestId('rlc-search').fill('germ');
		const germany = editor.page.getByTestId('rlc-item').getByText(/^Germany \(de\)/);
		await expectSoon(async () => (await editor.listed()).length, 1);
		await germany.click();
		const chosen = editor.parameter('country').getByTestId('rlc-input-container').locator('input');
		await expectSoon(async () => (await chosen.inputValue()).startsWith('Germany (de)'), true);
		await editor.closePanel();
	});

	it('says which code to write where somebody types the name of a country', async () => {
		await editor.openPanel('Create');
		await editor.paste('country', 'Germany');
		await editor.run();
		await editor.output.getByText('Write de for Germany. Nothing was sent.').waitFor();
		await editor.paste('country', 'de');
		await editor.closePanel();
	});

	it('lists the sources that the account has used, then the others, and finds them', async () => {
		await editor.openPanel('Create');
		await editor.run();
		await editor.output.locator('tbody tr').first().waitFor();
		await editor.openList('source');
		await editor.page.getByTestId('rlc-item').first().waitFor();
		const all = await editor.listed();
		expect(all).toContain('google_shopping');
		expect(all.at(-1)).toBe('test – free, with made-up data');
		await editor.page.getByTestId('rlc-search').fill('amaz');
		// Other tests of this n8n may have used it.
		const names = async () => (await editor.listed()).map((text) => text.split(' – ')[0]);
		await expectSoon(names, ['amazon']);
		await editor.page.getByTestId('rlc-search').fill('');
		await editor.page.getByTestId('rlc-item').getByText('google_shopping', { exact: true }).click();
		await editor.closePanel();
	});

	it('adds what concerns a job behind Create with the job of its item', async () => {
		let before = 'Create';
		for (const action of ['Download results of job', 'Get job', CANCEL]) {
			await editor.showAll();
			await editor.addNode(editor.plusOf(before), 'Price Collection', action);
			const job = editor.parameter('jobId');
			await job.locator('.cm-content', { hasText: '{{ $json.job_id }}' }).waitFor();
			expect(await job.getByTestId('rlc-mode-selector').locator('input').inputValue()).toBe('By ID');
			await editor.closePanel();
			before = action;
		}
	});

	it('offers to cancel the jobs that are running', async () => {
		const account = { url: sharedServers().sandboxUrl, apiKey: SANDBOX_KEY };
		const what = { topic: 'search', source: 'google_shopping', country: 'de' };
		const running = await createJob(account, { ...what, values: unique('slow') });
		const over = await createJob(account, { ...what, values: unique('slow') });
		await finishJob(over);

		await editor.openPanel(CANCEL);
		await editor.openList('jobId');
		await editor.page.getByTestId('rlc-item').first().waitFor();
		const listed = (await editor.listed()).join('\n');
		expect(listed).toContain(running);
		expect(listed).not.toContain(over);
		expect(listed).not.toMatch(/· (finished|cancelled) ·/);
		await editor.page.getByTestId('rlc-item').getByText(running).click();
		await editor.closePanel();
	});

	it('says under a node on the canvas where it looks, or what it does', async () => {
		const says = async (node: string, words: string) =>
			await editor.node(node).getByText(words, { exact: true }).waitFor();
		await says('Create', 'google_shopping · de');
		await says(CONVERT, 'Convert workflow of version 1');
		await says(USAGE, "Get today's usage");
		await editor.openPanel('Create');
		await editor.parameter('useTestSource').locator('.el-switch').click();
		await editor.closePanel();
		await says('Create', 'TEST SOURCE · de');
	});
});

import { finishJob, locator } from '../e2e/harness/collecting';
import { connect } from '../engine/workflow';
import { Editor, expectSoon } from './editor';
import { WHAT, jobNode, saveWorkflow } from './scenes';

describe('running the node', () => {
	let editor: Editor;

	beforeAll(async () => {
		editor = await Editor.open();
		const term = (values: string) => ({ ...WHAT, lookupKey: 'term', values });
		const wrong = { ...term('kettle'), source: locator('name', 'amazzon') };
		const slow = { ...term('kettle\nslow kettle'), waitOptions: { maxWait: 0 } };
		const id = await saveWorkflow(
			[
				jobNode('Wrong source', 'create', wrong, [240, 0]),
				jobNode('Slow', 'collect', slow, [240, 180]),
				jobNode('Wait', 'wait', { jobId: locator('id', '={{ $json.job_id }}') }, [520, 180]),
				jobNode('Get', 'get', { jobId: locator('id', '') }, [240, 360]),
			],
			connect({ Start: [['Wrong source', 'Slow', 'Get']], Slow: [[], 'Wait'] }),
		);
		await editor.openWorkflow(id);
	});

	afterAll(async () => await editor?.close());
	afterEach(async () => await editor?.closePanel());

	it('says what the service said, and what to do, where it refuses', async () => {
		await editor.openPanel('Wrong source');
		await editor.run();
		await editor.output.getByText('The service does not know this source', { exact: true }).waitFor();
		const what = editor.output.getByText(
			'Check the spelling: sources are written like google_shopping, with underscores. The service says: "unknown source" (parameter source): There is no source \'amazzon\'. Endpoint: POST /v2/jobs, HTTP 400.',
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
		await editor.openPanel('Wait');
		await editor.run();
		await editor.output.getByText('Finished Branch (1 item)').waitFor();
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
});

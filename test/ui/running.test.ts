import { finishJob, locator } from '../e2e/harness/collecting';
import { connect } from '../engine/workflow';
import { Editor, expectSoon } from './editor';
import { WHAT, jobNode, saveWorkflow } from './scenes';

describe('running the node', () => {
	let editor: Editor;

	beforeAll(async () => {
		editor = await Editor.open();
		const gtins = { ...WHAT, lookupKey: 'gtin', values: '={{ $json.gtin }}' };
		const term = (values: string) => ({ ...WHAT, lookupKey: 'term', values });
		const id = await saveWorkflow(
			[
				jobNode('Collect', 'collect', gtins, [240, 0]),
				jobNode('Create', 'create', gtins, [240, 180]),
				jobNode(
					'Wrong source',
					'create',
					{ ...term('kettle'), source: locator('name', 'amazzon') },
					[240, 360],
				),
				jobNode(
					'Slow',
					'collect',
					{ ...term('kettle\nslow kettle'), waitOptions: { maxWait: 0 } },
					[240, 540],
				),
				jobNode('Wait', 'wait', { jobId: locator('id', '={{ $json.job_id }}') }, [520, 540]),
				jobNode('Get', 'get', { jobId: locator('id', '') }, [520, 0]),
			],
			connect({
				Start: [['Collect', 'Create', 'Wrong source', 'Slow']],
				Collect: ['Get'],
				Slow: [[], 'Wait'],
			}),
		);
		await editor.openWorkflow(id);
	});

	afterAll(async () => await editor?.close());
	afterEach(async () => await editor?.closePanel());

	it('names the item and what to do where a row is the cause', async () => {
		await editor.openPanel('Create');
		await editor.run();
		await editor.output.getByText('GTINs is empty [item 1]', { exact: true }).waitFor();
		await editor.output
			.getByText('Enter what to look up, one value per line, e.g. {{ $json.gtin }}.')
			.waitFor();
	});

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

	it('lists the sources and countries of the jobs so far', async () => {
		await editor.openPanel('Collect');
		for (const [field, entry] of [
			['source', 'google_shopping'],
			['country', 'de'],
		] as const) {
			await editor.openList(field);
			await editor.page.getByTestId('rlc-item').filter({ hasText: entry }).first().waitFor();
			await editor.page.getByTestId('rlc-search').fill('nothing like it');
			await expectSoon(async () => await editor.listed(), []);
			await editor.page.getByTestId('rlc-search').fill(entry);
			await expectSoon(async () => await editor.listed(), [entry]);
			await editor.page.getByTestId('rlc-item').click();
		}
	});
});

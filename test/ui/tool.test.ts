import { NODE_TYPE } from '../e2e/harness/e2e';
import { node } from '../engine/workflow';
import { Editor, expectSoon } from './editor';
import { WHAT, saveWorkflow } from './scenes';

describe('the tool of an agent', () => {
	let editor: Editor;

	beforeAll(async () => {
		editor = await Editor.open();
		const lookUp = { resource: 'job', operation: 'collect', ...WHAT, lookupKey: 'term' };
		const id = await saveWorkflow(
			[
				node('Agent', '@n8n/n8n-nodes-langchain.agent', {}, { typeVersion: 3.1, position: [240, 0] }),
				node('Look up prices', `${NODE_TYPE}Tool`, lookUp, { position: [320, 240] }),
			],
			{
				Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
				'Look up prices': { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
			},
		);
		await editor.openWorkflow(id);
		await editor.openPanel('Look up prices');
	});

	afterAll(async () => await editor?.close());

	it('lets the model fill in the values', async () => {
		const values = editor.panel
			.getByTestId('parameter-item')
			.filter({ has: editor.page.locator('label[for="values"]') });
		await values.getByTestId('from-ai-override-button').click();
		await values.getByText('Defined automatically by the model').waitFor();
	});

	it('answers what the model would ask', async () => {
		await editor.run();
		const question = editor.page.getByTestId('fromAiParameters-modal');
		await question.getByTestId('query.Search_Terms').locator('input').fill('kettle');
		await question.getByTestId('execute-workflow-button').click();
		await expectSoon(async () => await editor.columns(), ['response']);
		const answer = await editor.output.locator('tbody').innerText();
		expect(answer).toMatch(/value:kettle\nfound:true\nname:.+\nbest_price:\d+(\.\d+)?\n/);
	});
});

import { node } from '../engine/workflow';
import { NODE_TYPE } from '../e2e/harness/e2e';
import { Editor, expectSoon } from './editor';
import { saveWorkflow } from './scenes';

/** Fields by the names that the interface contract promises; `unit/panel` has those of all topics, outputs and operations. */
const FIELDS = [
	...['resource', 'operation', 'topic', 'useTestSource', 'source', 'country', 'lookupKey', 'values'],
	...['output', 'columns', 'bestPriceOptions', 'waitMode', 'waitOptions', 'options'],
];

describe('the panel of the node', () => {
	let editor: Editor;
	const shows = async (fields: string[]) => await expectSoon(async () => await editor.fields(), fields);

	beforeAll(async () => {
		editor = await Editor.open();
		const collect = node('Prices', NODE_TYPE, { resource: 'job', operation: 'collect' });
		const id = await saveWorkflow([{ ...collect, position: [240, 0] }]);
		await editor.openWorkflow(id);
		await editor.openPanel('Prices');
	});

	afterAll(async () => await editor?.close());

	it('has the fields of Collect, and those that a choice needs', async () => {
		await shows(FIELDS);
		const toggle = editor.parameter('useTestSource').locator('.el-switch');
		await toggle.click();
		await shows(FIELDS.filter((field) => field !== 'source'));
		await toggle.click();
		await editor.choose('output', 'File');
		await shows(FIELDS.filter((field) => field !== 'columns' && field !== 'bestPriceOptions'));
		await editor.choose('output', 'One Row per Product');
		await editor.choose('columns', 'Selected');
		await shows(FIELDS.flatMap((field) => (field === 'columns' ? [field, 'fields'] : [field])));
		await editor.choose('columns', 'Main');
		await shows(FIELDS);
	});

	it('has those of another topic, with its own keys and options', async () => {
		await editor.choose('topic', 'Bestsellers');
		const key = async () => await editor.parameter('lookupKey').locator('input').inputValue();
		await expectSoon(key, 'ID');
		expect(await editor.choices('lookupKey')).toEqual(['ID', 'Search Term', 'Custom']);
		const options = await editor.addable('options');
		expect(options).toEqual(expect.arrayContaining(['Grouping', 'Max Pages', 'Webhook URL']));
		expect(options).not.toContain('Condition');
	});

	it.each([
		['Suspend on a Timer', /^Connect the output Still Running to a Price Collection node set to Wait/],
		[
			'Suspend Until Webhook',
			/^The service must be able to reach this n8n\. Also connect the output Still Running to a Price Collection node set to Wait, because/,
		],
	])('says what %s needs', async (mode, notice) => {
		await editor.choose('waitMode', mode);
		await editor.panel.getByText(notice).waitFor();
	});

	it('has the fields of another operation', async () => {
		await editor.choose('operation', 'Get Many');
		await shows(['resource', 'operation', 'returnAll', 'limit', 'options']);
	});
});

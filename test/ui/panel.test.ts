import type { INodeParameters } from 'n8n-workflow';

import { node } from '../engine/workflow';
import { NODE_TYPE } from '../e2e/harness/e2e';
import { Editor, expectSoon } from './editor';
import { LOOKS } from './pictures';
import { saveWorkflow } from './scenes';

/** Fields by the names that the interface contract promises, in groups that stand together. */
const WHAT = ['topic', 'useTestSource', 'source', 'country', 'lookupKey', 'values'];
const WAITING = ['waitMode', 'waitOptions'];
const RESULTS = ['output', 'columns', 'bestPriceOptions'];
const COLLECT = ['resource', 'operation', ...WHAT, ...RESULTS, ...WAITING, 'options'];

/** Options that every topic has, and those that only some have, by the words of the contract's names. */
const EVERY_TOPIC = [
	...['Additional Parameters', 'Content List', 'Format', 'Grouping', 'If a Lookup Fails'],
	...['Include Input Fields', 'Include Not Found', 'Job Timeout (Minutes)', 'Max Credits'],
	...['Max Values', 'Max Values per Job', 'Price Format', 'Request Timeout (Seconds)'],
	...['Validate GTINs', 'Webhook URL'],
];
const PAGES = ['Max Age (Minutes)', 'Max Pages'];
const OFFERS = [...PAGES, 'Condition', 'Shipping', 'Sort By'];

interface Topic {
	name: string;
	/** What Look Up By is set to when the topic is chosen, and what it offers. */
	key: string;
	keys: string[];
	options: string[];
	more?: string[];
}

const TOPICS: Topic[] = [
	{ name: 'Search', key: 'Search Term', keys: ['GTIN', 'Search Term', 'Custom'], options: OFFERS },
	{ name: 'Bestsellers', key: 'ID', keys: ['ID', 'Search Term', 'Custom'], options: PAGES },
	{ name: 'Reviews', key: 'ID', keys: ['GTIN', 'ID', 'Custom'], options: [...PAGES, 'Sort By'] },
	{
		name: 'Custom',
		key: 'Automatic',
		keys: ['Automatic', 'GTIN', 'ID', 'Search Term', 'Custom'],
		options: OFFERS,
		more: ['customTopic'],
	},
	{
		name: 'Product and Offers',
		key: 'GTIN',
		keys: ['GTIN', 'ID', 'Search Term', 'Custom'],
		options: OFFERS,
	},
];

/** The fields of the other operations, by the contract. */
const OPERATIONS: Array<[resource: string, operation: string, fields: string[]]> = [
	['Job', 'Create', [...WHAT, 'options']],
	['Job', 'Wait', ['jobId', ...RESULTS, ...WAITING, 'options']],
	['Job', 'Download', ['jobId', ...RESULTS, 'options']],
	['Job', 'Cancel', ['jobId', 'options']],
	['Job', 'Get', ['jobId', 'options']],
	['Job', 'Get Many', ['returnAll', 'limit', 'options']],
	['Migration', 'Convert Workflow', ['workflow', 'conversion', 'baseUrl', 'legacyBaseUrl']],
	['Migration', 'Convert Parameters', ['parameters', 'topic']],
	['Usage', 'Get Today', []],
	['Usage', 'Get Month', []],
];

/** `fields`, others behind one of them. */
const withBehind = (fields: string[], field: string, more: string[]): string[] =>
	fields.flatMap((one) => (one === field ? [one, ...more] : [one]));

describe.each(LOOKS)('the panel of the node, $theme and $size', (look) => {
	let editor: Editor;
	const shows = async (fields: string[]) => await expectSoon(async () => await editor.fields(), fields);

	beforeAll(async () => {
		editor = await Editor.open(look);
		const collect: INodeParameters = { resource: 'job', operation: 'collect' };
		const id = await saveWorkflow([node('Prices', NODE_TYPE, collect, { position: [240, 0] })]);
		await editor.openWorkflow(id);
		await editor.openPanel('Prices');
	});

	afterAll(async () => await editor?.close());

	it('has the fields of Collect', async () => {
		await shows(COLLECT);
		await editor.picture('collect');
	});

	it.each(TOPICS)('has those of the topic $name', async ({ name, key, keys, options, more = [] }) => {
		await editor.choose('topic', name);
		await shows(withBehind(COLLECT, 'topic', more));
		const shownKey = async () => await editor.parameter('lookupKey').locator('input').inputValue();
		await expectSoon(shownKey, key);
		await editor.picture(`topic-${name}`);
		expect(await editor.choices('lookupKey')).toEqual(keys);
		expect(await editor.addable('options')).toEqual([...EVERY_TOPIC, ...options].sort());
	});

	it('asks for the name of a custom key', async () => {
		await editor.choose('lookupKey', 'Custom');
		await shows(withBehind(COLLECT, 'lookupKey', ['customKey']));
		await editor.choose('lookupKey', 'GTIN');
		await shows(COLLECT);
	});

	it('needs no source for the test source', async () => {
		const toggle = editor.parameter('useTestSource').locator('.el-switch');
		await toggle.click();
		await shows(COLLECT.filter((field) => field !== 'source'));
		await toggle.click();
		await shows(COLLECT);
	});

	it.each([
		['One Row per Offer, Hit or Review', ['output', 'columns']],
		['File', ['output']],
		['Job With Results', ['output']],
		['Status', ['output']],
		['One Row per Product', RESULTS],
	])('has the fields of the output %s', async (output, fields) => {
		await editor.choose('output', output);
		const isGone = (field: string) => RESULTS.includes(field) && !fields.includes(field);
		await shows(COLLECT.filter((field) => !isGone(field)));
	});

	it('asks for the fields of selected columns, and none of raw ones have a price', async () => {
		await editor.choose('columns', 'Selected');
		await shows(withBehind(COLLECT, 'columns', ['fields']));
		await editor.choose('columns', 'Raw');
		await shows(COLLECT.filter((field) => field !== 'bestPriceOptions'));
		await editor.choose('columns', 'Main');
		await shows(COLLECT);
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
		await editor.panel.getByText(notice).scrollIntoViewIfNeeded();
		await editor.picture(`wait-mode-${mode}`);
	});

	it.each(OPERATIONS)('has the fields of %s: %s', async (resource, operation, fields) => {
		await editor.choose('resource', resource);
		await expectSoon(
			async () => await editor.parameter('resource').locator('input').inputValue(),
			resource,
		);
		await editor.choose('operation', operation);
		await shows(['resource', 'operation', ...fields]);
		await editor.picture(`${resource}-${operation}`);
	});
});

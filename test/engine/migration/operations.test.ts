import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import { itemsOf, failureOf, runNode } from '../support/core';
import { binaryContent, outputItems } from '../support/harness';
import { node } from '../support/workflow';

const mockLoaded: string[] = [];
jest.mock('meriyah', () => {
	mockLoaded.push('meriyah');
	return jest.requireActual<object>('meriyah');
});

const nowhere = { url: 'http://127.0.0.1:9', apiKey: 'none' };
const LEGACY = 'https://api.legacy.example';
const addresses = { baseUrl: 'https://api.example.test', legacyBaseUrl: LEGACY };
const request = node('Status', 'n8n-nodes-base.httpRequest', { url: `${LEGACY}/jobs/abc` });
const workflow = { nodes: [request], connections: {} } as unknown as IDataObject;

const PARAMETERS = { resource: 'migration', operation: 'convertParameters', topic: 'offers' };
const WORKFLOW = { resource: 'migration', operation: 'convertWorkflow', ...addresses };
const given = (value: unknown) => ({ input: [{ value } as IDataObject] });

it('loads the parser when a conversion runs, and not with the node', async () => {
	expect(new PriceCollection().description.name).toBe('priceCollection');
	expect(mockLoaded).toEqual([]);
	await itemsOf(nowhere, { ...WORKFLOW, workflow: '={{ $json.value }}' }, given(workflow));
	expect(mockLoaded).toEqual(['meriyah']);
});

it.each([{ key: 'source_id' }, '{ "key": "source_id" }'])('Convert Parameters takes %j', async (value) => {
	const [item] = await itemsOf(nowhere, { ...PARAMETERS, parameters: '={{ $json.value }}' }, given(value));
	expect(item).toEqual({
		parameters: { topic: 'offers', key: 'id' },
		changes: expect.any(Array),
		warnings: [],
	});
});

it('Convert Parameters takes the topic of version 1 when the field is empty', async () => {
	const parameters = { ...PARAMETERS, parameters: '{}', topic: '={{ " " }}' };
	const topic = 'product_and_offers';
	expect(await itemsOf(nowhere, parameters)).toMatchObject([{ parameters: { topic } }]);
});

it.each([
	['parameters', 'no JSON', 'Parameters is not a JSON object'],
	['parameters', [1], 'Parameters is not a JSON object'],
	['parameters', '[1]', 'Parameters is not a JSON object'],
	['parameters', 7, 'Parameters is not a JSON object'],
	[
		'workflow',
		{ a: 1 },
		'The workflow cannot be converted: it is not an n8n workflow, because it has no "nodes".',
	],
])('%s refuses %j', async (field, value, message) => {
	const operation = field === 'workflow' ? WORKFLOW : PARAMETERS;
	const failure = await failureOf(nowhere, { ...operation, [field]: '={{ $json.value }}' }, given(value));
	expect(failure.message).toBe(message);
});

it.each([
	['replaceNodes', workflow, 'n8n-nodes-price-collection.priceCollection'],
	['updateRequests', workflow, 'n8n-nodes-base.httpRequest'],
	['updateRequests', JSON.stringify(workflow), 'n8n-nodes-base.httpRequest'],
])('Convert Workflow, %s gives the workflow and its report', async (conversion, value, type) => {
	const parameters = { ...WORKFLOW, conversion, workflow: '={{ $json.value }}' };
	const [item = {}] = await itemsOf(nowhere, parameters, given(value));
	expect(Object.keys(item).sort()).toEqual(['changed', 'changes', 'report', 'warnings', 'workflow']);
	expect(item).toMatchObject({ changed: true, workflow: { nodes: [{ type }] } });
});

describe('a workflow that is pasted into the field', () => {
	const url = `={{ $('Settings').first().json.url }}/jobs/{{ $json.id }}`;
	const own = { nodes: [request, node('Other', 'n8n-nodes-base.httpRequest', { url })], connections: {} };
	const text = JSON.stringify(own, null, 2);

	it.each([
		['as an expression, which n8n makes of it', `=${text}`],
		['as text', text],
	])('is read as it was exported: %s', async (_name, stored) => {
		const [item = {}] = await itemsOf(nowhere, { ...WORKFLOW, workflow: stored });
		expect(item).toMatchObject({ workflow: { nodes: [{ name: 'Status' }, { parameters: { url } }] } });
	});

	it('is refused where its expressions are lost', async () => {
		const lost = text.replace(JSON.stringify(url), '"="');
		const { message } = await failureOf(nowhere, { ...WORKFLOW, workflow: lost });
		expect(message).toBe(
			'The workflow cannot be converted: its expressions are lost: their parameters hold only "=". Export the workflow again and paste its JSON into this field, or read it with the n8n node.',
		);
	});

	it('may have an expression that is empty', async () => {
		const empty = { ...own, nodes: [...own.nodes, node('Empty', 'n8n-nodes-base.noOp', { text: '=' })] };
		const [item = {}] = await itemsOf(nowhere, { ...WORKFLOW, workflow: JSON.stringify(empty) });
		expect(item).toMatchObject({ changed: true });
	});

	it('comes back as a file that n8n imports', async () => {
		const named = { ...own, name: 'Prices / daily' };
		const run = await runNode(nowhere, { ...WORKFLOW, workflow: JSON.stringify(named) });
		const [item = { json: {} } as INodeExecutionData] = outputItems(run, 'Prices');
		expect(item.binary?.data).toMatchObject({
			fileName: 'Prices _ daily (version 2).json',
			mimeType: 'application/json',
		});
		expect(JSON.parse((await binaryContent(item)).toString())).toEqual(item.json.workflow);
	});
});

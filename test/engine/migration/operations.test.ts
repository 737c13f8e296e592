import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { convertParameters } from '../../../nodes/PriceCollection/actions/migration/convertParameters.operation';
import { convertWorkflow } from '../../../nodes/PriceCollection/actions/migration/convertWorkflow.operation';
import { LEGACY, statusNode } from './convert';

/** An execute context that knows the parameters of one item and nothing else. */
const context = (parameters: IDataObject) =>
	({
		getNode: () => ({
			id: '1',
			name: 'Migrate',
			type: 'x',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
		}),
		getNodeParameter: (name: string, _index: number, fallback?: unknown) => parameters[name] ?? fallback,
	}) as unknown as IExecuteFunctions;

const addresses = { baseUrl: 'https://api.example.test', legacyBaseUrl: LEGACY };

describe('Convert Parameters', () => {
	it.each([[{ key: 'source_id' }], ['{ "key": "source_id" }']])('takes %j', async (parameters) => {
		const items = await convertParameters.execute.call(context({ parameters, topic: 'offers' }), 3);
		expect(items).toEqual([
			{
				json: {
					parameters: { topic: 'offers', key: 'id' },
					changes: [
						{ parameter: 'key', message: 'The value "source_id" of "key" is called "id" now.' },
						{ parameter: 'topic', message: '"topic: offers" was added.' },
					],
					warnings: [],
				},
				pairedItem: { item: 3 },
			},
		]);
	});

	it('takes the topic of version 1 when the field is empty', async () => {
		const [item] = await convertParameters.execute.call(context({ parameters: {}, topic: ' ' }), 0);
		expect(item?.json.parameters).toEqual({ topic: 'product_and_offers' });
	});

	it.each([['no JSON'], [[1]], ['[1]'], [7]])(
		'refuses %j with the number of the item',
		async (parameters) => {
			await expect(convertParameters.execute.call(context({ parameters }), 2)).rejects.toMatchObject({
				message: 'Parameters is not a JSON object',
				context: { itemIndex: 2 },
			});
		},
	);
});

describe('Convert Workflow', () => {
	const workflow = { nodes: [statusNode()], connections: {} } as unknown as IDataObject;

	it.each([
		['replaceNodes', 'n8n-nodes-price-collection.priceCollection'],
		['updateRequests', 'n8n-nodes-base.httpRequest'],
	])('%s gives the workflow and its report', async (conversion, type) => {
		const parameters = { workflow, conversion, ...addresses };
		const [item] = await convertWorkflow.execute.call(context(parameters), 1);
		expect(item?.pairedItem).toEqual({ item: 1 });
		expect(Object.keys(item?.json ?? {}).sort()).toEqual([
			'changed',
			'changes',
			'report',
			'warnings',
			'workflow',
		]);
		expect(item?.json).toMatchObject({ changed: true, workflow: { nodes: [{ type }] } });
	});

	it('takes JSON text', async () => {
		const parameters = { workflow: JSON.stringify(workflow), ...addresses };
		const [item] = await convertWorkflow.execute.call(context(parameters), 0);
		expect(item?.json.changed).toBe(true);
	});

	it('refuses what is no workflow, with the number of the item', async () => {
		await expect(
			convertWorkflow.execute.call(context({ workflow: { a: 1 }, ...addresses }), 4),
		).rejects.toMatchObject({
			message: 'This is not a workflow of n8n: it has no "nodes".',
			context: { itemIndex: 4 },
		});
	});
});

import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { yieldToEventLoop } from '../../n8n/clock';
import { objectParameter } from './objectParameter';
import type { OperationPerItem } from '../operation';

/** Output: `{ workflow, changes, warnings, changed, report }` per item. */
async function execute(this: IExecuteFunctions, index: number): Promise<INodeExecutionData[]> {
	// Loaded on first use, because it contains a JavaScript parser and most users never convert anything.
	const { convertWorkflow: convert } = await import('../../migration');
	// A run may contain all workflows of an n8n instance, a few milliseconds each.
	await yieldToEventLoop();
	const conversion = this.getNodeParameter('conversion', index, 'replaceNodes');
	const converted = convert(objectParameter(this.getNodeParameter('workflow', index)), {
		conversion: conversion === 'updateRequests' ? 'updateRequests' : 'replaceNodes',
		baseUrl: String(this.getNodeParameter('baseUrl', index, '')),
		legacyBaseUrl: String(this.getNodeParameter('legacyBaseUrl', index, '')),
	});
	if ('problem' in converted) {
		throw new NodeOperationError(this.getNode(), converted.problem, { itemIndex: index });
	}
	return [{ json: { ...converted } as unknown as IDataObject, pairedItem: { item: index } }];
}

export const convertWorkflow: OperationPerItem = {
	name: 'Convert Workflow',
	action: 'Convert workflow of version 1',
	description: 'Turn a workflow written for version 1 into one for version 2, with a report',
	fields: [
		{
			displayName: 'Workflow',
			name: 'workflow',
			type: 'json',
			required: true,
			default: '={{ $json }}',
			description: "The workflow's JSON, from an export or from n8n's own n8n node",
		},
		{
			displayName: 'Conversion',
			name: 'conversion',
			type: 'options',
			default: 'replaceNodes',
			description: 'What happens to the HTTP Request nodes that use the service',
			options: [
				{
					name: 'Replace Nodes',
					value: 'replaceNodes',
					description:
						'Price Collection nodes take their place; create, wait and download become one node',
				},
				{
					name: 'Update Requests',
					value: 'updateRequests',
					description: 'They stay HTTP Request nodes and get the new address and parameters',
				},
			],
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			description: 'The address of version 2 of the service',
		},
		{
			displayName: 'Legacy Base URL',
			name: 'legacyBaseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://legacy.example.com',
			description: 'The retired address that the workflow still uses',
		},
	],
	execute,
};

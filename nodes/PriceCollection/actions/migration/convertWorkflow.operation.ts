import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { yieldToEventLoop } from '../../n8n/clock';
import { fileNameOf } from '../../service/text';
import { objectParameter } from './objectParameter';
import type { OperationPerItem } from '../operation';

/**
 * The workflow's JSON. n8n takes JSON with `{{ }}` in it for an expression when it is pasted, and would evaluate the
 * expressions of its nodes: what was pasted is read as it is stored.
 */
function workflowOf(context: IExecuteFunctions, index: number): IDataObject | undefined {
	const stored = context.getNode().parameters.workflow;
	const pasted = typeof stored === 'string' && stored.startsWith('=') ? stored.slice(1) : undefined;
	return objectParameter(pasted) ?? objectParameter(context.getNodeParameter('workflow', index));
}

/** Output: `{ workflow, changes, warnings, changed, report }` per item, and the workflow as a file to import. */
async function execute(this: IExecuteFunctions, index: number): Promise<INodeExecutionData[]> {
	// Loaded on first use, because it contains a JavaScript parser and most users never convert anything.
	const { convertWorkflow: convert } = await import('../../migration');
	// A run may contain all workflows of an n8n instance, a few milliseconds each.
	await yieldToEventLoop();
	const conversion = this.getNodeParameter('conversion', index, 'replaceNodes');
	const converted = convert(workflowOf(this, index), {
		conversion: conversion === 'updateRequests' ? 'updateRequests' : 'replaceNodes',
		baseUrl: String(this.getNodeParameter('baseUrl', index, '')),
		legacyBaseUrl: String(this.getNodeParameter('legacyBaseUrl', index, '')),
	});
	if ('problem' in converted) {
		throw new NodeOperationError(this.getNode(), converted.problem, { itemIndex: index });
	}
	const { workflow } = converted;
	const fileName = fileNameOf(`${String(workflow.name ?? 'Workflow')} (version 2).json`);
	const file = Buffer.from(JSON.stringify(workflow, null, 2));
	const data = await this.helpers.prepareBinaryData(file, fileName, 'application/json');
	const json = { ...converted } as unknown as IDataObject;
	return [{ json, binary: { data }, pairedItem: { item: index } }];
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
			description:
				"The workflow's JSON: paste what n8n exports, or use an expression for the output of n8n's own n8n node. The result also has it as a file, which n8n imports.",
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

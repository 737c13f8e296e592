import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { yieldToEventLoop } from '../../n8n/clock';
import { fileNameOf } from '../../service/text';
import { convertWorkflow as convert } from '../../migration';
import { objectParameter } from './objectParameter';

/**
 * Returns the workflow's JSON; undefined if it is not an object. n8n treats pasted JSON that contains `{{ }}` as an
 * expression, and would evaluate the expressions of the workflow's nodes. So pasted JSON is read from the stored parameter.
 */
function workflowOf(context: IExecuteFunctions, index: number): IDataObject | undefined {
	const stored = context.getNode().parameters.workflow;
	const pasted = typeof stored === 'string' && stored.startsWith('=') ? stored.slice(1) : undefined;
	return objectParameter(pasted) ?? objectParameter(context.getNodeParameter('workflow', index));
}

/**
 * Outputs `{ workflow, changes, warnings, changed, report }` per item, and the workflow as a file to import.
 *
 * @throws NodeOperationError if the conversion cannot begin
 */
export async function execute(this: IExecuteFunctions, index: number): Promise<INodeExecutionData[]> {
	// Each workflow takes a few milliseconds, and a run may contain all workflows of an n8n instance.
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

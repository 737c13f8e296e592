import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { yieldToEventLoop } from '../../n8n/clock';
import { fileNameOf } from '../../service/text';
import { convertWorkflow as convert } from '../../migration';
import { objectParameter } from './objectParameter';

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
export async function execute(this: IExecuteFunctions, index: number): Promise<INodeExecutionData[]> {
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

import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { serviceClient } from '../../n8n/client';
import { apiError } from '../../n8n/errors';
import { jobIdField, optionsField, requestTimeoutOption } from '../../descriptions/common';
import { Parameters } from '../../n8n/parameters';
import type { OperationPerItem } from '../operation';

/** The unmodified job object. */
async function execute(this: IExecuteFunctions, index: number): Promise<INodeExecutionData[]> {
	const fields = new Parameters(this);
	const jobId = fields.jobId(index);
	const format = fields.choice('options.format', index, ['json', 'xml'], 'json');
	const client = await serviceClient.call(this);
	const job = await client.getJob(jobId, { format, timeoutMs: fields.timeoutMs(index) });
	if (!job.ok) throw apiError(this.getNode(), job.problem, index);
	return [{ json: job.value, pairedItem: { item: index } }];
}

export const get: OperationPerItem = {
	name: 'Get',
	action: 'Get job',
	description: 'Get the status of a job',
	fields: [
		jobIdField,
		optionsField([
			{
				displayName: 'Format',
				name: 'format',
				type: 'options',
				default: 'json',
				description: 'The representation to ask the service for. The item is the same with both.',
				options: [
					{ name: 'JSON', value: 'json' },
					{ name: 'XML', value: 'xml' },
				],
			},
			requestTimeoutOption,
		]),
	],
	execute,
};

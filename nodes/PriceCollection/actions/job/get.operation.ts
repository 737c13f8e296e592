import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { serviceClient } from '../../n8n/client';
import { apiError } from '../../n8n/errors';
import { NodeFields } from '../../n8n/nodeFields';

/** Outputs the unmodified job object. */
export async function execute(this: IExecuteFunctions, index: number): Promise<INodeExecutionData[]> {
	const fields = new NodeFields(this);
	const jobId = fields.jobId(index);
	const format = fields.choice('options.format', index, ['json', 'xml'], 'json');
	const client = await serviceClient.call(this);
	const job = await client.getJob(jobId, { format, timeoutMs: fields.timeoutMs(index) });
	if (!job.ok) throw apiError(this.getNode(), job.problem, index);
	return [{ json: job.value, pairedItem: { item: index } }];
}

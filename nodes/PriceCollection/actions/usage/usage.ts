import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { serviceClient } from '../../service/client';
import { apiError } from '../../n8n/errors';

/** One item: the reply as it came. */
export async function usageOf(
	this: IExecuteFunctions,
	period: 'today' | 'month',
	index: number,
): Promise<INodeExecutionData[]> {
	const client = await serviceClient.call(this);
	const usage = await client.getUsage(period);
	if (!usage.ok) throw apiError(this.getNode(), usage.problem, index);
	return [{ json: usage.value, pairedItem: { item: index } }];
}

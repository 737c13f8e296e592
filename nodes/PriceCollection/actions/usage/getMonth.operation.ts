import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { usageOf } from './usage';

/** The usage figures of the current month, as the service gives them. */
export async function execute(this: IExecuteFunctions, index: number): Promise<INodeExecutionData[]> {
	return await usageOf.call(this, 'month', index);
}

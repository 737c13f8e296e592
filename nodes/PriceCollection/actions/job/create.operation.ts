import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { collectFields } from '../../descriptions/whatToCollect';
import { serviceClient } from '../../n8n/client';
import { prepare } from '../../run/prepare';
import { createAndList, openRequests } from '../../run/start';
import { TOOL_DESCRIPTIONS } from '../../descriptions/tool';
import type { OperationOverAll } from '../operation';

/** One item per job: the service's job object as it came, paired to every input item that asked. */
async function executeAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const requests = await openRequests(this);
	const client = await serviceClient.call(this);
	return [await createAndList(this, client, await prepare.call(this, client), requests)];
}

export const create: OperationOverAll = {
	name: 'Create',
	action: 'Create job',
	description: 'Start a job without waiting for its end',
	toolDescription: TOOL_DESCRIPTIONS.create,
	fields: collectFields([], []),
	executeAll,
};

import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { jobIdField, optionsField, requestTimeoutOption } from '../../descriptions/common';
import { resultFields, resultOptions } from '../../descriptions/results';
import { waitFields } from '../../descriptions/waiting';
import { serviceClient } from '../../n8n/client';
import { parameterReader } from '../../n8n/parameters';
import { readChoice } from '../../run/resultChoice';
import { readWaitSettings } from '../../run/waiting/settings';
import { waitForNamedJobs } from '../../run/waitLoop';
import { TOOL_DESCRIPTIONS } from '../../descriptions/tool';
import type { OperationOverAll } from '../operation';

/** Takes up any job: waits for its end and gives out its results. Output 0: finished; output 1: still running. */
async function executeAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const read = parameterReader.call(this);
	const wait = readWaitSettings.call(this, read);
	const client = await serviceClient.call(this, wait.answerWithinMs);
	return await waitForNamedJobs(this, client, wait, readChoice.call(this, read, 0));
}

export const wait: OperationOverAll = {
	name: 'Wait',
	action: 'Wait for job',
	description: 'Wait for the end of any job and get its results',
	toolDescription: TOOL_DESCRIPTIONS.wait,
	fields: [
		jobIdField,
		...waitFields(['poll', 'durable']),
		...resultFields(true),
		optionsField([...resultOptions(false), requestTimeoutOption]),
	],
	outputs: ['Finished', 'Still Running'],
	executeAll,
};

import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { jobIdField, optionsField, requestTimeoutOption } from '../../descriptions/common';
import { RESULT_OPTIONS, resultFields } from '../../descriptions/results';
import { TOOL_DESCRIPTIONS } from '../../descriptions/tool';
import { readWaitSettings, WAIT_OPTIONS, waitModeFields } from '../../descriptions/waiting';
import { serviceClient } from '../../n8n/client';
import { Parameters } from '../../n8n/parameters';
import { sourceOf } from '../../n8n/execution';
import { ChoiceReader } from '../../run/choices';
import { LOOKS } from '../../run/look';
import { readNamedJobs } from '../../run/namedJobs';
import { cancellingOnStop } from '../../run/stop';
import { waitForJobs } from '../../run/wait';
import type { OperationOverAll } from '../operation';

/** Waits for existing jobs and outputs their results. Output 0: finished; output 1: still running. */
async function executeAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const fields = new Parameters(this);
	const choices = new ChoiceReader(this, fields);
	const wait = readWaitSettings(this, fields);
	const client = await serviceClient.call(this, wait.answerWithinMs);
	const named = await readNamedJobs(this, fields, choices, wait);
	const run = { context: this, client, wait, choices: choices.choices(), source: sourceOf(this), ...named };
	return await cancellingOnStop(this, wait.onStop, async (jobIds) => {
		jobIds.push(...named.records.map(({ job }) => job.job_id));
		return await waitForJobs(run, wait.mode === 'poll' ? LOOKS.poll(wait.intervalMs) : LOOKS.once);
	});
}

export const wait: OperationOverAll = {
	name: 'Wait',
	action: 'Wait for job',
	description: 'Wait for existing jobs to finish and get their results',
	toolDescription: TOOL_DESCRIPTIONS.wait,
	fields: [
		{
			...jobIdField,
			// As Still Running and Create give it, so that the node runs as it is added behind them.
			default: { mode: 'id', value: '={{ $json.job_id }}' },
			displayOptions: { show: { '@tool': [false] } },
		},
		// An agent fills it in.
		{ ...jobIdField, displayOptions: { show: { '@tool': [true] } } },
		...resultFields(true),
		...waitModeFields(['poll', 'durable']),
		WAIT_OPTIONS,
		optionsField([...RESULT_OPTIONS, requestTimeoutOption]),
	],
	executeAll,
};

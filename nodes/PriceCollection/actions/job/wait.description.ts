import { jobIdField, optionsField, requestTimeoutOption } from '../../descriptions/common';
import { RESULT_OPTIONS, resultFields } from '../../descriptions/results';
import { TOOL_DESCRIPTIONS } from '../../descriptions/tool';
import { WAIT_OPTIONS, waitModeFields } from '../../descriptions/waiting';
import type { Operation } from '../operation';

export const wait: Operation = {
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
	load: async () => await import('./wait.operation'),
};

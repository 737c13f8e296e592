import { jobIdFields, optionsField, requestTimeoutOption } from '../../descriptions/common';
import { RESULT_OPTIONS, resultFields } from '../../descriptions/results';
import { priceOptions } from '../../descriptions/rowFields';
import { TOOL_DESCRIPTIONS } from '../../descriptions/tool';
import { WAIT_OPTIONS, waitModeFields } from '../../descriptions/waiting';
import type { Operation } from '../operation';

export const wait: Operation = {
	name: 'Wait',
	action: 'Wait for job',
	description: 'Wait for existing jobs to finish and get their results',
	toolDescription: TOOL_DESCRIPTIONS.wait,
	fields: [
		...jobIdFields,
		...resultFields(true),
		...waitModeFields(['poll', 'durable']),
		...priceOptions(false),
		WAIT_OPTIONS,
		optionsField([...RESULT_OPTIONS, requestTimeoutOption]),
	],
	load: async () => await import('./wait.operation'),
};

import { jobIdFields, optionsField, requestTimeoutOption } from '../../descriptions/common';
import { RESULT_OPTIONS, resultFields } from '../../descriptions/results';
import { priceOptions } from '../../descriptions/rowFields';
import { TOOL_DESCRIPTIONS } from '../../descriptions/tool';
import type { Operation } from '../operation';

export const download: Operation = {
	name: 'Download',
	action: 'Download results of job',
	description: 'Get the results of a finished job',
	toolDescription: TOOL_DESCRIPTIONS.download,
	fields: [
		...jobIdFields,
		...resultFields(false),
		...priceOptions(false),
		optionsField([...RESULT_OPTIONS, requestTimeoutOption]),
	],
	load: async () => await import('./download.operation'),
};

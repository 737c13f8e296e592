import { jobIdFields, optionsField, requestTimeoutOption } from '../../descriptions/common';
import type { Operation } from '../operation';

export const get: Operation = {
	name: 'Get',
	action: 'Get job',
	description: 'Get the status of a job',
	fields: [
		...jobIdFields,
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
	load: async () => await import('./get.operation'),
};

import { jobIdFields, optionsField } from '../../descriptions/common';
import type { Operation } from '../operation';

export const cancel: Operation = {
	name: 'Cancel',
	action: 'Cancel job',
	description: 'Cancel a running job',
	fields: [
		...jobIdFields,
		optionsField([
			{
				displayName: 'Ignore Ended Jobs',
				name: 'ignoreEnded',
				type: 'boolean',
				default: false,
				description: 'Whether cancelling a job that is already over counts as success',
			},
		]),
	],
	load: async () => await import('./cancel.operation'),
};

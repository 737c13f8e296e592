import { FORMAT, jobIdFields, optionsField, requestTimeoutOption } from '../../descriptions/common';
import type { Operation } from '../operation';

export const get: Operation = {
	name: 'Get',
	action: 'Get job',
	description: 'Get the status of a job',
	fields: [...jobIdFields, optionsField([FORMAT, requestTimeoutOption])],
	load: async () => await import('./get.operation'),
};

import { optionsField, parameterList } from '../../descriptions/common';
import type { Operation } from '../operation';

export const getAll: Operation = {
	name: 'Get Many',
	action: 'Get many jobs',
	description: 'Get the latest jobs of the account',
	fields: [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 50,
			description: 'Max number of results to return',
			displayOptions: { show: { returnAll: [false] } },
		},
		optionsField([
			parameterList(
				'queryParameters',
				'Query Parameters',
				'Additional query parameters for the list of jobs, such as filters, sent unchanged',
				'status',
			),
		]),
	],
	load: async () => await import('./getAll.operation'),
};

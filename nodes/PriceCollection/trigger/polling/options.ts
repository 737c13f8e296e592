import type { INodeProperties } from 'n8n-workflow';

import { pageOptions, parameterList } from '../../descriptions/common';

/** Options that only the polling trigger has. */
export const pollingOptions: INodeProperties[] = [
	{
		displayName: 'Emit Existing',
		name: 'emitExisting',
		type: 'boolean',
		default: false,
		description: 'Whether the first poll also starts the workflow for the jobs that have ended before',
	},
	...pageOptions,
	parameterList(
		'queryParameters',
		'Query Parameters',
		'Further query parameters for the list of jobs, such as filters, sent as given',
		'status',
	),
];

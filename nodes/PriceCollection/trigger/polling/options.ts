import type { INodeProperties } from 'n8n-workflow';

import { parameterList } from '../../actions/common/fields';

/** Options that only the polling trigger has. */
export const pollingOptions: INodeProperties[] = [
	{
		displayName: 'Emit Existing',
		name: 'emitExisting',
		type: 'boolean',
		default: false,
		description: 'Whether the first poll also starts the workflow for the jobs that have ended before',
	},
	{
		displayName: 'Page Parameter',
		name: 'pageParameter',
		type: 'string',
		default: 'page',
		description: 'Name of the query parameter for the number of the page',
	},
	{
		displayName: 'Page Size Parameter',
		name: 'pageSizeParameter',
		type: 'string',
		default: 'per_page',
		description: 'Name of the query parameter for the size of a page',
	},
	parameterList(
		'queryParameters',
		'Query Parameters',
		'Further query parameters for the list of jobs, such as filters, sent as given',
	),
];

import type { INodeProperties } from 'n8n-workflow';

import { description as cancel } from './cancel.operation';
import { description as collect } from './collect.operation';
import { description as create } from './create.operation';
import { description as download } from './download.operation';
import { description as get } from './get.operation';
import { description as getAll } from './getAll.operation';
import { description as wait } from './wait.operation';

export const description: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		default: 'collect',
		displayOptions: { show: { resource: ['job'] } },
		options: [
			{ name: 'Cancel', value: 'cancel', action: 'Cancel job', description: 'Cancel a running job' },
			{
				name: 'Collect',
				value: 'collect',
				action: 'Look up prices and other product data',
				description: 'Look up all items, wait, and give out every item with its results',
			},
			{
				name: 'Create',
				value: 'create',
				action: 'Create job',
				description: 'Start a job without waiting for its end',
			},
			{
				name: 'Download',
				value: 'download',
				action: 'Download results of job',
				description: 'Get the results of a finished job',
			},
			{ name: 'Get', value: 'get', action: 'Get job', description: 'Get the status of a job' },
			{
				name: 'Get Many',
				value: 'getAll',
				action: 'Get many jobs',
				description: 'Get the latest jobs of the account',
			},
			{
				name: 'Wait',
				value: 'wait',
				action: 'Wait for job',
				description: 'Wait for the end of any job and get its results',
			},
		],
	},
	...cancel,
	...collect,
	...create,
	...download,
	...get,
	...getAll,
	...wait,
];

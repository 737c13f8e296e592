import type { INodeProperties } from 'n8n-workflow';

import { requestTimeoutOption } from '../actions/common/fields';

/** Which ends of jobs start the workflow. */
export const eventsField: INodeProperties = {
	displayName: 'Trigger On',
	name: 'events',
	type: 'multiOptions',
	required: true,
	default: ['finished'],
	description: 'Which ends of a job start the workflow',
	options: [
		{ name: 'Any End', value: 'any', description: 'However the job ended' },
		{
			name: 'Job Cancelled',
			value: 'cancelled',
			description: 'The job was cancelled; there are no results',
		},
		{ name: 'Job Finished', value: 'finished', description: 'The job is done and can be downloaded' },
	],
};

/** What becomes an item, and its shape. */
export const outputFields: INodeProperties[] = [
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		default: 'job',
		description: 'What becomes an item',
		options: [
			{
				name: 'Entries',
				value: 'entries',
				description: 'Downloads the job: one item per offer, hit, review or rank',
			},
			{
				name: 'Job',
				value: 'job',
				description: 'The job as the service describes it, without results',
			},
			{
				name: 'Notification',
				value: 'notification',
				description: 'Job ID, status and what the trigger received',
			},
			{
				name: 'Results',
				value: 'results',
				description: 'Downloads the job: one item per value that was looked up',
			},
		],
	},
	{
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
		displayOptions: { show: { output: ['entries', 'results'] } },
	},
];

/** Options of both triggers, to be put among their own. */
export const downloadOptions: INodeProperties[] = [
	{
		displayName: 'Content List',
		name: 'contentList',
		type: 'string',
		default: '',
		placeholder: 'e.g. offers',
		description:
			'Name of the list inside the content that gives the entries. Found by itself when empty.',
		displayOptions: { show: { '/output': ['entries'] } },
	},
	{
		displayName: 'Include Not Found',
		name: 'includeNotFound',
		type: 'boolean',
		default: true,
		description: 'Whether a value for which nothing was found gives an item too, with found set to false',
		displayOptions: { show: { '/output': ['entries', 'results'] } },
	},
	{
		displayName: 'On Failed Result',
		name: 'onFailedResult',
		type: 'options',
		default: 'include',
		description: 'What to do with a value that the service could not look up',
		options: [
			{
				name: 'Include',
				value: 'include',
				description: 'An item with success set to false and the reason',
			},
			{ name: 'Skip', value: 'skip', description: 'No item' },
		],
		displayOptions: { show: { '/output': ['entries', 'results'] } },
	},
	requestTimeoutOption,
];

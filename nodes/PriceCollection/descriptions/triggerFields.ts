import type { INodeProperties } from 'n8n-workflow';

import { requestTimeoutOption } from './common';
import { CONTENT_LIST, INCLUDE_NOT_FOUND, onFailedResult } from './results';
import { PRICE_FORMAT, TRIGGER_ROW_FIELDS } from './rowFields';

/** Which ends of jobs start the workflow. */
export const eventsField: INodeProperties = {
	displayName: 'Trigger On',
	name: 'events',
	type: 'multiOptions',
	required: true,
	default: ['finished'],
	description: 'Which events start the workflow',
	options: [
		// n8n offers triggers in this order; most users need "On job finished".
		{ name: 'Job Finished', value: 'finished', description: 'The job is done and can be downloaded' },
		{
			name: 'Job Cancelled',
			value: 'cancelled',
			description: 'The job was cancelled; there are no results',
		},
		{ name: 'Any Job End', value: 'any', description: 'The job finished or was cancelled' },
	],
};

/** The choices of Output of each trigger. */
export const POLLING_OUTPUTS = ['entries', 'job', 'results'] as const;
export const WEBHOOK_OUTPUTS = [...POLLING_OUTPUTS, 'notification'] as const;

const OUTPUTS = [
	{
		name: 'Job',
		value: 'job',
		description: 'The job as Get gives it: status, counts and times, no results',
	},
	{
		name: 'Notification',
		value: 'notification',
		description: 'Job ID, status and what the trigger received',
	},
	{
		name: 'One Row per Offer, Hit or Review',
		value: 'entries',
		description: 'Downloads the job: one item per offer, hit, review or rank',
	},
	{
		name: 'One Row per Product',
		value: 'results',
		description: 'Downloads the job: one item per value that was looked up, with its best price',
	},
];

/** The output and the shape of its rows. */
export const outputFields = (offered: readonly string[]): INodeProperties[] => [
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		default: 'job',
		description: 'What each item holds',
		hint: 'Prices are in the rows; the other outputs only say which job has ended',
		options: OUTPUTS.filter(({ value }) => offered.includes(value)),
	},
	...TRIGGER_ROW_FIELDS,
];

/** Options of both triggers, to be combined with their own. */
export const downloadOptions: INodeProperties[] = [
	CONTENT_LIST,
	INCLUDE_NOT_FOUND,
	onFailedResult(false),
	PRICE_FORMAT,
	requestTimeoutOption,
];

import type { INodeProperties } from 'n8n-workflow';

/** Options that only the webhook trigger has. */
export const webhookOptions: INodeProperties[] = [
	{
		displayName: 'Ignore Duplicates',
		name: 'ignoreDuplicates',
		type: 'boolean',
		default: true,
		description: 'Whether a job that started the workflow before is ignored when the service calls again',
	},
	{
		displayName: 'On Unrecognized',
		name: 'onUnrecognized',
		type: 'options',
		default: 'reject',
		description: 'What to do with a call that names no job',
		options: [
			{
				name: 'Pass Through',
				value: 'passThrough',
				description: 'Start the workflow with what was received, unverified',
			},
			{ name: 'Reject', value: 'reject', description: 'Answer 400 and start nothing' },
		],
	},
	{
		displayName: 'Verify Job',
		name: 'verifyJob',
		type: 'boolean',
		default: true,
		description:
			'Whether to ask the service before anything starts. Without it, whoever knows the URL can make up the end of a job.',
	},
];

import type { INodeProperties } from 'n8n-workflow';

const MODES = {
	poll: {
		name: 'Poll',
		value: 'poll',
		description: 'Ask again and again. Simple; the execution keeps running and holds a worker.',
	},
	durable: {
		name: 'Suspend on a Timer',
		value: 'durable',
		description:
			'Holds no worker and survives restarts. Wire Still Running to a Wait operation, and that to itself.',
	},
	webhook: {
		name: 'Suspend Until Webhook',
		value: 'webhook',
		description: 'Holds no worker and survives restarts. The service must be able to reach this n8n.',
	},
};

const WAIT_OPTIONS: INodeProperties = {
	displayName: 'Wait Options',
	name: 'waitOptions',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [
		{
			displayName: 'Max Wait',
			name: 'maxWait',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 10,
			description: 'How many minutes to wait at most. When absent: 10 for Poll, 1440 when suspended.',
		},
		{
			displayName: 'On Deadline',
			name: 'onDeadline',
			type: 'options',
			default: 'stillRunning',
			description:
				'What to do with a job that is not over by then. A suspended Collect always gives Still Running; the Wait operation behind it then decides.',
			options: [
				{
					name: 'Cancel Job',
					value: 'cancel',
					description: 'Cancel it at the service, which then books no credits',
				},
				{
					name: 'Output as Still Running',
					value: 'stillRunning',
					description: 'Give it out by the second output',
				},
				{
					name: 'Stop With Error',
					value: 'error',
					description: 'The job runs on; its ID is in the message',
				},
			],
		},
		{
			displayName: 'On Stop',
			name: 'onStop',
			type: 'options',
			default: 'leave',
			description: 'What happens to the jobs when this execution is stopped while it polls',
			options: [
				{ name: 'Cancel Jobs', value: 'cancel', description: 'Cancel them at the service' },
				{
					name: 'Leave Running',
					value: 'leave',
					description: 'They run on and can be taken up by Wait',
				},
			],
		},
		{
			displayName: 'Poll Interval',
			name: 'pollInterval',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 30,
			description:
				'Seconds between two looks at a job. The first looks come sooner; suspended it is at least 65. Until a webhook: how long to sleep where Still Running is wired, 900 when absent.',
		},
	],
};

/** The fields of an operation that waits. They are hidden in an AI tool, which always polls. */
export function waitFields(modes: ReadonlyArray<keyof typeof MODES>): INodeProperties[] {
	return [
		{
			displayName: 'Wait Mode',
			name: 'waitMode',
			type: 'options',
			default: 'poll',
			description: 'How to wait for the end of the job',
			hint: 'Poll holds a worker. For jobs that take longer than a few minutes, suspend.',
			options: modes.map((mode) => MODES[mode]),
			displayOptions: { show: { '@tool': [false] } },
		},
		WAIT_OPTIONS,
	];
}

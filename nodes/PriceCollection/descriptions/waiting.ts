import type { INodeProperties } from 'n8n-workflow';

const MODES = {
	poll: {
		name: 'Poll',
		value: 'poll',
		description: 'Check repeatedly. Simple, but the execution keeps running and holds a worker.',
	},
	durable: {
		name: 'Suspend on a Timer',
		value: 'durable',
		description:
			'Holds no worker and survives restarts. Connect Still Running to a Wait operation, and the Still Running output of that operation to itself.',
	},
	webhook: {
		name: 'Suspend Until Webhook',
		value: 'webhook',
		description: 'Holds no worker and survives restarts. The service must be able to reach this n8n.',
	},
};

type Mode = keyof typeof MODES;

/** An option with a different default per mode; n8n fills in the default that is shown. */
function byMode(
	field: INodeProperties,
	defaults: ReadonlyArray<[number, Mode[] | 'tool']>,
): INodeProperties[] {
	return defaults.map(([value, modes]) => ({
		...field,
		default: value,
		// A tool has no Wait Mode.
		displayOptions: { show: modes === 'tool' ? { '@tool': [true] } : { '/waitMode': modes } },
	}));
}

/** What a mode requires besides this node. */
const NOTICES: Partial<Record<Mode, string>> = {
	durable:
		'Connect the output Still Running to a Price Collection node set to Wait, and the Still Running output of that node to itself.',
	webhook:
		'The service must be able to reach this n8n. Also connect the output Still Running to a Price Collection node set to Wait, because callbacks get lost.',
};

function noticeFor(mode: Mode): INodeProperties[] {
	const displayName = NOTICES[mode];
	if (displayName === undefined) return [];
	return [
		{
			displayName,
			name: `${mode}Notice`,
			type: 'notice',
			default: '',
			displayOptions: { show: { waitMode: [mode], '@tool': [false] } },
		},
	];
}

const WAIT_OPTIONS: INodeProperties = {
	displayName: 'Wait Options',
	name: 'waitOptions',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [
		...byMode(
			{
				displayName: 'Max Wait (Minutes)',
				name: 'maxWait',
				type: 'number',
				typeOptions: { minValue: 0, numberPrecision: 2 },
				default: 10,
				description:
					'Maximum waiting time. Without this option: 10 for Poll, 1440 if suspended, 50 seconds as a tool of an agent.',
			},
			[
				[10, ['poll']],
				[1440, ['durable', 'webhook']],
				// 50 seconds, the same as without the option: agents give up after 60.
				[0.83, 'tool'],
			],
		),
		{
			displayName: 'On Deadline',
			name: 'onDeadline',
			type: 'options',
			default: 'stillRunning',
			description:
				'What to do with a job that is still running after Max Wait. A suspended Collect always outputs Still Running; the Wait operation behind it then decides.',
			options: [
				{
					name: 'Cancel Job',
					value: 'cancel',
					description: 'Cancel it at the service; cancelled jobs usually cost nothing',
				},
				{
					name: 'Output as Still Running',
					value: 'stillRunning',
					description: 'Send it to the second output',
				},
				{
					name: 'Stop With Error',
					value: 'error',
					description: 'The job keeps running; its ID is in the message',
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
					description: 'They keep running; Wait can get their results',
				},
			],
		},
		...byMode(
			{
				displayName: 'Poll Interval (Seconds)',
				name: 'pollInterval',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 30,
				description:
					'Time between two checks of a job. The first checks come sooner; at least 65 if suspended. With Suspend Until Webhook: the longest sleep if Still Running is connected, 900 without this option.',
			},
			[
				[30, ['poll']],
				[65, ['durable']],
				[900, ['webhook']],
				[5, 'tool'],
			],
		),
	],
};

/** The fields of an operation that waits. Wait Mode is hidden in an AI tool, which always polls. */
export function waitFields(modes: readonly Mode[]): INodeProperties[] {
	return [
		{
			displayName: 'Wait Mode',
			name: 'waitMode',
			type: 'options',
			default: 'poll',
			description: 'How to wait for the end of the job',
			options: modes.map((mode) => MODES[mode]),
			displayOptions: { show: { '@tool': [false] } },
		},
		...modes.flatMap((mode) => noticeFor(mode)),
		WAIT_OPTIONS,
	];
}

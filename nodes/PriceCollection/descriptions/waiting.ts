import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { TOOL_MAX_WAIT_MS } from '../n8n/execution';
import { MINUTE_MS } from '../service/time';

export const WAIT_MODES = ['poll', 'durable', 'webhook'] as const;
export const AT_DEADLINE = ['cancel', 'error', 'rows', 'stillRunning'] as const;

export type WaitMode = (typeof WAIT_MODES)[number];
export type AtDeadline = (typeof AT_DEADLINE)[number];

const MODES: Readonly<Record<WaitMode, INodePropertyOptions>> = {
	poll: {
		name: 'Keep Checking',
		value: 'poll',
		description: 'For jobs of a few minutes. The execution keeps running and holds a worker.',
	},
	durable: {
		name: 'Sleep Between Checks',
		value: 'durable',
		description:
			'For long jobs. Holds no worker and survives restarts. Needs a second node, set to Wait.',
	},
	webhook: {
		name: 'Sleep Until Called',
		value: 'webhook',
		description:
			'For long jobs, if the service can reach this n8n. Holds no worker and survives restarts.',
	},
};

/** The defaults of Wait Options: `maxWait` in minutes, `pollInterval` in seconds. */
export const WAIT_DEFAULTS = {
	poll: { maxWait: 10, onDeadline: 'rows', pollInterval: 30 },
	durable: { maxWait: 1440, onDeadline: 'stillRunning', pollInterval: 65 },
	// Callbacks can get lost, so this is the longest sleep if another node then checks the jobs.
	webhook: { maxWait: 1440, onDeadline: 'stillRunning', pollInterval: 900 },
	// Agents give up after 60 seconds.
	tool: { maxWait: TOOL_MAX_WAIT_MS / MINUTE_MS, onDeadline: 'stillRunning', pollInterval: 5 },
} as const;

/** Returns one variant of an option per mode, with its default: n8n fills in the default of the variant shown. */
function byMode(
	name: keyof typeof WAIT_DEFAULTS.poll,
	field: Omit<INodeProperties, 'default' | 'name'>,
): INodeProperties[] {
	return Object.entries(WAIT_DEFAULTS).map(([mode, { [name]: defaultValue }]) => ({
		...field,
		name,
		default: typeof defaultValue === 'number' ? Number(defaultValue.toFixed(2)) : defaultValue,
		// A tool has no Wait Mode.
		displayOptions: { show: mode === 'tool' ? { '@tool': [true] } : { '/waitMode': [mode] } },
	}));
}

/**
 * An n8n expression: whether a job can leave Collect or Wait while it is running, so that they have a second output. It
 * reads the stored fields. A missing mode means polling, a missing option has polling's default, and an expression in a
 * field counts as "can": if n8n had to evaluate it here and failed, the node would have no outputs at all.
 */
export const CAN_LEAVE_RUNNING =
	'($rawParameter["waitMode"] || "poll") !== "poll" || !["cancel", "error", "rows"].includes(($rawParameter["waitOptions"] || {})["onDeadline"] || "rows")';

/** The same rule as {@link CAN_LEAVE_RUNNING}, for the settings of a run. */
export function canLeaveRunning(wait: { mode: WaitMode; onDeadline: AtDeadline }): boolean {
	return wait.mode !== 'poll' || wait.onDeadline === 'stillRunning';
}

function noticeFor(mode: WaitMode, displayName: string): INodeProperties {
	return {
		displayName,
		name: `${mode}Notice`,
		type: 'notice',
		default: '',
		displayOptions: { show: { waitMode: [mode], '@tool': [false] } },
	};
}

const NOTICES = [
	noticeFor(
		'durable',
		'Connect the output Still Running to a second Price Collection node with the operation Wait, and the Still Running output of that node back to itself.',
	),
	noticeFor(
		'webhook',
		'The service must be able to reach this n8n. Also connect the output Still Running to a second Price Collection node with the operation Wait, because calls can get lost.',
	),
];

export const WAIT_OPTIONS: INodeProperties = {
	displayName: 'Wait Options',
	name: 'waitOptions',
	type: 'collection',
	placeholder: 'Add wait option',
	default: {},
	options: [
		...byMode('maxWait', {
			displayName: 'Max Wait (Minutes)',
			type: 'number',
			typeOptions: { minValue: 0, numberPrecision: 2 },
			description: `Without this option: ${WAIT_DEFAULTS.poll.maxWait}, or ${WAIT_DEFAULTS.durable.maxWait} if the execution sleeps.`,
		}),
		...byMode('onDeadline', {
			displayName: 'If Not Finished in Time',
			type: 'options',
			description:
				'What to do with a job that is still running after Max Wait. A Collect that sleeps leaves this to the Wait behind it.',
			options: [
				{
					name: 'Cancel Job',
					value: 'cancel',
					description: 'Cancel it at the service; cancelled jobs usually cost nothing',
				},
				{
					name: 'Output as Still Running',
					value: 'stillRunning',
					description:
						'Send it to a second output, Still Running, so that another node can wait for it',
				},
				{
					name: 'Output Rows',
					value: 'rows',
					description:
						'Its products get a row that says so, beside the rows of the jobs that have finished. If no job has finished, the node stops with an error.',
				},
				{
					name: 'Stop With Error',
					value: 'error',
					description: 'The job keeps running; its ID is in the message',
				},
			],
		}),
		{
			displayName: 'If I Stop the Run',
			name: 'onStop',
			type: 'options',
			default: 'leave',
			description: 'What happens to the jobs if you stop this execution while it keeps checking',
			options: [
				{ name: 'Cancel Jobs', value: 'cancel', description: 'Cancel them at the service' },
				{
					name: 'Leave Running',
					value: 'leave',
					description: 'They keep running; Wait can get their results',
				},
			],
		},
		...byMode('pollInterval', {
			displayName: 'Poll Interval (Seconds)',
			type: 'number',
			typeOptions: { minValue: 1 },
			description:
				'Time between two checks of a job; the first checks come sooner. If the execution sleeps: at least 65, and more for older jobs. With Sleep Until Called: how long to wait for a call before checking, if Still Running is connected.',
		}),
	],
};

/** The Wait Mode field and its notices. Hidden in an AI tool, which always polls. */
export function waitModeFields(modes: readonly WaitMode[]): INodeProperties[] {
	return [
		{
			displayName: 'Wait Mode',
			name: 'waitMode',
			type: 'options',
			default: 'poll',
			description: 'How to wait for the job to end',
			options: modes.map((mode) => MODES[mode]),
			displayOptions: { show: { '@tool': [false] } },
		},
		...NOTICES,
	];
}

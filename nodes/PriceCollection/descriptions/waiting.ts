import type { IExecuteFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { now } from '../n8n/clock';
import {
	executionEndsAt,
	isTool,
	obstacleToSuspending,
	SHORTEST_SUSPENSION_MS,
	TOOL_ANSWERS_WITHIN_MS,
	TOOL_MAX_WAIT_MS,
} from '../n8n/execution';
import { hint } from '../n8n/hints';
import { type Parameters, RUN } from '../n8n/parameters';

const WAIT_MODES = ['poll', 'durable', 'webhook'] as const;
const AT_DEADLINE = ['cancel', 'error', 'rows', 'stillRunning'] as const;

export type WaitMode = (typeof WAIT_MODES)[number];

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

const MINUTE_MS = 60_000;
/** The defaults: minutes and seconds. */
const USUAL = {
	poll: { maxWait: 10, onDeadline: 'rows', pollInterval: 30 },
	durable: { maxWait: 1440, onDeadline: 'stillRunning', pollInterval: 65 },
	// Callbacks can get lost: the longest suspension if another node then checks the jobs.
	webhook: { maxWait: 1440, onDeadline: 'stillRunning', pollInterval: 900 },
	// Agents give up after 60 seconds.
	tool: { maxWait: TOOL_MAX_WAIT_MS / MINUTE_MS, onDeadline: 'stillRunning', pollInterval: 5 },
} as const;

/** An option with the default of each mode; n8n fills in the default that is shown. */
function byMode(
	name: keyof typeof USUAL.poll,
	field: Omit<INodeProperties, 'default' | 'name'>,
): INodeProperties[] {
	return Object.entries(USUAL).map(([mode, { [name]: usual }]) => ({
		...field,
		name,
		default: typeof usual === 'number' ? Number(usual.toFixed(2)) : usual,
		// A tool has no Wait Mode.
		displayOptions: { show: mode === 'tool' ? { '@tool': [true] } : { '/waitMode': [mode] } },
	}));
}

/**
 * Whether a job can leave Collect or Wait still running, so that they have a second output: an expression of n8n,
 * and the same of the settings of a run. The expression reads what is stored. Without a mode that is polling, an
 * option that is not set has its default, and an expression may give anything; if n8n had to evaluate it here and
 * failed, the node would have no outputs at all.
 */
export const CAN_LEAVE_RUNNING =
	'($rawParameter["waitMode"] || "poll") !== "poll" || !["cancel", "error", "rows"].includes(($rawParameter["waitOptions"] || {})["onDeadline"] || "rows")';

export function canLeaveRunning({ mode, onDeadline }: Pick<WaitSettings, 'mode' | 'onDeadline'>): boolean {
	return mode !== 'poll' || onDeadline === 'stillRunning';
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
			description: `Maximum waiting time. Without this option: ${USUAL.poll.maxWait}, or ${USUAL.durable.maxWait} if the execution sleeps.`,
		}),
		...byMode('onDeadline', {
			displayName: 'If Not Finished in Time',
			type: 'options',
			description:
				'What to do with a job that is still running after Max Wait. A Collect that sleeps always outputs Still Running.',
			options: [
				{
					name: 'Cancel Job',
					value: 'cancel',
					description: 'Cancel it at the service; cancelled jobs usually cost nothing',
				},
				{
					name: 'Output as Still Running',
					value: 'stillRunning',
					description: 'Send it to a second output, Still Running, for another node to wait for it',
				},
				{
					name: 'Output Rows',
					value: 'rows',
					description:
						'Its products get a row that says so, beside the rows of the jobs that have finished. If none has finished: stop with an error.',
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
		...byMode('pollInterval', {
			displayName: 'Poll Interval (Seconds)',
			type: 'number',
			typeOptions: { minValue: 1 },
			description:
				'Time between two checks of a job; the first ones come sooner. At least 65 if the execution sleeps. With Sleep Until Called: the longest sleep if Still Running is connected.',
		}),
	],
};

/** How an operation waits. Hidden in an AI tool, which always polls. */
export function waitModeFields(modes: readonly WaitMode[]): INodeProperties[] {
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
		...NOTICES,
	];
}

/** How to wait: the user's settings, limited to what n8n allows. */
export interface WaitSettings {
	mode: WaitMode;
	maxWaitMs: number;
	/** When the time of this execution ends, in milliseconds since 1970. */
	latest?: number;
	intervalMs: number;
	onDeadline: (typeof AT_DEADLINE)[number];
	onStop: 'cancel' | 'leave';
	/** For a tool: how long the whole run may take, in milliseconds. */
	answerWithinMs?: number;
}

/** A year: longer waits have no valid date. */
const LONGEST_WAIT_MINUTES = 525_600;
/** Time to output the jobs before n8n's timeout ends the execution, or half of what is left. */
const POLL_MARGIN_MS = MINUTE_MS;
const SUSPENDED_MARGIN_MS = 2 * MINUTE_MS;
/** Occupying a worker for longer than this triggers a hint. */
const LONG_HOLD_MS = 5 * MINUTE_MS;

/** The mode to use: tools, and some versions of n8n, cannot suspend. */
function modeFor(context: IExecuteFunctions, wanted: WaitMode): WaitMode {
	if (wanted === 'poll' || isTool(context)) return 'poll';
	const obstacle = obstacleToSuspending(context);
	if (obstacle === undefined) return wanted;
	hint(context, `${obstacle} It keeps checking instead and holds a worker, for up to Max Wait.`, 'warning');
	return 'poll';
}

/** What a node does that may wait for so many milliseconds. */
function waitsFor(milliseconds: number): string {
	if (milliseconds <= 0) return 'does not wait';
	const [one, unit] = milliseconds < MINUTE_MS ? [1_000, 'second'] : [MINUTE_MS, 'minute'];
	const count = Math.ceil(milliseconds / one);
	return `waits for at most ${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Until when to wait in this execution, because its data is lost when n8n's timeout ends it. */
function latestIn(context: IExecuteFunctions, mode: WaitMode, maxWaitMs: number): number | undefined {
	const end = executionEndsAt(context);
	if (end === undefined) return undefined;
	const pollMargin = Math.min(POLL_MARGIN_MS, (end - now()) / 2);
	const latest = Math.max(now(), end - (mode === 'poll' ? pollMargin : SUSPENDED_MARGIN_MS));
	if (now() + maxWaitMs > latest) {
		const why = `n8n ends this execution when the time in its settings (Timeout Workflow) is used up, so this node ${waitsFor(latest - now())}. Raise that time to use all of Max Wait.`;
		hint(context, why, 'warning');
	}
	return latest;
}

/** The deadline of jobs that exist since `from`, both in milliseconds since 1970. */
export function deadlineAfter(
	from: number,
	{ maxWaitMs, latest = Infinity }: Pick<WaitSettings, 'latest' | 'maxWaitMs'>,
) {
	return Math.min(from + maxWaitMs, latest);
}

/** Reads how to wait, once per run. */
export function readWaitSettings(context: IExecuteFunctions, fields: Parameters): WaitSettings {
	const wanted = fields.choice('waitMode', RUN, WAIT_MODES, 'poll');
	const mode = modeFor(context, wanted);
	// Except for the interval, the defaults are those shown for the chosen mode, even if n8n does not support the mode.
	const { pollInterval } = USUAL[mode];
	const usual = isTool(context) ? USUAL.tool : { ...USUAL[wanted], pollInterval };
	const read = (name: 'maxWait' | 'pollInterval') =>
		fields.number(`waitOptions.${name}`, RUN, 0, LONGEST_WAIT_MINUTES) ?? usual[name];
	const maxWaitMs = read('maxWait') * MINUTE_MS;
	const latest = latestIn(context, mode, maxWaitMs);
	const waitMs = Math.min(maxWaitMs, (latest ?? Infinity) - now());
	const shortest = mode === 'poll' ? 1_000 : SHORTEST_SUSPENSION_MS;
	return {
		mode,
		maxWaitMs,
		...(latest !== undefined && { latest }),
		...(isTool(context) && { answerWithinMs: waitMs + TOOL_ANSWERS_WITHIN_MS - TOOL_MAX_WAIT_MS }),
		intervalMs: Math.max(read('pollInterval') * 1000, shortest),
		onDeadline: fields.choice('waitOptions.onDeadline', RUN, AT_DEADLINE, usual.onDeadline),
		onStop: fields.choice('waitOptions.onStop', RUN, ['leave', 'cancel'], 'leave'),
	};
}

/** Adds a hint when polling occupied a worker for long. `start` in milliseconds since 1970. */
export function remarkOnLongHold(context: IExecuteFunctions, start: number): void {
	const heldMs = now() - start;
	if (heldMs < LONG_HOLD_MS) return;
	const held = `This node held a worker for ${Math.round(heldMs / MINUTE_MS)} minutes.`;
	const advice =
		obstacleToSuspending(context) ?? 'Set Wait Mode to Sleep Between Checks or Sleep Until Called.';
	hint(context, `${held} ${advice}`, 'warning');
}

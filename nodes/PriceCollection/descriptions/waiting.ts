import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { hint } from '../run/hints';
import { now } from '../n8n/clock';
import { canPark, isTool, SHORTEST_PARK_MS } from '../n8n/suspend';
import { collectionOf } from '../n8n/parameters';
import type { ParameterReader } from '../n8n/parameters';

export type WaitMode = 'poll' | 'durable' | 'webhook';

/** How to wait, as the user wants it and as n8n allows it here. */
export interface WaitSettings {
	mode: WaitMode;
	maxWaitMs: number;
	intervalMs: number;
	onDeadline: 'cancel' | 'error' | 'stillRunning';
	onStop: 'cancel' | 'leave';
}

const MINUTE_MS = 60_000;
const POLL_MAX_WAIT_MINUTES = 10;
const PARKED_MAX_WAIT_MINUTES = 1440;
const POLL_INTERVAL_SECONDS = 30;
/** An agent waits for its tool, and gives up on one that takes much longer than this. */
const TOOL_MAX_WAIT_MINUTES = 10;
/** A wait that holds a worker for longer than this deserves a remark. */
const LONG_HOLD_MS = 5 * MINUTE_MS;

const MODES: Readonly<Record<WaitMode, { name: string; value: WaitMode; description: string }>> = {
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
				'Seconds between two looks at a job. The first looks come sooner; suspended it is at least 65.',
		},
	],
};

/** The fields of an operation that waits. They are hidden in an AI tool, which always polls. */
export function waitFields(modes: WaitMode[]): INodeProperties[] {
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

function numberOr(options: IDataObject, name: string, fallback: number): number {
	const number = Number(options[name] ?? NaN);
	return Number.isFinite(number) && number >= 0 ? number : fallback;
}

/** The mode to use here: a tool, and n8n's new engine, cannot be suspended. */
function modeFor(context: IExecuteFunctions, wanted: WaitMode): WaitMode {
	if (isTool(context)) return 'poll';
	if (wanted === 'poll' || canPark(context)) return wanted;
	hint(
		context,
		'This workflow runs on an engine that cannot suspend executions yet, so the node polls.',
		'warning',
	);
	return 'poll';
}

/** Reads how to wait, for the run as a whole. */
export function readWaitSettings(this: IExecuteFunctions, read: ParameterReader): WaitSettings {
	const options = collectionOf(read('waitOptions', 0, {}));
	const mode = modeFor(this, read('waitMode', 0, 'poll') as WaitMode);
	const defaultMaxWait = mode === 'poll' ? POLL_MAX_WAIT_MINUTES : PARKED_MAX_WAIT_MINUTES;
	let minutes = numberOr(options, 'maxWait', defaultMaxWait);
	if (isTool(this)) minutes = Math.min(minutes, TOOL_MAX_WAIT_MINUTES);
	const interval = Math.max(1, numberOr(options, 'pollInterval', POLL_INTERVAL_SECONDS)) * 1000;
	return {
		mode,
		maxWaitMs: minutes * MINUTE_MS,
		intervalMs: mode === 'durable' ? Math.max(interval, SHORTEST_PARK_MS) : interval,
		onDeadline: (options.onDeadline ?? 'stillRunning') as WaitSettings['onDeadline'],
		onStop: options.onStop === 'cancel' ? 'cancel' : 'leave',
	};
}

/** Says so when polling has held a worker for long. `start` in milliseconds since 1970. */
export function remarkOnLongHold(context: IExecuteFunctions, start: number): void {
	const minutes = Math.round((now() - start) / MINUTE_MS);
	if (now() - start < LONG_HOLD_MS) return;
	hint(
		context,
		`This node held a worker for ${minutes} minutes. Set Wait Mode to one that suspends the execution.`,
		'warning',
	);
}

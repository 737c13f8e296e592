import type { IExecuteFunctions } from 'n8n-workflow';

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
import { RUN, type Parameters } from '../n8n/parameters';

const WAIT_MODES = ['poll', 'durable', 'webhook'] as const;
const AT_DEADLINE = ['cancel', 'error', 'stillRunning'] as const;

export type WaitMode = (typeof WAIT_MODES)[number];

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

const MINUTE_MS = 60_000;
/** The defaults. */
const USUAL = {
	poll: { maxWaitMinutes: 10, intervalSeconds: 30 },
	durable: { maxWaitMinutes: 1440, intervalSeconds: 30 },
	// Callbacks can get lost: the longest suspension if another node then checks the jobs.
	webhook: { maxWaitMinutes: 1440, intervalSeconds: 900 },
	// The agent is waiting for the answer.
	tool: { maxWaitMinutes: TOOL_MAX_WAIT_MS / MINUTE_MS, intervalSeconds: 5 },
} as const;
/** A year: longer waits have no valid date. */
const LONGEST_WAIT_MINUTES = 525_600;
/** Time to output the jobs before n8n's timeout ends the execution. */
const POLL_MARGIN_MS = 5_000;
const SUSPENDED_MARGIN_MS = 2 * MINUTE_MS;
/** Occupying a worker for longer than this triggers a hint. */
const LONG_HOLD_MS = 5 * MINUTE_MS;

/** The mode to use: tools, and some versions of n8n, cannot suspend. */
function modeFor(context: IExecuteFunctions, wanted: WaitMode): WaitMode {
	if (wanted === 'poll' || isTool(context)) return 'poll';
	const obstacle = obstacleToSuspending(context);
	if (obstacle === undefined) return wanted;
	hint(context, `${obstacle} It polls instead and holds a worker, for up to Max Wait.`, 'warning');
	return 'poll';
}

/** Until when to wait in this execution, because its data is lost when n8n's timeout ends it. */
function latestIn(context: IExecuteFunctions, mode: WaitMode, maxWaitMs: number): number | undefined {
	const end = executionEndsAt(context);
	if (end === undefined) return undefined;
	const latest = Math.max(now(), end - (mode === 'poll' ? POLL_MARGIN_MS : SUSPENDED_MARGIN_MS));
	if (now() + maxWaitMs > latest) {
		const minutes = Math.round((latest - now()) / MINUTE_MS);
		const why = `n8n ends this execution when the time in its settings (Timeout Workflow) is used up, so this node waits for at most ${minutes} minutes. Raise that time to use all of Max Wait.`;
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
	// Max Wait defaults to the value shown for the chosen mode, even if n8n does not support the mode.
	const usual = isTool(context)
		? USUAL.tool
		: { ...USUAL[mode], maxWaitMinutes: USUAL[wanted].maxWaitMinutes };
	const minutes =
		fields.number('waitOptions.maxWait', RUN, 0, LONGEST_WAIT_MINUTES) ?? usual.maxWaitMinutes;
	const seconds =
		fields.number('waitOptions.pollInterval', RUN, 0, LONGEST_WAIT_MINUTES) ?? usual.intervalSeconds;
	const maxWaitMs = minutes * MINUTE_MS;
	const latest = latestIn(context, mode, maxWaitMs);
	const waitMs = Math.min(maxWaitMs, (latest ?? Infinity) - now());
	const shortest = mode === 'poll' ? 1_000 : SHORTEST_SUSPENSION_MS;
	return {
		mode,
		maxWaitMs,
		...(latest !== undefined && { latest }),
		...(isTool(context) && { answerWithinMs: waitMs + TOOL_ANSWERS_WITHIN_MS - TOOL_MAX_WAIT_MS }),
		intervalMs: Math.max(seconds * 1000, shortest),
		onDeadline: fields.choice('waitOptions.onDeadline', RUN, AT_DEADLINE, 'stillRunning'),
		onStop: fields.choice('waitOptions.onStop', RUN, ['leave', 'cancel'], 'leave'),
	};
}

/** Adds a hint when polling occupied a worker for long. `start` in milliseconds since 1970. */
export function remarkOnLongHold(context: IExecuteFunctions, start: number): void {
	const heldMs = now() - start;
	if (heldMs < LONG_HOLD_MS) return;
	const held = `This node held a worker for ${Math.round(heldMs / MINUTE_MS)} minutes.`;
	const advice = obstacleToSuspending(context) ?? 'Set Wait Mode to one that suspends the execution.';
	hint(context, `${held} ${advice}`, 'warning');
}

import type { IExecuteFunctions } from 'n8n-workflow';

import { AT_DEADLINE, USUAL_WAIT, WAIT_MODES, type AtDeadline, type WaitMode } from '../descriptions/waiting';
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
import { MINUTE_MS } from '../service/time';

/** How to wait: the user's settings, limited to what n8n allows. */
export interface WaitSettings {
	mode: WaitMode;
	maxWaitMs: number;
	/** When the time of this execution ends, in milliseconds since 1970. */
	latest?: number;
	intervalMs: number;
	onDeadline: AtDeadline;
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
	const { pollInterval } = USUAL_WAIT[mode];
	const usual = isTool(context) ? USUAL_WAIT.tool : { ...USUAL_WAIT[wanted], pollInterval };
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

import type { IExecuteFunctions } from 'n8n-workflow';

import {
	AT_DEADLINE,
	WAIT_DEFAULTS,
	WAIT_MODES,
	type AtDeadline,
	type WaitMode,
} from '../descriptions/waiting';
import { now } from '../n8n/clock';
import { executionEndsAt, isTool, TOOL_ANSWERS_WITHIN_MS, TOOL_MAX_WAIT_MS } from '../n8n/execution';
import { obstacleToSuspending, SHORTEST_SUSPENSION_MS } from '../n8n/suspension';
import { hint } from '../n8n/hints';
import { type NodeFields, RUN } from '../n8n/nodeFields';
import { counted } from '../service/text';
import { MINUTE_MS } from '../service/time';

/** How to wait: the user's settings, limited to what n8n allows. */
export interface WaitSettings {
	mode: WaitMode;
	maxWaitMs: number;
	/** Until when this execution may wait, in milliseconds since 1970; absent if n8n sets no timeout. */
	latest?: number;
	intervalMs: number;
	onDeadline: AtDeadline;
	onStop: 'cancel' | 'leave';
	/** For tools: how long the whole run may take, in milliseconds. */
	answerWithinMs?: number;
}

/** A year. Without a limit, a deadline could be beyond the last valid date. */
const LONGEST_WAIT_MINUTES = 525_600;
/** Time reserved for output before n8n's timeout ends the execution; when polling, at most half of the time left. */
const POLL_MARGIN_MS = MINUTE_MS;
const SUSPENDED_MARGIN_MS = 2 * MINUTE_MS;
/** A node that holds a worker for this long shows a hint. */
const LONG_HOLD_MS = 5 * MINUTE_MS;

/** The mode to use: tools, and some versions and engines of n8n, cannot suspend. */
function modeFor(context: IExecuteFunctions, wanted: WaitMode): WaitMode {
	if (wanted === 'poll' || isTool(context)) return 'poll';
	const obstacle = obstacleToSuspending(context);
	if (obstacle === undefined) return wanted;
	hint(
		context,
		`${obstacle} The node keeps checking instead and holds a worker for up to Max Wait.`,
		'warning',
	);
	return 'poll';
}

/** The wait of a node as a text: `waits for at most 5 minutes`. */
function waitsFor(milliseconds: number): string {
	if (milliseconds <= 0) return 'does not wait';
	const [unitMs, unit] = milliseconds < MINUTE_MS ? [1_000, 'second'] : [MINUTE_MS, 'minute'];
	return `waits for at most ${counted(Math.ceil(milliseconds / unitMs), unit)}`;
}

/**
 * Until when this execution may wait, in milliseconds since 1970; undefined without a timeout. When n8n's timeout ends an
 * execution, its data is lost.
 */
function latestIn(context: IExecuteFunctions, mode: WaitMode, maxWaitMs: number): number | undefined {
	const end = executionEndsAt(context);
	if (end === undefined) return undefined;
	const pollMargin = Math.min(POLL_MARGIN_MS, (end - now()) / 2);
	const latest = Math.max(now(), end - (mode === 'poll' ? pollMargin : SUSPENDED_MARGIN_MS));
	if (now() + maxWaitMs > latest) {
		const message = `n8n ends this execution after the time in its settings (Timeout Workflow), so this node ${waitsFor(latest - now())}. Raise that time to use all of Max Wait.`;
		hint(context, message, 'warning');
	}
	return latest;
}

/** The deadline of a wait that begins at `from`, both in milliseconds since 1970. */
export function deadlineAfter(
	from: number,
	{ maxWaitMs, latest = Infinity }: Pick<WaitSettings, 'latest' | 'maxWaitMs'>,
) {
	return Math.min(from + maxWaitMs, latest);
}

/** Reads how to wait, once per run. */
export function readWaitSettings(context: IExecuteFunctions, fields: NodeFields): WaitSettings {
	const wanted = fields.choice('waitMode', RUN, WAIT_MODES, 'poll');
	const mode = modeFor(context, wanted);
	// The editor shows the defaults of the chosen mode, so they apply even if n8n cannot use it, except for the interval.
	const { pollInterval } = WAIT_DEFAULTS[mode];
	const defaults = isTool(context) ? WAIT_DEFAULTS.tool : { ...WAIT_DEFAULTS[wanted], pollInterval };
	const read = (name: 'maxWait' | 'pollInterval') =>
		fields.number(`waitOptions.${name}`, RUN, 0, LONGEST_WAIT_MINUTES) ?? defaults[name];
	const maxWaitMs = read('maxWait') * MINUTE_MS;
	const latest = latestIn(context, mode, maxWaitMs);
	const waitMs = Math.min(maxWaitMs, (latest ?? Infinity) - now());
	const shortestIntervalMs = mode === 'poll' ? 1_000 : SHORTEST_SUSPENSION_MS;
	return {
		mode,
		maxWaitMs,
		...(latest !== undefined && { latest }),
		...(isTool(context) && { answerWithinMs: waitMs + TOOL_ANSWERS_WITHIN_MS - TOOL_MAX_WAIT_MS }),
		intervalMs: Math.max(read('pollInterval') * 1000, shortestIntervalMs),
		onDeadline: fields.choice('waitOptions.onDeadline', RUN, AT_DEADLINE, defaults.onDeadline),
		onStop: fields.choice('waitOptions.onStop', RUN, ['leave', 'cancel'], 'leave'),
	};
}

/** Adds a hint if the node has held a worker for long. `start` is in milliseconds since 1970. */
export function hintLongHold(context: IExecuteFunctions, start: number): void {
	const heldMs = now() - start;
	if (heldMs < LONG_HOLD_MS) return;
	const text = `This node held a worker for ${Math.round(heldMs / MINUTE_MS)} minutes.`;
	const advice =
		obstacleToSuspending(context) ?? 'Set Wait Mode to Sleep Between Checks or Sleep Until Called.';
	hint(context, `${text} ${advice}`, 'warning');
}

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { now } from '../../n8n/clock';
import { hint } from '../../n8n/hints';
import { choiceOf, collectionOf, type ParameterReader } from '../../n8n/parameters';
import { obstacleToSuspending, SHORTEST_SUSPENSION_MS } from '../../n8n/suspend';
import { isTool, TOOL_ANSWERS_WITHIN_MS, TOOL_MAX_WAIT_MS } from '../../n8n/tool';
import { workflowSettings } from '../../n8n/workflowSettings';

const WAIT_MODES = ['poll', 'durable', 'webhook'] as const;
const AT_DEADLINE = ['cancel', 'error', 'stillRunning'] as const;

export type WaitMode = (typeof WAIT_MODES)[number];

/** How to wait, as the user wants it and as n8n allows it here. */
export interface WaitSettings {
	mode: WaitMode;
	maxWaitMs: number;
	intervalMs: number;
	onDeadline: (typeof AT_DEADLINE)[number];
	onStop: 'cancel' | 'leave';
	/** As a tool: how long the whole run may take, in milliseconds. */
	answerWithinMs?: number;
}

const MINUTE_MS = 60_000;
/** What holds where the user says nothing. */
const USUAL = {
	poll: { maxWaitMinutes: 10, intervalSeconds: 30 },
	durable: { maxWaitMinutes: 1440, intervalSeconds: 30 },
	// Callbacks can get lost: a run sleeps so long at a stretch where somebody looks after its jobs then.
	webhook: { maxWaitMinutes: 1440, intervalSeconds: 900 },
	// An agent waits for every second of it.
	tool: { maxWaitMinutes: TOOL_MAX_WAIT_MS / MINUTE_MS, intervalSeconds: 5 },
} as const;
/** What a run needs to give out its jobs before n8n ends an execution that takes too long. */
const POLL_MARGIN_MS = 5_000;
const SUSPENDED_MARGIN_MS = 2 * MINUTE_MS;
/** A wait that holds a worker for longer than this deserves a remark. */
const LONG_HOLD_MS = 5 * MINUTE_MS;

function numberOr(options: IDataObject, name: string, fallback: number): number {
	const number = Number(options[name] ?? NaN);
	return Number.isFinite(number) && number >= 0 ? number : fallback;
}

/** The mode to use here: a tool cannot be suspended, nor can some n8n. */
function modeFor(context: IExecuteFunctions, wanted: WaitMode): WaitMode {
	if (wanted === 'poll' || isTool(context)) return 'poll';
	const obstacle = obstacleToSuspending(context);
	if (obstacle === undefined) return wanted;
	hint(context, `${obstacle} So it polls, for as long as Max Wait says, and holds a worker.`, 'warning');
	return 'poll';
}

/**
 * Max Wait within the time that the workflow's settings give to an execution: n8n counts it from the first start, across
 * suspensions, and whatever it ends then is gone.
 */
function withinTimeout(context: IExecuteFunctions, mode: WaitMode, maxWaitMs: number): number {
	const seconds = Number(workflowSettings(context).executionTimeout ?? NaN);
	const limit = seconds * 1000 - (mode === 'poll' ? POLL_MARGIN_MS : SUSPENDED_MARGIN_MS);
	if (!(seconds > 0) || maxWaitMs <= limit) return maxWaitMs;
	const why = `The settings of this workflow end an execution after ${Math.round(seconds / 60)} minutes, so the jobs are waited for no longer than that. Raise Timeout Workflow to wait as long as Max Wait says.`;
	hint(context, why, 'warning');
	return Math.max(limit, 0);
}

/** Reads how to wait, for the run as a whole. */
export function readWaitSettings(this: IExecuteFunctions, read: ParameterReader): WaitSettings {
	const options = collectionOf(read('waitOptions', 0, {}));
	const wanted = choiceOf(this.getNode(), 'Wait Mode', read('waitMode', 0, 'poll'), WAIT_MODES);
	const mode = modeFor(this, wanted);
	// Max Wait has the default that the editor shows for the chosen mode, also where n8n cannot do it.
	const usual = isTool(this)
		? USUAL.tool
		: { ...USUAL[mode], maxWaitMinutes: USUAL[wanted].maxWaitMinutes };
	const minutes = numberOr(options, 'maxWait', usual.maxWaitMinutes);
	const interval = Math.max(1, numberOr(options, 'pollInterval', usual.intervalSeconds)) * 1000;
	const maxWaitMs = withinTimeout(this, mode, minutes * MINUTE_MS);
	return {
		mode,
		maxWaitMs,
		...(isTool(this) && { answerWithinMs: maxWaitMs + TOOL_ANSWERS_WITHIN_MS - TOOL_MAX_WAIT_MS }),
		intervalMs: mode !== 'poll' ? Math.max(interval, SHORTEST_SUSPENSION_MS) : interval,
		onDeadline: choiceOf(
			this.getNode(),
			'On Deadline',
			options.onDeadline ?? 'stillRunning',
			AT_DEADLINE,
		),
		onStop: options.onStop === 'cancel' ? 'cancel' : 'leave',
	};
}

/** Says so when polling has held a worker for long. `start` in milliseconds since 1970. */
export function remarkOnLongHold(context: IExecuteFunctions, start: number): void {
	const heldMs = now() - start;
	if (heldMs < LONG_HOLD_MS) return;
	const held = `This node held a worker for ${Math.round(heldMs / MINUTE_MS)} minutes.`;
	const advice = obstacleToSuspending(context) ?? 'Set Wait Mode to one that suspends the execution.';
	hint(context, `${held} ${advice}`, 'warning');
}

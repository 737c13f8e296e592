import type { INodeExecutionData } from 'n8n-workflow';

import type { WaitSettings } from '../descriptions/waiting';
import { sourceOf } from './start';
import { now } from '../n8n/clock';
import { apiError } from '../n8n/errors';
import { endOf } from '../service/status';
import { troubleNote } from './waiting/deadline';
import { SHORTEST_PARK_MS } from '../n8n/suspend';
import type { JobState } from './waiting/poll';
import { failItems, giveOut, jobsText, linksOf, pairedWith, settleRunning } from './takeUp';
import type { TakenUp, TakeUp } from './takeUp';
import { stillRunningItem } from './stored/ticket';

/** A job's ticket to another node, or to another round of this one. */
export function ticketItem(
	{ context }: TakeUp,
	taken: TakenUp,
	state: JobState,
	givenUp: boolean,
): INodeExecutionData {
	const { origin } = taken.ticket;
	const source = sourceOf(context);
	const namedBy =
		taken.ticket.namedBy ?? (source === undefined ? undefined : { source, items: taken.items });
	return {
		json: stillRunningItem(state.job, taken.deadline, {
			origin,
			namedBy: origin === undefined ? namedBy : undefined,
			note: troubleNote(state),
			givenUpBy: givenUp ? context.getNode().name : undefined,
		}),
		pairedItem: pairedWith(linksOf(taken)),
	};
}

/**
 * Gives out every job: its results, an error, or its ticket where it still runs. Where the node stops at the first
 * failure, nothing is done to the other jobs before.
 */
export async function settleAll(
	up: TakeUp,
	states: readonly JobState[],
	{ onDeadline }: WaitSettings,
): Promise<INodeExecutionData[]> {
	const stillRunning: INodeExecutionData[] = [];
	for (const [index, taken] of up.jobs.entries()) {
		const problem = states[index]?.problem;
		if (problem === undefined) continue;
		failItems(up, taken.items, apiError(up.context.getNode(), problem, taken.items[0], jobsText(up)));
	}
	for (const [index, taken] of up.jobs.entries()) {
		const state = states[index] ?? { job: taken.job };
		if (state.problem !== undefined) continue;
		if (endOf(state.job.status) !== undefined) {
			await giveOut(up, taken, state.job);
		} else if (await settleRunning(up, taken, state, onDeadline)) {
			stillRunning.push(ticketItem(up, taken, state, true));
		}
	}
	return stillRunning;
}

/**
 * Whether a suspended wait needs another round, and until when it may last (milliseconds since 1970). Without Continue
 * On Fail a failed job ends the wait at once.
 */
export function nextRound(up: TakeUp, states: readonly JobState[], wait: WaitSettings): number | undefined {
	const failed = states.some(({ problem }) => problem !== undefined) && !up.context.continueOnFail();
	if (wait.mode !== 'durable' || failed) return undefined;
	const open = up.jobs.filter((taken, index) => {
		const state = states[index];
		const runs = state !== undefined && state.problem === undefined;
		return runs && endOf(state.job.status) === undefined && taken.deadline > now();
	});
	if (open.length === 0) return undefined;
	const soonest = open.reduce((time, { deadline }) => Math.min(time, deadline), Infinity);
	return Math.max(now() + SHORTEST_PARK_MS, Math.min(soonest, now() + wait.intervalMs));
}

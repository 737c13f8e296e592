import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { Slots } from '../../collection/slots';
import { now } from '../../service/clock';
import { serviceClient } from '../../service/client';
import { apiError, inputError } from '../../service/errors';
import { endOf } from '../../service/status';
import { cancelAndConfirm, cancelOnStop } from '../../waiting/cancel';
import { park, SHORTEST_PARK_MS } from '../../waiting/park';
import { pollUntilEnded } from '../../waiting/poll';
import type { JobState } from '../../waiting/poll';
import { failItems, giveOut, linked } from '../../waiting/takeUp';
import type { TakenUp, TakeUp } from '../../waiting/takeUp';
import { readTicket, stillRunningItem } from '../../waiting/ticket';
import type { Ticket } from '../../waiting/ticket';
import { byDisplayName, jobIdField, requestTimeoutOption, showFor } from '../common/fields';
import { parameterReader, readJobId } from '../common/parameters';
import { readChoice, resultFields, resultOptions } from '../common/results';
import { readWaitSettings, remarkOnLongHold, waitFields } from '../common/waiting';
import type { WaitSettings } from '../common/waiting';
import { asNodeError } from '../itemRunner';
import type { NodeError } from '../itemRunner';

export const description: INodeProperties[] = showFor(
	'job',
	['wait'],
	[
		jobIdField,
		...waitFields(['poll', 'durable']),
		...resultFields(true),
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: byDisplayName([...resultOptions, requestTimeoutOption]),
		},
	],
);

/** The job an item names, or the error where the node goes on without it. */
function jobOf(context: IExecuteFunctions, item: number): string | NodeError {
	try {
		return readJobId.call(context, item);
	} catch (error) {
		return asNodeError(context, error, item);
	}
}

/** Until when an item's job is waited for: as its ticket says, or from now on. */
function deadlineOf(ticket: Ticket, nodeName: string, maxWaitMs: number): number {
	if (ticket.deadline !== undefined && ticket.deadline > now()) return ticket.deadline;
	// A loop through this very node must end; another node's deadline says nothing about this one's.
	return ticket.givenUpBy === nodeName ? now() : now() + maxWaitMs;
}

/** The jobs that the input items name, each once. */
function readJobs(up: TakeUp, maxWaitMs: number): TakenUp[] {
	const { context } = up;
	const taken = new Map<string, TakenUp>();
	for (const [item, { json }] of context.getInputData().entries()) {
		const jobId = jobOf(context, item);
		if (typeof jobId !== 'string') {
			failItems(up, [item], jobId);
			continue;
		}
		const known = taken.get(jobId);
		if (known !== undefined) {
			known.items.push(item);
			continue;
		}
		const ticket = readTicket(json, jobId);
		const deadline = deadlineOf(ticket, context.getNode().name, maxWaitMs);
		taken.set(jobId, { jobId, items: [item], ticket, deadline });
	}
	return [...taken.values()];
}

/** A job that is not over at its deadline. Gives its Still Running item, where it has one. */
async function settleRunning(
	up: TakeUp,
	taken: TakenUp,
	state: JobState,
	onDeadline: WaitSettings['onDeadline'],
): Promise<INodeExecutionData | undefined> {
	const { context, client } = up;
	const { job } = state;
	const name = context.getNode().name;
	if (onDeadline === 'cancel') {
		const cancelled = await cancelAndConfirm(client, job);
		if (!cancelled.ok)
			failItems(up, taken.items, apiError(context.getNode(), cancelled.problem, taken.items[0]));
		else await giveOut(up, taken, { job: cancelled.value });
		return undefined;
	}
	if (onDeadline === 'stillRunning' && taken.ticket.givenUpBy !== name) {
		return linked(
			stillRunningItem(job, taken.deadline, { origin: taken.ticket.origin, givenUpBy: name }),
			taken,
		);
	}
	const error = inputError(
		context.getNode(),
		`Job ${job.job_id} was still ${job.status} at the deadline`,
		'It runs on at the service. Raise Max Wait, or set On Deadline to Cancel Job.',
		taken.items[0],
	);
	failItems(up, taken.items, error);
	return undefined;
}

/** Gives out what is over, and sorts the rest: past its deadline, or to be waited for in another round. */
async function settleAll(
	up: TakeUp,
	jobs: TakenUp[],
	states: JobState[],
	wait: WaitSettings,
): Promise<{ stillRunning: INodeExecutionData[]; nextRound: TakenUp[] }> {
	const stillRunning: INodeExecutionData[] = [];
	const nextRound: TakenUp[] = [];
	for (const [index, taken] of jobs.entries()) {
		const state = states[index];
		if (state === undefined) continue;
		if (state.problem !== undefined) {
			failItems(up, taken.items, apiError(up.context.getNode(), state.problem, taken.items[0]));
		} else if (endOf(state.job.status) !== undefined) {
			await giveOut(up, taken, state);
		} else if (wait.mode === 'durable' && taken.deadline > now()) {
			nextRound.push(taken);
			stillRunning.push(
				linked(stillRunningItem(state.job, taken.deadline, { origin: taken.ticket.origin }), taken),
			);
		} else {
			const item = await settleRunning(up, taken, state, wait.onDeadline);
			if (item !== undefined) stillRunning.push(item);
		}
	}
	return { stillRunning, nextRound };
}

/** Takes up any job: waits for its end and gives out its results. Output 0: finished; output 1: still running. */
export async function executeAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const read = parameterReader.call(this);
	const wait = readWaitSettings.call(this, read);
	const client = await serviceClient.call(this);
	const slots = new Slots();
	const up: TakeUp = { context: this, client, choice: readChoice.call(this, read, 0), slots };
	const jobs = readJobs(up, wait.maxWaitMs);
	if (wait.onStop === 'cancel') cancelOnStop(this, () => jobs.map(({ jobId }) => jobId));
	const start = now();
	const states = await pollUntilEnded(
		client,
		jobs.map(({ jobId, deadline }) => ({
			job: { job_id: jobId, status: '' },
			// Suspended, every round looks once.
			deadline: wait.mode === 'durable' ? start : deadline,
		})),
		{
			intervalMs: wait.intervalMs,
			firstLookMs: 0,
			signal: this.getExecutionCancelSignal(),
			timeoutMs: up.choice.timeoutMs,
		},
	);
	const { stillRunning, nextRound } = await settleAll(up, jobs, states, wait);
	remarkOnLongHold(this, start);
	if (nextRound.length === 0) return [slots.inInputOrder(), stillRunning];
	const soonest = Math.min(...nextRound.map(({ deadline }) => deadline));
	const until = Math.max(now() + SHORTEST_PARK_MS, Math.min(soonest, now() + wait.intervalMs));
	return await park(this, slots.inInputOrder(), stillRunning, until);
}

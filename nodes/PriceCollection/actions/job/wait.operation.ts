import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { progressOf, remarkOnRun, Tally } from '../../run/hints';
import { Slots } from '../../n8n/pairing';
import { now } from '../../n8n/clock';
import { serviceClient } from '../../service/client';
import { cancelOnStop, isStopped } from '../../run/waiting/cancel';
import { readJobs } from '../../run/waitedJobs';
import { outputsOf, park } from '../../n8n/suspend';
import { pollUntilEnded } from '../../run/waiting/poll';
import type { JobState } from '../../run/waiting/poll';
import { nextRound, settleAll, ticketItem } from '../../run/waitLoop';
import { failItems } from '../../run/takeUp';
import type { TakeUp } from '../../run/takeUp';
import { jobIdField, optionsField, requestTimeoutOption, showFor } from '../../descriptions/common';
import { parameterReader } from '../../n8n/parameters';
import { readChoice, resultFields, resultOptions } from '../../descriptions/results';
import { readWaitSettings, remarkOnLongHold, waitFields } from '../../descriptions/waiting';
import type { WaitSettings } from '../../descriptions/waiting';

export const description: INodeProperties[] = showFor(
	'job',
	['wait'],
	[
		jobIdField,
		...waitFields(['poll', 'durable']),
		...resultFields(true),
		optionsField([...resultOptions, requestTimeoutOption]),
	],
);

/** Looks at the jobs: until they are over, or once where the execution is suspended in between. */
async function watch(up: TakeUp, wait: WaitSettings): Promise<JobState[]> {
	const start = now();
	const states = await pollUntilEnded(
		up.client,
		up.jobs.map(({ job, deadline }) => ({ job, deadline: wait.mode === 'durable' ? start : deadline })),
		{
			intervalMs: wait.intervalMs,
			firstLookMs: 0,
			signal: up.context.getExecutionCancelSignal(),
			timeoutMs: up.choice.timeoutMs,
			onLook: progressOf(up.context),
		},
	);
	remarkOnLongHold(up.context, start);
	return states;
}

/** Takes up any job: waits for its end and gives out its results. Output 0: finished; output 1: still running. */
export async function executeAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const read = parameterReader.call(this);
	const wait = readWaitSettings.call(this, read);
	const client = await serviceClient.call(this);
	const { jobs, refused } = readJobs(this, wait);
	const choice = readChoice.call(this, read, 0);
	const up: TakeUp = { context: this, client, choice, slots: new Slots(), jobs, tally: new Tally() };
	const [wrong] = refused;
	if (wrong !== undefined && !this.continueOnFail()) throw wrong.error;
	const ids = jobs.map(({ job }) => job.job_id);
	if (wait.onStop === 'cancel') cancelOnStop(this, ids);
	const states = await watch(up, wait);
	if (isStopped(this)) return outputsOf(this, [], []);
	const until = nextRound(up, states, wait);
	if (until !== undefined) {
		// A suspension cuts the links of what is given out with it, so every job goes round until the last one is over.
		const input = this.getInputData();
		const again = refused.flatMap(({ item }) => input[item] ?? []);
		const tickets = jobs.map((taken, index) =>
			ticketItem(up, taken, states[index] ?? { job: taken.job }, false),
		);
		return await park(this, [], [...tickets, ...again], until);
	}
	for (const { item, error } of refused) failItems(up, [item], error);
	const stillRunning = await settleAll(up, states, wait);
	remarkOnRun(this, up.tally, stillRunning.length);
	return outputsOf(this, up.slots.inInputOrder(), stillRunning);
}

import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { counted, hint, manyJobsWarning } from '../../collection/hints';
import { prepare } from '../../collection/prepare';
import type { CollectRun } from '../../collection/run';
import { runningItem, settle } from '../../collection/settle';
import { startRun } from '../../collection/start';
import { now } from '../../service/clock';
import { serviceClient } from '../../service/client';
import type { ServiceClient } from '../../service/client';
import { endOf } from '../../service/status';
import { resumeUrl, savedRun, saveRun, warnAboutLoopback } from '../../waiting/callback';
import { cancelOnStop } from '../../waiting/cancel';
import { park, SHORTEST_PARK_MS } from '../../waiting/park';
import { pollUntilEnded } from '../../waiting/poll';
import type { JobState } from '../../waiting/poll';
import { showFor } from '../common/fields';
import { parameterReader } from '../common/parameters';
import { readChoice, resultFields, resultOptions } from '../common/results';
import { readWaitSettings, remarkOnLongHold, waitFields } from '../common/waiting';
import type { WaitSettings } from '../common/waiting';
import { collectFields } from '../common/whatToCollect';

export const description: INodeProperties[] = showFor(
	'job',
	['collect'],
	collectFields([...waitFields(['poll', 'durable', 'webhook']), ...resultFields(true)], resultOptions),
);

/** A job may be entered late: it is not given up as unknown before this long after its creation. */
const UNKNOWN_FOR_MS = 30_000;
/** Jobs that end at once are not worth a suspension. */
const QUICK_LOOK_MS = 2_000;

const EARLY_CALLBACK_NOTE =
	'No callback woke this execution before the deadline. It may have come before the execution was saved, or not at all: take the job up with Wait.';

/** Watches the jobs of a run until the given time. */
async function watch(
	context: IExecuteFunctions,
	client: ServiceClient,
	run: CollectRun,
	wait: Pick<WaitSettings, 'intervalMs'>,
	until: number,
): Promise<JobState[]> {
	return await pollUntilEnded(
		client,
		run.jobs.map(({ job }) => ({ job, deadline: until })),
		{
			intervalMs: wait.intervalMs,
			firstLookMs: 1_000,
			unknownForMs: UNKNOWN_FOR_MS,
			signal: context.getExecutionCancelSignal(),
			onLook: (states) => {
				const over = states.filter(({ job }) => endOf(job.status) !== undefined).length;
				context.sendMessageToUI(`Price Collection: ${over} of ${counted(states.length, 'job')} over`);
			},
		},
	);
}

/** Suspends a run: on a timer until the next round, or until the service calls back. */
async function suspend(
	context: IExecuteFunctions,
	client: ServiceClient,
	run: CollectRun,
	wait: WaitSettings,
): Promise<INodeExecutionData[][]> {
	const byCallback = wait.mode === 'webhook';
	const more = byCallback ? { note: EARLY_CALLBACK_NOTE } : {};
	const waiting = run.jobs.map((entry) => runningItem(client, run, entry, more));
	const errors = run.errors.map(({ items, json }) => ({
		json,
		pairedItem: items.map((item) => ({ item })),
	}));
	const next = byCallback ? run.deadline : Math.min(run.deadline, now() + wait.intervalMs);
	const until = Math.max(next, now() + SHORTEST_PARK_MS);
	return await park(context, errors, waiting, until);
}

/**
 * All input items in, their rows out: creates as few jobs as possible, waits for their end, downloads them and
 * gives every item its own rows. Output 0: what is finished; output 1: what still runs.
 */
export async function executeAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const client = await serviceClient.call(this);
	const read = parameterReader.call(this);
	const resumed = savedRun(this);
	if (resumed !== undefined) {
		const states = await watch(this, client, resumed.run, { intervalMs: 1_000 }, now());
		return await settle(this, client, resumed.run, states, resumed.choice, 'stillRunning');
	}
	const choice = readChoice.call(this, read, 0);
	const wait = readWaitSettings.call(this, read);
	const url = wait.mode === 'webhook' ? resumeUrl(this) : undefined;
	const prepared = prepare.call(this, client, url);
	const warning = manyJobsWarning(prepared.plan.length, this.getInputData().length);
	if (warning !== undefined) hint(this, warning, 'warning');
	const start = now();
	const run = await startRun(this, client, prepared, start + wait.maxWaitMs);
	if (run.jobs.length === 0) return await settle(this, client, run, [], choice, wait.onDeadline);
	if (wait.onStop === 'cancel') cancelOnStop(this, () => run.jobs.map(({ job }) => job.job_id));
	if (wait.mode === 'durable') return await suspend(this, client, run, wait);
	if (wait.mode === 'webhook') {
		if (url !== undefined) warnAboutLoopback(this, url);
		const states = await watch(this, client, run, { intervalMs: 1_000 }, now() + QUICK_LOOK_MS);
		if (states.some(({ job, problem }) => problem === undefined && endOf(job.status) === undefined)) {
			saveRun(this, run, choice);
			return await suspend(this, client, run, wait);
		}
		return await settle(this, client, run, states, choice, wait.onDeadline);
	}
	const states = await watch(this, client, run, wait, run.deadline);
	remarkOnLongHold(this, start);
	return await settle(this, client, run, states, choice, wait.onDeadline);
}

import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { remarkOnLongHold } from '../descriptions/waiting';
import type { WaitSettings } from '../descriptions/waiting';
import type { ResultChoice } from '../output/fetch';
import { now } from '../n8n/clock';
import type { ServiceClient } from '../service/client';
import { endOf } from '../service/status';
import { isStopped } from './waiting/cancel';
import { park, SHORTEST_PARK_MS } from '../n8n/suspend';
import { pollUntilEnded } from './waiting/poll';
import type { JobState } from './waiting/poll';
import { saveRun } from './stored/suspendedRun';
import type { SavedRun } from './stored/suspendedRun';
import { hint, progressOf } from './hints';
import type { CollectRun } from './stored/run';
import { runningItems, settle } from './deliver';

/** A job may be entered late: it is not given up as unknown before this long after its creation. */
const UNKNOWN_FOR_MS = 30_000;
/** Jobs that end at once are not worth a suspension; for many the looks would keep it from hearing callbacks. */
const QUICK_LOOK_MS = 2_000;
const QUICK_LOOK_JOBS = 10;
/** A callback may come a little before the service's own status says so. */
const AFTER_CALLBACK_MS = 60_000;

const EARLY_CALLBACK_NOTE =
	'No callback woke this execution before the deadline. It may have come before the execution was saved, or not at all: take the job up with Wait.';
const NOT_TAKEN_UP =
	'Nothing behind Still Running takes the jobs up. Wire it to a Price Collection node set to Wait, and the Still Running output of that node back to itself.';

/** How long and how often to look, in milliseconds. */
type Watch = Pick<WaitSettings, 'intervalMs'> & { firstLookMs: number; until: number; timeoutMs?: number };

/** Watches the jobs of a run until the given time. */
async function watch(
	context: IExecuteFunctions,
	client: ServiceClient,
	{ jobs }: CollectRun,
	{ until, ...settings }: Watch,
): Promise<JobState[]> {
	return await pollUntilEnded(
		client,
		jobs.map(({ job }) => ({ job, deadline: until })),
		{
			...settings,
			unknownForMs: UNKNOWN_FOR_MS,
			signal: context.getExecutionCancelSignal(),
			onLook: progressOf(context),
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
	const { type, name } = context.getNode();
	const takers = context.getChildNodes(name).filter((child) => child.type === type);
	if (!byCallback && takers.length === 0) hint(context, NOT_TAKEN_UP, 'warning');
	const entries = run.jobs.map((entry) => ({ entry, note: byCallback ? EARLY_CALLBACK_NOTE : undefined }));
	const input = context.getInputData();
	// What n8n links wrongly across a suspension says itself whose it is.
	const errors = run.errors.map(({ item, json }) => ({
		json: { ...json, details: input[item]?.json ?? {} },
		pairedItem: { item },
	}));
	const next = byCallback ? run.deadline : Math.min(run.deadline, now() + wait.intervalMs);
	const until = Math.max(next, now() + SHORTEST_PARK_MS);
	const { webhookUrlParameter } = client.dialect;
	const tickets = runningItems(run, entries, webhookUrlParameter, byCallback ? name : undefined);
	return await park(context, errors, tickets, until);
}

/** Waits for a run that was just started, as the mode says, and gives it out. */
export async function finishRun(
	context: IExecuteFunctions,
	client: ServiceClient,
	run: CollectRun,
	wait: WaitSettings,
	choice: ResultChoice,
): Promise<INodeExecutionData[][]> {
	const start = now();
	if (run.jobs.length > 0 && wait.mode === 'durable') return await suspend(context, client, run, wait);
	const byCallback = wait.mode === 'webhook';
	const states: JobState[] =
		byCallback && run.jobs.length > QUICK_LOOK_JOBS
			? run.jobs.map(({ job }) => ({ job }))
			: await watch(context, client, run, {
					intervalMs: wait.intervalMs,
					firstLookMs: 1_000,
					until: byCallback ? start + QUICK_LOOK_MS : run.deadline,
					timeoutMs: choice.timeoutMs,
				});
	if (isStopped(context)) return [[], []];
	const jobs = run.jobs.map((entry, index) => ({ ...entry, job: states[index]?.job ?? entry.job }));
	const seen = { ...run, jobs };
	const runs = states.some(({ job, problem }) => problem === undefined && endOf(job.status) === undefined);
	if (runs && byCallback) {
		saveRun(context, seen, choice);
		return await suspend(context, client, seen, wait);
	}
	remarkOnLongHold(context, start);
	return await settle(context, client, seen, states, { choice, onDeadline: wait.onDeadline });
}

/** Goes on with a run that the service's callback has woken. */
export async function resumeRun(
	context: IExecuteFunctions,
	client: ServiceClient,
	{ run, choice }: SavedRun,
): Promise<INodeExecutionData[][]> {
	const until = now() + AFTER_CALLBACK_MS;
	const { timeoutMs } = choice;
	const states = await watch(context, client, run, { intervalMs: 5_000, firstLookMs: 0, until, timeoutMs });
	return await settle(context, client, run, states, { choice, onDeadline: 'stillRunning' });
}

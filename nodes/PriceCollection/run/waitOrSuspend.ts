import type { IDataObject, IExecuteFunctions, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';

import { newNonce } from '../callback/sign';
import { inputError } from '../n8n/errors';
import { hint } from '../n8n/hints';
import { pairedTo } from '../n8n/pairing';
import { isStopped, SHORTEST_SUSPENSION_MS, suspend } from '../n8n/suspend';
import type { ResultChoice } from '../output/fetch';
import type { ServiceClient } from '../service/client';
import { terminalStatus } from '../service/status';
import { isObject } from '../service/types';
import { deliver, type Askers, type JobToDeliver } from './deliver';
import type { StoredRead } from './stored/format';
import { suspendedRunFormat, type CollectRun, type RunJob, type SuspendedRun } from './stored/suspendedRun';
import { originOf, stillRunningItem } from './stored/ticket';
import { progressOf } from './tally';
import { pollUntilEnded, type JobState } from './waiting/poll';
import { remarkOnLongHold, type WaitSettings } from './waiting/settings';

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

/** Where the run stands in the node's context, which n8n keeps with the execution. */
const CONTEXT_KEY = 'priceCollectionRun';
/** The field of the input that wakes the run. */
const MARKER_FIELD = 'price_collection_resume';

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

/**
 * The Still Running item for a job of a run.
 *
 * @param givenUpBy the name of the node where its deadline will have passed when the item leaves it
 */
function ticketFor(
	client: ServiceClient,
	run: CollectRun,
	entry: RunJob,
	note?: string,
	givenUpBy?: string,
): INodeExecutionData {
	const { clock, dialect } = client;
	// The callback URL is nobody's business.
	const origin = originOf(entry, new Map(run.asked), run.source, [dialect.webhookUrlParameter]);
	const times = { checkedAt: clock.now(), deadline: run.deadline };
	return {
		json: stillRunningItem(entry.job, times, { origin, givenUpBy }, note),
		pairedItem: pairedTo(entry.planned.items),
	};
}

/** Suspends a run: on a timer until the next round, or until the service calls back. */
async function suspendRun(
	context: IExecuteFunctions,
	client: ServiceClient,
	run: CollectRun,
	wait: WaitSettings,
): Promise<INodeExecutionData[][]> {
	const { now } = client.clock;
	const byCallback = wait.mode === 'webhook';
	const { type, name } = context.getNode();
	const takers = context.getChildNodes(name).filter((child) => child.type === type);
	if (!byCallback && takers.length === 0) hint(context, NOT_TAKEN_UP, 'warning');
	const input = context.getInputData();
	// What n8n links wrongly across a suspension says itself whose it is.
	const errors = run.errors.map(({ item, json }) => ({
		json: { ...json, details: input[item]?.json ?? {} },
		pairedItem: { item },
	}));
	const next = byCallback ? run.deadline : Math.min(run.deadline, now() + wait.intervalMs);
	const until = Math.max(next, now() + SHORTEST_SUSPENSION_MS);
	const tickets = run.jobs.map((entry) =>
		byCallback ? ticketFor(client, run, entry, EARLY_CALLBACK_NOTE, name) : ticketFor(client, run, entry),
	);
	return await suspend(context, errors, tickets, until);
}

/** Gives out a run whose wait is over. */
async function deliverRun(
	context: IExecuteFunctions,
	client: ServiceClient,
	run: CollectRun,
	states: readonly JobState[],
	choice: ResultChoice,
	onDeadline: WaitSettings['onDeadline'],
): Promise<INodeExecutionData[][]> {
	const { name } = context.getNode();
	const askers: Askers = {
		values: new Map(run.asked),
		placeOf: (item) => ({ item, pairedItem: { item } }),
	};
	const jobs = run.jobs.map((entry, index): JobToDeliver => {
		const { planned, recovered } = entry;
		return {
			state: states[index] ?? { job: entry.job },
			items: planned.items,
			links: planned.items.map((item) => ({ item })),
			lookup: { planned, recovered, askers },
			onDeadline,
			stillRunningItem: ({ job }, note) => ticketFor(client, run, { ...entry, job }, note, name),
		};
	});
	const errors = run.errors.map(({ item, json }) => ({ item, output: { json, pairedItem: { item } } }));
	return await deliver(context, client, choice, jobs, errors);
}

/** Waits for a run that was just started, as the mode says, and gives it out; or suspends it. */
export async function waitOrSuspend(
	context: IExecuteFunctions,
	client: ServiceClient,
	run: CollectRun,
	wait: WaitSettings,
	choice: ResultChoice,
): Promise<INodeExecutionData[][]> {
	const start = client.clock.now();
	if (run.jobs.length > 0 && wait.mode === 'durable') return await suspendRun(context, client, run, wait);
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
	const runs = states.some(
		({ job, problem }) => problem === undefined && terminalStatus(job.status) === undefined,
	);
	if (runs && byCallback) {
		context.getContext('node')[CONTEXT_KEY] = suspendedRunFormat.write({
			marker: newNonce(),
			run: seen,
			choice,
		});
		return await suspendRun(context, client, seen, wait);
	}
	remarkOnLongHold(context, start);
	return await deliverRun(context, client, seen, states, choice, wait.onDeadline);
}

/**
 * The run that a callback has woken; undefined for a run that begins. It stays where it is, for n8n may run the node
 * again after an error.
 *
 * @throws NodeOperationError for a woken run that is not to be found: beginning anew would be paid for twice
 */
export function wokenRun(context: IExecuteFunctions): SuspendedRun | undefined {
	const marker = context.getInputData()[0]?.json[MARKER_FIELD];
	if (marker === undefined) return undefined;
	const read = suspendedRunFormat.read(context.getContext('node')[CONTEXT_KEY]);
	if (read.kind === 'read' && marker === read.value.marker) return read.value;
	throw inputError(
		context.getNode(),
		read.kind === 'unreadable' ? read.reason : 'The run that was to be resumed is not in this execution',
		'Its jobs are not lost: Get Many lists them, and Wait takes them up.',
	);
}

/** Goes on with a run that the service's callback has woken. */
export async function resumeRun(
	context: IExecuteFunctions,
	client: ServiceClient,
	{ run, choice }: SuspendedRun,
): Promise<INodeExecutionData[][]> {
	const until = client.clock.now() + AFTER_CALLBACK_MS;
	const { timeoutMs } = choice;
	const states = await watch(context, client, run, { intervalMs: 5_000, firstLookMs: 0, until, timeoutMs });
	return await deliverRun(context, client, run, states, choice, 'stillRunning');
}

/** The input that makes `execute()` go on with a suspended run, see {@link wokenRun}. */
export function wakingItem({ marker }: SuspendedRun): IDataObject {
	return { [MARKER_FIELD]: marker };
}

/** The run that the suspended node waits with, seen from `webhook()`, which has no access to the node's context. */
export function runInWebhook(context: IWebhookFunctions): StoredRead<SuspendedRun> {
	// Braces in the name would end the expression.
	const name = JSON.stringify(context.getNode().name).replace(/[{}]/g, (brace) =>
		brace === '{' ? '\\u007b' : '\\u007d',
	);
	const kept: unknown = context.evaluateExpression(`{{ $(${name}).context }}`, 0);
	return suspendedRunFormat.read(isObject(kept) ? kept[CONTEXT_KEY] : undefined);
}

/** What leaves a suspended run that cannot be resumed: the same as at its deadline. */
export function outputsAtDeadline(
	context: IWebhookFunctions,
	client: ServiceClient,
	{ run }: SuspendedRun,
): INodeExecutionData[][] {
	const { name } = context.getNode();
	const errors = run.errors.map(({ item, json }) => ({ json, pairedItem: { item } }));
	return [errors, run.jobs.map((entry) => ticketFor(client, run, entry, undefined, name))];
}

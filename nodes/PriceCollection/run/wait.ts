import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { newNonce } from '../callback/signature';
import { remarkOnLongHold } from '../descriptions/waitSettings';
import { errorItem } from '../n8n/items';
import { inputError } from '../n8n/errors';
import { hint } from '../n8n/hints';
import { isStopped, SHORTEST_SUSPENSION_MS, suspend } from '../n8n/execution';
import { isDisabledBehind, isWired, leadsToWait } from '../n8n/wiring';
import { finish } from './finish';
import { isSettled, linkOf, type Aside, type JobRecord } from './lookup/record';
import { forStorage, suspendedRunFormat, type SuspendedRun } from './stored/formats';
import { STILL_RUNNING, ticketItems, type Run } from './tickets';
import { afterLook, beginWait, nextStep, type LookPolicy } from './waiting/engine';

/** Key of a suspended run in the node's context, which n8n stores with the execution. */
export const SUSPENDED_KEY = 'priceCollectionRun';
/** The input fields that resume a run: its marker, and the job that the callback named. */
export const MARKER_FIELD = 'price_collection_resume';
export const NAMED_FIELD = 'job_id';

/** The interval of a suspended wait grows with its age, by this factor … */
const INTERVAL_PER_AGE = 1 / 8;
/** … up to this limit, in milliseconds. */
const LONGEST_INTERVAL_MS = 15 * 60_000;

const NOT_OVER_NOTE =
	'The job was still running at the last check. Callbacks can arrive too early or get lost: use Wait to get the results.';
const NOT_TAKEN_UP =
	'Nothing behind Still Running waits for the jobs. Connect it to a Price Collection node set to Wait, and the Still Running output of that node back to itself.';
const ONLY_CALLBACKS =
	'Only callbacks can wake this execution: if one gets lost, it sleeps until its deadline. Connect Still Running to a Price Collection node set to Wait, which checks the jobs as well.';
const POLLED_INSTEAD =
	'These jobs were created by an earlier execution and call that execution back, so this node polls them.';

/** The policies for status checks, by purpose. */
export const LOOKS = {
	/** Until all jobs have ended. */
	poll: (intervalMs: number): LookPolicy => ({ intervalMs, patienceMs: Infinity, width: Infinity }),
	/** Jobs that end at once or come from a cache do not need a suspension. */
	beforeSuspending: { intervalMs: 1_000, patienceMs: 3_000, width: 5 },
	/** Once per job, in every round of a suspended wait. */
	once: { intervalMs: 1_000, patienceMs: 0, width: Infinity },
	/** A callback may precede the service's own status, and the other jobs may also end soon. */
	afterCallback: (first: string | undefined): LookPolicy => ({
		...{ intervalMs: 5_000, patienceMs: 60_000, width: 5 },
		first,
	}),
} as const;

/** Checks the jobs of a run according to the policy, or until n8n stops the execution. */
async function look({ context, client, choices, records }: Run, policy: LookPolicy) {
	const { clock } = client;
	const { timeoutMs } = choices.first;
	const signal = context.getExecutionCancelSignal();
	const wait = beginWait(records, policy, clock.now());
	for (;;) {
		const step = nextStep(wait, clock.now(), client.statusDelay());
		if (step.kind === 'done') return;
		if (step.kind === 'sleep') {
			await clock.pause(step.until - clock.now(), signal);
		} else {
			const options = { repeat: false, timeoutMs, turn: { until: step.until } };
			const answer = await client.getJob(step.watch.record.job.job_id, options);
			afterLook(wait, step.watch, answer, clock.now());
		}
		if (signal?.aborted === true) return;
	}
}

/**
 * Checks the jobs of a run, then outputs them or suspends the execution until the next round.
 *
 * @throws NodeApiError or NodeOperationError, unless the node continues after failures
 */
export async function waitForJobs(run: Run, policy: LookPolicy): Promise<INodeExecutionData[][]> {
	const { context, client, records, wait } = run;
	const start = client.clock.now();
	await look(run, policy);
	const isTakenUp = wait.mode !== 'poll' && leadsToWait(context, STILL_RUNNING);
	const isCalled = ({ creation }: JobRecord) => creation?.executionId === context.getExecutionId();
	const others = records.filter((record) => !isSettled(record) && !isCalled(record));
	if (wait.mode === 'webhook' && !isTakenUp && others.length > 0) {
		hint(context, POLLED_INSTEAD, 'warning');
		await look({ ...run, records: others }, LOOKS.poll(30_000));
	}
	if (isStopped(context)) return [[], []];
	remarkOnLongHold(context, start);
	const open = openJobs(run);
	if (open.length === 0) return await finish(run);
	const due = records.filter((record) => !open.includes(record));
	// If Still Running leads back to this package, finished jobs do not wait for the others.
	if (wait.mode === 'durable' && due.length > 0 && isTakenUp) {
		return await finish({ ...run, records: due }, open);
	}
	return await suspendRun(run, open, isTakenUp);
}

/** The jobs that need another round; none if this round is the last. */
function openJobs({ context, client, records, wait }: Run): JobRecord[] {
	const fails = records.some(({ problem }) => problem !== undefined) && !context.continueOnFail();
	// After a timer no node would resume the jobs, so they are reported while this node can still fail.
	const isLost = wait.mode === 'durable' && isWired(context, STILL_RUNNING) === false;
	if (wait.mode === 'poll' || fails || isLost) return [];
	const now = client.clock.now();
	return records.filter((record) => !isSettled(record) && record.deadline > now);
}

/** When the next round of a suspended wait should begin, in milliseconds since 1970. */
function nextRound({ client, wait }: Run, open: readonly JobRecord[], soonest: number): number {
	const now = client.clock.now();
	const youngest = Math.min(...open.map(({ since }) => now - (since || now)));
	const interval = Math.max(wait.intervalMs, Math.min(youngest * INTERVAL_PER_AGE, LONGEST_INTERVAL_MS));
	return Math.max(now + SHORTEST_SUSPENSION_MS, Math.min(soonest, now + interval));
}

/**
 * Suspends a run on a timer, after which the node behind Still Running continues it, or until the service
 * calls back. As callbacks get lost, a callback wait also ends after the interval if Still Running leads to a
 * node that resumes the jobs. A suspension cuts item links, so all output stays with the jobs.
 */
async function suspendRun(run: Run, open: readonly JobRecord[], isTakenUp: boolean) {
	const { context, records, asides, choices, source, wait } = run;
	const isWebhook = wait.mode === 'webhook';
	if (!isTakenUp) hint(context, isWebhook ? ONLY_CALLBACKS : NOT_TAKEN_UP, isWebhook ? 'info' : 'warning');
	const deadline = Math.min(...open.map((record) => record.deadline));
	const next = nextRound(run, open, deadline);
	const until = isWebhook && !isTakenUp ? Math.max(deadline, next) : next;
	if (isWebhook) {
		const stored = records.map((record) => forStorage(record));
		const kept = { marker: newNonce(), choices, source, intervalMs: wait.intervalMs, asides };
		context.getContext('node')[SUSPENDED_KEY] = suspendedRunFormat.write({ ...kept, records: stored });
	}
	const carrying = records.map((record, index) =>
		index === 0 && isTakenUp ? { ...record, asides: [...(record.asides ?? []), ...asides] } : record,
	);
	// The jobs are only given up if their deadline has passed by then.
	const givenUp = isWebhook && until >= deadline;
	const tickets = ticketItems(run, carrying, givenUp, isWebhook ? NOT_OVER_NOTE : undefined);
	const unlinked = isTakenUp ? [] : await withoutJobs(run, asides);
	return await suspend(context, unlinked, isDisabledBehind(context, STILL_RUNNING) ? [] : tickets, until);
}

/**
 * The output of a suspended run by Finished when no node resumes its jobs. None of our code runs at that time
 * to fail or to add hints, and n8n's item links are wrong after a suspension, so each item names its source.
 */
async function withoutJobs(run: Run, asides: readonly Aside[]): Promise<INodeExecutionData[]> {
	const { context, records } = run;
	const input = run.input ?? context.getInputData();
	const named = asides.map(({ error, ...aside }) => ({
		...aside,
		...(error && { error: { details: input[aside.item]?.json ?? {}, ...error } }),
	}));
	const [items = []] = await finish({ ...run, records: [], asides: named });
	if (isWired(context, STILL_RUNNING) !== false) return items;
	const lost = records.map(({ job: { job_id }, requesters }) => {
		const message = `Job ${job_id} was still running at the deadline, and nothing is connected to the output Still Running`;
		const advice =
			'Its callback did not arrive, or arrived too early. The job is not lost: Wait or Download gets its results at no extra cost.';
		const { json } = errorItem(inputError(context.getNode(), message, advice), 0);
		return { json, pairedItem: linkOf(requesters) };
	});
	return [...items, ...lost];
}

/**
 * The run that a callback resumed, and the job that the callback named; undefined for a new run. The stored
 * run is kept, because n8n may run the node again after an error.
 *
 * @throws NodeOperationError for a missing run, because starting over could be paid for twice
 */
export function wokenRun(context: IExecuteFunctions): { run: SuspendedRun; named?: string } | undefined {
	const { [MARKER_FIELD]: marker, [NAMED_FIELD]: named } = context.getInputData()[0]?.json ?? {};
	if (marker === undefined) return undefined;
	const read = suspendedRunFormat.read(context.getContext('node')[SUSPENDED_KEY]);
	if (read.kind === 'read' && marker === read.value.marker) {
		return { run: read.value, named: typeof named === 'string' ? named : undefined };
	}
	throw inputError(
		context.getNode(),
		read.kind === 'unreadable' ? read.reason : 'The run to resume is not in this execution',
		'Its jobs are not lost: Get Many lists them, and Wait gets their results.',
	);
}

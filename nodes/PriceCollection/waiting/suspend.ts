import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { newNonce } from '../callback/signature';
import { isAwaitedByCaller } from '../n8n/execution';
import { runAgainLater, SHORTEST_SUSPENSION_MS, suspend } from '../n8n/suspension';
import { hint } from '../n8n/hints';
import { errorItem } from '../n8n/items';
import { disabledNodeBehind, isWired } from '../n8n/wiring';
import { isOver } from '../service/meaning/jobState';
import { deliver } from '../delivery/deliver';
import { runningError } from '../delivery/overdue';
import { ticketItems } from '../delivery/tickets';
import { suspendedRunFormat } from '../run/formats';
import { allUnsent, linkOf, type JobRecord, type Run, type WaitingRun } from '../run/record';
import { CONNECT, forStorage, STILL_RUNNING_OUTPUT, storeLinks } from '../run/tickets';

/* Puts a run to sleep; `woken` wakes it. */

/** Key of a suspended run in the node's context, which n8n stores with the execution. */
export const SUSPENDED_KEY = 'priceCollectionRun';
/** Field of the resume item: the marker of the run. */
export const MARKER_FIELD = 'price_collection_resume';
/** Field of the resume item, set if a timer resumes the run instead of a callback. */
export const TIMER_FIELD = 'price_collection_timer';

/** Each round adds to the execution's data, so the interval is at least this share of the youngest job's age, … */
const INTERVAL_PER_AGE = 1 / 8;
/** … which counts up to this limit. */
const LONGEST_INTERVAL_MS = 15 * 60_000;

const NOT_OVER_NOTE =
	'The job was still running at the last check. Callbacks can arrive too early or get lost: use Wait to get the results.';
const NOT_RESUMED = `Nothing behind Still Running waits for the jobs. ${CONNECT}`;
const ONLY_CALLBACKS =
	'Only callbacks can wake this execution: if one gets lost, it sleeps until its deadline. Connect Still Running to a Price Collection node set to Wait, which checks the jobs as well.';

const CALLS_OTHER =
	'An earlier execution created these jobs, and the service will call that one. So this execution wakes up by itself from time to time to check them.';

const IN_SUB_WORKFLOW =
	'If Execute Sub-workflow runs once for each item, n8n continues with the first sub-workflow that ends and loses the rows of the others. Set its Mode to "Run once with all items".';

/** Returns a predicate: is a job not over, and does its callback go to another execution? */
const callsOther =
	(context: IExecuteFunctions) =>
	(record: JobRecord): boolean =>
		!isOver(record) && record.creation?.executionId !== context.getExecutionId();

/**
 * Suspends a run until a timer, after which the node behind Still Running continues it, or until the service calls back.
 * Callbacks get lost, so a wait for callbacks also ends after the interval if Still Running leads to a node that resumes
 * the jobs. If the callbacks go to another execution and no node would resume the jobs, this node itself runs again.
 *
 * A suspension cuts item links, so the output that belongs to no job travels with the jobs if a node resumes them.
 */
export async function suspendRun(
	run: WaitingRun,
	open: readonly JobRecord[],
	hasResumer: boolean,
): Promise<INodeExecutionData[][]> {
	const { context, client, records, unsent, choices, source, wait } = run;
	const isWebhook = wait.mode === 'webhook';
	const isUncalled = isWebhook && !hasResumer && open.some(callsOther(context));
	if (isUncalled) hint(context, CALLS_OTHER, 'info');
	else if (!hasResumer)
		hint(context, isWebhook ? ONLY_CALLBACKS : NOT_RESUMED, isWebhook ? 'info' : 'warning');
	if (isAwaitedByCaller(context)) hint(context, IN_SUB_WORKFLOW);
	const now = client.clock.now();
	const deadline = open.reduce((first, record) => Math.min(first, record.deadline), Infinity);
	const youngestAge = open.reduce((lowest, { since }) => Math.min(lowest, now - (since || now)), Infinity);
	const interval = Math.max(wait.intervalMs, Math.min(youngestAge * INTERVAL_PER_AGE, LONGEST_INTERVAL_MS));
	const wakeAt = isWebhook && !hasResumer && !isUncalled ? deadline : Math.min(deadline, now + interval);
	const until = Math.max(now + SHORTEST_SUSPENSION_MS, wakeAt);
	if (isWebhook) {
		const storedRecords = records.map((record) => forStorage(record));
		const state = { marker: newNonce(), choices, source, intervalMs: wait.intervalMs, unsent };
		context.getContext('node')[SUSPENDED_KEY] = suspendedRunFormat.write({
			...state,
			records: storedRecords,
		});
		const resumeItem = { [MARKER_FIELD]: state.marker, [TIMER_FIELD]: true };
		if (isUncalled && runAgainLater(context, resumeItem)) return await suspend(context, [], [], until);
	}
	// This node gives the jobs up only if their deadline has passed when it wakes.
	const isEnd = isWebhook && until >= deadline;
	const recordsWithUnsent = records.map((record, index) => {
		if (index > 0 || !hasResumer) return record;
		return { ...record, unsent: [...(record.unsent ?? []), ...unsent], wasUnsentOutput: false };
	});
	storeLinks(run, recordsWithUnsent);
	const tickets = ticketItems(run, recordsWithUnsent, isEnd, isWebhook ? NOT_OVER_NOTE : undefined);
	const finished = hasResumer ? [] : await finishedOutput(run);
	const running = disabledNodeBehind(context, STILL_RUNNING_OUTPUT) === undefined ? tickets : [];
	return await suspend(context, finished, running, until);
}

/**
 * The Finished output of a suspended run whose jobs no node resumes. None of our code runs after the suspension, so
 * nothing can fail or add hints then. n8n's item links are wrong by then, so error items include the fields of their input
 * item in `details`.
 */
async function finishedOutput(run: Run): Promise<INodeExecutionData[]> {
	const { context, records } = run;
	const input = run.input ?? context.getInputData();
	const detailed = allUnsent(run).map(({ error, ...unsentRequest }) => {
		const details = unsentRequest.source ? {} : (input[unsentRequest.item]?.json ?? {});
		return { ...unsentRequest, ...(error && { error: { details, ...error } }) };
	});
	const { outputs } = await deliver({ ...run, records: [], unsent: detailed });
	const [items = []] = outputs;
	if (isWired(context, STILL_RUNNING_OUTPUT) !== false) return items;
	const lostJobs = records.map((record) => ({
		...errorItem(runningError(run, record, true), 0),
		pairedItem: linkOf(record.requesters),
	}));
	return [...items, ...lostJobs];
}

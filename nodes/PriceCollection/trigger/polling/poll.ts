import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { serviceClient } from '../../n8n/client';
import { now } from '../../n8n/clock';
import { apiError, inputError } from '../../n8n/errors';
import { watchEmissions } from '../../n8n/internals';
import { writeState, type PollState } from '../../run/stored/pollingState';
import { leftOutText } from '../../service/jobList';
import { accountSample } from '../sample';
import { readSettings, triggerOf } from '../settings';
import { emitEndedJobs, newEnds, type EndedJobsRun } from './ends';
import { look } from './look';
import { accountOf, stateFor, storedState } from './memory';
import { FailuresInARow } from './patience';

/** An n8n that names no limit gives a poll five minutes; beyond half of that nothing new is begun. */
const USUAL_BUDGET_MS = 5 * 60_000;

function asItems(rows: IDataObject[]): INodeExecutionData[][] | null {
	return rows.length === 0 ? null : [rows.map((json) => ({ json }))];
}

/** Says so when new jobs can stand beyond what is read of the list. */
function cutError(context: IPollFunctions, read: number): Error {
	return inputError(
		context.getNode(),
		`Only ${read} jobs of the list can be read, and it does not begin with the newest`,
		'Jobs beyond that are not seen. Set Query Parameters in the options so that the service gives newer jobs only, or the newest first.',
	);
}

/** What one n8n process knows of a trigger between its polls. */
class Between {
	isPolling = false;

	readonly failures = new FailuresInARow();

	/** Complaints about a list that cannot be read whole. */
	readonly complaints = new FailuresInARow();

	/** Jobs whose ends the latest poll gave. */
	handedOver: readonly string[] = [];

	/** Those whose execution n8n could not store. */
	readonly unstored = new Set<string>();

	/** What n8n's log was last told of entries of the list that are no jobs. */
	odd: string | undefined;
}

/** A poll that was carried out. */
interface Polled {
	items: INodeExecutionData[][] | null;
	/** What is wrong although the poll worked. */
	complaint?: Error;
}

/** Names what the list holds besides jobs, once. */
function nameOdd(context: IPollFunctions, between: Between, odd: readonly string[]): void {
	const text = leftOutText(odd);
	if (text !== undefined && text !== between.odd) {
		context.logger.warn(`${context.getNode().name}: ${text}`);
	}
	between.odd = text;
}

async function pollOnce(
	context: IPollFunctions,
	stored: PollState | undefined,
	between: Between,
): Promise<Polled> {
	const started = now();
	const again = [...between.unstored];
	const settings = readSettings(context);
	const client = await serviceClient.call(context);
	const account = await accountOf(context, client);
	const known = stored?.account === account ? stored : undefined;
	const seen = await look(client, known, settings);
	if (!seen.ok) throw apiError(context.getNode(), seen.problem);
	const { jobs, cutAt, odd } = seen.value;
	nameOdd(context, between, odd);
	const state = stateFor(context, stored, account, jobs, settings.options.emitExisting === true);
	const ends = newEnds(state, seen.value, started, (message) => context.logger.warn(message));
	state.lookedAt = client.serviceTime(started) ?? started;
	// An n8n before 2.38 has no such method.
	const budget = context.getPollBudgetMs?.() ?? USUAL_BUDGET_MS;
	const run: EndedJobsRun = { client, settings, state, at: started, until: started + budget / 2 };
	const { rows, handedOver } = await emitEndedJobs(run, ends);
	writeState(context.getWorkflowStaticData('node'), state);
	for (const jobId of again) between.unstored.delete(jobId);
	between.handedOver = handedOver;
	return { items: asItems(rows), complaint: cutAt === undefined ? undefined : cutError(context, cutAt) };
}

/** Contexts of polls that this process has seen: n8n polls again with that of the activation. */
const seenContexts = new WeakSet<IPollFunctions>();

/** Whether n8n activates the workflow with this poll, which must not fail for a passing reason. */
function isActivation(context: IPollFunctions): boolean {
	const isNew = !seenContexts.has(context);
	seenContexts.add(context);
	// With durable poll cursors each poll has a context of its own, made for an "update".
	return isNew && context.getActivationMode() !== 'update';
}

/** One poll in production, as {@link pollOfProcess} says. */
async function poll(context: IPollFunctions, between: Between): Promise<INodeExecutionData[][] | null> {
	const activation = isActivation(context);
	const { failures, complaints, unstored } = between;
	if (failures.isWaiting(now())) return null;
	watchEmissions(context, () => {
		const { handedOver } = between;
		return () => handedOver.forEach((jobId) => unstored.add(jobId));
	});
	const { name } = context.getNode();
	const stored = storedState(context, unstored);
	const outcome = await pollOnce(context, stored, between).catch((error: Error) => error);
	if (outcome instanceof Error) {
		const { failure } = outcome as { failure?: { retryAfterMs?: number } };
		const isFirst = failures.note(now(), failure?.retryAfterMs);
		if (stored === undefined || !(isFirst || activation)) throw outcome;
		context.logger.warn(`${name}: a poll failed and is tried again: ${outcome.message}`);
		return null;
	}
	failures.end();
	const { items, complaint } = outcome;
	if (complaint === undefined) return items;
	// Ends that were found go out first; the complaint comes with the next poll that finds none.
	if (items === null && !complaints.isWaiting(now()) && !(activation && stored !== undefined)) {
		complaints.note(now());
		throw complaint;
	}
	context.logger.warn(`${name}: ${complaint.message}`);
	return items;
}

/**
 * The poll of the trigger, with what one process has to remember between polls: every end that no earlier poll has handed
 * over, the earliest first; null when there is none. n8n begins a poll although the one before is still downloading; both
 * would hand over the same ends, so the later one gives way. A click on the test button gives a sample.
 *
 * @throws NodeApiError with a cause that n8n's back-off understands when the service cannot be asked; not for the first
 * failure in a row, nor at the activation, of a trigger that has a memory: n8n would not register it
 */
export function pollOfProcess() {
	const triggers = new Map<string, Between>();
	return async function (this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		if (this.getMode() === 'manual') {
			return asItems(await accountSample(this, await serviceClient.call(this), readSettings(this)));
		}
		const between = triggers.get(triggerOf(this)) ?? new Between();
		triggers.set(triggerOf(this), between);
		if (between.isPolling) return null;
		between.isPolling = true;
		try {
			return await poll(this, between);
		} finally {
			between.isPolling = false;
		}
	};
}

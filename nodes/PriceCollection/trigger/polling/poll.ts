import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { serviceClient } from '../../n8n/client';
import { now } from '../../n8n/clock';
import { apiError, inputError } from '../../n8n/errors';
import { watchEmissions } from '../../n8n/internals';
import { pairsOf, textOf } from '../../n8n/parameters';
import type { PollState } from '../../run/stored/pollingState';
import { DEFAULT_PAGING } from '../../service/jobList';
import { accountSample } from '../sample';
import { readSettings, type TriggerSettings } from '../settings';
import { emitEndedJobs, newEnds, type EndedJobsRun } from './ends';
import { look, MOST_LISTED, type ListSettings } from './look';
import { accountOf, handedOverBy, keepState, stateFor, storedState, triggerOf } from './memory';
import type { FailedPolls } from './patience';

/** An n8n that names no limit gives a poll five minutes; beyond half of that nothing new is begun. */
const USUAL_BUDGET_MS = 5 * 60_000;

function listSettings({ options, timeoutMs }: TriggerSettings): ListSettings {
	return {
		query: pairsOf(options.queryParameters),
		paging: {
			pageParameter: textOf(options.pageParameter) || DEFAULT_PAGING.pageParameter,
			pageSizeParameter: textOf(options.pageSizeParameter) || DEFAULT_PAGING.pageSizeParameter,
		},
		timeoutMs,
	};
}

function asItems(rows: IDataObject[]): INodeExecutionData[][] | null {
	return rows.length === 0 ? null : [rows.map((json) => ({ json }))];
}

/** Says so when new jobs can stand beyond what is read of the list. */
function cutError(context: IPollFunctions): Error {
	return inputError(
		context.getNode(),
		`The list of jobs has more than ${MOST_LISTED} entries and does not begin with the newest`,
		'Jobs beyond that are not seen. Set Query Parameters in the options so that the service gives newer jobs only, or the newest first.',
	);
}

/** A poll that was carried out. */
interface Polled {
	items: INodeExecutionData[][] | null;
	/** What is wrong although the poll worked. */
	complaint?: Error;
}

async function pollOnce(context: IPollFunctions, stored: PollState | undefined): Promise<Polled> {
	const started = now();
	const settings = readSettings(context);
	const client = await serviceClient.call(context);
	const account = await accountOf(context, client);
	const known = stored?.account === account ? stored : undefined;
	const seen = await look(client, known, listSettings(settings));
	if (!seen.ok) throw apiError(context.getNode(), seen.problem);
	const serviceNow = client.serviceTime(started) ?? started;
	const emitExisting = settings.options.emitExisting === true;
	const state = stateFor(context, stored, account, seen.value.jobs, emitExisting);
	const ends = newEnds(state, seen.value, started, (message) => context.logger.warn(message));
	state.lookedAt = serviceNow;
	// An n8n before 2.38 has no such method.
	const budget = context.getPollBudgetMs?.() ?? USUAL_BUDGET_MS;
	const run: EndedJobsRun = { client, settings, state, at: started, until: started + budget / 2 };
	const { rows, handedOver } = await emitEndedJobs(run, ends);
	keepState(context, context.getWorkflowStaticData('node'), state, handedOver);
	return { items: asItems(rows), complaint: seen.value.isCut ? cutError(context) : undefined };
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

/**
 * One poll: every end that no earlier poll has handed over, the earliest first; null when there is none.
 *
 * @throws NodeApiError with a cause that n8n's back-off understands when the service cannot be asked; not for the first
 * failure in a row, nor at the activation, of a trigger that has a memory: n8n would not register it
 */
export async function poll(
	context: IPollFunctions,
	failedPolls: FailedPolls,
): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') {
		const client = await serviceClient.call(context);
		const at = new Date(now()).toISOString();
		return asItems(await accountSample(context, client, readSettings(context), at));
	}
	const trigger = triggerOf(context);
	const activation = isActivation(context);
	if (failedPolls.isWaiting(trigger, now())) return null;
	watchEmissions(context, () => handedOverBy.get(trigger)?.());
	const stored = storedState(context, context.getWorkflowStaticData('node'));
	const outcome = await pollOnce(context, stored).catch((error: Error) => error);
	if (outcome instanceof Error) {
		const { failure } = outcome as { failure?: { retryAfterMs?: number } };
		const isFirst = failedPolls.fail(trigger, now(), failure?.retryAfterMs);
		if (stored === undefined || !(isFirst || activation)) throw outcome;
		context.logger.warn(
			`${context.getNode().name}: a poll failed and is tried again: ${outcome.message}`,
		);
		return null;
	}
	failedPolls.succeed(trigger);
	const { items, complaint } = outcome;
	if (complaint === undefined) return items;
	const cut = `${trigger}\ncut`;
	const isDueAgain = !failedPolls.isWaiting(cut, now());
	// Ends that were found go out first; the complaint comes with the next poll that finds none.
	if (items === null && isDueAgain && !(activation && stored !== undefined)) {
		failedPolls.fail(cut, now());
		throw complaint;
	}
	context.logger.warn(`${context.getNode().name}: ${complaint.message}`);
	return items;
}

import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { POLLING_OUTPUTS } from '../../descriptions/triggerFields';
import { serviceClient } from '../../n8n/client';
import { now } from '../../n8n/clock';
import { apiError, inputError } from '../../n8n/errors';
import { watchEmissions } from '../../n8n/internals';
import { RUN } from '../../n8n/parameters';
import { readSettings, triggerOf } from '../items';
import { accountSample } from '../sample';
import { emitEndedJobs, newlyEndedJobs } from './ends';
import { look } from './look';
import {
	accountInState,
	failedAgain,
	isDue,
	nextState,
	readState,
	writeState,
	type OpenJob,
	type PollState,
} from './pollingState';

/** An n8n that names no limit gives a poll five minutes; beyond half of that nothing new is begun. */
const USUAL_BUDGET_MS = 5 * 60_000;

const IF_UNREADABLE =
	'Update the package, or replace this trigger by a new one, which starts with the next job that ends.';

/** What one n8n process knows of a trigger between its polls. */
interface PollingProcess {
	isPolling: boolean;
	/** Polls that fail in a row. */
	failing: OpenJob;
	/** Jobs whose ends the latest poll gave. */
	handedOver: readonly string[];
	/** Those whose execution n8n could not store. */
	readonly unstored: Set<string>;
}

function asItems(rows: IDataObject[]): INodeExecutionData[][] | null {
	return rows.length === 0 ? null : [rows.map((json) => ({ json }))];
}

/** Looks at the jobs, finds the ends that are new, makes their items, remembers. */
async function pollOnce(context: IPollFunctions, stored: PollState | undefined, process: PollingProcess) {
	const started = now();
	const again = [...process.unstored];
	const settings = readSettings(context, POLLING_OUTPUTS);
	const client = await serviceClient.call(context);
	const account = accountInState(client.dialect);
	const seen = await look(client, stored?.account === account ? stored : undefined, settings);
	if (!seen.ok) throw apiError(context.getNode(), seen.problem);
	const at = client.serviceTime(started) ?? started;
	const emitExisting = settings.fields.flag('options.emitExisting', RUN, false);
	const state = nextState(stored, account, seen.value, { emitExisting, at });
	const ends = newlyEndedJobs(state, seen.value, started, (message) => context.logger.warn(message));
	state.lookedAt = at;
	// An n8n before 2.38 has no such method.
	const until = started + (context.getPollBudgetMs?.() ?? USUAL_BUDGET_MS) / 2;
	const { rows, handedOver } = await emitEndedJobs(client, settings, state, ends, { at: started, until });
	writeState(context.getWorkflowStaticData('node'), state);
	for (const jobId of again) process.unstored.delete(jobId);
	process.handedOver = handedOver;
	const { cutAt } = seen.value;
	if (cutAt === undefined || rows.length > 0) return asItems(rows);
	throw inputError(
		context.getNode(),
		`Only ${cutAt} jobs of the list can be read, and it does not begin with the newest`,
		'Jobs beyond that are not seen. Set Query Parameters in the options so that the service returns only newer jobs, or the newest first.',
	);
}

/** One poll in production, as {@link pollOfProcess} says. */
async function poll(context: IPollFunctions, process: PollingProcess) {
	if (!isDue(process.failing, now())) return null;
	watchEmissions(context, () => {
		const { handedOver } = process;
		return () => handedOver.forEach((jobId) => process.unstored.add(jobId));
	});
	const read = readState(context.getWorkflowStaticData('node'), process.unstored);
	// Beginning anew would lose ends, or give them out twice.
	if (read.kind === 'unreadable') throw inputError(context.getNode(), read.reason, IF_UNREADABLE);
	const stored = read.kind === 'read' ? read.value : undefined;
	const outcome = await pollOnce(context, stored, process).catch((error: Error) => error);
	const { failing } = process;
	process.failing = {};
	if (!(outcome instanceof Error)) return outcome;
	if (stored === undefined) throw outcome;
	const { failure } = outcome as { failure?: { retryAfterMs?: number } };
	process.failing = failedAgain(failing, now(), failure?.retryAfterMs);
	if (failing.failingSince !== undefined) throw outcome;
	context.logger.warn(`${context.getNode().name}: a poll failed and is tried again: ${outcome.message}`);
	return null;
}

/**
 * The poll of the trigger, with what one process has to remember between polls: every end that no earlier poll has handed
 * over, the earliest first; null when there is none. n8n begins a poll although the one before is still downloading; both
 * would hand over the same ends, so the later one gives way. A click on the test button gives a sample.
 *
 * @throws NodeApiError with a cause that n8n's back-off understands when the service cannot be asked; not for the first
 * failure in a row of a trigger that has a state: n8n would not register it when it starts during an outage
 */
export function pollOfProcess() {
	const triggers = new Map<string, PollingProcess>();
	return async function (this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		if (this.getMode() === 'manual') {
			const settings = readSettings(this, POLLING_OUTPUTS);
			return asItems(await accountSample(this, await serviceClient.call(this), settings));
		}
		const fresh = { isPolling: false, failing: {}, handedOver: [], unstored: new Set<string>() };
		const process: PollingProcess = triggers.get(triggerOf(this)) ?? fresh;
		triggers.set(triggerOf(this), process);
		if (process.isPolling) return null;
		process.isPolling = true;
		return await poll(this, process).finally(() => (process.isPolling = false));
	};
}

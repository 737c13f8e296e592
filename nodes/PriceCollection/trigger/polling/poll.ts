import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { POLLING_OUTPUTS } from '../../descriptions/results';
import { serviceClient } from '../../n8n/client';
import { now } from '../../n8n/clock';
import { apiError, inputError } from '../../n8n/errors';
import { watchEmissions } from '../../n8n/execution';
import { RUN } from '../../n8n/parameters';
import { accountSample, readSettings, triggerOf, warnOfUnknownStatus } from '../items';
import { emitEndedJobs, look, newlyEndedJobs, stateFor } from './ends';
import { failedAgain, isDue, readState, writeState, type OpenJob, type PollState } from './pollingState';

/** n8n's usual limit for a poll is five minutes; nothing new is started after half of it. */
const USUAL_BUDGET_MS = 5 * 60_000;

/** What one n8n process remembers of a trigger between its polls. */
interface PollingProcess {
	isPolling: boolean;
	/** Consecutive failures of polls. */
	failing: OpenJob;
	/** Jobs whose ends the latest poll output. */
	handedOver: readonly string[];
	/** Those whose execution n8n could not store. */
	readonly unstored: Set<string>;
}

function asItems(rows: IDataObject[]): INodeExecutionData[][] | null {
	return rows.length === 0 ? null : [rows.map((json) => ({ json }))];
}

async function pollOnce(context: IPollFunctions, stored: PollState | undefined, process: PollingProcess) {
	const started = now();
	const node = context.getNode();
	const again = [...process.unstored];
	const settings = readSettings(context, POLLING_OUTPUTS);
	const client = await serviceClient.call(context);
	const { account } = client.connection;
	// n8n before 2.38 does not have this method.
	const until = started + (context.getPollBudgetMs?.() ?? USUAL_BUDGET_MS) / 2;
	const seen = await look(client, stored?.account === account ? stored : undefined, settings, until);
	if (!seen.ok) throw apiError(node, seen.problem);
	const { cutAt } = seen.value;
	if (cutAt !== undefined) {
		const message = `Only ${cutAt} jobs of the list can be read, and it does not begin with the newest`;
		const advice =
			'Set Query Parameters in the options so that the service returns only newer jobs, or the newest first.';
		throw inputError(node, message, `Jobs beyond that are not seen, so no end was output. ${advice}`);
	}
	const emitExisting = settings.fields.flag('options.emitExisting', RUN, false);
	const at = client.serviceTime(started) ?? started;
	const state = stateFor(stored, account, seen.value, { emitExisting, at, endOf: client.endOf });
	warnOfUnknownStatus(context, client, seen.value.jobs);
	const ends = newlyEndedJobs(client, state, seen.value, started, (message) =>
		context.logger.warn(message),
	);
	const { rows, handedOver } = await emitEndedJobs(client, settings, state, ends, { at: started, until });
	writeState(context.getWorkflowStaticData('node'), state);
	for (const jobId of again) process.unstored.delete(jobId);
	process.handedOver = handedOver;
	return asItems(rows);
}

async function poll(context: IPollFunctions, process: PollingProcess) {
	if (!isDue(process.failing, now())) return null;
	watchEmissions(context, () => {
		const { handedOver } = process;
		return () => handedOver.forEach((jobId) => process.unstored.add(jobId));
	});
	const read = readState(context.getWorkflowStaticData('node'), process.unstored);
	// A fresh state would lose ends or output them twice.
	if (read.kind === 'unreadable') {
		const advice = 'Update the package, or replace this trigger by a new one';
		const starts = 'which starts with the next job that ends.';
		throw inputError(context.getNode(), read.reason, `${advice}, ${starts}`);
	}
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
 * Returns the trigger's poll function with the memory of one process. It outputs every end that no earlier
 * poll output, earliest first, or null. n8n may start a poll while the previous one is downloading; the later
 * one returns null, because both would output the same ends. The test button outputs a sample.
 *
 * @throws NodeApiError with a cause for n8n's back-off when the service cannot be reached; not on the first
 * of consecutive failures if there is a state, because n8n could not start the trigger during an outage
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

import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { POLLING_OUTPUTS } from '../../descriptions/results';
import { serviceClient } from '../../n8n/client';
import { now } from '../../n8n/clock';
import { apiError, inputError } from '../../n8n/errors';
import { watchEmissions } from '../../n8n/execution';
import { RUN } from '../../n8n/parameters';
import { triggerMemory } from '../../n8n/triggerMemory';
import type { Job } from '../../service/types';
import { accountSample, readSettings, triggerOf, warnOfUnknownStatus } from '../items';
import { handOver } from './handOver';
import {
	failedAgain,
	hasFailedFor,
	isDue,
	newState,
	queueAgain,
	readState,
	storedState,
	type PollState,
	type Tries,
} from './pollingState';
import { readJobs, stateOfAccount } from './readJobs';

/** n8n's usual limit for a poll is five minutes; nothing new is started after half of it. */
const USUAL_BUDGET_MS = 5 * 60_000;
/** After polls have failed for so long, the list is read from its beginning again, wherever reading it stopped. */
const STUCK_MS = 10 * 60_000;

/** What one n8n process remembers of a trigger between its polls. */
interface PollingProcess {
	isPolling: boolean;
	/** Consecutive failures of polls. */
	failing: Tries;
	/** Jobs whose ends the latest poll output. */
	handedOver: readonly Job[];
	/** Those whose execution n8n could not store. */
	readonly unstored: Map<string, Job>;
}

function asItems(rows: IDataObject[]): INodeExecutionData[][] | null {
	return rows.length === 0 ? null : [rows.map((json) => ({ json }))];
}

/** @param stored the state of the previous poll; absent before the first */
async function pollOnce(context: IPollFunctions, stored: PollState | undefined, process: PollingProcess) {
	const started = now();
	const node = context.getNode();
	const again = [...process.unstored.values()];
	const settings = readSettings(context, POLLING_OUTPUTS);
	const client = await serviceClient.call(context);
	const { account } = client.connection;
	// n8n before 2.38 does not have this method. A quarter is for the list, another for the results.
	const share = (context.getPollBudgetMs?.() ?? USUAL_BUDGET_MS) / 4;
	const isFirst = !settings.fields.flag('options.emitExisting', RUN, false);
	const fresh = { ...newState(account), reading: { isSorted: true, missing: 0, isFirst } };
	const state = stored === undefined ? fresh : stateOfAccount(stored, account, started);
	queueAgain(state, again);
	const isStuck = hasFailedFor(STUCK_MS, process.failing, started);
	const warn = (message: string) => context.logger.warn(`${node.name}: ${message}`);
	const read = await readJobs(state, { client, settings, started, until: started + share, isStuck, warn });
	const write = () => triggerMemory(context).write(storedState(state, now()));
	if (!read.ok) {
		// Without a state, n8n has not started the trigger. Otherwise the next poll goes on here.
		if (stored !== undefined) write();
		throw apiError(node, read.problem);
	}
	const { cutAt, statuses } = read.value;
	if (cutAt !== undefined) {
		const message = `Only ${cutAt} jobs of the list can be read, although it says that there are more`;
		const advice =
			'Check how the list is paged (Pagination in the options, or in the credential under Customize Service).';
		throw inputError(node, message, `Jobs beyond that are not seen, so no end was output. ${advice}`);
	}
	warnOfUnknownStatus(context, client, [...statuses.values()]);
	const until = Math.max(started + 2 * share, now() + share);
	const { rows, handedOver } = await handOver(client, settings, state, { at: started, until });
	write();
	for (const { job_id: jobId } of again) process.unstored.delete(jobId);
	process.handedOver = handedOver;
	return asItems(rows);
}

async function poll(context: IPollFunctions, process: PollingProcess) {
	if (!isDue(process.failing, now())) return null;
	watchEmissions(context, () => {
		const { handedOver } = process;
		return () => handedOver.forEach((job) => process.unstored.set(job.job_id, job));
	});
	const read = readState(triggerMemory(context).read());
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
		const fresh = { isPolling: false, failing: {}, handedOver: [], unstored: new Map<string, Job>() };
		const process: PollingProcess = triggers.get(triggerOf(this)) ?? fresh;
		triggers.set(triggerOf(this), process);
		if (process.isPolling) return null;
		process.isPolling = true;
		return await poll(this, process).finally(() => (process.isPolling = false));
	};
}

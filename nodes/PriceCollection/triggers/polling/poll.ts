import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { POLLING_OUTPUTS } from '../../descriptions/results';
import { serviceClient } from '../../n8n/client';
import { now } from '../../n8n/clock';
import { apiError, operationError } from '../../n8n/errors';
import { watchEmissions } from '../../n8n/emissions';
import { RUN } from '../../n8n/nodeFields';
import { triggerMemory } from '../../n8n/triggerMemory';
import type { Job } from '../../service/types';
import { accountSample } from '../sample';
import { readSettings, triggerOf, warnOfUnknownStatus } from '../settings';
import { dropUnwanted, handOver } from './handOver';
import {
	failedAgain,
	hasFailedFor,
	isDue,
	limitState,
	newState,
	queueAgain,
	readState,
	storedState,
	type PollState,
	type Tries,
} from './pollingState';
import { readJobs, stateOfAccount } from './readJobs';

/** n8n's usual time limit for a poll. */
const USUAL_BUDGET_MS = 5 * 60_000;
/** If polls have failed for this long, and the list fails again, reading starts again at its first page. */
const STUCK_MS = 10 * 60_000;

/** What one n8n process remembers about a trigger between polls. */
interface ProcessMemory {
	isPolling: boolean;
	/** Consecutive failed polls. */
	failing: Tries;
	/** Jobs whose ends the latest poll handed over. */
	handedOver: readonly Job[];
	/** Jobs handed over in an execution that n8n could not store. */
	readonly unstored: Map<string, Job>;
}

function asItems(rows: IDataObject[]): INodeExecutionData[][] | null {
	return rows.length === 0 ? null : [rows.map((json) => ({ json }))];
}

/** @param stored the state after the previous poll; undefined before the first one */
async function pollOnce(context: IPollFunctions, stored: PollState | undefined, memory: ProcessMemory) {
	const startedAt = now();
	const node = context.getNode();
	const unstored = [...memory.unstored.values()];
	const settings = readSettings(context, POLLING_OUTPUTS);
	const client = await serviceClient.call(context);
	const { account } = client.connection;
	// The list gets a quarter of the poll's time and the results another. n8n before 2.38 lacks this method.
	const shareMs = (context.getPollBudgetMs?.() ?? USUAL_BUDGET_MS) / 4;
	const isFirst = !settings.fields.flag('options.emitExisting', RUN, false);
	const fresh = { ...newState(account), reading: { isSorted: true, missing: 0, isFirst } };
	const state = stored === undefined ? fresh : stateOfAccount(stored, account, startedAt);
	queueAgain(state, unstored);
	const isStuck = hasFailedFor(STUCK_MS, memory.failing, startedAt);
	const warn = (message: string) => context.logger.warn(`${node.name}: ${message}`);
	const until = startedAt + shareMs;
	const read = await readJobs(state, { client, settings, startedAt, until, isStuck, warn });
	const write = () => {
		limitState(state, now());
		triggerMemory(context).write(storedState(state));
	};
	if (!read.ok) {
		// Without a stored state, n8n has not started the trigger yet. Otherwise the next poll continues from here.
		if (stored !== undefined) write();
		throw apiError(node, read.problem);
	}
	const { cutAt, statuses } = read.value;
	if (cutAt !== undefined) {
		const message = `Only ${cutAt} jobs of the list can be read, although it says that there are more`;
		const advice = 'Check how the list is paged (Pagination in the credential, under Customize Service).';
		throw operationError(
			node,
			message,
			`The trigger cannot see the other jobs, so this poll output nothing. ${advice}`,
		);
	}
	warnOfUnknownStatus(context, client, [...statuses.values()]);
	dropUnwanted(client, settings, state);
	const { rows, handedOver } = await handOver(client, settings, state, {
		now: startedAt,
		until: Math.max(startedAt + 2 * shareMs, now() + shareMs),
	});
	write();
	for (const { job_id: jobId } of unstored) memory.unstored.delete(jobId);
	memory.handedOver = handedOver;
	return asItems(rows);
}

async function poll(context: IPollFunctions, memory: ProcessMemory) {
	if (!isDue(memory.failing, now())) return null;
	watchEmissions(context, () => {
		const { handedOver } = memory;
		return () => handedOver.forEach((job) => memory.unstored.set(job.job_id, job));
	});
	const read = readState(triggerMemory(context).read());
	// A new state would lose ends or output them twice.
	if (read.kind === 'unreadable') {
		const advice = 'Update the package, or replace this trigger with a new one';
		const effect = 'which starts with the next job that ends.';
		throw operationError(context.getNode(), read.reason, `${advice}, ${effect}`);
	}
	const stored = read.kind === 'read' ? read.value : undefined;
	const outcome = await pollOnce(context, stored, memory).catch((error: Error) => error);
	const { failing } = memory;
	memory.failing = {};
	if (!(outcome instanceof Error)) return outcome;
	if (stored === undefined) throw outcome;
	const { failure } = outcome as { failure?: { retryAfterMs?: number } };
	memory.failing = failedAgain(failing, now(), failure?.retryAfterMs);
	if (failing.failingSince !== undefined) throw outcome;
	context.logger.warn(`${context.getNode().name}: a poll failed and will be repeated: ${outcome.message}`);
	return null;
}

/**
 * Returns the trigger's poll function, with one process's memory. A poll returns the ends that no earlier poll returned,
 * earliest first, or null. n8n may start a poll while the previous one is downloading; the later one returns null, because
 * both would return the same ends. The test button returns a sample.
 *
 * The poll function throws a NodeApiError with a cause for n8n's back-off if the service cannot be reached. If a state is
 * stored, it only logs the first of consecutive failures, so that n8n can start the trigger during an outage.
 */
export function pollOfProcess() {
	const triggers = new Map<string, ProcessMemory>();
	return async function (this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		if (this.getMode() === 'manual') {
			const settings = readSettings(this, POLLING_OUTPUTS);
			return asItems(await accountSample(this, await serviceClient.call(this), settings));
		}
		const fresh = { isPolling: false, failing: {}, handedOver: [], unstored: new Map<string, Job>() };
		const memory: ProcessMemory = triggers.get(triggerOf(this)) ?? fresh;
		triggers.set(triggerOf(this), memory);
		if (memory.isPolling) return null;
		memory.isPolling = true;
		return await poll(this, memory).finally(() => (memory.isPolling = false));
	};
}

import type { IExecuteFunctions } from 'n8n-workflow';

import { RecentMap } from '../../n8n/memory';
import { triggerOf } from '../settings';

/** How many jobs n8n stores per trigger, at 27 bytes each. Each write stores all of them again. */
const MAX_STORED = 2_000;
/** How many jobs this process remembers, so that repeated calls do not start executions. */
const MAX_IN_MEMORY = 20_000;
/** Key in the node's context for the job that this execution has recorded, so that Retry On Fail still handles it. */
const STARTED_KEY = 'priceCollectionStarted';

/**
 * Returns a function that records a job and returns whether it was new. n8n's store reads, adds and writes without a lock,
 * so a process makes one call at a time per trigger, and collects further jobs for the next call. With one job per call,
 * thousands of executions piled up when the database was slow.
 *
 * The function's parameter `record` stores jobs and returns those that were new to the store.
 */
export function recordingInTurns() {
	const collecting = new Map<string, Set<string>>();
	const calls = new Map<string, Promise<ReadonlySet<string>>>();
	return async (trigger: string, jobId: string, record: (jobIds: string[]) => Promise<string[]>) => {
		const jobIds = collecting.get(trigger) ?? new Set();
		if (!collecting.has(trigger)) {
			collecting.set(trigger, jobIds);
			const send = async () => {
				collecting.delete(trigger);
				return new Set(await record([...jobIds]));
			};
			calls.set(trigger, Promise.resolve(calls.get(trigger)).then(send, send));
		}
		if (jobIds.has(jobId)) return false;
		jobIds.add(jobId);
		return (await calls.get(trigger))?.has(jobId) === true;
	};
}

/**
 * The jobs that have started a workflow. They are recorded in n8n's store of processed items, which its Remove Duplicates
 * node also uses. Only executions can access that store.
 */
export class StartedJobs {
	/** Jobs that this process has recorded, by trigger and job. */
	private readonly inMemory = new RecentMap<string, true>(MAX_IN_MEMORY);
	private readonly recordOnce = recordingInTurns();

	/** Whether a job has certainly started the workflow: an execution in this process has recorded it. */
	has(trigger: string, jobId: string): boolean {
		return this.inMemory.has(`${trigger}\n${jobId}`);
	}

	/**
	 * Records that an execution starts the workflow for a job.
	 *
	 * @returns whether it is the first one; true if the store fails, because a repeated end is better than a lost one
	 */
	async record(context: IExecuteFunctions, jobId: string): Promise<boolean> {
		const nodeContext = context.getContext('node');
		if (nodeContext[STARTED_KEY] === jobId) return true;
		const trigger = triggerOf(context);
		const options = { mode: 'entries', maxEntries: MAX_STORED } as const;
		const record = async (jobIds: string[]) => {
			const outcome = await context.helpers.checkProcessedAndRecord(jobIds, 'node', options);
			return outcome.new.map(String);
		};
		try {
			const isNew = await this.recordOnce(trigger, jobId, record);
			this.inMemory.set(`${trigger}\n${jobId}`, true);
			if (isNew) nodeContext[STARTED_KEY] = jobId;
			return isNew;
		} catch (error) {
			context.logger.warn(
				`${context.getNode().name}: n8n could not tell whether job ${jobId} has already started the workflow, so it starts now: ${String(error)}`,
			);
			return true;
		}
	}
}

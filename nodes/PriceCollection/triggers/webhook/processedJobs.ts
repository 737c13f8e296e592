import type { IExecuteFunctions } from 'n8n-workflow';

import { RecentMap } from '../../n8n/memory';
import { triggerOf } from '../items';

/** Jobs that n8n remembers per trigger, 27 bytes each. Each write writes all of them. */
const MOST_REMEMBERED = 2_000;
/** Jobs that this process remembers, so that repeated calls start no execution. */
const MOST_HERE = 20_000;
/** Key in the context of the node: set once this execution has recorded its job, also for Retry On Fail. */
const STARTED_KEY = 'priceCollectionStarted';

/**
 * Returns a function that records a job and tells whether it was new. n8n's store reads, adds and writes
 * without a lock, so each process makes one call at a time per trigger and collects further jobs for the next
 * call: one job per call let thousands of executions pile up where the database was slow. `record` returns the
 * jobs that were not in the store.
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
 * The jobs that have started a workflow. n8n's store of processed items knows them, the one of its Remove
 * Duplicates node, which only executions can ask.
 */
export class StartedJobs {
	private readonly here = new RecentMap<string, true>(MOST_HERE);
	private readonly isFirst = recordingInTurns();

	/** Whether it is certain that a job has started the workflow: an execution of this process has recorded it. */
	has(trigger: string, jobId: string): boolean {
		return this.here.has(`${trigger}\n${jobId}`);
	}

	/**
	 * Records that an execution starts the workflow for a job, and tells whether it is the first one. Without the
	 * store it counts as the first: a repeated end is better than a lost one.
	 */
	async record(context: IExecuteFunctions, jobId: string): Promise<boolean> {
		const kept = context.getContext('node');
		if (kept[STARTED_KEY] === jobId) return true;
		const trigger = triggerOf(context);
		const options = { mode: 'entries', maxEntries: MOST_REMEMBERED } as const;
		const record = async (jobIds: string[]) => {
			const outcome = await context.helpers.checkProcessedAndRecord(jobIds, 'node', options);
			return outcome.new.map(String);
		};
		try {
			const isNew = await this.isFirst(trigger, jobId, record);
			this.here.set(`${trigger}\n${jobId}`, true);
			if (isNew) kept[STARTED_KEY] = jobId;
			return isNew;
		} catch (error) {
			context.logger.warn(
				`${context.getNode().name}: n8n could not tell whether job ${jobId} started the workflow before, so it starts it: ${String(error)}`,
			);
			return true;
		}
	}
}

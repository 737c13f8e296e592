import type { IExecuteFunctions } from 'n8n-workflow';

import { RecentMap } from '../../n8n/memory';
import { triggerOf } from '../items';

/** Jobs that n8n remembers per trigger, 27 bytes each. Each write writes all of them. */
const MOST_REMEMBERED = 2_000;
/** Jobs that this process remembers, so that repeated calls start no execution. */
const MOST_HERE = 20_000;
/** Key in the context of the node: set once this execution has recorded its job, also for Retry On Fail. */
const STARTED_KEY = 'priceCollectionStarted';

/** Runs the tasks of a trigger one after the other: n8n's store reads, adds and writes without a lock. */
export function inTurns() {
	const last = new Map<string, Promise<unknown>>();
	return async <T>(trigger: string, task: () => Promise<T>): Promise<T> => {
		const turn = Promise.resolve(last.get(trigger)).then(task, task);
		last.set(trigger, turn);
		return await turn;
	};
}

/**
 * The jobs that have started a workflow. n8n's store of processed items knows them, the one of its Remove
 * Duplicates node, which only executions can ask.
 */
export class StartedJobs {
	private readonly here = new RecentMap<string, true>(MOST_HERE);
	private readonly inTurn = inTurns();

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
		const record = async () => await context.helpers.checkProcessedAndRecord([jobId], 'node', options);
		try {
			const isNew = (await this.inTurn(trigger, record)).new.length > 0;
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

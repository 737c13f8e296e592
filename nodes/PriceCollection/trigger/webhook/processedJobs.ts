import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { Parameters } from '../../n8n/parameters';
import { ignoresDuplicates, triggerOf } from '../items';
import { ANSWERS } from './answers';
import type { EndsInProgress } from './endsInProgress';

/** Jobs that n8n remembers per trigger, 27 bytes each. Each write writes all of them. */
const MOST_REMEMBERED = 2_000;

/** Records jobs and returns those that were not recorded before. */
type RecordJobs = (jobIds: string[]) => Promise<readonly string[]>;

/** Jobs that are recorded together. */
interface Batch {
	jobIds: Set<string>;
	isSent: boolean;
	/** Those that were not in the store. */
	fresh: Promise<ReadonlySet<string>>;
}

/**
 * Asks n8n's own store, which the Remove Duplicates node uses, which jobs have started the workflow. The
 * store reads, adds and writes without a lock, so each process makes one call at a time per trigger and
 * collects further jobs for the next call.
 */
export class ProcessedJobs {
	private readonly batches = new Map<string, Batch>();

	/** Whether a job is new, and records it. Rejects when `record` does. */
	async isFirst(trigger: string, jobId: string, record: RecordJobs): Promise<boolean> {
		const latest = this.batches.get(trigger);
		const batch = latest === undefined || latest.isSent ? this.begin(trigger, latest, record) : latest;
		if (batch.jobIds.has(jobId)) return false;
		batch.jobIds.add(jobId);
		return (await batch.fresh).has(jobId);
	}

	private begin(trigger: string, before: Batch | undefined, record: RecordJobs): Batch {
		const jobIds = new Set<string>();
		const send = async () => {
			batch.isSent = true;
			return new Set(await record([...jobIds]));
		};
		const fresh = Promise.resolve(before?.fresh).then(send, send);
		const batch: Batch = { jobIds, isSent: false, fresh };
		this.batches.set(trigger, batch);
		return batch;
	}
}

/**
 * The first step of an execution that a call started: passes its items on, or none if the job has started the
 * workflow before. Without the store the items pass: a repeated end is better than a lost one.
 */
export function startOnce(processed: ProcessedJobs, ends: EndsInProgress) {
	return async function (this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = this.getInputData();
		const jobId = items[0]?.json.job_id;
		// Test runs and manual retries always run.
		const isCall = this.getMode() === 'webhook';
		const isOnce = isCall && ignoresDuplicates(new Parameters(this));
		if (!isOnce || typeof jobId !== 'string') return [items];
		ends.executionsRunHere = true;
		const options = { mode: 'entries', maxEntries: MOST_REMEMBERED } as const;
		const record = async (jobIds: string[]) => {
			const outcome = await this.helpers.checkProcessedAndRecord(jobIds, 'node', options);
			return outcome.new.map(String);
		};
		try {
			const trigger = triggerOf(this);
			const isFirst = await processed.isFirst(trigger, jobId, record);
			ends.find(trigger, jobId)?.settle(ANSWERS.duplicate);
			return [isFirst ? items : []];
		} catch (error) {
			// The caller has no answer yet: a closed store means that n8n is stopping.
			this.logger.warn(
				`${this.getNode().name}: n8n could not tell whether job ${jobId} started the workflow before, so it starts it: ${String(error)}`,
			);
			return [items];
		}
	};
}

import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { Parameters } from '../../n8n/parameters';
import { ignoresDuplicates, triggerOf } from '../items';
import { ANSWERS } from './answers';
import type { EndsInProgress } from './endsInProgress';

/** Jobs that n8n remembers for a trigger, 27 bytes each. Each write writes them all. */
const MOST_REMEMBERED = 2_000;

/** Records jobs and gives those of them that were not recorded before. */
type RecordJobs = (jobIds: string[]) => Promise<readonly string[]>;

/** Jobs that are recorded together. */
interface Batch {
	jobIds: Set<string>;
	isSent: boolean;
	/** Those that the store did not know. */
	fresh: Promise<ReadonlySet<string>>;
}

/**
 * Asks n8n's own store, that of its Remove Duplicates node, which jobs have started the workflow. The store reads all,
 * adds, and writes all, with no lock: so in one process one call is made at a time for a trigger, and jobs that come
 * meanwhile go into the next one together.
 */
export class ProcessedJobs {
	/** The latest batch of each trigger. */
	private readonly batches = new Map<string, Batch>();

	/** Whether this job comes for the first time; from now on it does not. Rejects where `record` does. */
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
 * What n8n runs at the start of an execution that a call has begun: hands its items on, or none where the job has started
 * the workflow before. Where the store cannot be asked the items go on: at worst the end comes twice.
 */
export function startOnce(processed: ProcessedJobs, ends: EndsInProgress) {
	return async function (this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = this.getInputData();
		const jobId = items[0]?.json.job_id;
		// Somebody who tries the trigger out, or retries an execution by hand, wants it to run.
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
			// The caller is not told yet: a store that is closed means that n8n is about to stop.
			this.logger.warn(
				`${this.getNode().name}: n8n could not tell whether job ${jobId} started the workflow before, so it starts it: ${String(error)}`,
			);
			return [items];
		}
	};
}

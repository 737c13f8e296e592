import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { collectionOf } from '../../n8n/parameters';
import { triggerOf } from '../settings';

/** Jobs that n8n remembers for a trigger, 27 bytes each. Each write writes them all. */
const MOST_REMEMBERED = 2_000;

/** Records jobs and gives those of them that were not recorded before. */
type RecordJobs = (jobIds: string[]) => Promise<readonly string[]>;

/** Jobs that are recorded together, and what came of it. */
interface Batch {
	jobIds: Set<string>;
	fresh: Promise<ReadonlySet<string>>;
}

/**
 * Asks n8n's own store, that of its Remove Duplicates node, which ends have started the workflow. The store reads all,
 * adds, and writes all, with no lock: so in one process one call is made at a time for a trigger, and ends that come
 * meanwhile go into the next one together.
 */
export class HandledEnds {
	/** The latest batch of each trigger, done or under way. */
	private readonly latest = new Map<string, Promise<unknown>>();

	/** Batches whose call is still to come. */
	private readonly waiting = new Map<string, Batch>();

	/** Whether the end of this job comes for the first time; from now on it does not. */
	async isFirst(trigger: string, jobId: string, record: RecordJobs): Promise<boolean> {
		const { jobIds, fresh } = this.waiting.get(trigger) ?? this.begin(trigger, record);
		if (jobIds.has(jobId)) return false;
		jobIds.add(jobId);
		return (await fresh).has(jobId);
	}

	private begin(trigger: string, record: RecordJobs): Batch {
		const jobIds = new Set<string>();
		const call = async () => {
			this.waiting.delete(trigger);
			return new Set(await record([...jobIds]));
		};
		const batch = { jobIds, fresh: (this.latest.get(trigger) ?? Promise.resolve()).then(call) };
		this.waiting.set(trigger, batch);
		this.latest.set(trigger, batch.fresh);
		return batch;
	}
}

/** Records ends in n8n's store. One that cannot be asked about counts as new: at worst it comes twice. */
async function recordIn(context: IExecuteFunctions, jobIds: string[]): Promise<readonly string[]> {
	const options = { mode: 'entries', maxEntries: MOST_REMEMBERED } as const;
	try {
		const outcome = await context.helpers.checkProcessedAndRecord(jobIds, 'node', options);
		return outcome.new.map(String);
	} catch (error) {
		context.logger.warn(
			`${context.getNode().name}: n8n could not tell whether these jobs started the workflow before, so they start it: ${jobIds.join(', ')} (${String(error)})`,
		);
		return jobIds;
	}
}

/**
 * What n8n runs at the start of an execution that a call has begun: hands its items on, or none where the end has
 * started the workflow before, which only n8n's store knows after a restart and in other processes.
 */
export function startOfProcess() {
	const handled = new HandledEnds();
	return async function (this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = this.getInputData();
		const jobId = items[0]?.json.job_id;
		const { ignoreDuplicates } = collectionOf(this.getNodeParameter('options', 0, {}));
		// Whoever tries the trigger out, or retries an execution by hand, wants it to run.
		const isCall = this.getMode() === 'webhook';
		if (!isCall || ignoreDuplicates === false || typeof jobId !== 'string') return [items];
		const record = async (jobIds: string[]) => await recordIn(this, jobIds);
		return [(await handled.isFirst(triggerOf(this), jobId, record)) ? items : []];
	};
}

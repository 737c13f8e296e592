import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { collectionOf } from '../../n8n/parameters';
import { RecentMap } from '../../service/recentMap';
import { triggerOf } from '../settings';

/** Jobs that n8n remembers for a trigger, 27 bytes each. Each write writes them all. */
const MOST_REMEMBERED = 2_000;
/** Calls that wait for their execution at the most. */
const MOST_AWAITED = 1_000;

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

	/** Who waits for an end to be noted. */
	private readonly awaited = new RecentMap<string, () => void>(MOST_AWAITED);

	/** In queue mode executions run in other processes. */
	private runsHere = false;

	/**
	 * Resolves when the execution that an end begins has been noted by it, and never where that fails: then n8n is about
	 * to stop. At once in a process that has run no execution of a trigger yet.
	 */
	async noted(trigger: string, jobId: string): Promise<void> {
		if (this.runsHere)
			await new Promise<void>((resolve) => this.awaited.set(`${trigger}\n${jobId}`, resolve));
	}

	/** Whether the end of this job comes for the first time; from now on it does not. Rejects where `record` does. */
	async isFirst(trigger: string, jobId: string, record: RecordJobs): Promise<boolean> {
		this.runsHere = true;
		const { jobIds, fresh } = this.waiting.get(trigger) ?? this.begin(trigger, record);
		if (jobIds.has(jobId)) return false;
		jobIds.add(jobId);
		const isFirst = (await fresh).has(jobId);
		this.awaited.get(`${trigger}\n${jobId}`)?.();
		return isFirst;
	}

	private begin(trigger: string, record: RecordJobs): Batch {
		const jobIds = new Set<string>();
		const call = async () => {
			this.waiting.delete(trigger);
			return new Set(await record([...jobIds]));
		};
		const batch = { jobIds, fresh: (this.latest.get(trigger) ?? Promise.resolve()).then(call, call) };
		this.waiting.set(trigger, batch);
		this.latest.set(trigger, batch.fresh);
		return batch;
	}
}

/** Those of this process: calls and executions share them. */
export const handledEnds = new HandledEnds();

/**
 * What n8n runs at the start of an execution that a call has begun: hands its items on, or none where the end has
 * started the workflow before, which only n8n's store knows after a restart and in other processes. An end that the
 * store cannot be asked about goes on: at worst it comes twice.
 */
export async function startOnce(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = this.getInputData();
	const jobId = items[0]?.json.job_id;
	const { ignoreDuplicates } = collectionOf(this.getNodeParameter('options', 0, {}));
	// Whoever tries the trigger out, or retries an execution by hand, wants it to run.
	const isCall = this.getMode() === 'webhook';
	if (!isCall || ignoreDuplicates === false || typeof jobId !== 'string') return [items];
	const options = { mode: 'entries', maxEntries: MOST_REMEMBERED } as const;
	const record = async (jobIds: string[]) => {
		const outcome = await this.helpers.checkProcessedAndRecord(jobIds, 'node', options);
		return outcome.new.map(String);
	};
	try {
		return [(await handledEnds.isFirst(triggerOf(this), jobId, record)) ? items : []];
	} catch (error) {
		this.logger.warn(
			`${this.getNode().name}: n8n could not tell whether job ${jobId} started the workflow before, so it starts it: ${String(error)}`,
		);
		return [items];
	}
}

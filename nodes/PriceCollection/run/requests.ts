import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { inputError } from '../n8n/errors';
import { startOfFirstRun, startOfKilledRun } from '../n8n/internals';
import type { Clock } from '../service/clock';
import { requestRecordFormat, type RequestEntry, type RequestRecord } from './stored/requestRecord';

/** Where the record stands in the node's context, which n8n keeps with the execution. */
const CONTEXT_KEY = 'priceCollectionRequests';
/** Services of this kind delete jobs some days after their creation, and prices age: a late retry is a new request. */
const COUNTS_FOR_MS = 24 * 3_600_000;

/** So many executions that were retried are remembered for a node. */
const MOST_RETRIED = 1_000;

/** So many jobs that were given out are remembered, so that no lost request of a later round is taken for one of them. */
const MOST_GIVEN_OUT = 100;

/** What is known of requests to create a job, by their identity. */
export interface RequestMemory {
	/** Whether it outlives the execution: a job may be gone by the time that it is taken up. */
	readonly outlivesRun: boolean;
	/** What is known of a request; undefined for a new one. */
	get(identity: string): RequestEntry | undefined;
	/** Whether another execution in this process has just sent the request and awaits the reply. */
	isBeingAsked(identity: string): boolean;
	/** IDs of the jobs that are accounted for, and of those that only their results can prove to be the right ones. */
	jobIds(): Record<'known' | 'claimed', ReadonlySet<string>>;
	/** Whether the job of a request calls back an execution that is over. */
	callsElsewhere(entry: RequestEntry): boolean;
	/** Notes what is known of a request; undefined: certainly nothing was created. */
	set(identity: string, entry: Omit<RequestEntry, 'executionId'> | undefined): void;
	/** Says what left the node. */
	givenOut(output: INodeExecutionData[][]): void;
}

/** The jobs of requests: those that are accounted for, and those that only their results can prove. */
export function jobIdsOf(entries: Iterable<RequestEntry>): Record<'known' | 'claimed', Set<string>> {
	const ids = { known: new Set<string>(), claimed: new Set<string>() };
	for (const { jobId, evidence } of entries) {
		if (jobId !== undefined) ids[evidence === 'results' ? 'claimed' : 'known'].add(jobId);
	}
	return ids;
}

/** What an execution may know of earlier requests: those on record, and since when others may have been sent. */
type Known = Pick<RequestRecord, 'requests' | 'lostSince'>;

/**
 * What is known at the beginning of a round of a node. A retry by hand that finds no record, or not the first one of what it
 * retries, cannot trust the rest: n8n may have been killed in the middle of the try before, and gives out what was
 * stored before that.
 *
 * @param stored what is on record, of this round or an earlier one
 */
async function knownAt(context: IExecuteFunctions, round: number, stored?: RequestRecord): Promise<Known> {
	const ours = stored?.round === round ? stored : undefined;
	const requests = { ...ours?.requests };
	const isSameExecution = stored?.opened?.by === context.getExecutionId();
	if (isSameExecution || context.getMode() !== 'retry') return { requests, lostSince: stored?.lostSince };
	const killedSince = ours === undefined ? startOfKilledRun(context) : undefined;
	if (killedSince !== undefined) return { requests, lostSince: killedSince };
	const since = ours === undefined ? startOfFirstRun(context) : ours.opened?.at;
	const tried = ours === undefined ? `round ${round} since ${since}` : `try of ${ours.opened?.by}`;
	if (since === undefined || (await isFirstRetryOf(context, tried))) {
		return { requests, lostSince: ours?.lostSince };
	}
	const created = Object.entries(requests).filter(([, { state }]) => state === 'created');
	const sent = Object.values(requests).map(({ sentAt }) => sentAt);
	const lostSince = Math.min(since, ours?.lostSince ?? since, ...sent);
	return { requests: Object.fromEntries(created), lostSince };
}

/** Whether this node is in its first retry of a try that has ended. Where n8n's store cannot be asked, it may not be. */
async function isFirstRetryOf(context: IExecuteFunctions, tried: string): Promise<boolean> {
	const options = { mode: 'entries', maxEntries: MOST_RETRIED } as const;
	try {
		// n8n writes it at once: nothing else outlives a process in the middle of an execution.
		const recorded = await context.helpers.checkProcessedAndRecord([`retry: ${tried}`], 'node', options);
		return recorded.new.length > 0;
	} catch {
		return false;
	}
}

/**
 * The requests of this node in this round of its execution. An earlier try of the node has left here what it asked for:
 * its jobs are taken up instead of being created and paid for once more.
 */
export class Requests implements RequestMemory {
	readonly outlivesRun = false;

	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly clock: Pick<Clock, 'now'>,
		private readonly record: RequestRecord,
	) {}

	/**
	 * Opens the record of this round, before anything that can fail: a retry by hand that does not find it knows that n8n
	 * was killed and has lost it.
	 *
	 * @throws NodeOperationError for a record that cannot be read: creating anew could be paid for twice
	 */
	static async open(context: IExecuteFunctions, clock: Pick<Clock, 'now'>): Promise<Requests> {
		const { $runIndex } = context.getWorkflowDataProxy(0) as unknown as IDataObject;
		const round = Number($runIndex ?? 0);
		const read = requestRecordFormat.read(context.getContext('node')[CONTEXT_KEY]);
		if (read.kind === 'unreadable') {
			throw inputError(
				context.getNode(),
				`${read.reason}, so it is not known which jobs exist already`,
				'Nothing was sent. Look into the job list (Get Many), take up its jobs with Wait, or start the workflow anew.',
			);
		}
		const stored = read.kind === 'read' ? read.value : undefined;
		const by = context.getExecutionId();
		const opened = new Requests(context, clock, {
			round,
			opened: stored?.opened?.by === by ? stored.opened : { by, at: clock.now() },
			givenOut: stored?.givenOut,
			...(await knownAt(context, round, stored)),
		});
		opened.keep();
		return opened;
	}

	/** What an earlier try knows, or may have lost, of a request; undefined for a new one. */
	get(identity: string): RequestEntry | undefined {
		const { requests } = this.record;
		const entry = Object.hasOwn(requests, identity) ? requests[identity] : this.lost();
		return entry !== undefined && entry.sentAt > this.clock.now() - COUNTS_FOR_MS ? entry : undefined;
	}

	/** What stands for each request of a run that was killed: it may have been sent, before this one began. */
	private lost(): RequestEntry | undefined {
		const { lostSince, opened } = this.record;
		if (lostSince === undefined) return undefined;
		return { state: 'sent', sentAt: lostSince, lostAt: opened?.at, executionId: '' };
	}

	/** A round of a node has one try at a time. */
	isBeingAsked(): boolean {
		return false;
	}

	jobIds(): Record<'known' | 'claimed', ReadonlySet<string>> {
		const { known, claimed } = jobIdsOf(Object.values(this.record.requests));
		return { known: new Set([...known, ...(this.record.givenOut ?? [])]), claimed };
	}

	/** Whether the job of a request calls back an execution that is over. */
	callsElsewhere({ executionId }: RequestEntry): boolean {
		return executionId !== this.context.getExecutionId();
	}

	/** Notes what is known of a request; undefined: certainly nothing was created. */
	set(identity: string, entry: Omit<RequestEntry, 'executionId'> | undefined): void {
		const { requests } = this.record;
		if (entry === undefined) delete requests[identity];
		else {
			const executionId = requests[identity]?.executionId ?? this.context.getExecutionId();
			requests[identity] = { ...entry, executionId };
		}
		this.keep();
	}

	private keep(): void {
		this.context.getContext('node')[CONTEXT_KEY] = requestRecordFormat.write(this.record);
	}

	/** Forgets the requests once they are given out, unless n8n takes this output for a failure and tries again. */
	givenOut(output: INodeExecutionData[][]): void {
		const failed = output[0]?.[0]?.json.error !== undefined;
		if (failed && this.context.getNode().retryOnFail === true) return;
		const { requests, givenOut = [], ...record } = this.record;
		const ids = [...givenOut, ...Object.values(requests).flatMap(({ jobId }) => jobId ?? [])];
		const left = { ...record, requests: {}, givenOut: ids.slice(-MOST_GIVEN_OUT) };
		this.context.getContext('node')[CONTEXT_KEY] = requestRecordFormat.write(left);
	}
}

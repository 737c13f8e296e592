import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import * as clock from '../n8n/clock';
import { inputError } from '../n8n/errors';
import { startOfFirstRun } from '../n8n/internals';
import { isTool } from '../n8n/tool';
import type { Creation } from './lookup/record';
import type { StoredRead } from './stored/format';
import { questionsFormat, requestRecordFormat, type RequestRecord } from './stored/requests';

/** Where the requests of an execution stand in the node's context, which n8n keeps with the execution. */
const CONTEXT_KEY = 'priceCollectionRequests';
/** Where the questions stand in the static data of a tool's node: as text, because n8n marks every object in it. */
const STATIC_KEY = 'priceCollectionQuestions';
/** Services of this kind delete jobs some days after their creation, and prices age: what is asked later is asked anew. */
const COUNTS_FOR_MS = 24 * 3_600_000;
/** So many jobs that were given out are remembered, so that no lost request of a later round is taken for one of them. */
const MOST_GIVEN_OUT = 100;
/** So many executions that were retried are remembered for a node. */
const MOST_RETRIED = 1_000;
/** Questions of a node that are remembered, the latest ones, and nodes whose questions this process remembers. */
const MOST_QUESTIONS = 200;
const MOST_NODES = 200;
/** A creation is under way for no longer than this, in milliseconds. */
const LONGEST_CREATION_MS = 60_000;

/** Where a ledger keeps its entries. */
interface Store {
	get(identity: string): Creation | undefined;
	all(): Creation[];
	set(identity: string, creation: Creation | undefined): void;
	/** What is known of a request that is not there; undefined: it was never sent. */
	unrecorded?: Creation;
	/** Jobs of earlier rounds. */
	givenOut: readonly string[];
	/** Takes note of what leaves the node. */
	close(output: INodeExecutionData[][]): void;
}

/**
 * What was asked for, request by request, noted before and after each creation: nothing is created and paid for twice. It
 * has two stores: that of the execution, for another try of this round of the node, and for the questions of an agent that
 * of the tool, for 24 hours.
 */
export class Ledger {
	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly store: Store,
		/** Whether the question and not the try is remembered: a job may be gone by the time that it is taken up. */
		readonly isOfTool: boolean,
	) {}

	/**
	 * Opens the ledger, before anything that can fail: a retry by hand that does not find it looks before it pays.
	 *
	 * @throws NodeOperationError for one that cannot be read: creating anew could be paid for twice
	 */
	static async open(context: IExecuteFunctions): Promise<Ledger> {
		const ofTool = isTool(context);
		const store = ofTool ? storeOfTool(context) : await storeOfExecution(context);
		return new Ledger(context, store, ofTool);
	}

	/** What is known of an earlier request; undefined for a new one. */
	find(identity: string): Creation | undefined {
		const creation = this.store.get(identity) ?? this.store.unrecorded;
		return creation !== undefined && creation.sentAt > clock.now() - COUNTS_FOR_MS ? creation : undefined;
	}

	/** Whether another execution in this process has just sent the request and awaits the reply. */
	isPending(identity: string): boolean {
		const creation = this.isOfTool ? this.store.get(identity) : undefined;
		if (creation === undefined || creation.jobId !== undefined || creation.lostAt !== undefined)
			return false;
		return clock.now() < creation.sentAt + LONGEST_CREATION_MS;
	}

	/** Whether requests may have been sent that are not on record. */
	get hasGaps(): boolean {
		return this.store.unrecorded !== undefined;
	}

	/** IDs of the jobs that are accounted for. */
	jobIds(): ReadonlySet<string> {
		const created = this.store.all().flatMap(({ jobId }) => jobId ?? []);
		return new Set([...created, ...this.store.givenOut]);
	}

	/** Notes what is known of a request; undefined: certainly nothing was created. */
	note(identity: string, creation: Creation | undefined): void {
		this.store.set(identity, creation);
	}

	/** Says what leaves the node. */
	close(output: INodeExecutionData[][]): void {
		this.store.close(output);
	}

	/** The execution that a job calls back which is created now; none in a tool. */
	get executionId(): string {
		return this.isOfTool ? '' : this.context.getExecutionId();
	}
}

/** What a store holds, or nothing. @throws NodeOperationError for what cannot be read */
function readable<T>(
	context: IExecuteFunctions,
	read: StoredRead<T>,
	unknown: string,
	advice: string,
): T | undefined {
	if (read.kind === 'read') return read.value;
	if (read.kind === 'absent') return undefined;
	throw inputError(
		context.getNode(),
		`${read.reason}, so it is not known ${unknown}`,
		`Nothing was sent. ${advice}`,
	);
}

/**
 * Whether this is the first retry by hand of a try that has ended: nothing was sent since. n8n's store of processed items is
 * written at once; nothing else outlives a process in the middle of an execution. Where it cannot be asked, there may have
 * been others.
 */
async function isFirstRetryOf(context: IExecuteFunctions, executionId: string): Promise<boolean> {
	const options = { mode: 'entries', maxEntries: MOST_RETRIED } as const;
	try {
		const items = [`retry: try of ${executionId}`];
		return (await context.helpers.checkProcessedAndRecord(items, 'node', options)).new.length > 0;
	} catch {
		return false;
	}
}

/**
 * The requests of this round of the node. A retry by hand that finds no record, or not the latest one, cannot trust it: the
 * try before was killed, perhaps, and what it sent is not there.
 */
async function storeOfExecution(context: IExecuteFunctions): Promise<Store> {
	const by = context.getExecutionId();
	const data = context.getContext('node');
	const stored = readable(
		context,
		requestRecordFormat.read(data[CONTEXT_KEY]),
		'which jobs exist already',
		'Look into the job list (Get Many), take up its jobs with Wait, or start the workflow anew.',
	);
	const { $runIndex } = context.getWorkflowDataProxy(0) as unknown as IDataObject;
	const round = Number($runIndex ?? 0);
	const now = clock.now();
	const ours = stored?.round === round ? stored : undefined;
	const isSameTry = stored?.opened.by === by;
	const isRetry = context.getMode() === 'retry' && !isSameTry;
	const hasGaps = isRetry && (ours === undefined || !(await isFirstRetryOf(context, ours.opened.by)));
	const kept = Object.entries(ours?.requests ?? {});
	const times = [...kept.map(([, { sentAt }]) => sentAt), ours?.opened.at, ours?.lostSince];
	const since = [startOfFirstRun(context) ?? now - COUNTS_FOR_MS + 1, ...times];
	const lostSince = hasGaps ? Math.min(...since.filter((time) => time !== undefined)) : stored?.lostSince;
	// A request that was lost may have been sent once more since.
	const mayBeLater = (one: Creation) => (hasGaps && one.jobId === undefined ? { ...one, lostAt: now } : one);
	const record: RequestRecord = {
		round,
		opened: isSameTry ? stored.opened : { by, at: now },
		givenOut: stored?.givenOut,
		...(lostSince !== undefined && { lostSince }),
		requests: Object.fromEntries(kept.map(([identity, one]) => [identity, mayBeLater(one)])),
	};
	const keep = (value: RequestRecord) => (data[CONTEXT_KEY] = requestRecordFormat.write(value));
	keep(record);
	return {
		get: (identity) => record.requests[identity],
		all: () => Object.values(record.requests),
		set: (identity, creation) => {
			if (creation === undefined) delete record.requests[identity];
			else record.requests[identity] = creation;
			keep(record);
		},
		...(lostSince !== undefined && {
			unrecorded: { sentAt: lostSince, lostAt: record.opened.at, executionId: '' },
		}),
		givenOut: record.givenOut ?? [],
		// Forgets the requests once they are given out, unless n8n takes this output for a failure and tries again.
		close: (output) => {
			if (output[0]?.[0]?.json.error !== undefined && context.getNode().retryOnFail === true) return;
			const jobIds = Object.values(record.requests).flatMap(({ jobId }) => jobId ?? []);
			keep({
				...record,
				requests: {},
				givenOut: [...(record.givenOut ?? []), ...jobIds].slice(-MOST_GIVEN_OUT),
			});
		},
	};
}

/**
 * What this process has asked as tools, by node. n8n saves no static data in the editor, and of executions at the same time
 * the last one to end saves its own copy over the others'.
 */
const askedHere = new Map<string, Map<string, Creation>>();

function questionsOfNode(name: string): Map<string, Creation> {
	const questions = askedHere.get(name) ?? new Map<string, Creation>();
	// Last used, last forgotten.
	askedHere.delete(name);
	askedHere.set(name, questions);
	const [oldest] = askedHere.keys();
	if (askedHere.size > MOST_NODES && oldest !== undefined) askedHere.delete(oldest);
	return questions;
}

/** What is stored, out of its text; a text that is none of ours stays one. */
function parsed(stored: unknown): unknown {
	if (typeof stored !== 'string') return stored;
	try {
		return JSON.parse(stored);
	} catch {
		return stored;
	}
}

/** The jobs whose values all failed for passing reasons, which services of this kind do not charge. */
function failedJobs(items: readonly INodeExecutionData[]): Set<unknown> {
	const failed = new Set<unknown>();
	const answered = new Set<unknown>();
	for (const { json } of items) {
		const isFailure =
			json.success === false && !/not.?found/i.test(String(json.reason ?? '').slice(0, 1_000));
		(isFailure ? failed : answered).add(json.job_id);
	}
	for (const jobId of answered) failed.delete(jobId);
	return failed;
}

/** The questions that agents have asked this tool. Another account does not have the jobs of this one. */
function storeOfTool(context: IExecuteFunctions): Store {
	const { id, credentials } = context.getNode();
	const account = credentials?.priceCollectionApi?.id ?? '';
	const inProcess = questionsOfNode(JSON.stringify([context.getWorkflow().id, id]));
	const data = context.getWorkflowStaticData('node');
	const prefix = `${account}:`;
	/** What the workflow and this process remember and still counts, the latest last. */
	const remembered = () => {
		const read = questionsFormat.read(parsed(data[STATIC_KEY]));
		const advice = 'Install the newer version again, or put a new node in the place of this one.';
		const stored = readable(context, read, 'which questions are paid for already', advice);
		const oldest = clock.now() - COUNTS_FOR_MS;
		const known = new Map([...Object.entries(stored?.questions ?? {}), ...inProcess]);
		const recent = [...known].filter(([, { sentAt }]) => sentAt > oldest);
		return new Map(recent.sort(([, a], [, b]) => a.sentAt - b.sentAt).slice(-MOST_QUESTIONS));
	};
	const put = (name: string, creation: Creation | undefined) => {
		if (creation === undefined) inProcess.delete(name);
		else inProcess.set(name, creation);
		const questions = remembered();
		if (creation === undefined) questions.delete(name);
		for (const known of inProcess.keys()) if (!questions.has(known)) inProcess.delete(known);
		data[STATIC_KEY] = JSON.stringify(
			questionsFormat.write({ questions: Object.fromEntries(questions) }),
		);
	};
	const own = () => [...remembered()].filter(([name]) => name.startsWith(prefix));
	own();
	return {
		get: (identity) => remembered().get(prefix + identity),
		all: () => own().map(([, creation]) => creation),
		set: (identity, creation) => put(prefix + identity, creation),
		givenOut: [],
		// Forgets what was not answered, so that it can be asked again; all else is answered the same way again.
		close: ([items = []]) => {
			const failed = failedJobs(items);
			for (const [name, { jobId }] of own()) if (failed.has(jobId)) put(name, undefined);
		},
	};
}

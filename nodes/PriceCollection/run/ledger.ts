import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import * as clock from '../n8n/clock';
import { inputError } from '../n8n/errors';
import { startOfFirstRun } from '../n8n/internals';
import type { StoredRead } from '../n8n/storedFormat';
import { isTool } from '../n8n/tool';
import { RecentMap } from '../service/recentMap';
import type { Creation } from './lookup/record';
import { questionsFormat, requestRecordFormat, type RequestRecord } from './stored/formats';

/**
 * What was asked for, request by request, noted before and after each creation: nothing is created and paid for twice. It
 * has two stores: that of the execution, for another try of this round of the node, and for the questions of an agent that
 * of the tool, for 24 hours.
 */
export interface Ledger {
	/** Whether the question and not the try is remembered: a job may be gone by the time that it is taken up. */
	readonly isOfTool: boolean;
	/** Whether requests may have been sent that are not on record. */
	readonly hasGaps: boolean;
	/** What the identities of this round of the node begin with. */
	readonly round: string;
	/** What is known of an earlier request; undefined for a new one. */
	find(identity: string): Creation | undefined;
	/** Notes what is known of a request; undefined: certainly nothing was created. */
	note(identity: string, creation: Creation | undefined): void;
	/** The requests of all tries of this round; those of a tool belong to other questions. */
	requests(): Creation[];
	/** IDs of the jobs that are accounted for. */
	jobIds(): ReadonlySet<string>;
	/** Forgets the questions of a tool that this answer leaves open, so that they can be asked again. */
	forgetUnanswered(answer: readonly INodeExecutionData[]): void;
}

/** Where the requests of an execution stand in the node's context, which n8n keeps with the execution. */
const CONTEXT_KEY = 'priceCollectionRequests';
/** Where the questions stand in the static data of a tool's node: as text, because n8n marks every object in it. */
const STATIC_KEY = 'priceCollectionQuestions';
/** Services of this kind delete jobs some days after their creation, and prices age: what is asked later is asked anew. */
const COUNTS_FOR_MS = 24 * 3_600_000;
/** So many requests of earlier rounds are remembered, so that no lost request of a later one is taken for theirs. */
const MOST_EARLIER = 100;
/** So many executions that were retried are remembered for a node. */
const MOST_RETRIED = 1_000;
/** Questions of a tool that are remembered, the latest ones, and tools whose questions this process remembers. */
const MOST_QUESTIONS = 200;
const MOST_TOOLS = 200;

/**
 * Opens the ledger, before anything that can fail: a retry by hand that does not find it looks before it pays.
 *
 * @throws NodeOperationError for one that cannot be read: creating anew could be paid for twice
 */
export async function openLedger(context: IExecuteFunctions): Promise<Ledger> {
	return isTool(context) ? ledgerOfTool(context) : ledgerOfExecution(context, await openRecord(context));
}

/** What a store holds, or nothing. @throws NodeOperationError for what cannot be read */
function readable<T>(context: IExecuteFunctions, read: StoredRead<T>, [unknown, advice]: [string, string]) {
	if (read.kind === 'read') return read.value;
	if (read.kind === 'absent') return undefined;
	const message = `${read.reason}, so it is not known ${unknown}`;
	throw inputError(context.getNode(), message, `Nothing was sent. ${advice}`);
}

/** A creation that still counts. */
const recent = (one: Creation | undefined) =>
	one !== undefined && one.sentAt > clock.now() - COUNTS_FOR_MS ? one : undefined;

/**
 * What both ledgers do with the requests that they hold by their identity.
 *
 * @param keep stores the requests
 * @param unrecorded stands for any request that is not held
 */
function ledgerOf(requests: Map<string, Creation>, keep: () => void, unrecorded?: Creation) {
	return {
		hasGaps: unrecorded !== undefined,
		find: (identity: string) => recent(requests.get(identity) ?? unrecorded),
		note: (identity: string, known: Creation | undefined) => {
			if (known === undefined) requests.delete(identity);
			else requests.set(identity, known);
			keep();
		},
		jobIds: () => new Set([...requests.values()].flatMap(({ jobId }) => jobId ?? [])),
	};
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
 * The record of this round of the node. A retry by hand that finds none, or not the latest one, cannot trust it: the try
 * before was killed, perhaps, and what it sent is not there.
 */
async function openRecord(context: IExecuteFunctions): Promise<RequestRecord> {
	const by = context.getExecutionId();
	const stored = readable(context, requestRecordFormat.read(context.getContext('node')[CONTEXT_KEY]), [
		'which jobs exist already',
		'Check the job list (Get Many) and get the results with Wait, or run the workflow again; it will be charged again.',
	]);
	const { $runIndex } = context.getWorkflowDataProxy(0) as unknown as IDataObject;
	const round = Number($runIndex ?? 0);
	const now = clock.now();
	const isSameRound = stored?.round === round;
	const isSameTry = stored?.opened.by === by;
	const all = Object.entries(stored?.requests ?? {});
	const kept = isSameRound ? all : all.slice(-MOST_EARLIER);
	const record = {
		...{ round, lostSince: stored?.lostSince, requests: Object.fromEntries(kept) },
		opened: isSameTry ? stored.opened : { by, at: now },
	};
	const isRetry = context.getMode() === 'retry' && !isSameTry;
	if (!isRetry || (isSameRound && (await isFirstRetryOf(context, stored.opened.by)))) return record;
	// A request that was lost may have been sent once more since.
	const later = kept.map(([identity, one]): [string, Creation] => [
		identity,
		one.jobId === undefined ? { ...one, lostAt: now } : one,
	]);
	const lostSince = startOfFirstRun(context) ?? now - COUNTS_FOR_MS + 1;
	return { ...record, lostSince, requests: Object.fromEntries(later) };
}

function ledgerOfExecution(context: IExecuteFunctions, record: RequestRecord): Ledger {
	const { lostSince, opened } = record;
	const requests = new Map(Object.entries(record.requests));
	const keep = () => {
		const kept = { ...record, requests: Object.fromEntries(requests) };
		context.getContext('node')[CONTEXT_KEY] = requestRecordFormat.write(kept);
	};
	keep();
	const unrecorded =
		lostSince === undefined ? undefined : { sentAt: lostSince, lostAt: opened.at, executionId: '' };
	const round = `${record.round} `;
	return {
		...{ ...ledgerOf(requests, keep, unrecorded), round, isOfTool: false },
		requests: () => [...requests].flatMap(([name, one]) => (name.startsWith(round) ? [one] : [])),
		forgetUnanswered: () => undefined,
	};
}

/**
 * What this process has asked as tools, by node. n8n saves no static data in the editor, and of executions at the same time
 * the last one to end saves its own copy over the others'.
 */
const askedHere = new RecentMap<string, Map<string, Creation>>(MOST_TOOLS);

/** What is stored, out of its text; a text that is none of ours stays one. */
function parsed(stored: unknown): unknown {
	try {
		return typeof stored === 'string' ? JSON.parse(stored) : stored;
	} catch {
		return stored;
	}
}

/** The jobs whose values all failed for passing reasons, which services of this kind do not charge. */
function failedJobs(items: readonly INodeExecutionData[]): Set<unknown> {
	const isFailure = ({ json }: INodeExecutionData) =>
		json.success === false && !/not.?found/i.test(String(json.reason ?? '').slice(0, 1_000));
	const answered = new Set(items.filter((item) => !isFailure(item)).map(({ json }) => json.job_id));
	return new Set(items.map(({ json }) => json.job_id).filter((jobId) => !answered.has(jobId)));
}

function ledgerOfTool(context: IExecuteFunctions): Ledger {
	const node = JSON.stringify([context.getWorkflow().id, context.getNode().id]);
	const data = context.getWorkflowStaticData('node');
	const stored = readable(context, questionsFormat.read(parsed(data[STATIC_KEY])), [
		'which questions are paid for already',
		'Install the newer version again, or replace this node by a new one.',
	]);
	const questions = askedHere.get(node) ?? new Map<string, Creation>();
	askedHere.set(node, questions);
	for (const [identity, known] of Object.entries(stored?.questions ?? {}))
		if (!questions.has(identity)) questions.set(identity, known);
	const ledger = ledgerOf(questions, () => {
		const counting = [...questions].filter(([, known]) => recent(known) !== undefined);
		const latest = counting.sort(([, a], [, b]) => a.sentAt - b.sentAt).slice(-MOST_QUESTIONS);
		questions.clear();
		for (const [identity, known] of latest) questions.set(identity, known);
		const kept = { questions: Object.fromEntries(latest) };
		data[STATIC_KEY] = JSON.stringify(questionsFormat.write(kept));
	});
	return {
		...{ ...ledger, round: '', isOfTool: true },
		requests: () => [],
		forgetUnanswered: (answer) => {
			const failed = failedJobs(answer);
			for (const [identity, { jobId }] of [...questions])
				if (failed.has(jobId)) ledger.note(identity, undefined);
		},
	};
}

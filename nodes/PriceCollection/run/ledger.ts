import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import * as clock from '../n8n/clock';
import { inputError } from '../n8n/errors';
import { isTool, startOfFirstRun } from '../n8n/execution';
import type { StoredRead } from '../n8n/storedFormat';
import { RecentMap } from '../service/types';
import type { Creation } from './lookup/record';
import { questionsFormat, requestRecordFormat, type RequestRecord } from './stored/formats';

/**
 * Records every creation request before and after it is sent, so that nothing is created and paid for twice.
 * There are two stores: the execution, for retries of this round of the node, and the tool's own memory,
 * which keeps the questions of agents for 24 hours.
 */
export interface Ledger {
	/** Whether it remembers questions instead of attempts; their jobs may be gone when they are resumed. */
	readonly isOfTool: boolean;
	/** Whether requests may have been sent that are not recorded. */
	readonly hasGaps: boolean;
	/** Prefix of the identities in this round of the node. */
	readonly round: string;
	/** The record of an earlier request; undefined for a new one. */
	find(identity: string): Creation | undefined;
	/** Records a request; undefined removes it, because certainly nothing was created. */
	note(identity: string, creation: Creation | undefined): void;
	/** The requests of all attempts in this round; none for a tool, whose requests are other questions. */
	requests(): Creation[];
	/** IDs of the jobs that belong to recorded requests. */
	jobIds(): ReadonlySet<string>;
	/** Forgets the questions that this answer leaves open, so that they can be asked again. */
	forgetUnanswered(answer: readonly INodeExecutionData[]): void;
}

/** Key of the requests in the node's context, which n8n stores with the execution. */
const CONTEXT_KEY = 'priceCollectionRequests';
/** Key of the questions in a tool's static data. Stored as text, because n8n marks every object there. */
const STATIC_KEY = 'priceCollectionQuestions';
/** Older questions are sent again: prices age, and services of this kind delete jobs after some days. */
const COUNTS_FOR_MS = 24 * 3_600_000;
/** How many earlier requests are kept, so that their jobs are not mistaken for lost ones of this round. */
const MOST_EARLIER = 100;
/** How many retried executions are remembered for a node. */
const MOST_RETRIED = 1_000;
/** How many questions of a tool are remembered, latest first, and for how many tools. */
const MOST_QUESTIONS = 200;
const MOST_TOOLS = 200;

/**
 * Opens the ledger, before anything that can fail: a manual retry without one checks the job list first.
 *
 * @throws NodeOperationError for an unreadable one, because new jobs could be paid for twice
 */
export async function openLedger(context: IExecuteFunctions): Promise<Ledger> {
	return isTool(context) ? ledgerOfTool(context) : ledgerOfExecution(context, await openRecord(context));
}

/** The stored value, if any. @throws NodeOperationError when it is unreadable */
function readable<T>(context: IExecuteFunctions, read: StoredRead<T>, [unknown, advice]: [string, string]) {
	if (read.kind === 'read') return read.value;
	if (read.kind === 'absent') return undefined;
	const message = `${read.reason}, so it is not known ${unknown}`;
	throw inputError(context.getNode(), message, `Nothing was sent. ${advice}`);
}

/** A creation, unless it is too old to count. */
const recent = (one: Creation | undefined) =>
	one !== undefined && one.sentAt > clock.now() - COUNTS_FOR_MS ? one : undefined;

/**
 * The common part of both ledgers, with requests by identity.
 *
 * @param keep stores the requests
 * @param unrecorded returned for every request without a record
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
 * Whether this is the first manual retry of an attempt, so that nothing was sent since. Uses n8n's store of
 * processed items: only that is written at once and survives a crash in the middle of an execution. Without
 * the store, other retries are assumed.
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
 * Opens the record of this round of the node. A manual retry cannot trust a missing or outdated record: the
 * attempt before it may have been killed, so that its requests are not recorded.
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
	// A lost request may have been sent again since.
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
 * The questions that this process asked as tools, by node. n8n saves no static data in the editor, and of
 * concurrent executions the last one overwrites the data of the others.
 */
const askedHere = new RecentMap<string, Map<string, Creation>>(MOST_TOOLS);

/** Parses the stored text; other text is returned unchanged. */
function parsed(stored: unknown): unknown {
	try {
		return typeof stored === 'string' ? JSON.parse(stored) : stored;
	} catch {
		return stored;
	}
}

/** Jobs whose values all failed for temporary reasons; services of this kind do not charge for them. */
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

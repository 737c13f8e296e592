import { type IDataObject, type IExecuteFunctions, type INodeExecutionData, jsonParse } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import * as clock from '../n8n/clock';
import { inputError } from '../n8n/errors';
import { isTool, startOfFirstRun } from '../n8n/execution';
import { RecentMap } from '../n8n/memory';
import { storedFormat, text, time, type StoredRead } from '../n8n/storedFormat';
import { isObject } from '../service/types';
import type { Creation } from './lookup/record';

const creation = z.custom<Creation>((one) => isObject(one) && Number.isFinite(one.sentAt));

/**
 * The creation requests of a node in an execution: written before and after each one to the node's context,
 * which n8n keeps for Retry On Fail and for a manual retry.
 */
const requestRecord = z.object({
	/** The latest round of the node, from 0. The rounds of a loop are different requests. */
	round: z.int(),
	/** The execution that opened it, and when. */
	opened: z.object({ by: text, at: time }),
	/** Since when there may be unrecorded requests. */
	lostSince: z.optional(time),
	/** By round and identity of the request. */
	requests: z.record(text, creation),
	/** The items that are planned together in this round, by a hash of the node's fields and by group. */
	groups: z.optional(z.record(text, z.record(text, z.array(z.int())))),
});
export type RequestRecord = z.infer<typeof requestRecord>;

export const requestRecordFormat = storedFormat('The record of an earlier try', requestRecord, [
	() => ({}),
	({ givenOut = [], requests, ...rest }) => {
		const earlier = (givenOut as string[]).map((jobId) => [jobId, { sentAt: 0, jobId }]);
		const own = Object.entries(requests as IDataObject);
		const ofRound = own.map(([identity, one]) => [`${String(rest.round)} ${identity}`, one]);
		return { ...rest, requests: Object.fromEntries([...earlier, ...ofRound]) as IDataObject };
	},
]);

/**
 * The questions that agents asked a tool, by identity, in the node's static data. n8n saves it with the
 * workflow after every production execution.
 */
export const questionsFormat = storedFormat(
	'The memory of this tool',
	z.object({ questions: z.record(text, creation) }),
	[(stored) => ({ ...stored, questions: {} })],
);

/** Key of the requests in the node's context, which n8n stores with the execution. */
const CONTEXT_KEY = 'priceCollectionRequests';
/** Key of the questions in a tool's static data. Stored as text, because n8n marks every object there. */
const STATIC_KEY = 'priceCollectionQuestions';
/** Older questions are sent again: prices age, and services of this kind delete jobs after some days. */
const COUNTS_FOR_MS = 24 * 3_600_000;
/** How many earlier requests are kept, so that their jobs are not mistaken for lost ones of this round. */
const MOST_EARLIER = 100;
const MOST_RETRIED = 1_000;
const MOST_QUESTIONS = 200;
const MOST_TOOLS = 200;

/**
 * Opens the ledger, before anything that can fail: a manual retry without one checks the job list first.
 *
 * @throws NodeOperationError for an unreadable one, because new jobs could be paid for twice
 */
export async function openLedger(context: IExecuteFunctions): Promise<Ledger> {
	return isTool(context) ? ledgerOfTool(context) : await ledgerOfExecution(context);
}

/** The stored value, if any. @throws NodeOperationError when it is unreadable */
function readable<T>(context: IExecuteFunctions, read: StoredRead<T>, [unknown, advice]: [string, string]) {
	if (read.kind === 'read') return read.value;
	if (read.kind === 'absent') return undefined;
	const message = `${read.reason}, so it is not known ${unknown}`;
	throw inputError(context.getNode(), message, `Nothing was sent. ${advice}`);
}

const recent = (one: Creation | undefined) =>
	one !== undefined && one.sentAt > clock.now() - COUNTS_FOR_MS ? one : undefined;

/** Whether a row's value failed for a temporary reason; services of this kind do not charge for them. */
const isFailure = ({ json }: INodeExecutionData) =>
	json.success === false && !/not.?found/i.test(String(json.reason ?? '').slice(0, 1_000));

/**
 * Records every creation request by its identity, before and after it is sent, so that nothing is created and
 * paid for twice. There are two stores: the execution, for retries of this round of the node, and the tool's
 * own memory, which keeps the questions of agents for 24 hours.
 *
 * @param isOfTool whether it remembers questions; their jobs may be gone when they are resumed
 * @param round prefix of the identities in this round of the node
 * @param keep stores the book
 * @param unrecorded returned for every request without a record
 */
function ledgerOf(
	isOfTool: boolean,
	round: string,
	book: { requests: Map<string, Creation>; groups?: RequestRecord['groups'] },
	keep: () => void,
	unrecorded?: Creation,
) {
	const { requests } = book;
	/** Records a request; undefined removes it, because certainly nothing was created. */
	const note = (identity: string, known: Creation | undefined) => {
		if (known === undefined) requests.delete(identity);
		else requests.set(identity, known);
		keep();
	};
	return {
		isOfTool,
		round,
		note,
		/** Whether requests may have been sent that are not recorded. */
		hasGaps: unrecorded !== undefined,
		/** The items of each group in an earlier attempt with the same fields. */
		groupsBy: (fieldsHash: string) => book.groups?.[fieldsHash],
		noteGroups: (fieldsHash: string, groups: Record<string, number[]>) => {
			book.groups = { [fieldsHash]: groups };
			keep();
		},
		/** The record of an earlier request; undefined for a new one. */
		find: (identity: string) => recent(requests.get(identity) ?? unrecorded),
		/** The requests of all attempts in this round; none for a tool, whose requests are other questions. */
		requests: () =>
			[...requests].flatMap(([name, one]) => (!isOfTool && name.startsWith(round) ? [one] : [])),
		/** IDs of the jobs that belong to recorded requests. */
		jobIds: (): ReadonlySet<string> =>
			new Set([...requests.values()].flatMap(({ jobId }) => jobId ?? [])),
		/** Forgets the questions that this answer leaves open, so that they can be asked again. */
		forgetUnanswered: (answer: readonly INodeExecutionData[]) => {
			for (const [identity, { jobId }] of isOfTool ? [...requests] : []) {
				const own = answer.filter(({ json }) => jobId !== undefined && json.job_id === jobId);
				if (own.length > 0 && own.every(isFailure)) note(identity, undefined);
			}
		},
	};
}
export type Ledger = ReturnType<typeof ledgerOf>;

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
 * The requests of this round of the node. A manual retry cannot trust a missing or outdated record: the
 * attempt before it may have been killed, so that its requests are not recorded.
 */
async function ledgerOfExecution(context: IExecuteFunctions): Promise<Ledger> {
	const by = context.getExecutionId();
	const store = context.getContext('node');
	const stored = readable(context, requestRecordFormat.read(store[CONTEXT_KEY]), [
		'which jobs exist already',
		'Check the job list (Get Many) and get the results with Wait, or run the workflow again, which costs credits again.',
	]);
	const { $runIndex } = context.getWorkflowDataProxy(0) as unknown as IDataObject;
	const round = Number($runIndex ?? 0);
	const now = clock.now();
	const isSameRound = stored?.round === round;
	const isSameTry = stored?.opened.by === by;
	const opened = isSameTry ? stored.opened : { by, at: now };
	const all = Object.entries(stored?.requests ?? {});
	const requests = new Map(isSameRound ? all : all.slice(-MOST_EARLIER));
	const book = { requests, groups: isSameRound ? stored.groups : undefined };
	let lostSince = stored?.lostSince;
	const isRetry = context.getMode() === 'retry' && !isSameTry;
	if (isRetry && !(isSameRound && (await isFirstRetryOf(context, stored.opened.by)))) {
		lostSince = startOfFirstRun(context) ?? now - COUNTS_FOR_MS + 1;
		// A lost request may have been sent again since.
		for (const [identity, one] of requests)
			if (one.jobId === undefined) requests.set(identity, { ...one, lostAt: now });
	}
	const keep = () => {
		const kept = { round, opened, lostSince, ...book, requests: Object.fromEntries(requests) };
		store[CONTEXT_KEY] = requestRecordFormat.write(kept);
	};
	keep();
	const unrecorded =
		lostSince === undefined ? undefined : { sentAt: lostSince, lostAt: opened.at, executionId: '' };
	return ledgerOf(false, `${round} `, book, keep, unrecorded);
}

/**
 * The questions that this process asked as tools, by node. n8n saves no static data in the editor, and of
 * concurrent executions the last one overwrites the data of the others.
 */
const askedHere = new RecentMap<string, Map<string, Creation>>(MOST_TOOLS);

function ledgerOfTool(context: IExecuteFunctions): Ledger {
	const node = JSON.stringify([context.getWorkflow().id, context.getNode().id]);
	const data = context.getWorkflowStaticData('node');
	const written = data[STATIC_KEY] ?? null;
	const parsed = jsonParse<unknown>(String(written), { fallbackValue: written ?? '' });
	const stored = readable(context, questionsFormat.read(parsed), [
		'which questions are paid for already',
		'Install the newer version again, or replace this node by a new one.',
	]);
	const questions = askedHere.get(node) ?? new Map<string, Creation>();
	askedHere.set(node, questions);
	for (const [identity, known] of Object.entries(stored?.questions ?? {}))
		if (!questions.has(identity)) questions.set(identity, known);
	const keep = () => {
		const counting = [...questions].filter(([, known]) => recent(known) !== undefined);
		const latest = counting.sort(([, a], [, b]) => a.sentAt - b.sentAt).slice(-MOST_QUESTIONS);
		questions.clear();
		for (const [identity, known] of latest) questions.set(identity, known);
		const kept = { questions: Object.fromEntries(latest) };
		data[STATIC_KEY] = JSON.stringify(questionsFormat.write(kept));
	};
	return ledgerOf(true, '', { requests: questions }, keep);
}

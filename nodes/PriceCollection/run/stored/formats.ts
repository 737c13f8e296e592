import type { IDataObject, ISourceData } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import { storedFormat, text, texts, time, type Upgrade } from '../../n8n/storedFormat';
import type { ResultChoice } from '../../output/fetch';
import { isObject, type Job } from '../../service/types';
import {
	newRecord,
	without,
	type Aside,
	type Creation,
	type JobRecord,
	type Requester,
} from '../lookup/record';
import { identityOf } from '../lookup/values';

/** A `JobRecord`. Only the fields that are required are checked, because this package wrote it. */
const jobRecord = z.custom<JobRecord>(
	(record) =>
		isObject(record) &&
		isObject(record.job) &&
		[record.job.job_id, record.job.status].every((field) => typeof field === 'string') &&
		[record.since, record.deadline].every(Number.isFinite) &&
		[record.requesters, record.givenUpBy].every(Array.isArray),
);

const creation = z.custom<Creation>((one) => isObject(one) && Number.isFinite(one.sentAt));

const aside = z.custom<Aside>((one) => isObject(one) && Number.isInteger(one.item));

/**
 * A record without the fields that are not stored.
 *
 * @param source the node whose items asked; another node does not have the current input
 */
export function forStorage(
	{ requesters, asides = [], ...record }: JobRecord,
	source?: ISourceData,
): JobRecord {
	const linked = <T extends Requester>(all: T[]) =>
		all.map((one) => ({ ...without(one, 'at'), source: one.source ?? source }) as T);
	return {
		...without(record, 'problem', 'trouble'),
		requesters: linked(requesters),
		asides: linked(asides),
	};
}

/** Version 2's record of a job that a node created: its plan, and values that were not sent. */
interface Plan {
	parameters: IDataObject;
	key: string;
	values: string[];
	unsent?: Array<{ item: number; place: number; query: IDataObject; reason: string }>;
	source?: ISourceData;
}

/** The values of one item. */
interface RequestedValue {
	item: number;
	values: string[];
}

function recordOf(job: Job, { parameters, key, values, source }: Plan, asked: RequestedValue[]): JobRecord {
	const held = new Set(values.map((value) => identityOf(key, value)));
	const requesters = asked.map(({ item, values: own }): Requester => {
		const asks = own.map((value, place): [number, string] => [place, value]);
		return { item, source, asks: asks.filter(([, value]) => held.has(identityOf(key, value))) };
	});
	return { ...newRecord(job.job_id, requesters, { parameters, key, values }), job };
}

function asidesOf({ unsent = [], source }: Pick<Plan, 'source' | 'unsent'>): Aside[] {
	return unsent.map(({ query, reason, ...where }) => ({ ...where, source, row: { query, reason } }));
}

/** Data of version 1 is no longer read. */
const unread: Upgrade = () => ({});

/** The part of a job's record in a Still Running item, besides its readable fields. */
export const ticketFormat = storedFormat(
	'The ticket of the Still Running item',
	z.object({ since: time, givenUpBy: texts, unknownSince: z.optional(time) }),
);

/**
 * The records of all jobs that nodes of this package output by Still Running, once per execution. The items
 * themselves stay small and may be copied and edited.
 */
export const jobLinksFormat = storedFormat(
	'The record of who asked for the jobs that still run',
	z.object({ jobs: z.record(text, jobRecord) }),
	[
		unread,
		({ jobs }) => {
			type Link = {
				fields: Job;
				origin?: Plan & { asked: RequestedValue[] };
				namedBy?: { items: number[]; source?: ISourceData };
			};
			const records = Object.entries(jobs as Record<string, Link>).map(([jobId, link]) => {
				const { fields, origin, namedBy } = link;
				const job = { ...fields, job_id: jobId };
				if (origin)
					return [jobId, { ...recordOf(job, origin, origin.asked), asides: asidesOf(origin) }];
				const named = namedBy?.items.map((item) => ({ item, source: namedBy.source })) ?? [];
				return [jobId, { ...newRecord(jobId, named), job }];
			});
			return { jobs: Object.fromEntries(records) as IDataObject };
		},
	],
);

/** How the user wants results: `first` for all items but those in `byItem`. All share one output. */
export interface Choices {
	first: ResultChoice;
	byItem?: Record<string, ResultChoice>;
}

/** The state of a run that waits for its callback, stored in the execution. */
const suspendedRun = z.object({
	/** Distinguishes the input of the resumed run from another round of the same node. */
	marker: text,
	records: z.array(jobRecord),
	/** Output of the run besides the results of its jobs. */
	asides: z.array(aside),
	choices: z.custom<Choices>((choices) => isObject(choices) && isObject(choices.first)),
	/** The node whose items asked; absent when n8n does not provide it, as in tools. */
	source: z.optional(z.custom<ISourceData>(isObject)),
	/** Longest suspension if a node behind it resumes the jobs, in milliseconds. */
	intervalMs: z.number(),
});
export type SuspendedRun = z.infer<typeof suspendedRun>;

export const suspendedRunFormat = storedFormat('The suspended run', suspendedRun, [
	unread,
	({ run, executionId = '', choice: first, ...rest }) => {
		const { jobs, asked, errors, deadline, unsent, source } = run as unknown as {
			jobs: Array<{
				planned: Plan & { items: number[] };
				job: Job;
				callsBack?: boolean;
				signatureHash?: string;
			}>;
			asked: Array<[item: number, values: string[]]>;
			errors: Array<{ item: number; json: IDataObject }>;
			deadline: number;
		} & Pick<Plan, 'source' | 'unsent'>;
		const valuesOf = new Map(asked);
		const records = jobs.map(({ planned, job, callsBack, signatureHash }) => {
			const own = planned.items.map((item) => ({ item, values: valuesOf.get(item) ?? [] }));
			const sent = { sentAt: 0, executionId: callsBack ? executionId : '', signatureHash };
			return { ...recordOf(job, planned, own), deadline, creation: sent };
		});
		const failed = errors.map(({ item, json }) => ({ item, place: 0, error: json }));
		return {
			...rest,
			choices: { first },
			records,
			asides: [...failed, ...asidesOf({ unsent })],
			source,
		};
	},
]);

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
});
export type RequestRecord = z.infer<typeof requestRecord>;

export const requestRecordFormat = storedFormat('The record of an earlier try', requestRecord, [
	unread,
	({ givenOut = [], requests, ...rest }) => {
		const own = Object.entries(requests as IDataObject);
		const earlier = (givenOut as string[]).map((jobId) => [jobId, { sentAt: 0, jobId }] as const);
		const ofRound = own.map(([identity, one]) => [`${String(rest.round)} ${identity}`, one] as const);
		return { ...rest, requests: Object.fromEntries<unknown>([...earlier, ...ofRound]) };
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

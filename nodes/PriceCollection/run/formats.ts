import type { ISourceData } from 'n8n-workflow';
import * as z from '../../../vendor/zod';

import { storedFormat, textFormat, textsFormat, timeFormat } from '../n8n/storedFormat';
import { isObject } from '../service/types';
import type { Choices } from '../settings/resultChoice';
import type { UnsentRequest, Creation, JobRecord, JobRequest } from './record';

/*
 * Everything of a run that outlives a process. Of what this package wrote itself, only the fields without which
 * it cannot go on are checked.
 */

const jobRecord = z.custom<JobRecord>(
	(record) =>
		isObject(record) &&
		isObject(record.job) &&
		[record.job.job_id, record.job.status].every((field) => typeof field === 'string') &&
		[record.since, record.deadline].every(Number.isFinite) &&
		[record.requesters, record.timedOutNodes].every(Array.isArray),
);

/** The part of a job's record in a Still Running item, besides its readable fields. */
export const ticketFormat = storedFormat(
	'The ticket of the Still Running item',
	z.object({
		since: timeFormat,
		timedOutNodes: textsFormat,
		deniedSince: z.optional(timeFormat),
		isUnsentOutput: z.optional(z.boolean()),
	}),
);

/**
 * The records of all jobs that nodes of this package output by Still Running, once per execution. The items
 * themselves stay small and may be copied and edited.
 */
export const jobLinksFormat = storedFormat(
	'The record of who asked for the jobs that still run',
	z.object({ jobs: z.record(textFormat, jobRecord) }),
);

/** The state of a run that waits for its callback, stored in the execution. */
const suspendedRun = z.object({
	/** Distinguishes the input of the resumed run from another round of the same node. */
	marker: textFormat,
	records: z.array(jobRecord),
	/** Output of the run besides the results of its jobs. */
	unsent: z.array(z.custom<UnsentRequest>((one) => isObject(one) && Number.isInteger(one.item))),
	choices: z.custom<Choices>((choices) => isObject(choices) && isObject(choices.first)),
	/** The node whose items asked; absent when n8n does not provide it, as in tools. */
	source: z.optional(z.custom<ISourceData>(isObject)),
	/** Longest suspension if a node behind it resumes the jobs, in milliseconds. */
	intervalMs: z.number(),
});
export type SuspendedRun = z.infer<typeof suspendedRun>;

export const suspendedRunFormat = storedFormat('The suspended run', suspendedRun);

/** The item that buys a value, and the value in the form that identifies it. */
export type PurchasedValue = [item: number, identity: string];

const purchase = z.object({
	/** Hash of what is asked of the service besides the values. */
	what: textFormat,
	/** Who buys which value: the item, and the value in the form that identifies it. */
	values: z.array(
		z.custom<PurchasedValue>(
			(purchasedValue) =>
				Array.isArray(purchasedValue) &&
				Number.isInteger(purchasedValue[0]) &&
				typeof purchasedValue[1] === 'string',
		),
	),
	creation: z.custom<Creation>((one) => isObject(one) && Number.isFinite(one.sentAt)),
	/** What was sent, while it is unknown which job it created. */
	sent: z.optional(z.custom<JobRequest>((one) => isObject(one) && Array.isArray(one.values))),
});
/** The values that one creation request bought, or will have bought if its reply was lost. */
export type Purchase = z.infer<typeof purchase>;

/** The purchases of a node in an execution, for Retry On Fail and for a manual retry. */
export const executionLedgerFormat = storedFormat(
	'The record of an earlier try',
	z.object({
		/** The latest round of the node, from 0. The rounds of a loop buy separately. */
		round: z.int(),
		/** The execution that opened it, and when. */
		opened: z.object({ by: textFormat, time: timeFormat }),
		/** Set when there may be requests that are not recorded; since when, if that is known. */
		gap: z.optional(z.object({ from: z.optional(timeFormat) })),
		purchases: z.array(purchase),
		/** Jobs of earlier rounds, which are not those of lost requests of this one. */
		earlier: textsFormat,
	}),
);

/** The questions that agents asked a tool. */
export const toolLedgerFormat = storedFormat(
	'The memory of this tool',
	z.object({ purchases: z.array(purchase) }),
);

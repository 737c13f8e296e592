import type { ISourceData } from 'n8n-workflow';
import * as z from '../../../vendor/zod';

import { storedFormat, textFormat, textsFormat, timeFormat } from '../n8n/storedFormat';
import { isObject } from '../service/types';
import type { Choices } from '../settings/resultChoice';
import type { UnsentRequest, Creation, JobRecord, JobRequest } from './record';

/*
 * The formats of run data that outlives a process. The package wrote this data itself, so reading checks only the fields
 * that it cannot go on without.
 */

const jobRecord = z.custom<JobRecord>(
	(record) =>
		isObject(record) &&
		isObject(record.job) &&
		[record.job.job_id, record.job.status].every((field) => typeof field === 'string') &&
		[record.since, record.deadline].every(Number.isFinite) &&
		[record.requesters, record.timedOutNodes].every(Array.isArray),
);

/** The part of a job's record that a Still Running item carries, besides its readable fields. */
export const ticketFormat = storedFormat(
	'The ticket of the Still Running item',
	z.object({
		since: timeFormat,
		timedOutNodes: textsFormat,
		deniedSince: z.optional(timeFormat),
		wasUnsentOutput: z.optional(z.boolean()),
		isTakenUp: z.optional(z.boolean()),
	}),
);

/**
 * The records of all jobs that nodes of this package output by Still Running, stored once per execution. This keeps the
 * items small, and users may copy and edit them.
 */
export const jobLinksFormat = storedFormat(
	'The record of the items that asked for the running jobs',
	z.object({ jobs: z.record(textFormat, jobRecord) }),
);

/** The state of a run that waits for a callback, stored in the execution. */
const suspendedRun = z.object({
	/** Distinguishes this run's resume item from the input of another round of the same node. */
	marker: textFormat,
	records: z.array(jobRecord),
	/** The output that belongs to no job. */
	unsent: z.array(z.custom<UnsentRequest>((one) => isObject(one) && Number.isInteger(one.item))),
	choices: z.custom<Choices>((choices) => isObject(choices) && isObject(choices.first)),
	/** The node that provided the requesting items; absent if n8n does not say, as in tools. */
	source: z.optional(z.custom<ISourceData>(isObject)),
	/** The user's Poll Interval in milliseconds; `suspendRun` makes it longer for older jobs. */
	intervalMs: z.number(),
});
export type SuspendedRun = z.infer<typeof suspendedRun>;

export const suspendedRunFormat = storedFormat('The suspended run', suspendedRun);

/** The item that buys a value, and the value's identity (see `identityOf`). */
export type PurchasedValue = [item: number, identity: string];

const purchase = z.object({
	/** Hash of the request without its values. */
	what: textFormat,
	/** Which item buys which value. */
	values: z.array(
		z.custom<PurchasedValue>(
			(purchasedValue) =>
				Array.isArray(purchasedValue) &&
				Number.isInteger(purchasedValue[0]) &&
				typeof purchasedValue[1] === 'string',
		),
	),
	creation: z.custom<Creation>((one) => isObject(one) && Number.isFinite(one.sentAt)),
	/** The request, kept while it is unknown which job it created. */
	sent: z.optional(z.custom<JobRequest>((one) => isObject(one) && Array.isArray(one.values))),
});
/** The values that one creation request bought, or may have bought if its reply was lost. */
export type Purchase = z.infer<typeof purchase>;

/** The purchases of a node in an execution, for Retry On Fail and manual retries. */
export const executionLedgerFormat = storedFormat(
	'The record of an earlier try',
	z.object({
		/** The node's latest run in this execution, from 0. The rounds of a loop buy separately. */
		round: z.int(),
		/** The execution that opened the ledger, and when. */
		opened: z.object({ by: textFormat, time: timeFormat }),
		/** Set if some requests may be unrecorded. `from`: the earliest time of such a request, if known. */
		gap: z.optional(z.object({ from: z.optional(timeFormat) })),
		purchases: z.array(purchase),
		/** Jobs of earlier rounds, which this round's lost requests cannot have created. */
		earlier: textsFormat,
	}),
);

/** The questions that agents asked a tool. */
export const toolLedgerFormat = storedFormat(
	'The memory of this tool',
	z.object({ purchases: z.array(purchase) }),
);

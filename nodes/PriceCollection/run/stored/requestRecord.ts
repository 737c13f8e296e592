import * as z from 'zod/v4-mini';

import { evidence, storedFormat, text, texts, time } from './format';

/** What is known of one request to create a job. */
export const requestEntry = z.object({
	/** `sent`: the reply is still awaited, or n8n ended meanwhile. `unknown`: it did not come. `created`: the job exists. */
	state: z.enum(['sent', 'unknown', 'created']),
	sentAt: time,
	/** Until when it can have reached the service; absent while its reply is awaited. */
	lostAt: z.optional(time),
	/** The execution that the job calls back, where it calls one. */
	executionId: text,
	/** The mark in its callback URL. */
	nonce: z.optional(text),
	/** Hash of the signature in its callback URL. */
	signatureHash: z.optional(text),
	jobId: z.optional(text),
	evidence: z.optional(evidence),
});
export type RequestEntry = z.infer<typeof requestEntry>;

/**
 * What a node has asked the service to create in one round of an execution, request by request: written before and after
 * every creation to the node's context, which n8n keeps for Retry On Fail and for a retry by hand.
 */
const requestRecord = z.object({
	/** The round of the node in its execution, from 0: rounds of a loop are different requests. */
	round: z.int(),
	/** The execution that has opened it, and when it first did; absent where an earlier version of the package has. */
	opened: z.optional(z.object({ by: text, at: time })),
	/** Since when requests may have been sent of which n8n has lost the record. */
	lostSince: z.optional(time),
	/** IDs of the latest jobs that earlier rounds have given out. */
	givenOut: z.optional(texts),
	/** By the identity of the request. */
	requests: z.record(text, requestEntry),
});
export type RequestRecord = z.infer<typeof requestRecord>;

export const requestRecordFormat = storedFormat('The record of an earlier try', requestRecord);

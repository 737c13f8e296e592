import * as z from 'zod/v4-mini';

import { storedFormat, text, texts, time } from './format';

/** What is known of one request to create a job. */
export interface RequestEntry {
	/** `sent`: the reply is still awaited, or n8n ended meanwhile. `unknown`: it did not come. `created`: the job exists. */
	state: 'sent' | 'unknown' | 'created';
	/** When it was sent, in milliseconds since 1970. */
	sentAt: number;
	/** Until when it can have reached the service, in milliseconds since 1970; absent while its reply is awaited. */
	lostAt?: number;
	/** The execution that the job calls back, where it calls one. */
	executionId: string;
	/** The mark in its callback URL. */
	nonce?: string;
	/** Hash of the signature in its callback URL. */
	signatureHash?: string;
	jobId?: string;
	/** How sure it is that the job is the one that was asked for, see `RunJob`. */
	evidence?: 'reply' | 'list' | 'results';
}

/**
 * What a node has asked the service to create in one round of an execution, request by request: written before and after
 * every creation to the node's context, which n8n keeps for Retry On Fail and for a retry by hand.
 */
export interface RequestRecord {
	/** The round of the node in its execution, from 0: rounds of a loop are different requests. */
	round: number;
	/** By the identity of the request. */
	requests: Record<string, RequestEntry>;
	/** IDs of the latest jobs that earlier rounds have given out. */
	givenOut?: string[];
}

export const requestRecordFormat = storedFormat<RequestRecord>(
	'The record of an earlier try',
	z.object({
		round: z.int(),
		givenOut: z.optional(texts),
		requests: z.record(
			text,
			z.object({
				state: z.enum(['sent', 'unknown', 'created']),
				sentAt: time,
				lostAt: z.optional(time),
				executionId: text,
				nonce: z.optional(text),
				signatureHash: z.optional(text),
				jobId: z.optional(text),
				evidence: z.optional(z.enum(['reply', 'list', 'results'])),
			}),
		),
	}),
);

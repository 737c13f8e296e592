import * as z from 'zod/v4-mini';

import { storedFormat, text, texts, time } from '../../n8n/storedFormat';
import { creation } from './jobRecord';

/**
 * What a node has asked the service to create in one round of an execution, request by request: written before and after
 * every creation to the node's context, which n8n keeps for Retry On Fail and for a retry by hand.
 */
const requestRecord = z.object({
	/** The round of the node in its execution, from 0: rounds of a loop are different requests. */
	round: z.int(),
	/** The execution that has opened it, and when it first did. */
	opened: z.object({ by: text, at: time }),
	/** Since when requests may have been sent that are not on record. */
	lostSince: z.optional(time),
	/** IDs of the latest jobs that earlier rounds have given out. */
	givenOut: z.optional(texts),
	/** By the identity of the request. */
	requests: z.record(text, creation),
});
export type RequestRecord = z.infer<typeof requestRecord>;

/** Version 1 told requests apart in another way, so it is not read any more. */
export const requestRecordFormat = storedFormat('The record of an earlier try', requestRecord, [() => ({})]);

/**
 * The questions that agents have asked a tool, by their identity, in the static data of its node: n8n saves it with the
 * workflow at the end of every production execution.
 */
export const questionsFormat = storedFormat(
	'The memory of this tool',
	z.object({ questions: z.record(text, creation) }),
	[(stored) => ({ ...stored, questions: {} })],
);

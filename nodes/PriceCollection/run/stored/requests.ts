import * as z from 'zod/v4-mini';

import { isObject } from '../../service/types';
import { storedFormat, text, texts, time, type Upgrade } from './format';
import { creation, objectsIn } from './jobRecord';

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

/** Version 1 told requests apart in another way: what it sent is to be looked for. */
const asLost: Upgrade = ({ requests, opened, lostSince, ...rest }) => {
	const sent = objectsIn(Object.values(isObject(requests) ? requests : {})).map(({ sentAt }) =>
		Number(sentAt),
	);
	const at = isObject(opened) ? Number(opened.at) : Infinity;
	const since = Math.min(...sent, ...(typeof lostSince === 'number' ? [lostSince] : []));
	return {
		...rest,
		opened: { by: '', at: Number.isFinite(Math.min(at, since)) ? Math.min(at, since) : 0 },
		...(Number.isFinite(since) && { lostSince: since }),
		requests: {},
	};
};

export const requestRecordFormat = storedFormat('The record of an earlier try', requestRecord, [asLost]);

/**
 * The questions that agents have asked a tool, by their identity, in the static data of its node: n8n saves it with the
 * workflow at the end of every production execution.
 */
export const questionsFormat = storedFormat(
	'The memory of this tool',
	z.object({ questions: z.record(text, creation) }),
	[(stored) => ({ ...stored, questions: {} })],
);

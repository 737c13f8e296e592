import * as z from 'zod/v4-mini';

import type { ResultChoice } from '../../output/fetch';
import { isObject } from '../../service/types';
import {
	evidence,
	itemIndex,
	jobSchema,
	looseObject,
	source,
	storedFormat,
	text,
	texts,
	time,
	unsentValue,
	type Upgrade,
} from './format';

/** A job that exists, and what it was planned for. */
const runJob = z.object({
	/** See `PlannedJob`. */
	planned: z.object({
		parameters: looseObject,
		key: text,
		values: texts,
		items: z.array(itemIndex),
		group: z.int(),
	}),
	job: jobSchema,
	evidence,
	/** Whether its callback reaches this execution: that of a job taken up from an earlier one does not. */
	callsBack: z.boolean(),
	/** Hash of the signature in its callback URL, so that it is known again although the secret has changed. */
	signatureHash: z.optional(text),
});
export type RunJob = z.infer<typeof runJob>;

/** A run of `collect` after its jobs were created: plain JSON, so that it survives a suspended execution. */
const collectRun = z.object({
	jobs: z.array(runJob),
	/** The values each input item asks for. */
	asked: z.array(z.tuple([itemIndex, texts])),
	/** What was not sent and gets rows with the reason. */
	unsent: z.array(unsentValue),
	/** What could not be asked for: the JSON of an error item for each input item that it concerns, with that item in it. */
	errors: z.array(z.object({ item: itemIndex, json: looseObject })),
	/** The node whose items asked. */
	source: z.optional(source),
	deadline: time,
});
export type CollectRun = z.infer<typeof collectRun>;

const choice: z.ZodMiniType<ResultChoice> = z.object({
	output: z.enum(['entries', 'file', 'job', 'results', 'status']),
	format: z.enum(['json', 'xml', 'csv', 'xlsx']),
	simplify: z.boolean(),
	includeNotFound: z.boolean(),
	onFailedResult: z.enum(['error', 'include', 'skip']),
	contentList: z.optional(text),
	binaryPropertyName: text,
	fileName: text,
	timeoutMs: z.optional(z.number()),
	// Not in what 0.1.0 has written.
	bestPrice: z.optional(
		z.object({
			conditions: texts,
			currency: z.optional(text),
			ignoreShops: texts,
			includeShipping: z.boolean(),
		}),
	),
	fields: z.optional(texts),
	priceFormat: z.optional(z.enum(['number', 'text'])),
});

/** What a run that waits for its callback keeps in the execution. */
const suspendedRun = z.object({
	/** Tells the input of the resumed run from that of another round of the same node. */
	marker: text,
	run: collectRun,
	choice,
	/** The execution that its jobs call back: a retry by hand goes on in another one, which they do not reach. */
	executionId: z.optional(text),
	/** How long it may be suspended at a stretch where somebody takes its jobs up then, in milliseconds. */
	intervalMs: z.number(),
});
export type SuspendedRun = z.infer<typeof suspendedRun>;

/** In version 1 every value that was not sent failed its item. */
const withoutUnsent: Upgrade = (stored) => ({
	...stored,
	run: isObject(stored.run) ? { ...stored.run, unsent: [] } : stored.run,
});

export const suspendedRunFormat = storedFormat('The suspended run', suspendedRun, [withoutUnsent]);

import type { ISourceData } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import type { ResultChoice } from '../../output/fetch';
import type { Job } from '../../service/types';
import type { PlannedJob } from '../lookup/plan';
import { itemIndex, jobSchema, looseObject, sourceSchema, storedFormat, text, texts, time } from './format';

/** A job that exists, and what it was planned for. */
export interface RunJob {
	planned: PlannedJob;
	job: Job;
	/**
	 * How sure it is that the job is the one asked for: by the reply to its creation, by what the job list shows, or only
	 * once its results are seen to answer what was asked.
	 */
	evidence: 'reply' | 'list' | 'results';
	/** Whether its callback reaches this execution: that of a job taken up from an earlier one does not. */
	callsBack: boolean;
	/** Hash of the signature in its callback URL, so that it is known again although the secret has changed. */
	signatureHash?: string;
}

/** A run of `collect` after its jobs were created: plain JSON, so that it survives a suspended execution. */
export interface CollectRun {
	jobs: RunJob[];
	/** The values each input item asks for. */
	asked: Array<[item: number, values: string[]]>;
	/** What could not be asked for: the JSON of an error item for each input item that it concerns, with that item in it. */
	errors: Array<{ item: number; json: NonNullable<PlannedJob['parameters']> }>;
	/** The node whose items asked. */
	source?: ISourceData;
	/** Milliseconds since 1970. */
	deadline: number;
}

/** What a run that waits for its callback keeps in the execution. */
export interface SuspendedRun {
	/** Tells the input of the resumed run from that of another round of the same node. */
	marker: string;
	run: CollectRun;
	choice: ResultChoice;
	/** The execution that its jobs call back: a retry by hand goes on in another one, which they do not reach. */
	executionId?: string;
	/** How long it may be suspended at a stretch where somebody takes its jobs up then, in milliseconds. */
	intervalMs: number;
}

const runJobSchema = z.object({
	planned: z.object({
		parameters: looseObject,
		key: text,
		values: texts,
		items: z.array(itemIndex),
		group: z.int(),
	}),
	job: jobSchema,
	evidence: z.enum(['reply', 'list', 'results']),
	callsBack: z.boolean(),
	signatureHash: z.optional(text),
});

const choiceSchema = z.object({
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

export const suspendedRunFormat = storedFormat<SuspendedRun>(
	'The suspended run',
	z.object({
		marker: text,
		run: z.object({
			jobs: z.array(runJobSchema),
			asked: z.array(z.tuple([itemIndex, texts])),
			errors: z.array(z.object({ item: itemIndex, json: looseObject })),
			source: z.optional(sourceSchema),
			deadline: time,
		}),
		choice: choiceSchema,
		executionId: z.optional(text),
		intervalMs: z.number(),
	}),
);

import type { ISourceData } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import type { ResultChoice } from '../../output/fetch';
import { isObject } from '../../service/types';
import type { Aside, JobRecord } from '../lookup/record';
import { storedFormat, text, texts, type Upgrade } from './format';
import { aside, asideFrom, asksIn, jobRecord, objectsIn, source } from './jobRecord';

const bestPrice = z.object({
	conditions: texts,
	currency: z.optional(text),
	ignoreShops: texts,
	includeShipping: z.boolean(),
});

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
	bestPrice: z.optional(bestPrice),
	fields: z.optional(texts),
	priceFormat: z.optional(z.enum(['number', 'text'])),
});

/** See `Choices` of `resultChoice`. */
interface Choices {
	first: ResultChoice;
	byItem?: Record<string, ResultChoice>;
}

/** What a run that waits for its callback keeps in the execution. */
export interface SuspendedRun {
	/** Tells the input of the resumed run from that of another round of the same node. */
	marker: string;
	records: JobRecord[];
	/** What leaves the run besides the results of its jobs. */
	asides: Aside[];
	choices: Choices;
	/** The node whose items asked. */
	source?: ISourceData;
	/** How long it may be suspended at a stretch where somebody takes its jobs up then, in milliseconds. */
	intervalMs: number;
}

/** Version 1 had no values that were not sent. */
const withoutUnsent: Upgrade = (stored) => ({
	...stored,
	run: isObject(stored.run) ? { ...stored.run, unsent: [] } : stored.run,
});

/** Version 2 kept plans, states and who asked apart. */
const asRecords: Upgrade = ({ run, executionId, choice: first, ...rest }) => {
	if (!isObject(run)) return rest;
	const { jobs, asked, unsent, errors, deadline } = run;
	const valuesOf = new Map((Array.isArray(asked) ? asked : []) as Array<[number, unknown]>);
	const records = objectsIn(jobs).map(({ planned, job, callsBack, signatureHash }) => {
		const { parameters, key, values, items } = isObject(planned) ? planned : {};
		const requesters = ((items ?? []) as number[]).map((item) => ({
			item,
			asks: asksIn(values, String(key), valuesOf.get(item)),
		}));
		const calls = callsBack === true ? String(executionId ?? '') : '';
		const creation = {
			sentAt: 0,
			executionId: calls,
			...(typeof signatureHash === 'string' && { signatureHash }),
		};
		const request = { parameters, key, values };
		return { job, request, requesters, creation, since: 0, deadline, givenUpBy: [] };
	});
	const asides = [
		...objectsIn(errors).map(({ item, json }) => ({ item, place: 0, error: json })),
		...objectsIn(unsent).map((one) => asideFrom(one)),
	];
	return { ...rest, choices: { first }, records, asides, source: run.source };
};

export const suspendedRunFormat = storedFormat<SuspendedRun>(
	'The suspended run',
	z.object({
		marker: text,
		records: z.array(jobRecord),
		asides: z.array(aside),
		choices: z.object({ first: choice, byItem: z.optional(z.record(text, choice)) }),
		source: z.optional(source),
		intervalMs: z.number(),
	}),
	[withoutUnsent, asRecords],
);

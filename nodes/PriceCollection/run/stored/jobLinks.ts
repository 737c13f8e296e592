import type { IExecuteFunctions, ISourceData } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import { hint } from '../../n8n/hints';
import { isObject, type Job } from '../../service/types';
import type { UnsentValue } from '../lookup/plan';
import { identityOf } from '../lookup/values';
import { evidence, itemIndex, looseObject, source, storedFormat, text, texts, unsentValue } from './format';
import type { RunJob } from './suspendedRun';

/** Who asked for what in a job that `collect` created: enough to give every input item its own rows later. */
const origin = z.object({
	source: z.optional(source),
	/** The wire parameters, free of the callback URL. */
	parameters: looseObject,
	key: text,
	/** The values of the job, as sent. */
	values: texts,
	/** The input items and which values each asked for. */
	asked: z.array(z.object({ item: itemIndex, values: texts })),
	evidence,
	/** Values that were not sent, with one job of those who asked for them: whoever gives it out gives out their rows. */
	unsent: z.optional(z.array(unsentValue)),
});

/** What a job is linked to while its Still Running items go round. */
const links = z.object({
	origin: z.optional(origin),
	/** The input items that named a job when it was first waited for: n8n cuts their links at every suspension. */
	namedBy: z.optional(z.object({ source, items: z.array(itemIndex) })),
	/** The service's own words for the job, as far as they were known when it left. */
	fields: z.custom<Job>(isObject),
});
export type JobLinks = z.infer<typeof links>;

/**
 * The links of all jobs that left a node of this package by Still Running, once for each execution: the items
 * themselves stay small, and may be copied and edited on their way.
 */
export const jobLinksFormat = storedFormat(
	'The record of who asked for the jobs that still run',
	z.object({ jobs: z.record(text, links) }),
	// Version 1 knew no values without a job.
	[(stored) => stored],
);

/** The origin of a job that `collect` created. */
export function originOf(
	{ planned: { parameters, key, values, items }, evidence }: Pick<RunJob, 'planned' | 'evidence'>,
	asked: ReadonlyMap<number, string[]>,
	source: ISourceData | undefined,
	secretParameters: readonly string[],
	unsent: readonly UnsentValue[] = [],
): z.infer<typeof origin> {
	const mine = new Set(values.map((value) => identityOf(key, value)));
	const isMine = (value: string) => mine.has(identityOf(key, value));
	const sentBefore = ({ item, place }: UnsentValue) =>
		(asked.get(item) ?? []).slice(0, place).filter(isMine).length;
	const told = Object.entries(parameters).filter(([name]) => !secretParameters.includes(name));
	return {
		...{ source, parameters: Object.fromEntries(told), key, values, evidence },
		asked: items.map((item) => ({ item, values: (asked.get(item) ?? []).filter(isMine) })),
		...(unsent.length > 0 && { unsent: unsent.map((one) => ({ ...one, place: sentBefore(one) })) }),
	};
}

/** Where the links stand in the context of the execution, which all its nodes share. */
const CONTEXT_KEY = 'priceCollectionJobs';

/** Reads the links of this execution; says so when they cannot be read. */
function readLinks(context: IExecuteFunctions): Record<string, JobLinks> {
	const read = jobLinksFormat.read(context.getContext('flow')[CONTEXT_KEY]);
	if (read.kind === 'read') return read.value.jobs;
	if (read.kind === 'unreadable') {
		const loss = 'Rows are linked to the Still Running items instead of to the items that asked.';
		hint(context, `${read.reason}. ${loss}`, 'warning');
	}
	return {};
}

/** Links jobs, by their IDs, to those who asked for them, for the node that takes them up. */
export function storeLinks(context: IExecuteFunctions, added: Readonly<Record<string, JobLinks>>): void {
	if (Object.keys(added).length === 0) return;
	const jobs = { ...readLinks(context), ...added };
	context.getContext('flow')[CONTEXT_KEY] = jobLinksFormat.write({ jobs });
}

/** What a job is linked to; undefined for one that did not leave a node of this execution. */
export function linkReader(context: IExecuteFunctions): (jobId: string) => JobLinks | undefined {
	const jobs = readLinks(context);
	return (jobId) => (Object.hasOwn(jobs, jobId) ? jobs[jobId] : undefined);
}

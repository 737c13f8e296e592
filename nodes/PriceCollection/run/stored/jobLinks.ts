import type { IDataObject, ISourceData } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import type { Job } from '../../service/types';
import { identityOf } from '../lookup/values';
import { itemIndex, looseObject, sourceSchema, storedFormat, text, texts } from './format';
import type { RunJob } from './suspendedRun';

/** Who asked for what in a job that `collect` created: enough to give every input item its own rows later. */
export interface Origin {
	/** The node and run whose items asked, for n8n's item linking. */
	source?: ISourceData;
	/** The wire parameters, free of the callback URL. */
	parameters: IDataObject;
	key: string;
	/** The values of the job, as sent. */
	values: string[];
	/** The input items and which values each asked for. */
	asked: Array<{ item: number; values: string[] }>;
	/** How sure it is that the job is the one asked for, see `RunJob`. */
	evidence: RunJob['evidence'];
}

/** The input items that named a job when it was first waited for: n8n cuts their links at every suspension. */
export interface NamedBy {
	source: ISourceData;
	items: number[];
}

/** What a job is linked to while its Still Running items go round. */
export interface JobLinks {
	origin?: Origin;
	namedBy?: NamedBy;
	/** The service's own words for the job, as far as they were known when it left. */
	fields: Job;
}

/**
 * The links of all jobs that left a node of this package by Still Running, once for each execution: the items
 * themselves stay small, and may be copied and edited on their way.
 */
export const jobLinksFormat = storedFormat<{ jobs: Record<string, JobLinks> }>(
	'The record of who asked for the jobs that still run',
	z.object({
		jobs: z.record(
			text,
			z.object({
				origin: z.optional(
					z.object({
						source: z.optional(sourceSchema),
						parameters: looseObject,
						key: text,
						values: texts,
						asked: z.array(z.object({ item: itemIndex, values: texts })),
						evidence: z.enum(['reply', 'list', 'results']),
					}),
				),
				namedBy: z.optional(z.object({ source: sourceSchema, items: z.array(itemIndex) })),
				fields: z.custom<Job>((value) => looseObject.safeParse(value).success),
			}),
		),
	}),
);

/** The origin of a job that `collect` created. */
export function originOf(
	{ planned, evidence }: Pick<RunJob, 'planned' | 'evidence'>,
	asked: ReadonlyMap<number, string[]>,
	source: ISourceData | undefined,
	secretParameters: readonly string[],
): Origin {
	const parameters = Object.fromEntries(
		Object.entries(planned.parameters).filter(([name]) => !secretParameters.includes(name)),
	);
	const mine = new Set(planned.values.map((value) => identityOf(planned.key, value)));
	const isMine = (value: string) => mine.has(identityOf(planned.key, value));
	return {
		source,
		parameters,
		key: planned.key,
		values: planned.values,
		asked: planned.items.map((item) => ({ item, values: (asked.get(item) ?? []).filter(isMine) })),
		evidence,
	};
}

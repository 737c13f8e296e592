import type { ISourceData } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import { isObject } from '../../service/types';
import { without, type Aside, type Creation, type JobRecord, type Requester } from '../lookup/record';

/** See `JobRecord`. What this package has written is checked for what it cannot do without. */
export const jobRecord = z.custom<JobRecord>(
	(record) =>
		isObject(record) &&
		isObject(record.job) &&
		[record.job.job_id, record.job.status].every((field) => typeof field === 'string') &&
		[record.since, record.deadline].every(Number.isFinite) &&
		[record.requesters, record.givenUpBy].every(Array.isArray),
);

/** See `Creation`. */
export const creation = z.custom<Creation>((one) => isObject(one) && Number.isFinite(one.sentAt));

/** See `Aside`. */
export const aside = z.custom<Aside>((one) => isObject(one) && Number.isInteger(one.item));

/**
 * A record without what is only of the present look.
 *
 * @param source the node whose items asked, for another node, which does not have the present input
 */
export function forStorage({ requesters, asides, ...record }: JobRecord, source?: ISourceData): JobRecord {
	const linked = <T extends Requester>(all: T[]) =>
		all.map((one) => ({ ...without(one, 'at'), ...(source && { source: one.source ?? source }) }) as T);
	const stored = { ...without(record, 'problem', 'trouble'), requesters: linked(requesters) };
	return asides === undefined ? stored : { ...stored, asides: linked(asides) };
}

import type { IDataObject } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import { isObject } from '../../service/types';
import { without, type Aside, type Creation, type JobRecord, type Requester } from '../lookup/record';
import { identityOf } from '../lookup/values';

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

/** A record without what is only of the present look. */
export function forStorage({ requesters, asides, ...record }: JobRecord): JobRecord {
	const bare = <T extends Requester>(all: T[]) => all.map((one) => without(one, 'at') as T);
	const stored = { ...without(record, 'problem', 'trouble'), requesters: bare(requesters) };
	return asides === undefined ? stored : { ...stored, asides: bare(asides) };
}

/** A record out of what earlier versions stored of a job: its plan, and the values that each item asked for. */
export function upgradedRecord(
	job: unknown,
	plan: IDataObject,
	asked: Iterable<[item: unknown, values: unknown]>,
) {
	const { parameters, key, values, source } = plan;
	const held = new Set(
		(Array.isArray(values) ? values : []).map((value) => identityOf(String(key), String(value))),
	);
	const requesters = [...asked].map(([item, own]) => ({
		...{ item, ...(isObject(source) && { source }) },
		asks: (Array.isArray(own) ? own : [])
			.map((value, place): [number, string] => [place, String(value)])
			.filter(([, value]) => held.has(identityOf(String(key), value))),
	}));
	return { job, request: { parameters, key, values }, requesters, since: 0, deadline: 0, givenUpBy: [] };
}

/** Values that were not sent, out of what earlier versions stored. */
export function upgradedAsides(unsent: unknown, source?: unknown): IDataObject[] {
	return objectsIn(unsent).map(({ item, place, query, reason }) => ({
		...{ item, place, row: { query, reason } },
		...(isObject(source) && { source }),
	}));
}

/** The objects in a list. */
export function objectsIn(list: unknown): IDataObject[] {
	return Array.isArray(list) ? list.filter(isObject) : [];
}

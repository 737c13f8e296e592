import type { IDataObject } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import { isObject, type Job } from '../../service/types';
import type { JobRecord, Requester } from '../lookup/record';
import { identityOf } from '../lookup/values';
import { looseObject, text, texts, time } from './format';

const itemIndex = z.int().check(z.minimum(0));

/** The node and run whose items asked, for n8n's item linking. */
export const source = z.object({
	previousNode: text,
	previousNodeOutput: z.optional(z.number()),
	previousNodeRun: z.optional(z.number()),
});

const requester = {
	item: itemIndex,
	source: z.optional(source),
	asks: z.optional(z.array(z.tuple([z.int(), text]))),
};

/** See `Creation`. */
export const creation = z.object({
	sentAt: time,
	lostAt: z.optional(time),
	executionId: text,
	nonce: z.optional(text),
	signatureHash: z.optional(text),
	jobId: z.optional(text),
	recovered: z.optional(z.boolean()),
});

/** See `Aside`. */
export const aside = z.object({
	...requester,
	place: z.int(),
	row: z.optional(z.object({ query: looseObject, reason: text })),
	error: z.optional(looseObject),
});

/** See `JobRecord`. */
export const jobRecord: z.ZodMiniType<JobRecord> = z.object({
	job: z.custom<Job>(
		(value) => isObject(value) && typeof value.job_id === 'string' && typeof value.status === 'string',
	),
	request: z.optional(z.object({ parameters: looseObject, key: text, values: texts })),
	requesters: z.array(z.object(requester)),
	creation: z.optional(creation),
	since: time,
	deadline: time,
	givenUpBy: texts,
	checkedAt: z.optional(time),
	unknownSince: z.optional(time),
	asides: z.optional(z.array(aside)),
});

const withoutPlace = <T extends Requester>({ at: _, ...requester }: T) => requester;

/** A record without what is only of the present look. */
export function forStorage({ problem: _, trouble: __, requesters, asides, ...record }: JobRecord): JobRecord {
	const stored = { ...record, requesters: requesters.map(withoutPlace) };
	return asides === undefined ? stored : { ...stored, asides: asides.map(withoutPlace) };
}

/** The values of an item that a job holds, with their places, out of what earlier versions stored. */
export function asksIn(values: unknown, key: string, asked: unknown): Array<[number, string]> {
	const held = new Set(
		(Array.isArray(values) ? values : []).map((value) => identityOf(key, String(value))),
	);
	return (Array.isArray(asked) ? asked : [])
		.map((value, place): [number, string] => [place, String(value)])
		.filter(([, value]) => held.has(identityOf(key, value)));
}

/** A value that was not sent, as earlier versions stored it. */
export function asideFrom(unsent: IDataObject, from?: unknown): IDataObject {
	const { item, place, query, reason } = unsent;
	return { item, place, row: { query, reason }, ...(isObject(from) && { source: from }) };
}

/** The objects in a list, of what earlier versions stored. */
export function objectsIn(list: unknown): IDataObject[] {
	return Array.isArray(list) ? list.filter(isObject) : [];
}

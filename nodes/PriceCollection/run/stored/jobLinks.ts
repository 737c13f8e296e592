import type { IExecuteFunctions } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import { hint } from '../../n8n/hints';
import { isObject } from '../../service/types';
import type { JobRecord } from '../lookup/record';
import { storedFormat, text, type Upgrade } from './format';
import { asideFrom, asksIn, forStorage, jobRecord, objectsIn } from './jobRecord';

/** Version 2 knew who asked by the origin of a job, and who named one that was created elsewhere. */
const asRecords: Upgrade = ({ jobs, ...rest }) => {
	const records = Object.entries(isObject(jobs) ? jobs : {}).map(([jobId, links]) => {
		const { origin, namedBy, fields } = isObject(links) ? links : {};
		const job = { status: '', ...(isObject(fields) ? fields : {}), job_id: jobId };
		const record = { job, requesters: [] as unknown[], since: 0, deadline: 0, givenUpBy: [] };
		if (isObject(origin)) {
			const { source, parameters, key, values, asked, unsent } = origin;
			const requesters = objectsIn(asked).map(({ item, values: own }) => ({
				...{ item, source },
				asks: asksIn(values, String(key), own),
			}));
			const asides = objectsIn(unsent).map((one) => asideFrom(one, source));
			return [jobId, { ...record, request: { parameters, key, values }, requesters, asides }];
		}
		if (!isObject(namedBy)) return [jobId, record];
		const items = (namedBy.items ?? []) as number[];
		return [jobId, { ...record, requesters: items.map((item) => ({ item, source: namedBy.source })) }];
	});
	return { ...rest, jobs: Object.fromEntries(records) };
};

/**
 * The records of all jobs that left a node of this package by Still Running, once for each execution: the items
 * themselves stay small, and may be copied and edited on their way.
 */
export const jobLinksFormat = storedFormat(
	'The record of who asked for the jobs that still run',
	z.object({ jobs: z.record(text, jobRecord) }),
	// Version 1 knew no values without a job.
	[(stored) => stored, asRecords],
);

/** Where the records stand in the context of the execution, which all its nodes share. */
const CONTEXT_KEY = 'priceCollectionJobs';

/** Reads the records of this execution, by the IDs of their jobs; says so when they cannot be read. */
export function readLinks(context: IExecuteFunctions): ReadonlyMap<string, JobRecord> {
	const read = jobLinksFormat.read(context.getContext('flow')[CONTEXT_KEY]);
	if (read.kind === 'read') return new Map(Object.entries(read.value.jobs));
	if (read.kind === 'unreadable') {
		const loss = 'Rows are linked to the Still Running items instead of to the items that asked.';
		hint(context, `${read.reason}. ${loss}`, 'warning');
	}
	return new Map();
}

/** Keeps records of jobs for the node that takes them up. */
export function storeLinks(context: IExecuteFunctions, records: readonly JobRecord[]): void {
	if (records.length === 0) return;
	const added = records.map((record): [string, JobRecord] => [record.job.job_id, forStorage(record)]);
	const jobs = Object.fromEntries([...readLinks(context), ...added]);
	context.getContext('flow')[CONTEXT_KEY] = jobLinksFormat.write({ jobs });
}

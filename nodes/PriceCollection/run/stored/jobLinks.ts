import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import { hint } from '../../n8n/hints';
import { isObject } from '../../service/types';
import type { JobRecord } from '../lookup/record';
import { storedFormat, text, type Upgrade } from './format';
import { forStorage, jobRecord, objectsIn, upgradedAsides, upgradedRecord } from './jobRecord';

/** Version 1 knew no values without a job. Version 2 knew who asked by the origin of a job, and who only named one. */
const asRecords: Upgrade = ({ jobs, ...rest }) => {
	const recordOf = ([jobId, links]: [string, unknown]): [string, object] => {
		const { origin, namedBy, fields } = isObject(links) ? links : {};
		const job = { status: '', ...(isObject(fields) && fields), job_id: jobId };
		if (isObject(origin)) {
			const asked = objectsIn(origin.asked).map(({ item, values }): [unknown, unknown] => [
				item,
				values,
			]);
			return [
				jobId,
				{
					...upgradedRecord(job, origin, asked),
					asides: upgradedAsides(origin.unsent, origin.source),
				},
			];
		}
		const { items, source } = isObject(namedBy) ? namedBy : {};
		const requesters = (Array.isArray(items) ? items : []).map((item) => ({
			item: Number(item),
			source,
		}));
		return [jobId, { job, requesters, since: 0, deadline: 0, givenUpBy: [] }];
	};
	const records = Object.fromEntries(Object.entries(isObject(jobs) ? jobs : {}).map(recordOf));
	return { ...rest, jobs: records as IDataObject };
};

/**
 * The records of all jobs that left a node of this package by Still Running, once for each execution: the items
 * themselves stay small, and may be copied and edited on their way.
 */
export const jobLinksFormat = storedFormat(
	'The record of who asked for the jobs that still run',
	z.object({ jobs: z.record(text, jobRecord) }),
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

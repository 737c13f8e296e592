import type { IDataObject, IExecuteFunctions, ISourceData } from 'n8n-workflow';

import { hint } from '../n8n/hints';
import { timeOf } from '../service/time';
import type { Job } from '../service/types';
import { jobLinksFormat, ticketFormat } from './formats';
import { without, type JobRecord, type Requester, type Run } from './record';

/* What jobs that leave by Still Running take along: the ticket in each item, and the records that the execution keeps. */

/** Index of the output for jobs that are still running; output 0 is for finished jobs. */
export const STILL_RUNNING_OUTPUT = 1;

/** Advice if no node waits for the jobs of Still Running. */
export const CONNECT =
	'Connect Still Running to a Price Collection node set to Wait, and the Still Running output of that node to itself.';

/** Key of the job records in the execution's context, which all its nodes share. */
const JOBS_KEY = 'priceCollectionJobs';

/**
 * A copy of a record without the fields that are not stored.
 *
 * @param source the node that provided this node's input, because another node has a different input
 */
export function forStorage(record: JobRecord, source?: ISourceData): JobRecord {
	const { requesters, unsent = [] } = record;
	const linked = <T extends Requester>(all: T[]) =>
		all.map((one) => ({ ...one, inputIndex: undefined, source: one.source ?? source }));
	const lists = { requesters: linked(requesters), unsent: linked(unsent) };
	return { ...record, ...lists, problem: undefined, trouble: undefined, isCancelledHere: undefined };
}

/** This execution's job records by job ID; empty, with a hint, if they are unreadable. */
export function readLinks(context: IExecuteFunctions): ReadonlyMap<string, JobRecord> {
	const read = jobLinksFormat.read(context.getContext('flow')[JOBS_KEY]);
	if (read.kind === 'read') return new Map(Object.entries(read.value.jobs));
	if (read.kind === 'unreadable') {
		const loss = 'It is not known which items asked for these jobs, so their rows have no input fields.';
		hint(context, `${read.reason}. ${loss}`, 'warning');
	}
	return new Map();
}

/** Stores job records for the node that goes on with them; they replace older records of the same jobs. */
export function storeLinks({ context, client, source }: Run, records: readonly JobRecord[]): void {
	if (records.length === 0) return;
	const added = records.map(({ request, ...record }) => {
		// The callback URL must not reach other nodes.
		const parameters = without(request?.parameters ?? {}, client.connection.webhookUrlParameter);
		const shareable = { ...record, creation: undefined, request: request && { ...request, parameters } };
		return [record.job.job_id, forStorage(shareable, source)] as const;
	});
	const jobs = Object.fromEntries([...readLinks(context), ...added]);
	context.getContext('flow')[JOBS_KEY] = jobLinksFormat.write({ jobs });
}

/** The service's other fields of a job: no ID, status or results, and none of the fields that Still Running items add. */
export function serviceFields(job: IDataObject): IDataObject {
	const omitted = ['still_running', 'checked_at', 'deadline', 'note', 'ticket', 'results'];
	return without(job, 'job_id', 'status', ...omitted);
}

/** Reads a Still Running item, even one with an unreadable ticket; undefined for other items. */
export function readTicket(json: IDataObject): (Partial<JobRecord> & { job: Job }) | undefined {
	const { job_id, status, still_running: isRunning } = json;
	if (isRunning !== true || typeof job_id !== 'string' || job_id === '') return undefined;
	const read = ticketFormat.read(json.ticket);
	const [deadline, checkedAt] = [timeOf(json.deadline), timeOf(json.checked_at)];
	return {
		job: { ...serviceFields(json), job_id, status: String(status ?? '') },
		...(deadline !== undefined && { deadline }),
		...(checkedAt !== undefined && { checkedAt }),
		...(read.kind === 'read' && read.value),
	};
}

/** An item's fields for its rows, without the fields of a Still Running item, which a row must not be mistaken for. */
export function fieldsBeside(json: IDataObject): IDataObject {
	return readTicket(json) === undefined ? json : serviceFields(json);
}

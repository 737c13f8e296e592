import type { IDataObject, IExecuteFunctions, INodeExecutionData, ISourceData } from 'n8n-workflow';

import { hint } from '../n8n/hints';
import { troubleOf } from '../service/meaning/jobState';
import { timeOf } from '../service/time';
import type { Job } from '../service/types';
import { jobLinksFormat, ticketFormat } from '../run/formats';
import { linkOf, without, type JobRecord, type Requester, type Run } from '../run/record';

/** Index of the output for jobs that are still running; output 0 is for finished jobs. */
export const STILL_RUNNING_OUTPUT = 1;

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

function storeLinks({ context, client, source }: Run, records: readonly JobRecord[]): void {
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
function serviceFields(job: IDataObject): IDataObject {
	const omitted = ['still_running', 'checked_at', 'deadline', 'note', 'ticket', 'results'];
	return without(job, 'job_id', 'status', ...omitted);
}

/**
 * Makes Still Running items for jobs: Wait can read them, and they cannot be mistaken for results. Stores the jobs'
 * records for the node that resumes them.
 *
 * @param isEnd whether this node gives the jobs up, so that another node must wait for them
 * @param note a remark for the user; by default, why the latest request about the job failed, if it did
 */
export function ticketItems(
	run: Run,
	records: readonly JobRecord[],
	isEnd: boolean,
	note?: string,
): INodeExecutionData[] {
	const now = run.client.clock.now();
	const { name } = run.context.getNode();
	storeLinks(run, records);
	return records.map((record) => {
		const { job, requesters, deniedSince, wasUnsentOutput, checkedAt, deadline } = record;
		const remark = note ?? troubleOf(record);
		const ticket = ticketFormat.write({
			since: record.since || now,
			timedOutNodes: isEnd ? [...new Set([...record.timedOutNodes, name])] : record.timedOutNodes,
			...(deniedSince !== undefined && { deniedSince }),
			...(wasUnsentOutput && { wasUnsentOutput }),
		});
		// A job that is passed on again leaves out the service's fields: its stored record has them.
		const isPassedOn = !isEnd && requesters.some(({ source }) => source !== undefined);
		const json: Job = {
			job_id: job.job_id,
			status: job.status,
			still_running: true,
			checked_at: new Date(checkedAt ?? now).toISOString(),
			deadline: new Date(deadline).toISOString(),
			...(isPassedOn ? {} : serviceFields(job)),
			...(remark !== undefined && { note: remark }),
			ticket,
		};
		return { json, pairedItem: linkOf(requesters) };
	});
}

/** An item's fields for its rows, without the fields of a Still Running item, which a row must not be mistaken for. */
export function fieldsBeside(json: IDataObject): IDataObject {
	return readTicket(json) === undefined ? json : serviceFields(json);
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

/** A note to agents about an unfinished job. */
const ASK_AGAIN =
	'There is no answer yet. Ask exactly the same question again in a minute: that continues with this job and costs nothing. A Wait tool can also use its job_id.';

/** A Still Running item for an agent. Its deadline has passed and no other node gets it, so both fields are left out. */
export function forAgent(item: INodeExecutionData): INodeExecutionData {
	const note = [item.json.note, ASK_AGAIN].filter(Boolean).join(' ');
	return { ...item, json: { ...without(item.json, 'ticket', 'deadline'), note } };
}

import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { WaitSettings } from '../descriptions/waitSettings';
import { explain } from '../n8n/errors';
import { hint } from '../n8n/hints';
import type { ServiceClient } from '../service/client';
import { timeOf } from '../service/time';
import type { Job } from '../service/types';
import { linkOf, without, type JobRecord } from './lookup/record';
import { forStorage, jobLinksFormat, ticketFormat, type SuspendedRun } from './stored/formats';

/** A run of Collect, Wait or Download whose jobs exist. */
export interface Run extends Omit<SuspendedRun, 'intervalMs' | 'marker'> {
	context: IExecuteFunctions;
	client: ServiceClient;
	wait: Pick<WaitSettings, 'intervalMs' | 'mode' | 'onDeadline'>;
	/** The items that asked, where they are not the input: n8n wakes a suspended node with an item of its own. */
	input?: INodeExecutionData[];
}

/** The output by which jobs leave that are not over; the first one is for what is finished. */
export const STILL_RUNNING = 1;

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

/** Keeps the records of jobs for the node that takes them up. */
function storeLinks({ context, client, source }: Run, records: readonly JobRecord[]): void {
	if (records.length === 0) return;
	const added = records.map(({ request, ...record }) => {
		// The callback URL is nobody's business.
		const parameters = request && without(request.parameters, client.dialect.webhookUrlParameter);
		const kept = {
			...without(record, 'creation'),
			...(request && { request: { ...request, parameters } }),
		};
		return [record.job.job_id, forStorage(kept as JobRecord, source)] as const;
	});
	const jobs = Object.fromEntries([...readLinks(context), ...added]);
	context.getContext('flow')[CONTEXT_KEY] = jobLinksFormat.write({ jobs });
}

/** A job object without its ID and status, and without what a Still Running item added to it, or its results. */
function serviceFields(job: IDataObject): IDataObject {
	const added = ['still_running', 'checked_at', 'deadline', 'note', 'ticket', 'results'];
	return without(job, 'job_id', 'status', ...added);
}

/** Why the latest look at a job brought nothing; undefined when it brought something. */
export function troubleNote({ trouble }: JobRecord): string | undefined {
	return trouble && `The latest status check failed: ${explain(trouble).message}.`;
}

/**
 * Still Running items for jobs: never to be mistaken for results, and understood by Wait. The records of the jobs are kept
 * for the node that takes them up.
 *
 * @param givenUp whether this node gives the jobs up, to another one
 * @param note what the user should know of the jobs; otherwise why nothing was heard of them
 */
export function ticketItems(
	run: Run,
	records: readonly JobRecord[],
	givenUp: boolean,
	note?: string,
): INodeExecutionData[] {
	const now = run.client.clock.now();
	const { name } = run.context.getNode();
	storeLinks(run, records);
	return records.map((record) => {
		const { job, requesters, unknownSince, checkedAt, deadline } = record;
		const said = note ?? troubleNote(record);
		const ticket = ticketFormat.write({
			since: record.since || now,
			givenUpBy: givenUp ? [...new Set([...record.givenUpBy, name])] : record.givenUpBy,
			...(unknownSince !== undefined && { unknownSince }),
		});
		// What the service says of a job goes round once: its record keeps it.
		const isKept = !givenUp && requesters.some(({ source }) => source !== undefined);
		const json: Job = {
			...{ job_id: job.job_id, status: job.status, still_running: true },
			checked_at: new Date(checkedAt ?? now).toISOString(),
			deadline: new Date(deadline).toISOString(),
			...(isKept ? {} : serviceFields(job)),
			...(said !== undefined && { note: said }),
			ticket,
		};
		return { json, pairedItem: linkOf(requesters) };
	});
}

/** What a Still Running item says of the record of its job, also where its ticket cannot be read; undefined for others. */
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

/** What an agent is told about a job that is not answered yet. */
const ASK_AGAIN =
	'There is no answer yet. Ask exactly the same question again in a minute: that continues with this job and costs nothing. A Wait tool can also use its job_id.';

/** A Still Running item as an agent reads it: its deadline has passed, and n8n hands it to no other node. */
export function forAgent(item: INodeExecutionData): INodeExecutionData {
	const note = [item.json.note, ASK_AGAIN].filter(Boolean).join(' ');
	return { ...item, json: { ...without(item.json, 'ticket', 'deadline'), note } };
}

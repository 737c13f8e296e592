import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import { explain } from '../n8n/errors';
import { hint } from '../n8n/hints';
import { storedFormat, text, texts, time } from '../n8n/storedFormat';
import { timeOf } from '../service/time';
import type { Job } from '../service/types';
import { linkOf, without, type JobRecord, type Requester } from './lookup/record';
import type { Run } from './run';
import { forStorage, jobRecord, upgradeLinks } from './stored/jobRecord';

/** What a Still Running item keeps of the record of its job, besides what people read. */
export const ticketFormat = storedFormat(
	'The ticket of the Still Running item',
	z.object({ since: time, givenUpBy: texts, unknownSince: z.optional(time) }),
);

/**
 * The records of all jobs that left a node of this package by Still Running, once for each execution: the items
 * themselves stay small, and may be copied and edited on their way.
 */
export const jobLinksFormat = storedFormat(
	'The record of who asked for the jobs that still run',
	z.object({ jobs: z.record(text, jobRecord) }),
	upgradeLinks,
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

/** Keeps the records of jobs for the node that takes them up. */
function storeLinks({ context, client, choices, source }: Run, records: readonly JobRecord[]): void {
	if (records.length === 0) return;
	const withPrices = <T extends Requester>(one: T): T => {
		const given = one.given ?? choices.given?.[one.item];
		return given === undefined ? one : { ...one, given };
	};
	const added = records.map(({ request, ...record }): [string, JobRecord] => {
		// The callback URL is nobody's business.
		const parameters = request && without(request.parameters, client.dialect.webhookUrlParameter);
		const priced = {
			requesters: record.requesters.map(withPrices),
			asides: record.asides?.map(withPrices),
		};
		const kept = forStorage({ ...without(record, 'creation'), ...priced }, source);
		return [
			record.job.job_id,
			{ ...kept, ...(request && parameters && { request: { ...request, parameters } }) },
		];
	});
	const jobs = Object.fromEntries([...readLinks(context), ...added]);
	context.getContext('flow')[CONTEXT_KEY] = jobLinksFormat.write({ jobs });
}

/** Fields of the item that are not the service's words for the job, and the results, which are no part of them. */
const OTHER_FIELDS = [
	...['job_id', 'status', 'still_running', 'checked_at', 'deadline', 'note', 'ticket', 'results'],
];

/** A job object without its ID and status, and without what a Still Running item added to it, or its results. */
export function serviceFields(job: IDataObject): IDataObject {
	return without(job, ...OTHER_FIELDS);
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

/** Whether an item is a Still Running item, which names its own job. */
export function isStillRunning(json: IDataObject): json is IDataObject & { job_id: string } {
	return json.still_running === true && typeof json.job_id === 'string' && json.job_id !== '';
}

/** What a Still Running item says of its record; nothing where it is none, or where its ticket cannot be read. */
export function readTicket(
	json: IDataObject,
): Partial<Pick<JobRecord, 'checkedAt' | 'deadline' | 'givenUpBy' | 'since' | 'unknownSince'>> {
	if (!isStillRunning(json)) return {};
	const read = ticketFormat.read(json.ticket);
	const [deadline, checkedAt] = [timeOf(json.deadline), timeOf(json.checked_at)];
	return {
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

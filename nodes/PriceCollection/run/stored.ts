import type { IDataObject, IExecuteFunctions, INodeExecutionData, ISourceData } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import type { WaitSettings } from '../descriptions/waiting';
import { hint } from '../n8n/hints';
import { storedFormat, text, texts, time } from '../n8n/storedFormat';
import type { ResultChoice } from '../output/fetch';
import type { ServiceClient } from '../service/client';
import { explain } from '../service/problems';
import { timeOf } from '../service/time';
import { isObject, type Job } from '../service/types';
import { linkOf, newRecord, without, type Aside, type JobRecord, type Requester } from './lookup/record';
import { identityOf } from './lookup/values';

/** Index of the output for jobs that still run; output 0 is for finished ones. */
export const STILL_RUNNING = 1;

export const CONNECT =
	'Connect Still Running to a Price Collection node set to Wait, and the Still Running output of that node to itself.';

/** Key of the records in the execution's context, which all its nodes share. */
const CONTEXT_KEY = 'priceCollectionJobs';

/** A `JobRecord`. Only the fields that are required are checked, because this package wrote it. */
const jobRecord = z.custom<JobRecord>(
	(record) =>
		isObject(record) &&
		isObject(record.job) &&
		[record.job.job_id, record.job.status].every((field) => typeof field === 'string') &&
		[record.since, record.deadline].every(Number.isFinite) &&
		[record.requesters, record.givenUpBy].every(Array.isArray),
);

/** What version 2 stored of a job that a node created: its plan, who asked, and values that were not sent. */
interface Plan {
	parameters: IDataObject;
	key: string;
	values: string[];
	/** All values of each item. */
	asked: Array<{ item: number; values: string[] }>;
	unsent?: Array<{ item: number; place: number; query: IDataObject; reason: string }>;
	source?: ISourceData;
}

function recordOf(job: Job, { parameters, key, values, asked, source }: Plan): JobRecord {
	const held = new Set(values.map((value) => identityOf(key, value)));
	const requesters = asked.map(({ item, values: own }): Requester => {
		const asks = own.map((value, place): [number, string] => [place, value]);
		return { item, source, asks: asks.filter(([, value]) => held.has(identityOf(key, value))) };
	});
	return { ...newRecord(job.job_id, requesters, { parameters, key, values }), job };
}

function asidesOf({ unsent = [], source }: Pick<Plan, 'source' | 'unsent'>): Aside[] {
	return unsent.map(({ query, reason, ...where }) => ({ ...where, source, row: { query, reason } }));
}

/** The part of a job's record in a Still Running item, besides its readable fields. */
export const ticketFormat = storedFormat(
	'The ticket of the Still Running item',
	z.object({
		since: time,
		givenUpBy: texts,
		unknownSince: z.optional(time),
		areAsidesOutput: z.optional(z.boolean()),
	}),
);

/**
 * The records of all jobs that nodes of this package output by Still Running, once per execution. The items
 * themselves stay small and may be copied and edited.
 */
export const jobLinksFormat = storedFormat(
	'The record of who asked for the jobs that still run',
	z.object({ jobs: z.record(text, jobRecord) }),
	[
		() => ({}),
		({ jobs }) => {
			type Named = { items: number[]; source?: ISourceData };
			type Links = Record<string, { fields: Job; origin?: Plan; namedBy?: Named }>;
			const records = Object.entries(jobs as Links).map(([jobId, { fields, origin, namedBy }]) => {
				const job = { ...fields, job_id: jobId };
				if (origin) return [jobId, { ...recordOf(job, origin), asides: asidesOf(origin) }];
				const named = namedBy?.items.map((item) => ({ item, source: namedBy.source })) ?? [];
				return [jobId, { ...newRecord(jobId, named), job }];
			});
			return { jobs: Object.fromEntries(records) as IDataObject };
		},
	],
);

/** How the user wants results: `first` for all items but those in `byItem`. All share one output. */
export interface Choices {
	first: ResultChoice;
	byItem?: Record<string, ResultChoice>;
}

/** The state of a run that waits for its callback, stored in the execution. */
const suspendedRun = z.object({
	/** Distinguishes the input of the resumed run from another round of the same node. */
	marker: text,
	records: z.array(jobRecord),
	/** Output of the run besides the results of its jobs. */
	asides: z.array(z.custom<Aside>((one) => isObject(one) && Number.isInteger(one.item))),
	choices: z.custom<Choices>((choices) => isObject(choices) && isObject(choices.first)),
	/** The node whose items asked; absent when n8n does not provide it, as in tools. */
	source: z.optional(z.custom<ISourceData>(isObject)),
	/** Longest suspension if a node behind it resumes the jobs, in milliseconds. */
	intervalMs: z.number(),
});
export type SuspendedRun = z.infer<typeof suspendedRun>;

/** What version 2 stored of it. */
interface EarlierRun extends Pick<Plan, 'source' | 'unsent'> {
	jobs: Array<{
		job: Job;
		planned: Plan & { items: number[] };
		callsBack?: boolean;
		signatureHash?: string;
	}>;
	asked: Array<[item: number, values: string[]]>;
	errors: Array<{ item: number; json: IDataObject }>;
	deadline: number;
}

export const suspendedRunFormat = storedFormat('The suspended run', suspendedRun, [
	// Version 1 is no longer read.
	() => ({}),
	({ run, executionId = '', choice: first, ...rest }) => {
		const { jobs, asked, errors, deadline, unsent, source } = run as unknown as EarlierRun;
		const valuesOf = new Map(asked);
		const records = jobs.map(({ planned, job, callsBack, signatureHash }) => {
			const own = planned.items.map((item) => ({ item, values: valuesOf.get(item) ?? [] }));
			const creation = { sentAt: 0, executionId: callsBack ? executionId : '', signatureHash };
			return { ...recordOf(job, { ...planned, asked: own }), deadline, creation };
		});
		const failed = errors.map(({ item, json }) => ({ item, place: 0, error: json }));
		const asides = [...failed, ...asidesOf({ unsent })];
		return { ...rest, choices: { first }, records, asides, source };
	},
]);

/** A run of Collect, Wait or Download with existing jobs. */
export interface Run extends Omit<SuspendedRun, 'intervalMs' | 'marker'> {
	context: IExecuteFunctions;
	client: ServiceClient;
	wait: Pick<WaitSettings, 'intervalMs' | 'mode' | 'onDeadline'>;
	/** The items that asked, if they are not the input: n8n resumes a suspended node with its own item. */
	input?: INodeExecutionData[];
}

/** All output of a run besides the results of its jobs. */
export function allAsides({ asides, records }: Pick<Run, 'asides' | 'records'>): Aside[] {
	return [...asides, ...records.flatMap((record) => record.asides ?? [])];
}

/**
 * A record without the fields that are not stored.
 *
 * @param source the node whose items asked; another node does not have the current input
 */
export function forStorage(record: JobRecord, source?: ISourceData): JobRecord {
	const { requesters, asides = [] } = record;
	const linked = <T extends Requester>(all: T[]) =>
		all.map((one) => ({ ...one, at: undefined, source: one.source ?? source }));
	const lists = { requesters: linked(requesters), asides: linked(asides) };
	return { ...record, ...lists, problem: undefined, trouble: undefined };
}

/** Reads this execution's records by job ID. Adds a hint when they are unreadable. */
export function readLinks(context: IExecuteFunctions): ReadonlyMap<string, JobRecord> {
	const read = jobLinksFormat.read(context.getContext('flow')[CONTEXT_KEY]);
	if (read.kind === 'read') return new Map(Object.entries(read.value.jobs));
	if (read.kind === 'unreadable') {
		const loss = 'Rows are linked to the Still Running items instead of to the items that asked.';
		hint(context, `${read.reason}. ${loss}`, 'warning');
	}
	return new Map();
}

function storeLinks({ context, client, source }: Run, records: readonly JobRecord[]): void {
	if (records.length === 0) return;
	const added = records.map(({ request, ...record }) => {
		// The callback URL must not reach other nodes.
		const parameters = without(request?.parameters ?? {}, client.connection.webhookUrlParameter);
		const kept = { ...record, creation: undefined, request: request && { ...request, parameters } };
		return [record.job.job_id, forStorage(kept, source)] as const;
	});
	const jobs = Object.fromEntries([...readLinks(context), ...added]);
	context.getContext('flow')[CONTEXT_KEY] = jobLinksFormat.write({ jobs });
}

/** A job object without ID, status, results and the fields that Still Running items add. */
function serviceFields(job: IDataObject): IDataObject {
	const added = ['still_running', 'checked_at', 'deadline', 'note', 'ticket', 'results'];
	return without(job, 'job_id', 'status', ...added);
}

/** Why the latest status call for a job failed; undefined when it succeeded. */
export function troubleNote({ trouble }: JobRecord): string | undefined {
	return trouble && `The latest status check failed: ${explain(trouble).message}.`;
}

/**
 * Makes Still Running items for jobs: clearly not results, and readable for Wait. Stores the jobs' records
 * for the node that resumes them.
 *
 * @param isEnd whether this node stops waiting for the jobs and passes them to another one
 * @param note a remark for the user; by default the reason why the status is unknown
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
		const { job, requesters, unknownSince, areAsidesOutput, checkedAt, deadline } = record;
		const said = note ?? troubleNote(record);
		const ticket = ticketFormat.write({
			since: record.since || now,
			givenUpBy: isEnd ? [...new Set([...record.givenUpBy, name])] : record.givenUpBy,
			...(unknownSince !== undefined && { unknownSince }),
			...(areAsidesOutput && { areAsidesOutput }),
		});
		// The service's fields are sent only once, because the record keeps them.
		const isKept = !isEnd && requesters.some(({ source }) => source !== undefined);
		const json: Job = {
			job_id: job.job_id,
			status: job.status,
			still_running: true,
			checked_at: new Date(checkedAt ?? now).toISOString(),
			deadline: new Date(deadline).toISOString(),
			...(isKept ? {} : serviceFields(job)),
			...(said !== undefined && { note: said }),
			ticket,
		};
		return { json, pairedItem: linkOf(requesters) };
	});
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

/** The note for an agent about an unfinished job. */
const ASK_AGAIN =
	'There is no answer yet. Ask exactly the same question again in a minute: that continues with this job and costs nothing. A Wait tool can also use its job_id.';

/** A Still Running item for an agent: its deadline has passed, and no other node gets it. */
export function forAgent(item: INodeExecutionData): INodeExecutionData {
	const note = [item.json.note, ASK_AGAIN].filter(Boolean).join(' ');
	return { ...item, json: { ...without(item.json, 'ticket', 'deadline'), note } };
}

import type { IDataObject, ISourceData } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import type { Job } from '../../service/types';
import { identityOf } from '../lookup/values';
import { itemIndex, looseObject, sourceSchema, storedFormat, text, texts } from './format';
import type { RunJob } from './suspendedRun';

/** Who asked for what in a job that `collect` created: enough to give every input item its own rows later. */
export interface Origin {
	/** The node and run whose items asked, for n8n's item linking. */
	source?: ISourceData;
	/** The wire parameters, free of the callback URL. */
	parameters: IDataObject;
	key: string;
	/** The values of the job, as sent. */
	values: string[];
	/** The input items and which values each asked for. */
	asked: Array<{ item: number; values: string[] }>;
	/** Whether the job was taken from the job list after the reply to its creation was lost. */
	recovered: boolean;
}

/** The input items that named a job when it was first waited for: n8n cuts their links at every suspension. */
export interface NamedBy {
	source: ISourceData;
	items: number[];
}

/** What a Still Running item keeps for the node that takes it up, besides what people read. */
export interface Ticket {
	origin?: Origin;
	namedBy?: NamedBy;
	/** The node where its deadline has passed: another one waits anew, and a loop through this one ends. */
	givenUpBy?: string;
}

const ticketFormat = storedFormat<Ticket>(
	'The link of the Still Running item',
	z.object({
		origin: z.optional(
			z.object({
				source: z.optional(sourceSchema),
				parameters: looseObject,
				key: text,
				values: texts,
				asked: z.array(z.object({ item: itemIndex, values: texts })),
				recovered: z.boolean(),
			}),
		),
		namedBy: z.optional(z.object({ source: sourceSchema, items: z.array(itemIndex) })),
		givenUpBy: z.optional(text),
	}),
);

/** What a Still Running item says, besides the service's own fields of the job. */
export interface StillRunning extends IDataObject {
	job_id: string;
	status: string;
	still_running: true;
	/** ISO 8601. */
	checked_at: string;
	/** ISO 8601; until when the job is waited for. */
	deadline: string;
}

/** Fields that belong to the item and are not the service's. */
const OWN_FIELDS = ['still_running', 'checked_at', 'deadline', 'note', 'ticket'];

/**
 * The item for a job that is still running: never to be mistaken for a result, and understood by `wait`.
 *
 * @param times when it was last looked at and until when it is waited for, in milliseconds since 1970
 * @param note what the user should know, such as that a callback may have come too early
 */
export function stillRunningItem(
	job: Job,
	{ checkedAt, deadline }: { checkedAt: number; deadline: number },
	ticket: Ticket = {},
	note?: string,
): StillRunning {
	const { job_id, status, ...rest } = job;
	const item: StillRunning = {
		job_id,
		status,
		still_running: true,
		checked_at: new Date(checkedAt).toISOString(),
		deadline: new Date(deadline).toISOString(),
		...serviceFields(rest),
	};
	if (note !== undefined) item.note = note;
	if (Object.values(ticket).some((part) => part !== undefined)) item.ticket = ticketFormat.write(ticket);
	return item;
}

/** A job object without what a Still Running item added to it, or its results. */
export function serviceFields(job: IDataObject): IDataObject {
	return Object.fromEntries(
		Object.entries(job).filter(([name]) => name !== 'results' && !OWN_FIELDS.includes(name)),
	);
}

/** A Still Running item without what only n8n's item linking needs. */
export function withoutTicket(item: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(item).filter(([name]) => name !== 'ticket'));
}

/** What an input item of `wait` says about its job when it is a Still Running item. */
export interface ReadTicket extends Ticket {
	/** Milliseconds since 1970. */
	deadline?: number;
	/** Why the ticket in it cannot be read: the job can be waited for, but not linked to those who asked. */
	unreadable?: string;
}

/** Reads a ticket from an item, for the job it is about; an item about something else says nothing. */
export function readTicket(json: IDataObject, jobId: string): ReadTicket {
	if (json.job_id !== jobId || json.still_running !== true) return {};
	const time = Date.parse(String(json.deadline ?? ''));
	const deadline = Number.isFinite(time) ? time : undefined;
	const read = ticketFormat.read(json.ticket);
	if (read.kind === 'unreadable') return { deadline, unreadable: read.reason };
	return { deadline, ...(read.kind === 'read' ? read.value : {}) };
}

/** The origin of a job that `collect` created. */
export function originOf(
	{ planned, recovered }: Pick<RunJob, 'planned' | 'recovered'>,
	asked: ReadonlyMap<number, string[]>,
	source: ISourceData | undefined,
	secretParameters: readonly string[],
): Origin {
	const parameters = Object.fromEntries(
		Object.entries(planned.parameters).filter(([name]) => !secretParameters.includes(name)),
	);
	const mine = new Set(planned.values.map((value) => identityOf(planned.key, value)));
	const isMine = (value: string) => mine.has(identityOf(planned.key, value));
	return {
		source,
		parameters,
		key: planned.key,
		values: planned.values,
		asked: planned.items.map((item) => ({ item, values: (asked.get(item) ?? []).filter(isMine) })),
		recovered,
	};
}

/**
 * Until when an item's job is waited for, in milliseconds since 1970: as its ticket says, even when that has passed, or
 * from now on where another node has given it up. Polling never holds a worker for longer than Max Wait.
 */
export function deadlineOf(
	{ deadline, givenUpBy }: ReadTicket,
	nodeName: string,
	now: number,
	{ mode, maxWaitMs }: { mode: string; maxWaitMs: number },
): number {
	const latest = now + maxWaitMs;
	// What comes back to the node that gave it up goes round in a loop, which must end.
	if (givenUpBy === nodeName) return now;
	if (deadline === undefined || givenUpBy !== undefined) return latest;
	return mode === 'poll' ? Math.min(deadline, latest) : deadline;
}

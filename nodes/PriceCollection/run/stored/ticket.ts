import type { IDataObject } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import type { Job } from '../../service/types';
import { storedFormat, texts, time } from './format';

/** What a Still Running item keeps for the node that takes it up, besides what people read. */
export interface Ticket {
	/** Since when the job is waited for, in milliseconds since 1970. */
	since: number;
	/** The nodes where its deadline has passed: another one waits anew, and a loop through one of these ends. */
	givenUpBy: string[];
	/** Whether only its results can prove that the job is the one asked for; elsewhere nobody knows what that was. */
	unproven?: boolean;
}

const ticketFormat = storedFormat<Ticket>(
	'The ticket of the Still Running item',
	z.object({ since: time, givenUpBy: texts, unproven: z.optional(z.boolean()) }),
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
 * @param note what the user should know, such as why nothing was heard of it
 */
export function stillRunningItem(
	job: Job,
	{ checkedAt, deadline }: { checkedAt: number; deadline: number },
	ticket: Ticket,
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
	item.ticket = ticketFormat.write(ticket);
	return item;
}

/** A job object without what a Still Running item added to it, or its results. */
export function serviceFields(job: IDataObject): IDataObject {
	return Object.fromEntries(
		Object.entries(job).filter(([name]) => name !== 'results' && !OWN_FIELDS.includes(name)),
	);
}

/** A Still Running item without what only this package reads. */
export function withoutTicket(item: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(item).filter(([name]) => name !== 'ticket'));
}

/** What an input item of `wait` says about its job when it is a Still Running item. */
export interface ReadTicket extends Partial<Ticket> {
	/** Milliseconds since 1970. */
	deadline?: number;
}

/** Whether an item is a Still Running item, which names its own job. */
export function isStillRunning(json: IDataObject): json is StillRunning {
	return json.still_running === true && typeof json.job_id === 'string' && json.job_id !== '';
}

/**
 * Reads a ticket from an item; an item about something else says nothing. Of a ticket that cannot be read the job and its
 * deadline still count, because people read them too: nothing else in it decides about money.
 */
export function readTicket(json: IDataObject): ReadTicket {
	if (!isStillRunning(json)) return {};
	const time = Date.parse(String(json.deadline ?? ''));
	const read = ticketFormat.read(json.ticket);
	return {
		...(Number.isFinite(time) ? { deadline: time } : {}),
		...(read.kind === 'read' ? read.value : {}),
	};
}

/**
 * Until when an item's job is waited for, in milliseconds since 1970: as its ticket says, even when that has passed, or
 * from now on where another node has given it up. Polling never holds a worker for longer than Max Wait.
 */
export function deadlineOf(
	{ deadline, givenUpBy = [] }: ReadTicket,
	nodeName: string,
	now: number,
	{ mode, maxWaitMs }: { mode: string; maxWaitMs: number },
): number {
	const latest = now + maxWaitMs;
	// What comes back to a node that gave it up goes round in a loop, which must end.
	if (givenUpBy.includes(nodeName)) return now;
	if (deadline === undefined || givenUpBy.length > 0) return latest;
	return mode === 'poll' ? Math.min(deadline, latest) : deadline;
}

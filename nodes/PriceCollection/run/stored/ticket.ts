import type { IDataObject } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import { timeOf } from '../../service/time';
import type { Job } from '../../service/types';
import { storedFormat, texts, time } from './format';

/** What a Still Running item keeps for the node that takes it up, besides what people read. */
const ticketSchema = z.object({
	/** Since when the job is waited for. */
	since: time,
	/** The nodes where its deadline has passed: another one waits anew, and a loop through one of these ends. */
	givenUpBy: texts,
	/** Whether only its results can prove that the job is the one asked for; elsewhere nobody knows what that was. */
	unproven: z.optional(z.boolean()),
});
export type Ticket = z.infer<typeof ticketSchema>;

const ticketFormat = storedFormat('The ticket of the Still Running item', ticketSchema);

/** Fields of the item that are not the service's words for the job, and the results, which are no part of them. */
const OTHER_FIELDS = ['still_running', 'checked_at', 'deadline', 'note', 'ticket', 'results'];

/**
 * The item for a job that is still running: never to be mistaken for a result, and understood by `wait`.
 *
 * @param times when it was last looked at and until when it is waited for, in milliseconds since 1970
 * @param note what the user should know, such as why nothing was heard of it
 */
export function stillRunningItem(
	{ job_id, status, ...rest }: Job,
	{ checkedAt, deadline }: { checkedAt: number; deadline: number },
	ticket: Ticket,
	note?: string,
): Job {
	return {
		job_id,
		status,
		still_running: true,
		checked_at: new Date(checkedAt).toISOString(),
		deadline: new Date(deadline).toISOString(),
		...serviceFields(rest),
		...(note !== undefined && { note }),
		ticket: ticketFormat.write(ticket),
	};
}

/** A job object without what a Still Running item added to it, or its results. */
export function serviceFields(job: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(job).filter(([name]) => !OTHER_FIELDS.includes(name)));
}

/** A Still Running item without what only this package reads. */
export function withoutTicket(item: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(item).filter(([name]) => name !== 'ticket'));
}

/** What an input item of `wait` says about its job when it is a Still Running item. */
export type ReadTicket = Partial<Ticket & { deadline: z.infer<typeof time> }>;

/** Whether an item is a Still Running item, which names its own job. */
export function isStillRunning(json: IDataObject): json is IDataObject & { job_id: string } {
	return json.still_running === true && typeof json.job_id === 'string' && json.job_id !== '';
}

/**
 * Reads a ticket from an item; an item about something else says nothing. Of a ticket that cannot be read the job and its
 * deadline still count, because people read them too: nothing else in it decides about money.
 */
export function readTicket(json: IDataObject): ReadTicket {
	if (!isStillRunning(json)) return {};
	const deadline = timeOf(json.deadline);
	const read = ticketFormat.read(json.ticket);
	return { ...(deadline !== undefined && { deadline }), ...(read.kind === 'read' && read.value) };
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

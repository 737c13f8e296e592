import type { IDataObject } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import { timeOf } from '../../service/time';
import type { Job } from '../../service/types';
import type { JobRecord } from '../lookup/record';
import { storedFormat, texts, time } from './format';

/** What a Still Running item keeps of the record of its job, besides what people read. */
const ticketFormat = storedFormat(
	'The ticket of the Still Running item',
	z.object({ since: time, givenUpBy: texts, unknownSince: z.optional(time) }),
);

/** Fields of the item that are not the service's words for the job, and the results, which are no part of them. */
const OTHER_FIELDS = ['still_running', 'checked_at', 'deadline', 'note', 'ticket', 'results'];

/**
 * The item for a job that is still running: never to be mistaken for a result, and understood by `wait`.
 *
 * @param fields what the service says of the job
 * @param note what the user should know, such as why nothing was heard of it
 */
export function stillRunningItem(
	{ job: { job_id, status }, checkedAt, since, deadline, givenUpBy, unknownSince }: JobRecord,
	now: number,
	fields: IDataObject,
	note?: string,
): Job {
	return {
		job_id,
		status,
		still_running: true,
		checked_at: new Date(checkedAt ?? now).toISOString(),
		deadline: new Date(deadline).toISOString(),
		...serviceFields(fields),
		...(note !== undefined && { note }),
		ticket: ticketFormat.write({ since, givenUpBy, ...(unknownSince !== undefined && { unknownSince }) }),
	};
}

/** A job object without its ID and status, and without what a Still Running item added to it, or its results. */
export function serviceFields(job: IDataObject): IDataObject {
	const others = ['job_id', 'status', ...OTHER_FIELDS];
	return Object.fromEntries(Object.entries(job).filter(([name]) => !others.includes(name)));
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

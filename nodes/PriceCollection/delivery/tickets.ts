import type { INodeExecutionData } from 'n8n-workflow';

import { troubleOf } from '../service/meaning/jobState';
import type { Job } from '../service/types';
import { ticketFormat } from '../run/formats';
import { linkOf, without, type JobRecord, type Run } from '../run/record';
import { serviceFields } from '../run/tickets';

/**
 * Makes Still Running items for jobs: Wait can read them, and they cannot be mistaken for results. `storeLinks` stores the
 * jobs' records.
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
	return records.map((record) => {
		const { job, requesters, deniedSince, wasUnsentOutput, checkedAt, deadline } = record;
		const remark = note ?? troubleOf(record);
		const ticket = ticketFormat.write({
			since: record.since || now,
			timedOutNodes: isEnd ? [...new Set([...record.timedOutNodes, name])] : record.timedOutNodes,
			...(deniedSince !== undefined && { deniedSince }),
			...(wasUnsentOutput && { wasUnsentOutput }),
			...(!isEnd && record.timedOutNodes.length > 0 && { isTakenUp: true }),
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

/** A note to agents about an unfinished job. */
const ASK_AGAIN =
	'There is no answer yet. Ask exactly the same question again in a minute: that continues with this job and costs nothing. A Wait tool can also use its job_id.';

/** A Still Running item for an agent. Its deadline has passed and no other node gets it, so both fields are left out. */
export function forAgent(item: INodeExecutionData): INodeExecutionData {
	const note = [item.json.note, ASK_AGAIN].filter(Boolean).join(' ');
	return { ...item, json: { ...without(item.json, 'ticket', 'deadline'), note } };
}

import type { IExecuteFunctions } from 'n8n-workflow';

import { readJobId } from '../n8n/parameters';
import type { WaitSettings } from '../descriptions/waiting';
import { asNodeError } from '../n8n/items';
import type { NodeError } from '../n8n/items';
import type { TakenUp } from './takeUp';
import { deadlineOf, readTicket, serviceFields } from './stored/ticket';

/** The jobs that a run of `wait` is about. */
export interface Named {
	/** Each once, in the order of first naming. */
	jobs: TakenUp[];
	/** Items that name no job. */
	refused: Array<{ item: number; error: NodeError }>;
}

/** The job an item names, or the error where the node goes on without it. */
function jobOf(context: IExecuteFunctions, item: number): string | NodeError {
	try {
		return readJobId.call(context, item);
	} catch (error) {
		return asNodeError(context, error, item);
	}
}

/** The jobs that the input items name, each once. */
export function readJobs(context: IExecuteFunctions, wait: WaitSettings): Named {
	const taken = new Map<string, TakenUp>();
	const refused: Named['refused'] = [];
	for (const [item, { json }] of context.getInputData().entries()) {
		const jobId = jobOf(context, item);
		const known = typeof jobId === 'string' ? taken.get(jobId) : undefined;
		if (typeof jobId !== 'string') refused.push({ item, error: jobId });
		else if (known !== undefined) known.items.push(item);
		else {
			const ticket = readTicket(json, jobId);
			const deadline = deadlineOf(ticket, context.getNode().name, wait);
			const status = typeof ticket.deadline === 'number' ? String(json.status ?? '') : '';
			const fields = ticket.deadline === undefined ? {} : serviceFields(json);
			taken.set(jobId, { job: { ...fields, job_id: jobId, status }, items: [item], ticket, deadline });
		}
	}
	return { jobs: [...taken.values()], refused };
}

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { deadlineAfter, type WaitSettings } from '../descriptions/waitSettings';
import { forEachItem } from '../n8n/items';
import type { Parameters } from '../n8n/parameters';
import { newRecord, type Aside, type JobRecord, type Requester } from './lookup/record';
import type { ChoiceReader } from './resultChoice';
import { isStillRunning, readLinks, readTicket, serviceFields } from './tickets';

/** How long the jobs that are named are waited for, from now on, in milliseconds since 1970. */
type NamedWait = Pick<WaitSettings, 'latest' | 'maxWaitMs' | 'mode'> & { now: number };

/**
 * Until when an item's job is waited for, in milliseconds since 1970: as its ticket says, even when that has passed, or
 * from now on where another node has given it up. Polling never holds a worker for longer than Max Wait.
 */
export function deadlineOf(
	{ deadline, givenUpBy }: Partial<Pick<JobRecord, 'deadline' | 'givenUpBy'>>,
	nodeName: string,
	wait: NamedWait,
): number {
	const { now, mode } = wait;
	const latest = deadlineAfter(now, wait);
	// What comes back to a node that gave it up goes round in a loop, which must end.
	if (givenUpBy?.includes(nodeName)) return now;
	if (deadline === undefined || givenUpBy?.length) return latest;
	return mode === 'poll' ? Math.min(deadline, latest) : Math.min(deadline, wait.latest ?? Infinity);
}

/**
 * The record of a job that an item names: as it left a node of this execution, or a new one. What this execution asked for
 * keeps its requesters; who only named a job counts as long as the job goes round, because a suspension cuts its links.
 */
function recordFor(jobId: string, item: number, json: IDataObject, kept: JobRecord | undefined): JobRecord {
	const isTicket = isStillRunning(json);
	const told = isTicket ? { ...kept?.job, ...serviceFields(json), status: String(json.status ?? '') } : {};
	const job = { status: '', ...told, job_id: jobId };
	const own = { ...newRecord(jobId, [{ item }]), ...readTicket(json), job };
	const { request, requesters = [], asides = [] } = kept ?? {};
	if (requesters.length === 0 || !(isTicket || request !== undefined)) return own;
	const here = <T extends Requester>(all: readonly T[]) => all.map((one) => ({ ...one, at: item }));
	return { ...own, request, requesters: here(requesters), asides: here(asides) };
}

/**
 * The jobs that the input items name, each once, in the order of first naming, and the error items of those that name
 * none.
 *
 * @throws NodeOperationError for an item that names none, unless the node goes on after failures
 */
export async function readNamedJobs(
	context: IExecuteFunctions,
	fields: Parameters,
	choices: ChoiceReader,
	wait: NamedWait,
): Promise<{ records: JobRecord[]; asides: Aside[] }> {
	const records = new Map<string, JobRecord>();
	const asides: Aside[] = [];
	const kept = readLinks(context);
	const { name } = context.getNode();
	const input = context.getInputData();
	const work = (item: number) => {
		const json = input[item]?.json ?? {};
		const isTicket = isStillRunning(json);
		const jobId = isTicket ? json.job_id : fields.jobId(item);
		choices.read(item);
		const known = records.get(jobId);
		if (known === undefined) {
			const record = recordFor(jobId, item, json, kept.get(jobId));
			const deadline = deadlineOf(readTicket(json), name, wait);
			records.set(jobId, { ...record, since: record.since || wait.now, deadline });
		} else if (!isTicket && known.request === undefined) known.requesters.push({ item });
	};
	await forEachItem(context, work, ({ json }, item) => asides.push({ item, place: 0, error: json }));
	return { records: [...records.values()], asides };
}

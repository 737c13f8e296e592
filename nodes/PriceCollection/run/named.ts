import type { IExecuteFunctions } from 'n8n-workflow';

import { deadlineAfter, type WaitSettings } from '../descriptions/waitSettings';
import { forEachItem } from '../n8n/items';
import type { Parameters } from '../n8n/parameters';
import type { GivenPrices } from '../output/comparison';
import { newRecord, type Aside, type JobRecord, type Requester } from './lookup/record';
import type { ChoiceReader } from './resultChoice';
import { readLinks, readTicket } from './tickets';

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
function recordFor(
	jobId: string,
	naming: Requester,
	ticket: ReturnType<typeof readTicket>,
	kept: JobRecord | undefined,
): JobRecord {
	const own = { ...newRecord(jobId, [naming]), ...ticket };
	if (ticket) own.job = { ...kept?.job, ...ticket.job };
	const { request, requesters = [], asides = [] } = kept ?? {};
	if (requesters.length === 0 || !(ticket || request)) return own;
	const here = <T extends Requester>(all: readonly T[]) =>
		all.map((one) => ({ ...one, at: naming.item, given: mergedPrices(one.given, naming.given) }));
	return { ...own, request, requesters: here(requesters), asides: here(asides) };
}

/** Prices read where a job was asked for, and where it is named: those of the latter, where it has any. */
function mergedPrices(asked: GivenPrices | undefined, here: GivenPrices | undefined) {
	if (asked === undefined || here === undefined) return here ?? asked;
	const set = Object.entries(here).filter(([, price]) => price !== null);
	return { ...here, ...asked, ...Object.fromEntries(set) };
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
		const ticket = readTicket(input[item]?.json ?? {});
		const jobId = ticket?.job.job_id ?? fields.jobId(item);
		choices.read(item);
		const naming = { item, given: choices.givenPrices(item) };
		const known = records.get(jobId);
		if (known === undefined) {
			const record = recordFor(jobId, naming, ticket, kept.get(jobId));
			const deadline = deadlineOf(ticket ?? {}, name, wait);
			records.set(jobId, { ...record, since: record.since || wait.now, deadline });
		} else if (!ticket && !known.request) known.requesters.push(naming);
	};
	await forEachItem(context, work, ({ json }, item) => asides.push({ item, place: 0, error: json }));
	return { records: [...records.values()], asides };
}

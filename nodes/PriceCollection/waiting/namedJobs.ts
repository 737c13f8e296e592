import type { IExecuteFunctions } from 'n8n-workflow';

import { now } from '../n8n/clock';
import { hint } from '../n8n/hints';
import { counted } from '../service/text';
import { forEachItem } from '../n8n/items';
import type { Parameters } from '../n8n/parameters';
import { readLinks, readTicket } from '../delivery/tickets';
import { makesRows, type ChoiceReader } from '../settings/resultChoice';
import { newRecord, type UnsentRequest, type JobRecord, type Requester } from '../run/record';
import { deadlineAfter, type WaitSettings } from '../settings/waitSettings';

type NamedWait = Pick<WaitSettings, 'latest' | 'maxWaitMs' | 'mode'>;

/**
 * Until when to wait for an item's job, in milliseconds since 1970: until its ticket's deadline, even a past
 * one, or for Max Wait `from` now on if another node gave it up. Polling occupies a worker for Max Wait at most.
 */
export function deadlineOf(
	{ deadline, timedOutNodes }: Partial<Pick<JobRecord, 'deadline' | 'timedOutNodes'>>,
	nodeName: string,
	wait: NamedWait,
	from: number,
): number {
	const latest = deadlineAfter(from, wait);
	// A job that returns to the node that gave it up is in a loop, which must end.
	if (timedOutNodes?.includes(nodeName)) return from;
	if (deadline === undefined || timedOutNodes?.length) return latest;
	return wait.mode === 'poll' ? Math.min(deadline, latest) : Math.min(deadline, wait.latest ?? Infinity);
}

/**
 * The record of a job that an item names: the one that a node of this execution left, or a new one. Jobs that
 * this execution requested keep their requesters. Items that only named a job stay while it loops, because
 * suspensions cut links. Of the prices to compare, those from here take precedence.
 */
function recordFor(
	jobId: string,
	naming: Requester,
	ticket: ReturnType<typeof readTicket>,
	kept: JobRecord | undefined,
): JobRecord {
	const own = { ...newRecord(jobId, [naming]), ...ticket };
	if (ticket) own.job = { ...kept?.job, ...ticket.job };
	const { request, requesters = [], unsent = [] } = kept ?? {};
	if (requesters.length === 0 || !(ticket || request)) return own;
	const set = Object.entries(naming.givenPrices ?? {}).filter(([, price]) => price !== null);
	const here = <T extends Requester>(all: readonly T[]) =>
		all.map((one) => {
			const givenPrices = { ...naming.givenPrices, ...one.givenPrices, ...Object.fromEntries(set) };
			return { ...one, inputIndex: naming.item, givenPrices };
		});
	// The ticket is the same in a retry of the node that output them; the stored record has changed by then.
	const isOutput = (ticket ?? kept)?.isUnsentOutput === true;
	return { ...own, request, requesters: here(requesters), unsent: isOutput ? [] : here(unsent) };
}

function unlinkedText(count: number): string {
	const [jobs, their] = [counted(count, 'job'), count === 1 ? 'its' : 'their'];
	const what = `It is not known here which items asked for ${jobs}, so ${their} rows have no input fields and no prices of the items to compare with.`;
	return `${what} If you have run this node alone, run the whole workflow instead.`;
}

/**
 * The jobs that the input items name, each once and in their order, and error items for the others.
 *
 * @param wait how long to wait for them; absent for Download, which does not wait
 * @throws NodeOperationError for an item without a job, unless the node continues after failures
 */
export async function readNamedJobs(
	context: IExecuteFunctions,
	fields: Parameters,
	choices: ChoiceReader,
	wait?: NamedWait,
): Promise<{ records: JobRecord[]; unsent: UnsentRequest[] }> {
	const records = new Map<string, JobRecord>();
	const unsent: UnsentRequest[] = [];
	const kept = readLinks(context);
	/** Jobs whose tickets come from another execution, as where the editor runs this node alone. */
	const unlinked = new Set<string>();
	const { name } = context.getNode();
	const input = context.getInputData();
	const start = now();
	const work = (item: number) => {
		const ticket = readTicket(input[item]?.json ?? {});
		const jobId = ticket?.job.job_id ?? fields.jobId(item);
		if (ticket !== undefined && !kept.has(jobId)) unlinked.add(jobId);
		const naming = { item, givenPrices: choices.read(item).givenPrices };
		const known = records.get(jobId);
		if (known === undefined) {
			const record = recordFor(jobId, naming, ticket, kept.get(jobId));
			const deadline = wait === undefined ? start : deadlineOf(ticket ?? {}, name, wait, start);
			records.set(jobId, { ...record, since: record.since || start, deadline });
		} else if (!ticket && !known.request) known.requesters.push(naming);
	};
	await forEachItem(context, work, ({ json }, item) => unsent.push({ item, position: 0, error: json }));
	const { first } = choices.choices();
	const hasFields = makesRows(first) && first.includeInputFields && first.columns !== 'raw';
	if (unlinked.size > 0 && hasFields) hint(context, unlinkedText(unlinked.size), 'warning');
	return { records: [...records.values()], unsent };
}

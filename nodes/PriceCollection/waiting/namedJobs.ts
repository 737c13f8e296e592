import type { IExecuteFunctions } from 'n8n-workflow';

import { now } from '../n8n/clock';
import { hint } from '../n8n/hints';
import { counted } from '../service/text';
import { forEachItem } from '../n8n/items';
import type { NodeFields } from '../n8n/nodeFields';
import { readLinks, readTicket } from '../run/tickets';
import { makesRows, type ChoiceReader } from '../settings/resultChoice';
import { newRecord, type UnsentRequest, type JobRecord, type Requester } from '../run/record';
import { deadlineAfter, type WaitSettings } from '../settings/waitSettings';

type NamedWait = Pick<WaitSettings, 'latest' | 'maxWaitMs' | 'mode'>;

/**
 * Until when to wait for an item's job, in milliseconds since 1970: until its ticket's deadline, even if that has passed,
 * or until Max Wait after `from` if it has no ticket or another node gave it up. Polling never holds a worker for longer
 * than Max Wait.
 */
export function deadlineOf(
	{
		deadline,
		timedOutNodes,
		isTakenUp,
	}: Partial<Pick<JobRecord, 'deadline' | 'timedOutNodes' | 'isTakenUp'>>,
	nodeName: string,
	wait: NamedWait,
	from: number,
): number {
	const latest = deadlineAfter(from, wait);
	// A job that returns to the node that gave it up is in a loop, which must end.
	if (timedOutNodes?.includes(nodeName)) return from;
	if (deadline === undefined || (timedOutNodes?.length && isTakenUp !== true)) return latest;
	return wait.mode === 'poll' ? Math.min(deadline, latest) : Math.min(deadline, wait.latest ?? Infinity);
}

/**
 * The record of a job that an item names: made from the record that a node of this execution stored, or new. A job that
 * this execution requested keeps its requesters. So does a job that items only named, if it comes with a ticket, because a
 * suspension cuts item links. Prices to compare that are set at this node take precedence.
 */
function recordFor(
	jobId: string,
	namingItem: Requester,
	ticket: ReturnType<typeof readTicket>,
	stored: JobRecord | undefined,
): JobRecord {
	const record = { ...newRecord(jobId, [namingItem]), ...ticket };
	if (ticket) record.job = { ...stored?.job, ...ticket.job };
	const { request, requesters = [], unsent = [] } = stored ?? {};
	if (requesters.length === 0 || !(ticket || request)) return record;
	const filledPrices = Object.entries(namingItem.inputPrices ?? {}).filter(([, price]) => price !== null);
	const atThisNode = <T extends Requester>(all: readonly T[]) =>
		all.map((one) => {
			const inputPrices = {
				...namingItem.inputPrices,
				...one.inputPrices,
				...Object.fromEntries(filledPrices),
			};
			return { ...one, inputIndex: namingItem.item, inputPrices };
		});
	// The ticket counts first: a retry gets the same ticket, but the first try may have changed the stored record.
	const isOutput = (ticket ?? stored)?.wasUnsentOutput === true;
	return {
		...record,
		request,
		requesters: atThisNode(requesters),
		unsent: isOutput ? [] : atThisNode(unsent),
	};
}

function unlinkedText(count: number): string {
	const [jobs, their] = [counted(count, 'job'), count === 1 ? 'its' : 'their'];
	const what = `This execution does not know which items asked for ${jobs}, so ${their} rows have no input fields and no comparison with your prices.`;
	return `${what} If you have run this node alone, run the whole workflow instead.`;
}

/**
 * The jobs that the input items name, each once and in input order, and error items for items without a job.
 *
 * @param wait how long to wait for the jobs; absent for Download, which does not wait
 * @throws NodeOperationError for an item without a job, unless the node continues after failures
 */
export async function readNamedJobs(
	context: IExecuteFunctions,
	fields: NodeFields,
	choices: ChoiceReader,
	wait?: NamedWait,
): Promise<{ records: JobRecord[]; unsent: UnsentRequest[] }> {
	const records = new Map<string, JobRecord>();
	const unsent: UnsentRequest[] = [];
	const storedRecords = readLinks(context);
	/** Jobs whose tickets come from another execution, for example when the editor runs this node alone. */
	const unlinked = new Set<string>();
	const { name } = context.getNode();
	const input = context.getInputData();
	const start = now();
	const work = (item: number) => {
		const ticket = readTicket(input[item]?.json ?? {});
		const jobId = ticket?.job.job_id ?? fields.jobId(item);
		if (ticket !== undefined && !storedRecords.has(jobId)) unlinked.add(jobId);
		const namingItem = { item, inputPrices: choices.read(item).inputPrices };
		const known = records.get(jobId);
		if (known === undefined) {
			const record = recordFor(jobId, namingItem, ticket, storedRecords.get(jobId));
			const deadline = wait === undefined ? start : deadlineOf(ticket ?? {}, name, wait, start);
			records.set(jobId, { ...record, since: record.since || start, deadline });
		} else if (!ticket && !known.request) known.requesters.push(namingItem);
	};
	await forEachItem(context, work, ({ json }, item) => unsent.push({ item, position: 0, error: json }));
	const { first } = choices.choices();
	const hasFields = makesRows(first) && first.includeInputFields && first.columns !== 'raw';
	if (unlinked.size > 0 && hasFields) hint(context, unlinkedText(unlinked.size), 'warning');
	return { records: [...records.values()], unsent };
}

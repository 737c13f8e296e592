import type { INodeExecutionData } from 'n8n-workflow';

import { linkedToSource, linkOf, without, type JobRecord, type Requester } from './lookup/record';
import type { Run } from './run';
import { storeLinks } from './stored/jobLinks';
import { stillRunningItem } from './stored/ticket';

/** What is different about some tickets. */
interface TicketTraits {
	/** Whether this node gives the jobs up, to another one. */
	givenUp?: boolean;
	/** What the user should know of a job. */
	note?: (record: JobRecord) => string | undefined;
}

function ticketItem(
	{ context, client }: Run,
	record: JobRecord,
	{ givenUp = false, note }: TicketTraits,
): INodeExecutionData {
	const now = client.clock.now();
	const nodes = givenUp ? [...new Set([...record.givenUpBy, context.getNode().name])] : record.givenUpBy;
	const left = { ...record, givenUpBy: nodes, since: record.since || now };
	// What the service says of a job goes round once: its record keeps it.
	const isKept = record.requesters.some(({ source }) => source !== undefined);
	return {
		json: stillRunningItem(left, now, isKept && !givenUp ? {} : record.job, note?.(record)),
		pairedItem: linkOf(record.requesters),
	};
}

/** Still Running items for jobs, and their records for the node that takes them up. */
export function ticketItems(
	run: Run,
	records: readonly JobRecord[],
	traits: TicketTraits,
): INodeExecutionData[] {
	keepRecords(run, records);
	return records.map((record) => ticketItem(run, record, traits));
}

/** Keeps the records of jobs for the node that takes them up. */
function keepRecords({ context, client, choices, source }: Run, records: readonly JobRecord[]): void {
	const linked = <T extends Requester>(all: readonly T[]) =>
		linkedToSource(all, source).map((one) => {
			const given = one.given ?? choices.given?.[one.item];
			return given === undefined ? one : { ...one, given };
		});
	const kept = records.map(({ request, requesters, asides, ...record }): JobRecord => ({
		...without(record, 'creation'),
		// The callback URL is nobody's business.
		...(request && {
			request: {
				...request,
				parameters: without(request.parameters, client.dialect.webhookUrlParameter),
			},
		}),
		requesters: linked(requesters),
		...(asides && { asides: linked(asides) }),
	}));
	storeLinks(context, kept);
}

/** What an agent is told about a job that is not answered yet. */
const ASK_AGAIN =
	'This is no answer yet. Ask exactly the same again in a minute: that goes on with this job and costs nothing. A tool for Wait takes it up by its job_id as well.';

/** A Still Running item as an agent reads it: its deadline has passed, and n8n hands it to no other node. */
export function forAgent(item: INodeExecutionData): INodeExecutionData {
	const note = [item.json.note, ASK_AGAIN].filter(Boolean).join(' ');
	return { ...item, json: { ...without(item.json, 'ticket', 'deadline'), note } };
}

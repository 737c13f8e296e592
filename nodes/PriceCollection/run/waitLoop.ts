import type { IExecuteFunctions, INodeExecutionData, IPairedItemData } from 'n8n-workflow';

import { asNodeError, type NodeError } from '../n8n/errors';
import { errorItem } from '../n8n/items';
import { linkedTo, sourceOf } from '../n8n/pairing';
import { readJobId } from '../n8n/parameters';
import { isStopped, SHORTEST_SUSPENSION_MS, suspend } from '../n8n/suspend';
import { leadsToOwnNode } from '../n8n/wiring';
import type { ResultChoice } from '../output/fetch';
import type { ServiceClient } from '../service/client';
import type { Job } from '../service/types';
import { deliver, outputsFor, STILL_RUNNING, type JobToDeliver } from './deliver';
import { linkReader, storeLinks } from './links';
import type { JobLinks } from './stored/jobLinks';
import {
	deadlineOf,
	isStillRunning,
	readTicket,
	serviceFields,
	stillRunningItem,
	type ReadTicket,
} from './stored/ticket';
import { progressOf } from './tally';
import { cancelOnStop } from './waiting/cancel';
import { troubleNote } from './waiting/deadline';
import { isSettled, pollUntilEnded, type JobState } from './waiting/poll';
import { remarkOnLongHold, type WaitSettings } from './waiting/settings';

/** A suspended wait looks the less often the longer it lasts: after this part of the time that has passed … */
const INTERVAL_PER_AGE = 1 / 8;
/** … but at least this often, in milliseconds. */
const LONGEST_INTERVAL_MS = 15 * 60_000;

/** A job that input items of `wait` name. */
interface WaitedJob {
	/** As the first of them describes it. */
	job: Job;
	/** The input items that name it. */
	items: number[];
	/** What the first of them says. */
	ticket: ReadTicket;
	/** Who asked for it, where it left a node of this execution. */
	links?: JobLinks;
	/** Until when to wait, in milliseconds since 1970. */
	deadline: number;
}

/** A run of `wait`. */
interface WaitRun {
	context: IExecuteFunctions;
	client: ServiceClient;
	/** Each once, in the order of first naming. */
	jobs: WaitedJob[];
	/** Items that name no job. */
	refused: Array<{ item: number; error: NodeError }>;
	wait: WaitSettings;
	choice: ResultChoice;
}

/** The job an item names, or the error where the node goes on without it. A Still Running item names its own. */
function jobNamedBy(context: IExecuteFunctions, item: number): string | NodeError {
	const { json } = context.getInputData()[item] ?? { json: {} };
	if (isStillRunning(json)) return json.job_id;
	try {
		return readJobId.call(context, item);
	} catch (error) {
		return asNodeError(context, error, item);
	}
}

/** The jobs that the input items name, each once. */
function readWaitedJobs(
	context: IExecuteFunctions,
	{ clock }: ServiceClient,
	wait: WaitSettings,
): Pick<WaitRun, 'jobs' | 'refused'> {
	const jobs = new Map<string, WaitedJob>();
	const refused: WaitRun['refused'] = [];
	const linksOf = linkReader(context);
	for (const [item, { json }] of context.getInputData().entries()) {
		const jobId = jobNamedBy(context, item);
		const known = typeof jobId === 'string' ? jobs.get(jobId) : undefined;
		if (typeof jobId !== 'string') refused.push({ item, error: jobId });
		else if (known !== undefined) known.items.push(item);
		else {
			const ticket = readTicket(json);
			const links = linksOf(jobId);
			const fields = isStillRunning(json) ? { ...links?.fields, ...serviceFields(json) } : {};
			const job = {
				...fields,
				job_id: jobId,
				status: isStillRunning(json) ? String(json.status ?? '') : '',
			};
			const deadline = deadlineOf(ticket, context.getNode().name, clock.now(), wait);
			jobs.set(jobId, { job, items: [item], ticket, links, deadline });
		}
	}
	return { jobs: [...jobs.values()], refused };
}

/**
 * What the output of a job is linked to: the items that named it, or those that stood behind them before a
 * suspension cut the links.
 */
function linksFor({ items, links }: WaitedJob): IPairedItemData[] {
	const { origin, namedBy } = links ?? {};
	if (origin?.source !== undefined) {
		const { asked, source } = origin;
		return asked.map(({ item }) => ({ item, sourceOverwrite: source }));
	}
	if (namedBy !== undefined) {
		return namedBy.items.map((item) => ({ item, sourceOverwrite: namedBy.source }));
	}
	return items.map((item) => ({ item }));
}

/** Notes who named jobs that were created elsewhere, before they leave for the first time. */
function noteNamers({ context, jobs }: WaitRun): void {
	const source = sourceOf(context);
	if (source === undefined) return;
	const unlinked = jobs.filter(({ links }) => links === undefined);
	const links = unlinked.map(({ job, items }): [string, JobLinks] => [
		job.job_id,
		{ namedBy: { source, items }, fields: job },
	]);
	storeLinks(context, new Map(links));
}

/** A job's ticket to another node, or to another round of this one. */
function ticketItem(
	{ context, client }: WaitRun,
	waited: WaitedJob,
	job: Job,
	note: string | undefined,
	givenUp: boolean,
): INodeExecutionData {
	const now = client.clock.now();
	const { since = now, givenUpBy = [], unproven } = waited.ticket;
	const { name } = context.getNode();
	const nodes = givenUp ? [...new Set([...givenUpBy, name])] : givenUpBy;
	const times = { checkedAt: now, deadline: waited.deadline };
	return {
		json: stillRunningItem(job, times, { since, givenUpBy: nodes, unproven }, note),
		pairedItem: linkedTo(linksFor(waited)),
	};
}

/** A ticket for another round of this node: what the service says of the job is kept once, and not in every round. */
function roundTicket(run: WaitRun, waited: WaitedJob, state: JobState): INodeExecutionData {
	const { job_id, status } = state.job;
	return ticketItem(run, waited, { job_id, status }, troubleNote(state), false);
}

/** Looks at the jobs: until they are over, or once where the execution is suspended in between. */
async function watch({ context, client, jobs, wait, choice }: WaitRun): Promise<JobState[]> {
	const start = client.clock.now();
	const states = await pollUntilEnded(
		client,
		jobs.map(({ job, deadline }) => ({ job, deadline: wait.mode === 'durable' ? start : deadline })),
		{
			intervalMs: wait.intervalMs,
			firstLookMs: 0,
			signal: context.getExecutionCancelSignal(),
			timeoutMs: choice.timeoutMs,
			onLook: progressOf(context),
		},
	);
	remarkOnLongHold(context, start);
	return states;
}

/** A waited job with its links and latest state, for the deliverer. */
function toDeliver(run: WaitRun, waited: WaitedJob, state: JobState): JobToDeliver {
	const { items, ticket, links } = waited;
	const [item = 0] = items;
	const origin = links?.origin;
	// Seen again after it was given up here, the item goes round in a loop that must end.
	const loops =
		ticket.givenUpBy?.includes(run.context.getNode().name) && run.wait.onDeadline === 'stillRunning';
	const known = origin && {
		planned: { ...origin, items: origin.asked.map((asker) => asker.item), group: 0 },
		evidence: origin.evidence,
		askers: {
			values: new Map(origin.asked.map((asker) => [asker.item, asker.values])),
			placeOf: (asker: number) => ({
				item,
				pairedItem:
					origin.source === undefined ? { item } : { item: asker, sourceOverwrite: origin.source },
			}),
		},
	};
	// What was asked for in it is known in its own execution only: elsewhere nothing can prove that it is the right job.
	const nothing: JobToDeliver['lookup'] = {
		planned: { parameters: {}, key: '', values: [], items, group: 0 },
		evidence: 'results',
		askers: { values: new Map(), placeOf: () => ({ item, pairedItem: { item } }) },
	};
	const lookup = known ?? (ticket.unproven === true ? nothing : undefined);
	return {
		...{ state, items, lookup },
		links: linksFor(waited),
		onDeadline: loops ? 'error' : run.wait.onDeadline,
		stillRunningItem: ({ job }, note) => ticketItem(run, waited, job, note, true),
	};
}

/** Until when the next round of a suspended wait may last, in milliseconds since 1970. */
function nextRound({ client, wait }: WaitRun, open: readonly WaitedJob[]): number {
	const now = client.clock.now();
	const soonest = open.reduce((time, { deadline }) => Math.min(time, deadline), Infinity);
	const youngest = open.reduce((age, { ticket }) => Math.min(age, now - (ticket.since ?? now)), Infinity);
	const interval = Math.max(wait.intervalMs, Math.min(youngest * INTERVAL_PER_AGE, LONGEST_INTERVAL_MS));
	return Math.max(now + SHORTEST_SUSPENSION_MS, Math.min(soonest, now + interval));
}

/**
 * Waits for the jobs that the input items name and gives them out, or suspends the execution until the next round. Where
 * Still Running leads back to this package, jobs that are over do not wait for the others: they are given out at once,
 * and the rest goes round.
 *
 * @throws NodeApiError or NodeOperationError, unless the node goes on after failures
 */
export async function waitForNamedJobs(
	context: IExecuteFunctions,
	client: ServiceClient,
	wait: WaitSettings,
	choice: ResultChoice,
): Promise<INodeExecutionData[][]> {
	const run: WaitRun = { context, client, wait, choice, ...readWaitedJobs(context, client, wait) };
	const { jobs, refused } = run;
	const [wrong] = refused;
	if (wrong !== undefined && !context.continueOnFail()) throw wrong.error;
	const jobIds = jobs.map(({ job }) => job.job_id);
	const letGo = wait.onStop === 'cancel' ? cancelOnStop(context, jobIds) : () => undefined;
	try {
		const states = await watch(run);
		if (isStopped(context)) return outputsFor(context, [], []);
		const seen = jobs.map((waited, index) => ({ waited, state: states[index] ?? { job: waited.job } }));
		const fails = seen.some(({ state }) => state.problem !== undefined) && !context.continueOnFail();
		const now = client.clock.now();
		const open = seen.filter(
			({ waited, state }) =>
				wait.mode === 'durable' && !fails && !isSettled(state) && waited.deadline > now,
		);
		const due = seen.filter((one) => !open.includes(one));
		if (open.length > 0) noteNamers(run);
		const tickets = open.map(({ waited, state }) => roundTicket(run, waited, state));
		if (open.length > 0 && (due.length === 0 || !leadsToOwnNode(context, STILL_RUNNING))) {
			// A suspension cuts the links of what is given out with it, so what is over goes round with the rest.
			const input = context.getInputData();
			const again = refused.flatMap(({ item }) => input[item] ?? []);
			const over = due.map(({ waited, state }) => roundTicket(run, waited, state));
			const until = nextRound(
				run,
				open.map(({ waited }) => waited),
			);
			return await suspend(context, [], [...tickets, ...over, ...again], until);
		}
		const errors = refused.map(({ item, error }) => ({ item, output: errorItem(error, [item]) }));
		const delivered = due.map(({ waited, state }) => toDeliver(run, waited, state));
		const [finished = [], stillRunning = []] = await deliver(context, client, choice, delivered, errors);
		return [finished, [...stillRunning, ...tickets]];
	} finally {
		letGo();
	}
}

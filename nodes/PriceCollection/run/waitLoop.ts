import type { IExecuteFunctions, INodeExecutionData, IPairedItemData } from 'n8n-workflow';

import { asNodeError, type NodeError } from '../n8n/errors';
import { hint } from '../n8n/hints';
import { errorItem } from '../n8n/items';
import { linkedTo, sourceOf } from '../n8n/pairing';
import { readJobId } from '../n8n/parameters';
import { isStopped, SHORTEST_SUSPENSION_MS, suspend } from '../n8n/suspend';
import type { ResultChoice } from '../output/fetch';
import type { ServiceClient } from '../service/client';
import { terminalStatus } from '../service/status';
import type { Job } from '../service/types';
import { deliver, outputsFor, type JobToDeliver } from './deliver';
import { deadlineOf, readTicket, serviceFields, stillRunningItem, type ReadTicket } from './stored/ticket';
import { progressOf } from './tally';
import { cancelOnStop } from './waiting/cancel';
import { troubleNote } from './waiting/deadline';
import { pollUntilEnded, type JobState } from './waiting/poll';
import { remarkOnLongHold, type WaitSettings } from './waiting/settings';

/** A job that input items of `wait` name. */
interface WaitedJob {
	/** As the first of them describes it. */
	job: Job;
	/** The input items that name it. */
	items: number[];
	/** What the first of them says. */
	ticket: ReadTicket;
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

/** The job an item names, or the error where the node goes on without it. */
function jobNamedBy(context: IExecuteFunctions, item: number): string | NodeError {
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
	for (const [item, { json }] of context.getInputData().entries()) {
		const jobId = jobNamedBy(context, item);
		const known = typeof jobId === 'string' ? jobs.get(jobId) : undefined;
		if (typeof jobId !== 'string') refused.push({ item, error: jobId });
		else if (known !== undefined) known.items.push(item);
		else {
			const ticket = readTicket(json, jobId);
			const deadline = deadlineOf(ticket, context.getNode().name, clock.now(), wait);
			const status = typeof ticket.deadline === 'number' ? String(json.status ?? '') : '';
			const fields = ticket.deadline === undefined ? {} : serviceFields(json);
			jobs.set(jobId, { job: { ...fields, job_id: jobId, status }, items: [item], ticket, deadline });
			if (ticket.unreadable !== undefined) {
				const loss =
					'Its rows are linked to the Still Running item instead of to the items that asked.';
				hint(context, `${ticket.unreadable}. ${loss}`, 'warning');
			}
		}
	}
	return { jobs: [...jobs.values()], refused };
}

/**
 * What the output of a job is linked to: the items that named it, or those that stood behind them before a
 * suspension cut the links.
 */
function linksOf({ items, ticket: { origin, namedBy } }: WaitedJob): IPairedItemData[] {
	if (origin?.source !== undefined) {
		const { asked, source } = origin;
		return asked.map(({ item }) => ({ item, sourceOverwrite: source }));
	}
	if (namedBy !== undefined) {
		return namedBy.items.map((item) => ({ item, sourceOverwrite: namedBy.source }));
	}
	return items.map((item) => ({ item }));
}

/** A job's ticket to another node, or to another round of this one. */
function ticketItem(
	{ context, client }: WaitRun,
	waited: WaitedJob,
	job: Job,
	note: string | undefined,
	givenUpBy?: string,
): INodeExecutionData {
	const { origin, namedBy } = waited.ticket;
	const source = sourceOf(context);
	const named = namedBy ?? (source === undefined ? undefined : { source, items: waited.items });
	const links = origin === undefined ? { namedBy: named } : { origin };
	const times = { checkedAt: client.clock.now(), deadline: waited.deadline };
	return {
		json: stillRunningItem(job, times, { ...links, givenUpBy }, note),
		pairedItem: linkedTo(linksOf(waited)),
	};
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

/**
 * Whether a suspended wait needs another round, and until when it may last (milliseconds since 1970). Without Continue
 * On Fail a failed job ends the wait at once.
 */
function nextRound(
	{ context, client, jobs, wait }: WaitRun,
	states: readonly JobState[],
): number | undefined {
	const now = client.clock.now();
	const failed = states.some(({ problem }) => problem !== undefined) && !context.continueOnFail();
	if (wait.mode !== 'durable' || failed) return undefined;
	const open = jobs.filter(({ deadline }, index) => {
		const state = states[index];
		const runs = state !== undefined && state.problem === undefined;
		return runs && terminalStatus(state.job.status) === undefined && deadline > now;
	});
	if (open.length === 0) return undefined;
	const soonest = open.reduce((time, { deadline }) => Math.min(time, deadline), Infinity);
	return Math.max(now + SHORTEST_SUSPENSION_MS, Math.min(soonest, now + wait.intervalMs));
}

/** A waited job with its links and latest state, for the deliverer. */
function toDeliver(run: WaitRun, waited: WaitedJob, state: JobState): JobToDeliver {
	const { name } = run.context.getNode();
	const { items, ticket } = waited;
	const [item = 0] = items;
	const { origin } = ticket;
	// Seen again after it was given up here, the item goes round in a loop that must end.
	const loops = ticket.givenUpBy === name && run.wait.onDeadline === 'stillRunning';
	const lookup = origin && {
		planned: { ...origin, items: origin.asked.map((asker) => asker.item), group: 0 },
		recovered: origin.recovered,
		askers: {
			values: new Map(origin.asked.map((asker) => [asker.item, asker.values])),
			placeOf: (asker: number) => ({
				item,
				pairedItem:
					origin.source === undefined ? { item } : { item: asker, sourceOverwrite: origin.source },
			}),
		},
	};
	return {
		...{ state, items, lookup },
		links: linksOf(waited),
		onDeadline: loops ? 'error' : run.wait.onDeadline,
		stillRunningItem: ({ job }, note) => ticketItem(run, waited, job, note, name),
	};
}

/**
 * Waits for the jobs that the input items name and gives them out, or suspends the execution until the next round.
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
	if (wait.onStop === 'cancel')
		cancelOnStop(
			context,
			jobs.map(({ job }) => job.job_id),
		);
	const states = await watch(run);
	if (isStopped(context)) return outputsFor(context, [], []);
	const stateOf = (waited: WaitedJob, index: number) => states[index] ?? { job: waited.job };
	const until = nextRound(run, states);
	if (until !== undefined) {
		// A suspension cuts the links of what is given out with it, so every job goes round until the last one is over.
		const input = context.getInputData();
		const again = refused.flatMap(({ item }) => input[item] ?? []);
		const tickets = jobs.map((waited, index) => {
			const state = stateOf(waited, index);
			return ticketItem(run, waited, state.job, troubleNote(state));
		});
		return await suspend(context, [], [...tickets, ...again], until);
	}
	const errors = refused.map(({ item, error }) => ({ item, output: errorItem(error, [item]) }));
	const delivered = jobs.map((waited, index) => toDeliver(run, waited, stateOf(waited, index)));
	return await deliver(context, client, choice, delivered, errors);
}

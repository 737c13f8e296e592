import type { IDataObject, IExecuteFunctions, INodeExecutionData, IPairedItemData } from 'n8n-workflow';

import { asNodeError } from '../n8n/errors';
import { errorItem } from '../n8n/items';
import { linkedTo, sourceOf } from '../n8n/pairing';
import { readJobId } from '../n8n/parameters';
import { isStopped, SHORTEST_SUSPENSION_MS, suspend } from '../n8n/suspend';
import { isWired, leadsToOwnNode } from '../n8n/wiring';
import type { ResultChoice } from '../output/fetch';
import type { ServiceClient } from '../service/client';
import type { Job } from '../service/types';
import { deliver, outputsFor, STILL_RUNNING, type JobToDeliver } from './deliver';
import { linkReader, storeLinks, type JobLinks } from './stored/jobLinks';
import {
	deadlineOf,
	isStillRunning,
	readTicket,
	serviceFields,
	stillRunningItem,
	type ReadTicket,
} from './stored/ticket';
import { progressOf } from './tally';
import { cancellingOnStop } from './waiting/cancel';
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

/** A job that was looked at. */
interface SeenJob extends WaitedJob {
	state: JobState;
}

/** A run of `wait`. */
interface WaitRun {
	context: IExecuteFunctions;
	client: ServiceClient;
	/** Each once, in the order of first naming. */
	jobs: WaitedJob[];
	/** Items that name no job, with the JSON of their error items. */
	refused: Array<{ item: number; json: IDataObject }>;
	wait: WaitSettings;
	choice: ResultChoice;
}

/**
 * The job an item names, or the JSON of its error item. A Still Running item names its own.
 *
 * @throws NodeOperationError when it names none, unless the node goes on after failures
 */
function jobNamedBy(context: IExecuteFunctions, item: number, json: IDataObject): string | IDataObject {
	if (isStillRunning(json)) return json.job_id;
	try {
		return readJobId.call(context, item);
	} catch (thrown) {
		const error = asNodeError(context, thrown, item);
		if (!context.continueOnFail()) throw error;
		return errorItem(error, item).json;
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
		const jobId = jobNamedBy(context, item, json);
		if (typeof jobId !== 'string') {
			refused.push({ item, json: jobId });
			continue;
		}
		const known = jobs.get(jobId);
		if (known !== undefined) {
			known.items.push(item);
			continue;
		}
		const ticket = readTicket(json);
		const links = linksOf(jobId);
		const told = isStillRunning(json) ? { ...links?.fields, ...serviceFields(json) } : {};
		const job = { ...told, job_id: jobId, status: isStillRunning(json) ? String(json.status ?? '') : '' };
		const deadline = deadlineOf(ticket, context.getNode().name, clock.now(), wait);
		jobs.set(jobId, { job, items: [item], ticket, links, deadline });
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
	const named = unlinked.map(({ job, items }) => [job.job_id, { namedBy: { source, items }, fields: job }]);
	storeLinks(context, Object.fromEntries(named) as Record<string, JobLinks>);
}

/**
 * A job's ticket to another node, which this one has given it up to, or to another round of this node: what the service
 * says of it is kept once then, and not in every round.
 */
function ticketItem(
	{ context, client }: WaitRun,
	seen: SeenJob,
	to: 'another node' | 'another round',
): INodeExecutionData {
	const { state, deadline, ticket } = seen;
	const now = client.clock.now();
	const { since = now, givenUpBy = [], unproven } = ticket;
	const { job_id, status } = state.job;
	const isGivenUp = to === 'another node';
	const nodes = isGivenUp ? [...new Set([...givenUpBy, context.getNode().name])] : givenUpBy;
	const json = stillRunningItem(
		isGivenUp ? state.job : { job_id, status },
		{ checkedAt: now, deadline },
		{ since, givenUpBy: nodes, unproven },
		troubleNote(state),
	);
	return { json, pairedItem: linkedTo(linksFor(seen)) };
}

/** Looks at the jobs: until they are over, or once where the execution is suspended in between. */
async function watch({ context, client, jobs, wait, choice }: WaitRun): Promise<SeenJob[]> {
	const start = client.clock.now();
	const isSuspended = wait.mode === 'durable';
	const asked = jobs.map(({ job, deadline }) => ({ job, deadline: isSuspended ? start : deadline }));
	const states = await pollUntilEnded(client, asked, {
		...{ intervalMs: wait.intervalMs, firstLookMs: 0, timeoutMs: choice.timeoutMs },
		signal: context.getExecutionCancelSignal(),
		onLook: progressOf(context),
	});
	remarkOnLongHold(context, start);
	return jobs.map((waited, index) => ({ ...waited, state: states[index] ?? { job: waited.job } }));
}

/** Of what was asked for in a job that comes from another execution nothing is known, so nothing can prove it. */
const UNKNOWN_ORIGIN: JobLinks['origin'] = {
	...{ parameters: {}, key: '', values: [], asked: [] },
	evidence: 'results',
};

/** What was asked for in a job, where `collect` created it and that is known or has to be proven. */
function lookupOf({ items: [item = 0], ticket, links }: WaitedJob): JobToDeliver['lookup'] {
	const origin = links?.origin ?? (ticket.unproven === true ? UNKNOWN_ORIGIN : undefined);
	if (origin === undefined) return undefined;
	const { asked, evidence, source, unsent = [] } = origin;
	const linkTo = (asker: number) =>
		source === undefined ? { item } : { item: asker, sourceOverwrite: source };
	return {
		planned: { ...origin, items: asked.map((asker) => asker.item), group: 0 },
		evidence,
		askers: {
			values: new Map(asked.map((asker) => [asker.item, asker.values])),
			unsent,
			placeOf: (asker) => ({ item, pairedItem: linkTo(asker) }),
		},
	};
}

/** A job for the deliverer. */
function toDeliver(run: WaitRun, seen: SeenJob): JobToDeliver {
	const { onDeadline } = run.wait;
	const { state, items, ticket } = seen;
	// Seen again after it was given up here, the item goes round in a loop that must end.
	const loops = ticket.givenUpBy?.includes(run.context.getNode().name) === true;
	return {
		...{ state, items, lookup: lookupOf(seen), links: linksFor(seen) },
		onDeadline: loops && onDeadline === 'stillRunning' ? 'error' : onDeadline,
		stillRunningItem: () => ticketItem(run, seen, 'another node'),
	};
}

/** Until when the next round of a suspended wait may last, in milliseconds since 1970. */
function nextRound({ client, wait }: WaitRun, open: readonly WaitedJob[]): number {
	const now = client.clock.now();
	const soonest = Math.min(...open.map(({ deadline }) => deadline));
	const youngest = Math.min(...open.map(({ ticket: { since = now } }) => now - since));
	const interval = Math.max(wait.intervalMs, Math.min(youngest * INTERVAL_PER_AGE, LONGEST_INTERVAL_MS));
	return Math.max(now + SHORTEST_SUSPENSION_MS, Math.min(soonest, now + interval));
}

/** Gives jobs out, or suspends the execution until the next round, see {@link waitForNamedJobs}. */
async function deliverOrSuspend(run: WaitRun, seen: readonly SeenJob[]): Promise<INodeExecutionData[][]> {
	const { context, client, refused, wait, choice } = run;
	const now = client.clock.now();
	const fails = seen.some(({ state }) => state.problem !== undefined) && !context.continueOnFail();
	const mayGoRound = wait.mode === 'durable' && !fails && isWired(context, STILL_RUNNING) !== false;
	const isOpen = ({ state, deadline }: SeenJob) => mayGoRound && !isSettled(state) && deadline > now;
	const open = seen.filter(isOpen);
	const due = seen.filter((job) => !isOpen(job));
	if (open.length > 0) noteNamers(run);
	const tickets = open.map((job) => ticketItem(run, job, 'another round'));
	if (open.length > 0 && (due.length === 0 || !leadsToOwnNode(context, STILL_RUNNING))) {
		// A suspension cuts the links of what is given out with it, so what is over goes round with the rest.
		const input = context.getInputData();
		const again = refused.flatMap(({ item }) => input[item] ?? []);
		const over = due.map((job) => ticketItem(run, job, 'another round'));
		return await suspend(context, [], [...tickets, ...over, ...again], nextRound(run, open));
	}
	const delivered = due.map((job) => toDeliver(run, job));
	const [finished = [], stillRunning = []] = await deliver(context, client, choice, delivered, refused);
	return [finished, [...stillRunning, ...tickets]];
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
	const jobIds = run.jobs.map(({ job }) => job.job_id);
	return await cancellingOnStop(context, wait.onStop, jobIds, async () => {
		const seen = await watch(run);
		return isStopped(context) ? outputsFor(context, [], []) : await deliverOrSuspend(run, seen);
	});
}

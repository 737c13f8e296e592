import type { IDataObject, IExecuteFunctions, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';

import { newNonce } from '../callback/sign';
import { inputError } from '../n8n/errors';
import { hint } from '../n8n/hints';
import { pairedTo } from '../n8n/pairing';
import { isStopped, SHORTEST_SUSPENSION_MS, suspend } from '../n8n/suspend';
import { isWired, leadsToOwnNode } from '../n8n/wiring';
import { makesRows, type ResultChoice } from '../output/fetch';
import { unsentRow } from '../output/rows';
import type { ServiceClient } from '../service/client';
import { isObject } from '../service/types';
import { deliver, STILL_RUNNING, type Askers, type JobToDeliver } from './deliver';
import type { UnsentValue } from './lookup/plan';
import type { StoredRead } from './stored/format';
import { originOf, storeLinks, type JobLinks } from './stored/jobLinks';
import { suspendedRunFormat, type CollectRun, type RunJob, type SuspendedRun } from './stored/suspendedRun';
import { stillRunningItem } from './stored/ticket';
import { progressOf } from './tally';
import { troubleNote } from './waiting/deadline';
import { isSettled, pollUntilEnded, type JobState } from './waiting/poll';
import { remarkOnLongHold, type WaitSettings } from './waiting/settings';
import { watchWhileTheyEnd } from './waiting/watch';

/** A job may be entered late: it is not given up as unknown before this long after its creation. */
const UNKNOWN_FOR_MS = 30_000;
/** Jobs that end at once, or are answered from a cache, are not worth a suspension. */
const FIRST_LOOK_MS = 3_000;
/** A callback may come a little before the service's own status says so, and the other jobs may be about to end. */
const AFTER_CALLBACK_MS = 60_000;
const AFTER_CALLBACK_INTERVAL_MS = 5_000;
/** How often jobs are looked at whose callbacks go to an execution that is over. */
const DEAF_INTERVAL_MS = 30_000;

const NOT_OVER_NOTE =
	'The job was not over when this node last looked. Callbacks can come too early or get lost: take the job up with Wait.';
const NOT_TAKEN_UP =
	'Nothing behind Still Running takes the jobs up. Wire it to a Price Collection node set to Wait, and the Still Running output of that node back to itself.';
const ONLY_CALLBACKS =
	'Only callbacks can wake this execution: if one gets lost, it sleeps until its deadline. Wire Still Running to a Price Collection node set to Wait, which looks after the jobs as well.';
const DEAF =
	'These jobs were created by an earlier execution and call that one back, so this node polls for their end.';

/** Where the run stands in the node's context, which n8n keeps with the execution. */
const CONTEXT_KEY = 'priceCollectionRun';
/** The fields of the input that wakes the run: its marker, and the job that the callback named. */
const MARKER_FIELD = 'price_collection_resume';
const NAMED_FIELD = 'job_id';

/** A run of `collect` on its way, with what its end needs. */
interface Waiting {
	context: IExecuteFunctions;
	client: ServiceClient;
	run: CollectRun;
	choice: ResultChoice;
	onDeadline: WaitSettings['onDeadline'];
}

/** The run with its jobs as last seen. */
function withStates(run: CollectRun, states: readonly JobState[]): CollectRun {
	const jobs = run.jobs.map((entry, index) => ({ ...entry, job: states[index]?.job ?? entry.job }));
	return { ...run, jobs };
}

/** How the jobs are looked at, whatever the mode. */
function lookSettings({ context, choice }: Waiting) {
	return {
		unknownForMs: UNKNOWN_FOR_MS,
		timeoutMs: choice.timeoutMs,
		signal: context.getExecutionCancelSignal(),
		onLook: progressOf(context),
	};
}

/**
 * The Still Running item for a job of a run.
 *
 * @param givenUpBy the node where its deadline will have passed when the item leaves it
 */
function ticketItem(
	{ clock }: ServiceClient,
	{ deadline }: CollectRun,
	{ job, planned, evidence }: RunJob,
	note?: string,
	givenUpBy?: string,
): INodeExecutionData {
	const unproven = evidence === 'results' || undefined;
	const now = clock.now();
	const ticket = { since: now, givenUpBy: givenUpBy === undefined ? [] : [givenUpBy], unproven };
	return {
		json: stillRunningItem(job, { checkedAt: now, deadline }, ticket, note),
		pairedItem: pairedTo(planned.items),
	};
}

/** Values that were not sent, by the job that takes them along: the first one of their item, or of the run. */
function unsentByJob({ jobs, unsent }: CollectRun): ReadonlyMap<RunJob, UnsentValue[]> {
	const jobOf = new Map(jobs.toReversed().flatMap((job) => job.planned.items.map((item) => [item, job])));
	const byJob = new Map(jobs.map((job): [RunJob, UnsentValue[]] => [job, []]));
	for (const one of unsent) {
		const job = jobOf.get(one.item) ?? jobs[0];
		if (job !== undefined) byJob.get(job)?.push(one);
	}
	return byJob;
}

/**
 * Keeps who asked for jobs, for the node that takes them up.
 *
 * @param unsent the values that were not sent, by the job that takes them along; none where this node gives them out
 */
function storeOrigins(
	{ context, client, run }: Waiting,
	entries: readonly RunJob[],
	unsent?: ReadonlyMap<RunJob, UnsentValue[]>,
): void {
	const asked = new Map(run.asked);
	// The callback URL is nobody's business.
	const secret = [client.dialect.webhookUrlParameter];
	const linksOf = (entry: RunJob): JobLinks => ({
		origin: originOf(entry, asked, run.source, secret, unsent?.get(entry)),
		fields: entry.job,
	});
	storeLinks(context, Object.fromEntries(entries.map((entry) => [entry.job.job_id, linksOf(entry)])));
}

/** Gives out a run whose wait is over. */
async function deliverRun(waiting: Waiting, states: readonly JobState[]): Promise<INodeExecutionData[][]> {
	const { context, client, run, choice, onDeadline } = waiting;
	const askers: Askers = {
		values: new Map(run.asked),
		unsent: run.unsent,
		placeOf: (item) => ({ item, pairedItem: { item } }),
	};
	const jobs = run.jobs.map((entry, index): JobToDeliver => {
		const { planned, evidence } = entry;
		const state = states[index] ?? { job: entry.job };
		return {
			state,
			items: planned.items,
			links: planned.items.map((item) => ({ item })),
			lookup: { planned, evidence, askers },
			onDeadline,
			stillRunningItem: () => {
				const left = { ...entry, job: state.job };
				storeOrigins(waiting, [left]);
				return ticketItem(client, run, left, troubleNote(state), context.getNode().name);
			},
		};
	});
	return await deliver(context, client, choice, jobs, run.errors, [askers]);
}

/** What n8n links wrongly across a suspension says itself whose it is. */
function withDetails(context: IExecuteFunctions, run: CollectRun): CollectRun {
	const input = context.getInputData();
	const errors = run.errors.map(({ item, json }) => ({
		item,
		json: { details: input[item]?.json ?? {}, ...json },
	}));
	return { ...run, errors };
}

/** The error items of a suspended run, as they leave it at the end of the suspension. */
function errorItems({ errors }: CollectRun): INodeExecutionData[] {
	return errors.map(({ item, json }) => ({ json, pairedItem: { item } }));
}

/** The rows of what was not sent, as they leave a suspended run that nobody takes up. */
function unsentItems({ unsent }: CollectRun, choice: ResultChoice): INodeExecutionData[] {
	if (!makesRows(choice) || choice.onFailedResult !== 'include') return [];
	return unsent.map(({ item, query, reason }) => ({
		json: unsentRow(query, reason, choice),
		pairedItem: { item },
	}));
}

/**
 * What leaves by Finished at the deadline of a run that no callback woke, where nothing is wired to Still Running: no code
 * of ours runs then, so that it could not fail, and its hints are gone.
 */
function lostItems({ jobs }: CollectRun): INodeExecutionData[] {
	return jobs.map(({ job: { job_id }, planned }) => ({
		json: {
			error: `Job ${job_id} was not over at the deadline, and nothing is wired to the output Still Running`,
			message:
				'Its callback did not come, or came too early. It is not lost: Wait and Download take it up without new costs.',
		},
		pairedItem: pairedTo(planned.items),
	}));
}

/**
 * Suspends a run on a timer, after which the node behind Still Running goes on with it, or until the service calls back.
 * Callbacks get lost: where Still Running is wired to a node that takes the jobs up, that suspension ends after the
 * interval as well.
 */
async function suspendRun(
	waiting: Waiting,
	{ mode, intervalMs }: Pick<WaitSettings, 'mode' | 'intervalMs'>,
): Promise<INodeExecutionData[][]> {
	const { context, client, run, choice } = waiting;
	const isWebhook = mode === 'webhook';
	const isTakenUp = leadsToOwnNode(context, STILL_RUNNING);
	if (!isTakenUp) hint(context, isWebhook ? ONLY_CALLBACKS : NOT_TAKEN_UP, isWebhook ? 'info' : 'warning');
	const now = client.clock.now();
	const next = isWebhook && !isTakenUp ? run.deadline : Math.min(run.deadline, now + intervalMs);
	const until = Math.max(next, now + SHORTEST_SUSPENSION_MS);
	if (isWebhook) {
		const executionId = context.getExecutionId();
		const suspended = { marker: newNonce(), run, choice, executionId, intervalMs };
		context.getContext('node')[CONTEXT_KEY] = suspendedRunFormat.write(suspended);
	}
	storeOrigins(waiting, run.jobs, isTakenUp ? unsentByJob(run) : undefined);
	const unsent = isTakenUp ? [] : unsentItems(run, choice);
	const note = isWebhook ? NOT_OVER_NOTE : undefined;
	const givenUpBy = isWebhook && until >= run.deadline ? context.getNode().name : undefined;
	const tickets = run.jobs.map((entry) => ticketItem(client, run, entry, note, givenUpBy));
	const lost = isWired(context, STILL_RUNNING) === false ? lostItems(run) : [];
	return await suspend(context, [...errorItems(run), ...unsent, ...lost], tickets, until);
}

/** Polls for the end of jobs whose callbacks go elsewhere, where nobody else will look after them. */
async function hearTheDeaf(waiting: Waiting, states: readonly JobState[]): Promise<JobState[]> {
	const { context, client, run } = waiting;
	const heard = [...states];
	const deaf = [...states.entries()].filter(
		([index, state]) => run.jobs[index]?.callsBack !== true && !isSettled(state),
	);
	if (deaf.length === 0 || leadsToOwnNode(context, STILL_RUNNING)) return heard;
	hint(context, DEAF, 'warning');
	const jobs = deaf.map(([, { job }]) => ({ job, deadline: run.deadline }));
	const settings = { ...lookSettings(waiting), intervalMs: DEAF_INTERVAL_MS, firstLookMs: 0 };
	const seen = await pollUntilEnded(client, jobs, settings);
	for (const [place, [index, state]] of deaf.entries()) heard[index] = seen[place] ?? state;
	return heard;
}

/** Waits for a run that was just started, as the mode says, and gives it out; or suspends it. */
export async function waitOrSuspend(
	context: IExecuteFunctions,
	client: ServiceClient,
	run: CollectRun,
	wait: WaitSettings,
	choice: ResultChoice,
): Promise<INodeExecutionData[][]> {
	const started = client.clock.now();
	const { mode, intervalMs, onDeadline } = wait;
	const waiting: Waiting = { context, client, run, choice, onDeadline };
	const look = lookSettings(waiting);
	let states: JobState[];
	if (mode === 'poll') {
		const jobs = run.jobs.map(({ job }) => ({ job, deadline: run.deadline }));
		states = await pollUntilEnded(client, jobs, { ...look, intervalMs, firstLookMs: 1_000 });
	} else {
		const short = { ...look, intervalMs: 1_000, firstLookMs: 500, patienceMs: FIRST_LOOK_MS };
		states = await watchWhileTheyEnd(client, run.jobs, { ...short, until: run.deadline });
		if (mode === 'webhook') states = await hearTheDeaf(waiting, states);
	}
	if (isStopped(context)) return [[], []];
	const seen = { ...waiting, run: withStates(run, states) };
	// On a timer nobody would take the jobs up: they are named now, while this node can still fail.
	const isLost = mode === 'durable' && isWired(context, STILL_RUNNING) === false;
	if (mode === 'poll' || isLost || states.every(isSettled) || client.clock.now() >= run.deadline) {
		remarkOnLongHold(context, started);
		return await deliverRun(seen, states);
	}
	return await suspendRun({ ...seen, run: withDetails(context, seen.run) }, wait);
}

/** A suspended run that goes on, and the job whose callback woke it. */
interface WokenRun extends SuspendedRun {
	named?: string;
}

/**
 * The run that a callback has woken; undefined for a run that begins. It stays where it is, for n8n may run the node
 * again after an error.
 *
 * @throws NodeOperationError for a woken run that is not to be found: beginning anew would be paid for twice
 */
export function wokenRun(context: IExecuteFunctions): WokenRun | undefined {
	const { [MARKER_FIELD]: marker, [NAMED_FIELD]: named } = context.getInputData()[0]?.json ?? {};
	if (marker === undefined) return undefined;
	const read = suspendedRunFormat.read(context.getContext('node')[CONTEXT_KEY]);
	if (read.kind === 'read' && marker === read.value.marker) {
		const { run, executionId = context.getExecutionId() } = read.value;
		const isReached = executionId === context.getExecutionId();
		const jobs = run.jobs.map((entry) => ({ ...entry, callsBack: entry.callsBack && isReached }));
		return { ...read.value, run: { ...run, jobs }, named: typeof named === 'string' ? named : undefined };
	}
	throw inputError(
		context.getNode(),
		read.kind === 'unreadable' ? read.reason : 'The run that was to be resumed is not in this execution',
		'Its jobs are not lost: Get Many lists them, and Wait takes them up.',
	);
}

/**
 * Goes on with a run that the service's callback has woken: gives it out when all its jobs are over, and suspends it
 * again otherwise.
 */
export async function resumeRun(
	context: IExecuteFunctions,
	client: ServiceClient,
	{ run, choice, intervalMs, named }: WokenRun,
): Promise<INodeExecutionData[][]> {
	const waiting: Waiting = { context, client, run, choice, onDeadline: 'stillRunning' };
	const woken = await watchWhileTheyEnd(client, run.jobs, {
		...lookSettings(waiting),
		intervalMs: AFTER_CALLBACK_INTERVAL_MS,
		patienceMs: AFTER_CALLBACK_MS,
		first: named,
	});
	const states = await hearTheDeaf(waiting, woken);
	if (isStopped(context)) return [[], []];
	const seen = { ...waiting, run: withStates(run, states) };
	const isOver = states.every(isSettled) || client.clock.now() >= run.deadline;
	return isOver ? await deliverRun(seen, states) : await suspendRun(seen, { mode: 'webhook', intervalMs });
}

/** The input that makes `execute()` go on with a suspended run, see {@link wokenRun}. */
export function wakingItem({ marker }: SuspendedRun, named: string | undefined): IDataObject {
	return { [MARKER_FIELD]: marker, ...(named !== undefined && { [NAMED_FIELD]: named }) };
}

/** The run that the suspended node waits with, seen from `webhook()`, which has no access to the node's context. */
export function runInWebhook(context: IWebhookFunctions): StoredRead<SuspendedRun> {
	// Braces in the name would end the expression.
	const name = JSON.stringify(context.getNode().name).replaceAll('{', '\\u007b').replaceAll('}', '\\u007d');
	const kept: unknown = context.evaluateExpression(`{{ $(${name}).context }}`, 0);
	return suspendedRunFormat.read(isObject(kept) ? kept[CONTEXT_KEY] : undefined);
}

/** What leaves a suspended run that cannot be resumed: the same as at its deadline. */
export function outputsAtDeadline(
	context: IWebhookFunctions,
	client: ServiceClient,
	{ run }: SuspendedRun,
): INodeExecutionData[][] {
	const { name } = context.getNode();
	return [errorItems(run), run.jobs.map((entry) => ticketItem(client, run, entry, undefined, name))];
}

import type { ServiceClient } from '../../service/api/client';
import {
	deniesPage,
	MOST_PAGES,
	readPages,
	type ListedPage,
	type ListPosition,
} from '../../service/api/jobList';
import { TWICE_MS } from '../../service/meaning/jobState';
import { concernsOneRequest, failure, type Outcome, success } from '../../service/problems';
import { timeOf } from '../../service/time';
import type { Job } from '../../service/types';
import type { TriggerSettings } from '../items';
import { endsInOrder } from './endsInOrder';
import { endedMeanwhile, noteJob, showsStatus } from './noteJob';
import {
	failedAgain,
	hasFailedFor,
	isDue,
	limitFound,
	noteOpen,
	OVERLAP_MS,
	plausible,
	type PollState,
	type PollReading,
} from './pollingState';

/*
 * Reads the account's jobs into the state. A reading takes as many polls as it needs: it goes from the newest job down
 * to those that earlier readings have settled, and stays in the state until it is there. Only then the ends that it
 * found are put in the queue, because the earliest of them may be on its last page.
 */

/** Maximum single status calls per reading, because they are limited. */
const MOST_SINGLE = 10;
/** How long they wait for a turn; most status calls are left to others. */
const TURN = { waitMs: 2_000, share: 0.25 };
/** Ends so shortly before the latest known one may not have been seen by the first reading. */
const READING_MS = 60_000;
/** Services of this kind keep jobs and results for 72 hours; the last attempt is slightly earlier. */
export const RETENTION_MS = 71 * 60 * 60_000;
/** How many pages without a new job may follow each other while jobs arrive and shift the pages. */
const MOST_SHIFTED = 10;

/** What a poll knows besides the state. */
export interface Polling {
	client: ServiceClient;
	settings: TriggerSettings;
	/** When the poll began, by n8n's clock. */
	started: number;
	/** When to read no further page. */
	until: number;
	/** Whether polls have failed for so long that the list should rather be read anew. */
	isStuck: boolean;
	warn: (message: string) => void;
}

/** What a poll has read. */
export interface JobsRead {
	/** One job for each status that was shown. */
	statuses: Map<string, Job>;
	/** How many jobs were listed if the list says that there are more and shows none of them. */
	cutAt?: number;
}

/** The state of the previous poll, for an account that may be another one if the key has changed. */
export function stateOfAccount(before: PollState, account: string, now: number): PollState {
	if (before.account === account) return before;
	// What ended there before the last known end is old. Nothing is known about the list.
	const since = before.lastEnd === undefined ? undefined : Math.min(before.lastEnd, now) - READING_MS;
	const { handled, open, found, queue, lastEnd } = before;
	return { account, handled, open, found, queue, lastEnd, since };
}

/** The present by the service's clock, or else by n8n's. */
function presentOf({ clock, serviceTime }: ServiceClient): number {
	const now = clock.now();
	return serviceTime(now) ?? now;
}

const createdAt = ({ created_at }: Job) => timeOf(created_at);

/** Notes that the fresh jobs of a page continue the list as it began, or that they do not. */
function followOrder(reading: PollReading, job: Job, isKnownAgain: boolean): void {
	const created = createdAt(job);
	if (created === undefined) reading.isSorted = false;
	else if (created <= (reading.oldest ?? Infinity)) reading.oldest = created;
	else if (!isKnownAgain) reading.isSorted = false;
}

/** When a reading began, by the service's clock: at its first page, of which all ends came before. */
function beginning(page: readonly Job[], present: number): number {
	const ends = page.map(({ terminated_at }) => timeOf(terminated_at) ?? 0);
	// The clock only says whole seconds.
	return Math.max(present, ...ends.filter((end) => end < present + 1_000));
}

/** Whether jobs that went away have shifted the list, so that some may lie unread before the page to go on with. */
function isBeyond(page: readonly Job[], { isSorted, oldest }: PollReading): boolean {
	if (!isSorted || oldest === undefined || page.length === 0) return false;
	return page.every((job) => (createdAt(job) ?? -Infinity) < oldest);
}

/** The pages that one poll reads. */
class Pages {
	/** Open jobs that have not been listed with their status. */
	private readonly missing: Set<string>;
	readonly statuses = new Map<string, Job>();
	count = 0;
	listed = 0;
	/** Whether the list has gone on to jobs that earlier readings know. */
	hasKnown = false;
	/** Whether the latest page has jobs of which nothing was known. */
	hasNews = false;
	/** Whether the pages still show jobs that an earlier poll of this reading has read. */
	private isCatchingUp: boolean;
	private previous: ReadonlySet<string> = new Set();
	private shifted = 0;

	constructor(
		private readonly state: PollState,
		private readonly reading: PollReading,
		private readonly client: ServiceClient,
	) {
		this.missing = new Set([...state.open.keys()].slice(0, reading.missing));
		this.isCatchingUp = reading.position !== undefined;
	}

	note({ fresh, jobs, position }: ListedPage): void {
		const { client, isCatchingUp, missing, reading, state } = this;
		const { oldest = Infinity } = reading;
		const present = presentOf(client);
		if (reading.position === undefined) {
			reading.newest = jobs[0] && createdAt(jobs[0]);
			reading.begunAt ??= beginning(jobs, present);
		}
		this.hasNews = false;
		for (const job of fresh) {
			const isNews = noteJob(state, job, { endOf: client.endOf, present });
			followOrder(reading, job, isCatchingUp && !isNews);
			this.hasNews ||= isNews;
			this.hasKnown ||= !isNews && !isCatchingUp;
			this.statuses.set(job.status, job);
			if (showsStatus(job)) missing.delete(job.job_id);
			else if (reading.isFirst === true) state.since ??= present;
		}
		this.isCatchingUp &&= (reading.oldest ?? Infinity) >= oldest;
		this.count++;
		this.listed += fresh.length;
		reading.missing = missing.size;
		reading.position = position;
		limitFound(state);
	}

	/** The open jobs to ask for one by one. */
	due(now: number): string[] {
		return [...this.missing].filter((jobId) => isDue(this.state.open.get(jobId) ?? {}, now));
	}

	/** Whether the list ends with this page, and does not only repeat jobs because new ones have shifted it. */
	isEnd({ fresh, isLast, jobs, list }: ListedPage): boolean {
		const repeatsPrevious = jobs.every(({ job_id: jobId }) => this.previous.has(jobId));
		this.previous = new Set(jobs.map(({ job_id: jobId }) => jobId));
		this.shifted = fresh.length === 0 ? this.shifted + 1 : 0;
		return isLast && (!list.repeats || repeatsPrevious || this.shifted > MOST_SHIFTED);
	}
}

/**
 * Asks for open jobs that the list does not show. Temporary problems are left to the next poll.
 *
 * @param statuses gets a job for each status
 */
async function askOneByOne(
	jobIds: readonly string[],
	state: PollState,
	{ client, settings, started, warn }: Polling,
	statuses: Map<string, Job>,
): Promise<void> {
	const { timeoutMs } = settings;
	for (const jobId of jobIds) {
		const turn = { until: client.clock.now() + TURN.waitMs, share: TURN.share };
		const job = await client.getJob(jobId, { timeoutMs, repeat: false, turn });
		const tries = state.open.get(jobId) ?? {};
		if (job.ok) {
			statuses.set(job.value.status, job.value);
			const present = presentOf(client);
			noteJob(state, { ...job.value, job_id: jobId }, { endOf: client.endOf, present });
			if (!showsStatus(job.value)) noteOpen(state, { job_id: jobId, status: '' }, tries);
		} else if (!concernsOneRequest(job.problem)) return;
		// A service may not know its own job for a moment, or while the wrong key is configured.
		else if (!hasFailedFor(RETENTION_MS, tries, started))
			noteOpen(state, { job_id: jobId, status: '' }, failedAgain(tries, started));
		else {
			state.open.delete(jobId);
			warn(`Job ${jobId} has been unknown to the service for days: whether it ended is not known`);
		}
	}
}

/**
 * After the first reading, what had ended before is old although it was not seen, because of an odd page or of a list
 * without the status. By the latest end that was seen, because the service's dates may be of another clock.
 */
function markOldEnds(state: PollState, present: number): void {
	const latest = state.lastEnd ?? state.since;
	state.since = latest === undefined ? undefined : Math.min(latest, present) - READING_MS;
}

/** Everything that a complete reading has seen is known from now on. */
function settle(state: PollState, reading: PollReading, isWhole: boolean, now: number): void {
	const newest = plausible(reading.newest, now);
	if (!reading.isSorted || newest === undefined) return;
	const kept = Math.min(newest, reading.unreadFrom ?? Infinity);
	const { wholeReading: before } = state;
	if (!isWhole) {
		state.settled = kept;
		state.wholeReading = undefined;
	} else if (before === undefined) state.wholeReading = { newest: kept, seenAt: now };
	// One odd reply may end a list. What two readings saw end there does.
	else if (now - before.seenAt >= TWICE_MS) {
		state.settled = Math.max(before.newest, state.settled ?? 0);
		state.wholeReading = { newest: kept, seenAt: now };
	}
}

/** Puts what was found in the queue, except for ends that may belong behind others that were not seen yet. */
function enqueue(state: PollState, reading: PollReading, isOneReply: boolean, present: number): void {
	const ends = [...state.found.values()].filter(
		(job) => isOneReply || !endedMeanwhile(job, reading.begunAt, present),
	);
	for (const job of endsInOrder(ends)) {
		state.found.delete(job.job_id);
		state.queue.set(job.job_id, { job, tries: {} });
	}
}

/**
 * Goes on reading the list where the previous poll stopped, or begins a new reading, and asks for open jobs that the list
 * does not show. When the reading is complete, the ends that were found are put in the queue, and `state.reading` is
 * absent. On a problem, the state has what was read before it.
 */
export async function readJobs(state: PollState, polling: Polling): Promise<Outcome<JobsRead>> {
	const { client, settings, started, until, warn } = polling;
	const { clock } = client;
	const reading: PollReading = (state.reading ??= { isSorted: true, missing: state.open.size });
	const isContinued = reading.position !== undefined;
	const pages = new Pages(state, reading, client);
	const { statuses } = pages;
	const complete = async (isWhole: boolean) => {
		const missing = pages.due(started).slice(0, MOST_SINGLE);
		await askOneByOne(missing, state, polling, statuses);
		const isOneReply = !isContinued && pages.count === 1 && missing.length === 0;
		const present = presentOf(client);
		enqueue(state, reading, isOneReply, present);
		settle(state, reading, isWhole, clock.now());
		if (reading.isFirst === true) markOldEnds(state, present);
		state.reading = undefined;
		return success({ statuses });
	};
	const hasPast = state.settled !== undefined || state.wholeReading !== undefined;
	/** The list ends here, or there is no way to request more of it. */
	const end = async ({ saysMore, repeats }: ListedPage['list']) => {
		const { isSorted, oldest = Infinity } = reading;
		const isReached = isSorted && (pages.hasKnown || !hasPast);
		if (saysMore && !isReached) return success({ statuses, cutAt: pages.listed });
		if (repeats && isSorted && !isReached && oldest > (state.settled ?? -Infinity))
			warn(`Only ${pages.listed} jobs of the list can be read, so ends of older ones may be missing`);
		return await complete(true);
	};
	const readAgain = async () => {
		const { begunAt, isFirst } = reading;
		state.reading = { isSorted: true, missing: state.open.size, begunAt, isFirst };
		return await readJobs(state, polling);
	};
	const listJobs: ServiceClient['listJobs'] = async (query) =>
		await client.listJobs(query, { timeoutMs: settings.timeoutMs });
	const request = { limit: Infinity, from: reading.position as ListPosition };
	let list: ListedPage['list'] | undefined;
	for await (const step of readPages({ ...client, listJobs }, request)) {
		if (!step.ok) {
			const isRefused = deniesPage(step.problem) || polling.isStuck;
			return isContinued && isRefused ? await readAgain() : step;
		}
		const page = step.value;
		list = page.list;
		if (list.unread !== undefined) return failure(list.unread.problem);
		if (isContinued && pages.count === 0 && isBeyond(page.jobs, reading)) return await readAgain();
		pages.note(page);
		const { isSorted, oldest = Infinity } = reading;
		const isKnown = isSorted && oldest < (state.settled ?? 0) - OVERLAP_MS && !pages.hasNews;
		if (isKnown && pages.due(started).length <= MOST_SINGLE) return await complete(false);
		if (pages.isEnd(page)) break;
		if (clock.now() > until && pages.count > Number(isContinued)) return success({ statuses });
	}
	return list === undefined || pages.count === MOST_PAGES ? success({ statuses }) : await end(list);
}

import type { ServiceClient } from '../../service/api/client';
import {
	deniesPage,
	MOST_PAGES,
	readPages,
	type ListedPage,
	type ListPosition,
} from '../../service/api/jobList';
import { PROOF_INTERVAL_MS } from '../../service/meaning/jobState';
import { concernsOneRequest, failure, type Outcome, success } from '../../service/problems';
import { timeOf } from '../../service/time';
import type { Job } from '../../service/types';
import type { TriggerSettings } from '../settings';
import { endsInOrder } from './endsInOrder';
import { endedDuringReading, noteJob, showsStatus } from './noteJob';
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
 * Reads the account's jobs into the state. A reading runs from the newest job down to the jobs that earlier readings have
 * settled. It may take several polls and stays in the state until it is complete. Only then do its ends join the queue,
 * because the earliest end may be on the last page.
 */

/** The maximum number of status calls at the end of a reading, because the service limits them. */
const MAX_STATUS_CALLS = 10;
/** How long a status call waits for its turn, and the share of status calls that the trigger may use. */
const TURN = { waitMs: 2_000, share: 0.25 };
/** How far before the latest known end there may be ends that a reading missed. */
const MISSED_ENDS_MS = 60_000;
/** How long to retry. Services of this kind keep jobs and results for 72 hours; the last attempt is slightly earlier. */
export const RETENTION_MS = 71 * 60 * 60_000;
/** How many consecutive pages may bring no new job, because arriving jobs shift the pages. */
const MAX_SHIFTED_PAGES = 10;

/** What a poll needs besides the state. */
export interface Polling {
	client: ServiceClient;
	settings: TriggerSettings;
	/** When the poll began, by n8n's clock. */
	startedAt: number;
	/** When to stop reading further pages. */
	until: number;
	/** Whether polls have failed for so long that a failing reading should start again at the first page. */
	isStuck: boolean;
	warn: (message: string) => void;
}

/** What a poll read. */
export interface JobsRead {
	/** One job for each status seen. */
	statuses: Map<string, Job>;
	/** The number of jobs listed, if the list says it has more but does not show them. */
	cutAt?: number;
}

/** Returns the state to continue with. If the key has changed, the account may be another one. */
export function stateOfAccount(previous: PollState, account: string, now: number): PollState {
	if (previous.account === account) return previous;
	// Ends before the last known one are old. Nothing is known about this account's list yet.
	const since =
		previous.lastEnd === undefined ? undefined : Math.min(previous.lastEnd, now) - MISSED_ENDS_MS;
	const { handled, open, found, queue, lastEnd } = previous;
	return { account, handled, open, found, queue, lastEnd, since };
}

/** Returns the current time by the service's clock, or by n8n's if the service's is unknown. */
function presentOf({ clock, serviceTime }: ServiceClient): number {
	const now = clock.now();
	return serviceTime(now) ?? now;
}

const createdAt = ({ created_at }: Job) => timeOf(created_at);

/** Checks whether a fresh job continues the order from newer to older, and updates the reading. */
function followOrder(reading: PollReading, job: Job, isKnownAgain: boolean): void {
	const created = createdAt(job);
	if (created === undefined) reading.isSorted = false;
	else if (created <= (reading.oldest ?? Infinity)) reading.oldest = created;
	else if (!isKnownAgain) reading.isSorted = false;
}

/** Returns when a reading began, by the service's clock. It is no earlier than the ends on its first page. */
function beginningOf(page: readonly Job[], present: number): number {
	const ends = page.map(({ terminated_at }) => timeOf(terminated_at) ?? 0);
	// The service's clock is only accurate to the second.
	return Math.max(present, ...ends.filter((end) => end < present + 1_000));
}

/** Whether deleted jobs have shifted the list, so that there may be unread jobs before the page to continue with. */
function isShifted(page: readonly Job[], { isSorted, oldest }: PollReading): boolean {
	if (!isSorted || oldest === undefined || page.length === 0) return false;
	return page.every((job) => (createdAt(job) ?? -Infinity) < oldest);
}

/** Tracks the pages that one poll reads. */
class Pages {
	/** Open jobs that have not been listed with their status yet. */
	private readonly missing: Set<string>;
	readonly statuses = new Map<string, Job>();
	/** Whether an earlier poll began the reading. */
	readonly isContinued: boolean;
	count = 0;
	listed = 0;
	/** Whether this poll has come to jobs that earlier readings saw. */
	hasKnown = false;
	/** Whether the latest page has jobs that are new to the state. */
	private hasNews = false;
	/** Whether the pages still repeat jobs that earlier polls of this reading have read. */
	private isCatchingUp: boolean;
	private previous: ReadonlySet<string> = new Set();
	/** Whether the latest page only has jobs of the page before it. */
	private repeatsPrevious = false;
	/** How many consecutive pages have brought no new job. */
	private shifted = 0;

	constructor(
		private readonly state: PollState,
		private readonly reading: PollReading,
		private readonly client: ServiceClient,
	) {
		this.missing = new Set([...state.open.keys()].slice(0, reading.missing));
		this.isContinued = reading.position !== undefined;
		this.isCatchingUp = this.isContinued;
	}

	note({ fresh, jobs, position }: ListedPage): void {
		const { client, isCatchingUp, missing, reading, state } = this;
		const { oldest = Infinity } = reading;
		const present = presentOf(client);
		if (reading.position === undefined) {
			reading.newest = jobs[0] && createdAt(jobs[0]);
			reading.begunAt ??= beginningOf(jobs, present);
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
		this.repeatsPrevious = jobs.every(({ job_id: jobId }) => this.previous.has(jobId));
		this.previous = new Set(jobs.map(({ job_id: jobId }) => jobId));
		this.shifted = fresh.length === 0 ? this.shifted + 1 : 0;
		reading.missing = missing.size;
		reading.position = position;
		limitFound(state);
	}

	/** Returns the open jobs whose status must be requested individually. */
	due(now: number): string[] {
		return [...this.missing].filter((jobId) => isDue(this.state.open.get(jobId) ?? {}, now));
	}

	/** Whether the latest page has come to jobs that earlier readings have settled. */
	isSettled(): boolean {
		const { isSorted, oldest = Infinity } = this.reading;
		return isSorted && oldest < (this.state.settled ?? 0) - OVERLAP_MS && !this.hasNews;
	}

	/**
	 * Whether the list ends with the latest page. A page that repeats jobs because new ones shifted the list does not end
	 * it.
	 */
	isEnd({ isLast, list }: ListedPage): boolean {
		return isLast && (!list.repeats || this.repeatsPrevious || this.shifted > MAX_SHIFTED_PAGES);
	}
}

/**
 * Requests the status of open jobs that the list does not show. Stops at a temporary problem; the next poll continues.
 *
 * @param statuses receives one job for each status
 */
async function requestStatuses(
	jobIds: readonly string[],
	state: PollState,
	{ client, settings, startedAt, warn }: Polling,
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
		// A service may briefly not know its job, and does not know it while the wrong key is configured.
		else if (!hasFailedFor(RETENTION_MS, tries, startedAt))
			noteOpen(state, { job_id: jobId, status: '' }, failedAgain(tries, startedAt));
		else {
			state.open.delete(jobId);
			warn(`Job ${jobId} has been unknown to the service for days, so it is no longer checked`);
		}
	}
}

/**
 * Sets the time before which ends are old, after the first reading. The first reading may have missed some of them: a page
 * was odd, or the list does not show the status. The limit is the latest end seen, because the service's dates may come
 * from another clock.
 */
function markOldEnds(state: PollState, present: number): void {
	const latest = state.lastEnd ?? state.since;
	state.since = latest === undefined ? undefined : Math.min(latest, present) - MISSED_ENDS_MS;
}

/** Records which jobs are known after a complete reading: `isWhole` if it came to the end of the list. */
function settle(state: PollState, reading: PollReading, isWhole: boolean, now: number): void {
	const newest = plausible(reading.newest, now);
	if (!reading.isSorted || newest === undefined) return;
	const settledUntil = Math.min(newest, reading.unreadFrom ?? Infinity);
	const { wholeReading: previousWhole } = state;
	if (!isWhole) {
		state.settled = settledUntil;
		state.wholeReading = undefined;
	} else if (previousWhole === undefined) state.wholeReading = { newest: settledUntil, seenAt: now };
	// One odd reply may cut a list short. Two readings at different times prove its end.
	else if (now - previousWhole.seenAt >= PROOF_INTERVAL_MS) {
		state.settled = Math.max(previousWhole.newest, state.settled ?? 0);
		state.wholeReading = { newest: settledUntil, seenAt: now };
	}
}

/** Moves found ends to the queue, except for ends that may belong after others not seen yet. */
function enqueue(state: PollState, reading: PollReading, isOneReply: boolean, present: number): void {
	const ends = [...state.found.values()].filter(
		(job) => isOneReply || !endedDuringReading(job, reading.begunAt, present),
	);
	for (const job of endsInOrder(ends)) {
		state.found.delete(job.job_id);
		state.queue.set(job.job_id, { job, tries: {} });
	}
}

/** How far a poll's reading has come. */
type Progress =
	/** To jobs that earlier readings have settled. */
	| { kind: 'settled' }
	/** To the end of the list, or of what can be requested. */
	| { kind: 'end'; list: ListedPage['list'] }
	/** As far as its time and the limit of pages allow: the next poll continues. */
	| { kind: 'paused' }
	/** Nowhere: it cannot be continued where the previous poll stopped. */
	| { kind: 'lost' };

/** Reads pages for as long as the poll has time, and records their jobs. */
async function advanceReading(
	pages: Pages,
	reading: PollReading,
	{ client, isStuck, settings, startedAt, until }: Polling,
): Promise<Outcome<Progress>> {
	const { isContinued } = pages;
	const listJobs: ServiceClient['listJobs'] = async (query) =>
		await client.listJobs(query, { timeoutMs: settings.timeoutMs });
	const request = { limit: Infinity, from: reading.position as ListPosition };
	let list: ListedPage['list'] | undefined;
	for await (const step of readPages({ ...client, listJobs }, request)) {
		if (!step.ok) {
			const isRefused = deniesPage(step.problem) || isStuck;
			return isContinued && isRefused ? success({ kind: 'lost' }) : step;
		}
		const page = step.value;
		list = page.list;
		if (list.unread !== undefined) return failure(list.unread.problem);
		if (isContinued && pages.count === 0 && isShifted(page.jobs, reading))
			return success({ kind: 'lost' });
		pages.note(page);
		if (pages.isSettled() && pages.due(startedAt).length <= MAX_STATUS_CALLS)
			return success({ kind: 'settled' });
		if (pages.isEnd(page)) break;
		if (client.clock.now() > until && pages.count > Number(isContinued))
			return success({ kind: 'paused' });
	}
	return success(
		list === undefined || pages.count === MOST_PAGES ? { kind: 'paused' } : { kind: 'end', list },
	);
}

/** Whether a reading has come from newer jobs to those that earlier readings saw, if there were any. */
function hasComeToKnown(
	{ settled, wholeReading }: PollState,
	{ isSorted }: PollReading,
	{ hasKnown }: Pages,
): boolean {
	const hasEarlierReading = settled !== undefined || wholeReading !== undefined;
	return isSorted && (hasKnown || !hasEarlierReading);
}

/** Whether a list may have older jobs that it does not show: it repeats a page, and no job on it is settled. */
function mayBeCut(
	{ settled = -Infinity }: PollState,
	{ isSorted, oldest = Infinity }: PollReading,
	{ repeats }: ListedPage['list'],
): boolean {
	return repeats && isSorted && oldest > settled;
}

/** Moves the ends of a complete reading to the queue, and records what it has settled. */
function finishReading(
	state: PollState,
	reading: PollReading,
	{ isOneReply, isWhole }: Record<'isOneReply' | 'isWhole', boolean>,
	client: ServiceClient,
): void {
	const present = presentOf(client);
	enqueue(state, reading, isOneReply, present);
	settle(state, reading, isWhole, client.clock.now());
	if (reading.isFirst === true) markOldEnds(state, present);
	state.reading = undefined;
}

/**
 * Continues the reading where the previous poll stopped, or begins a new one. When the list has been read, requests the
 * status of open jobs that it does not show, moves the found ends to the queue, and clears `state.reading`. If there is a
 * problem, the state keeps what was read before it.
 */
export async function readJobs(state: PollState, polling: Polling): Promise<Outcome<JobsRead>> {
	const { client, startedAt, warn } = polling;
	const reading: PollReading = (state.reading ??= { isSorted: true, missing: state.open.size });
	const pages = new Pages(state, reading, client);
	const { statuses } = pages;
	const advanced = await advanceReading(pages, reading, polling);
	if (!advanced.ok) return advanced;
	const progress = advanced.value;
	if (progress.kind === 'paused') return success({ statuses });
	if (progress.kind === 'lost') {
		const { begunAt, isFirst } = reading;
		state.reading = { isSorted: true, missing: state.open.size, begunAt, isFirst };
		return await readJobs(state, polling);
	}
	if (progress.kind === 'end' && !hasComeToKnown(state, reading, pages)) {
		if (progress.list.saysMore) return success({ statuses, cutAt: pages.listed });
		if (mayBeCut(state, reading, progress.list))
			warn(`Only ${pages.listed} jobs of the list can be read, so ends of older ones may be missing`);
	}
	const missing = pages.due(startedAt).slice(0, MAX_STATUS_CALLS);
	await requestStatuses(missing, state, polling, statuses);
	const isOneReply = !pages.isContinued && pages.count === 1 && missing.length === 0;
	finishReading(state, reading, { isOneReply, isWhole: progress.kind === 'end' }, client);
	return success({ statuses });
}

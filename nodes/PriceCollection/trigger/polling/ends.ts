import type { IDataObject } from 'n8n-workflow';

import { readListOptions } from '../../descriptions/common';
import { RUN } from '../../n8n/parameters';
import type { ServiceClient } from '../../service/client';
import { readList } from '../../service/jobList';
import { afterDownload, unproven } from '../../service/download';
import { concernsOneRequest, failure, type Outcome, success, traitsOf } from '../../service/problems';
import { timeOf } from '../../service/time';
import type { Job } from '../../service/types';
import { itemsOfJob, itemWithProblem, type TriggerSettings } from '../items';
import { failedAgain, handle, hasFailedFor, isDue, isHandled, type PollState } from './pollingState';

/** Maximum jobs of the list that a poll reads. */
const MOST_LISTED = 10_000;
/** Maximum single status calls per poll, because they are limited. */
const MOST_SINGLE = 10;
/** How long they wait for a turn; most status calls are left to others. */
const TURN = { waitMs: 2_000, share: 0.25 };
/** How late, or how far out of order, jobs may appear in the list. */
const OVERLAP_MS = 10 * 60_000;
/** Longest time to read the list; ends during it are not old. */
const READING_MS = 60_000;
/** Maximum rows per execution; further ends are left to the next poll. */
const MOST_ROWS = 50_000;
/** Services of this kind keep jobs and results for 72 hours; the last attempt is slightly earlier. */
const RETENTION_MS = 71 * 60 * 60_000;

/** The relevant jobs of the account, in the service's order. */
export interface Look {
	jobs: Job[];
	/** Jobs that the service did not know in a single status call. */
	gone: string[];
	/** How many jobs were read, if newer ones may follow unread: nothing may be concluded from such a list. */
	cutAt?: number;
}

const showsStatus = ({ status }: Job) => status.trim() !== '';

/** Whether the list shows that it begins with the newest job. */
function isNewestFirst(jobs: readonly Job[]): boolean {
	const times = jobs.map((job) => timeOf(job.created_at) ?? NaN);
	return times.every((time, index) => time <= (times[index - 1] ?? Infinity));
}

/** The open jobs whose status a list does not show, and which are due for a status call. */
function missingFrom(jobs: readonly Job[], { open }: PollState, now: number): string[] {
	const shown = new Set(jobs.filter(showsStatus).map((job) => job.job_id));
	return [...open].filter(([jobId, job]) => !shown.has(jobId) && isDue(job, now)).map(([jobId]) => jobId);
}

/**
 * Whether the rest of the list can be skipped: an earlier poll saw everything on this page, and the rest is
 * older. Only a dated list that clearly begins with the newest job proves that; any other list is read completely.
 */
function restIsOld(state: PollState, jobs: readonly Job[], page: readonly Job[], now: number): boolean {
	const [newest, oldest] = [jobs[0], page.at(-1)].map((job) => timeOf(job?.created_at));
	// A batch of jobs has one date, which says nothing about the order.
	if (newest === undefined || oldest === undefined || oldest > newest - OVERLAP_MS) return false;
	const isSeen = (job: Job) => isHandled(state, job) || state.open.has(job.job_id);
	return isNewestFirst(jobs) && missingFrom(jobs, state, now).length <= MOST_SINGLE && page.every(isSeen);
}

/**
 * Reads the account's jobs: the list as far as needed, and open jobs that it does not show by single status calls.
 *
 * @param state of the previous poll of this account; without it the whole list is read
 * @param until when to read no further page, in milliseconds since 1970
 */
export async function look(
	client: ServiceClient,
	state: PollState | undefined,
	{ fields, timeoutMs }: TriggerSettings,
	until: number,
): Promise<Outcome<Look>> {
	const now = client.clock.now();
	const listJobs: ServiceClient['listJobs'] = async (page) => await client.listJobs(page, { timeoutMs });
	let [knowsRest, isLate] = [false, false];
	const enough = (jobs: readonly Job[], page: readonly Job[]) => {
		knowsRest = state !== undefined && restIsOld(state, jobs, page, now);
		return knowsRest || (isLate = client.clock.now() > until);
	};
	const request = { limit: MOST_LISTED, ...readListOptions(fields, RUN, client.connection), enough };
	const list = await readList({ ...client, listJobs }, request);
	if (!list.ok) return list;
	const { jobs: listed, complete, saysMore, unread } = list.value;
	// Jobs of an unread page would seem to be new later, or gone.
	if (unread !== undefined) return failure(unread.problem);
	const isWhole = complete || (!saysMore && !isLate && listed.length < MOST_LISTED);
	if (!knowsRest && !isWhole && !isNewestFirst(listed))
		return success({ jobs: [], gone: [], cutAt: listed.length });
	const [jobs, gone] = [[...listed], [] as string[]];
	const missing = state === undefined ? [] : missingFrom(listed, state, now);
	for (const jobId of missing.slice(0, MOST_SINGLE)) {
		const turn = { until: client.clock.now() + TURN.waitMs, share: TURN.share };
		const job = await client.getJob(jobId, { timeoutMs, repeat: false, turn });
		// Temporary problems are left to the next poll.
		if (!job.ok && !concernsOneRequest(job.problem)) break;
		if (job.ok) jobs.push({ ...job.value, job_id: jobId });
		else gone.push(jobId);
	}
	return success({ jobs, gone });
}

/**
 * Ended jobs, earliest end first: by `terminated_at`, within a second by creation, otherwise by the list,
 * which usually begins with the latest job.
 *
 * @param jobs in the service's order, including running ones
 */
export function endsInOrder(jobs: readonly Job[], endOf: ServiceClient['endOf']): Job[] {
	const ended = jobs.filter((job) => endOf(job.status) !== undefined).reverse();
	let latest = 0;
	const dated = ended.map((job) => {
		// A job without a date stays after its predecessor in the list.
		latest = timeOf(job.terminated_at) ?? latest;
		return { job, time: latest, created: timeOf(job.created_at) ?? 0 };
	});
	return dated.sort((a, b) => a.time - b.time || a.created - b.created).map(({ job }) => job);
}

/**
 * The state for this poll: that of the previous one, or a new one in which all that has ended is old.
 *
 * @param at the current time, by the service's clock if known
 */
export function stateFor(
	before: PollState | undefined,
	account: string,
	{ jobs }: Look,
	{ emitExisting, at, endOf }: { emitExisting: boolean; at: number; endOf: ServiceClient['endOf'] },
): PollState {
	if (before?.account === account) return before;
	const old = (end = 0) => (end > 0 ? Math.min(end, at) - READING_MS : undefined);
	// Another key may belong to another account: what ended there before the last known end is old.
	if (before !== undefined) return { ...before, account, since: old(before.lastEnd) };
	const state: PollState = { account, handled: new Set(), open: new Map() };
	if (emitExisting) return state;
	for (const job of endsInOrder(jobs, endOf)) handle(state, job);
	// Also jobs that had ended unseen: an odd page, or a list without the status, must not start the workflow for them.
	state.since = old(state.lastEnd ?? (jobs.every(showsStatus) ? undefined : at));
	return state;
}

/** Moves a job to the end of the queue of single status calls, so that all jobs take turns. */
function moveToEnd({ open }: PollState, jobId: string, job = {}): void {
	open.delete(jobId);
	open.set(jobId, job);
}

function noteFailure(state: PollState, jobId: string, at: number): void {
	moveToEnd(state, jobId, failedAgain(state.open.get(jobId) ?? {}, at));
}

/** The ends that were not output yet, in order. Records all other jobs for later. */
export function newlyEndedJobs(
	{ endOf }: Pick<ServiceClient, 'endOf'>,
	state: PollState,
	{ jobs, gone }: Look,
	at: number,
	warn: (message: string) => void,
): Job[] {
	for (const jobId of gone) {
		// A service may not know its own job for a moment, or while the wrong key is configured.
		if (!hasFailedFor(RETENTION_MS, state.open.get(jobId) ?? {}, at)) noteFailure(state, jobId, at);
		else if (state.open.delete(jobId)) {
			warn(`Job ${jobId} has been unknown to the service for days: whether it ended is not known`);
		}
	}
	for (const job of jobs) {
		// A job whose end was output and that seems to run again has already been handled.
		const isRunning = endOf(job.status) === undefined && !isHandled(state, job);
		if (isRunning && (showsStatus(job) || !state.open.has(job.job_id))) moveToEnd(state, job.job_id);
	}
	return endsInOrder(jobs, endOf).filter((job) => {
		const isOld = (timeOf(job.terminated_at) ?? Infinity) < (state.since ?? 0);
		const isNew = !isHandled(state, job) && !isOld;
		// What is still listed is remembered longest.
		if (!isNew) handle(state, job);
		return isNew;
	});
}

/**
 * Outputs ends in order, as far as time and memory allow; the rest stays open. An end without available
 * results is retried as long as the service keeps them, and does not delay the others.
 *
 * @param until when to start nothing new, in milliseconds since 1970, like `at`
 */
export async function emitEndedJobs(
	client: ServiceClient,
	settings: TriggerSettings,
	state: PollState,
	ends: readonly Job[],
	{ at, until }: { at: number; until: number },
): Promise<{ rows: IDataObject[]; handedOver: string[] }> {
	const rows: IDataObject[] = [];
	const handedOver: string[] = [];
	let isOver = false;
	for (const job of ends) {
		const { job_id: jobId, status } = job;
		if (settings.wants(client.endOf(status))) {
			const open = state.open.get(jobId) ?? {};
			isOver ||= handedOver.length > 0 && (client.clock.now() > until || rows.length > MOST_ROWS);
			if (isOver || !isDue(open, at)) {
				state.open.set(jobId, open);
				continue;
			}
			const tried = { ...open };
			const items = await itemsOfJob(client, job, settings, {
				download: async (ask) => {
					const download = await ask();
					const { next, deniedSince } = afterDownload(download, open, at);
					tried.deniedSince = deniedSince;
					return next === 'take' ? download : unproven(download);
				},
			});
			// A problem of the whole account, such as a wrong key, is not a failure of this job.
			isOver = items.kind !== 'results' && traitsOf(items.why).accountWide;
			const isLater = isOver || items.kind === 'notYet';
			if (isLater && !hasFailedFor(RETENTION_MS, open, at)) {
				state.open.set(jobId, tried);
				if (!isOver) noteFailure(state, jobId, at);
				continue;
			}
			const made = items.kind === 'results' ? items.value : [itemWithProblem(job, items.why)];
			for (const item of made) rows.push(item);
			handedOver.push(jobId);
		}
		handle(state, job);
	}
	return { rows, handedOver };
}

import type { IDataObject } from 'n8n-workflow';

import { readListOptions } from '../../descriptions/common';
import { RUN } from '../../n8n/parameters';
import type { ServiceClient } from '../../service/client';
import { type JobListRequest, readList } from '../../service/jobList';
import { failure, type Outcome, type Problem, success, traitsOf } from '../../service/problems';
import { timeOf } from '../../service/time';
import type { Job } from '../../service/types';
import { itemsOfJob, itemWithProblem, type TriggerSettings } from '../items';
import {
	endsInOrder,
	failedAgain,
	hasFailedFor,
	isDue,
	isKnown,
	latestOf,
	type OpenJob,
	type PollState,
	remember,
} from './pollingState';

/** Maximum jobs of the list that a poll reads. */
const MOST_LISTED = 10_000;
/** Maximum single status calls per poll, because they are limited. */
const MOST_SINGLE = 10;
/** How many of these are reserved for new jobs; the others take turns. */
const MOST_UNKNOWN = 5;
/** How long they wait for a turn; most status calls are left to others. */
const TURN = { waitMs: 2_000, share: 0.25 };
/** How late, or how far out of order, jobs may appear in the list. */
const OVERLAP_MS = 10 * 60_000;
/** Maximum rows per execution; further ends are left to the next poll. */
const MOST_ROWS = 50_000;
/** Services of this kind keep jobs and results for 72 hours; the last attempt is slightly earlier. */
const RETENTION_MS = 71 * 60 * 60_000;
/** A listed job only counts as gone after this time. */
const CONFIRMED_MS = 10 * 60_000;

/** The relevant jobs of the account, in the service's order. */
export interface Look {
	/** Jobs with a known status. */
	jobs: Job[];
	/** Jobs that the service did not know in a single status call. */
	gone: string[];
	/** Whether the list contains jobs whose status is unknown. */
	isUnclear: boolean;
	/** The latest `created_at` of the list, in milliseconds since 1970. */
	newest?: number;
	/** How many jobs were read, if newer ones may follow unread. */
	cutAt?: number;
}

function showsStatus({ status }: { status?: unknown }): boolean {
	return typeof status === 'string' && status.trim() !== '';
}

function isNewestFirst(jobs: readonly Job[]): boolean {
	const times = jobs.map((job) => timeOf(job.created_at) ?? NaN);
	return times.every((time, index) => time <= (times[index - 1] ?? Infinity));
}

/** The open jobs that are missing from a list and due for a status call. */
function missingFrom(jobs: readonly Job[], { open }: PollState, now: number): string[] {
	const listed = new Set(jobs.map((job) => job.job_id));
	return [...open].filter(([jobId, job]) => !listed.has(jobId) && isDue(job, now)).map(([jobId]) => jobId);
}

/**
 * Whether the rest of the list can be skipped: an earlier poll saw everything on this page, and the rest is
 * older. Only a dated list that begins with the newest job proves that; any other list is read completely.
 */
function restIsOld(state: PollState, jobs: readonly Job[], page: readonly Job[], now: number): boolean {
	const oldest = timeOf(page.at(-1)?.created_at);
	const first = timeOf(jobs[0]?.created_at);
	if (oldest === undefined || first === undefined || state.newest === undefined) return false;
	// A batch of jobs has one date, so the list must begin with the latest known one.
	if (first < state.newest || oldest > state.newest - OVERLAP_MS || !isNewestFirst(jobs)) return false;
	return missingFrom(jobs, state, now).length <= MOST_SINGLE && page.every((job) => isSeen(state, job));
}

/** Whether an earlier poll learned the status of a job. */
function isSeen(state: PollState, { job_id }: Job): boolean {
	return isKnown(state, job_id) || state.open.has(job_id);
}

/** Jobs that need a single status call because the list does not have their status. */
function unclearJobs(listed: readonly Job[], state: PollState | undefined, now: number): string[] {
	const isUnknown = (job: Job) => !showsStatus(job) && (state === undefined || !isSeen(state, job));
	const unknown = listed.filter(isUnknown).map((job) => job.job_id);
	const open = state === undefined ? [] : missingFrom(listed.filter(showsStatus), state, now);
	return [...unknown.slice(0, MOST_UNKNOWN), ...open, ...unknown.slice(MOST_UNKNOWN)].slice(0, MOST_SINGLE);
}

/**
 * Reads the account's jobs: the list as far as needed, and other jobs by single status calls.
 *
 * @param state of the previous poll; without it the whole list is read
 */
export async function look(
	client: ServiceClient,
	state: PollState | undefined,
	{ fields, timeoutMs }: TriggerSettings,
): Promise<Outcome<Look>> {
	const now = client.clock.now();
	const listJobs: ServiceClient['listJobs'] = async (page) => await client.listJobs(page, { timeoutMs });
	let knowsRest = false;
	const request: JobListRequest = {
		limit: MOST_LISTED,
		...readListOptions(fields, RUN, client.connection),
		enough: (jobs, page) => (knowsRest = state !== undefined && restIsOld(state, jobs, page, now)),
	};
	const list = await readList({ ...client, listJobs }, request);
	if (!list.ok) return list;
	const { jobs: listed, saysMore, unread } = list.value;
	// Jobs of an unread page would seem to be new later, or gone.
	if (unread !== undefined) return failure(unread.problem);
	const jobs = listed.filter(showsStatus);
	const gone: string[] = [];
	for (const jobId of unclearJobs(listed, state, now)) {
		const turn = { until: client.clock.now() + TURN.waitMs, share: TURN.share };
		const job = await client.getJob(jobId, { timeoutMs, repeat: false, turn });
		// Temporary problems are left to the next poll.
		if (!job.ok && traitsOf(job.problem).job === 'unsaid') break;
		if (job.ok) jobs.push({ ...job.value, job_id: jobId });
		else gone.push(jobId);
	}
	const isWhole = knowsRest || (!saysMore && listed.length < MOST_LISTED);
	return success({
		jobs,
		gone,
		isUnclear: jobs.length < listed.length,
		newest: latestOf(listed, 'created_at'),
		cutAt: isWhole || isNewestFirst(listed) ? undefined : listed.length,
	});
}

/** Whether a job ended before the first poll, which did not see its status. */
function isOldNews({ since, createdBefore, open }: PollState, job: Job): boolean {
	const ended = timeOf(job.terminated_at);
	if (since === undefined || ended === undefined || ended >= since || open.has(job.job_id)) return false;
	const created = timeOf(job.created_at);
	return createdBefore === undefined || created === undefined || created <= createdBefore;
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
	{ jobs, gone, newest }: Look,
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
	for (const { job_id: jobId, status } of jobs) {
		// A job whose end was output and that seems to run again has already been handled.
		const isRunning = endOf(status) === undefined && !isKnown(state, jobId);
		if (isRunning) moveToEnd(state, jobId);
	}
	state.newest = Math.max(newest ?? 0, state.newest ?? 0) || undefined;
	// Refreshes what is still listed, so that jobs which left the list are forgotten first.
	return endsInOrder(jobs, endOf).filter((job) => {
		const isNew = !isKnown(state, job.job_id) && !isOldNews(state, job);
		if (!isNew) remember(state, job.job_id);
		return isNew;
	});
}

/** Whether to output an end without its results. */
function isLost(job: OpenJob, problem: Problem, at: number): boolean {
	if (hasFailedFor(RETENTION_MS, job, at)) return true;
	const isGone = traitsOf(problem).job === 'gone' && hasFailedFor(CONFIRMED_MS, job, at);
	return isGone || problem.kind === 'tooLarge';
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
			const items = await itemsOfJob(client, job, settings);
			if (!items.ok && !isLost(open, items.problem, at)) {
				// An account-wide problem is not a failure of this job.
				isOver = traitsOf(items.problem).accountWide;
				if (isOver) state.open.set(jobId, open);
				else noteFailure(state, jobId, at);
				continue;
			}
			for (const item of items.ok ? items.value : [itemWithProblem(job, items.problem)])
				rows.push(item);
			handedOver.push(jobId);
		}
		remember(state, jobId);
		state.open.delete(jobId);
	}
	return { rows, handedOver };
}

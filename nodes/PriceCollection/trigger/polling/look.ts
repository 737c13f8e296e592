import { readListOptions } from '../../descriptions/common';
import { RUN } from '../../n8n/parameters';
import type { ServiceClient } from '../../service/client';
import { readList, type JobListRequest } from '../../service/jobList';
import { success, traitsOf, type Outcome } from '../../service/problems';
import { timeOf } from '../../service/time';
import type { Job } from '../../service/types';
import { latestOf, showsStatus } from '../listedJobs';
import type { TriggerSettings } from '../items';
import { isDue, isKnown, type PollState } from './pollingState';

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

/** Whether a dated list begins with its newest job. */
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
		...readListOptions(fields, RUN),
		enough: (jobs, page) => (knowsRest = state !== undefined && restIsOld(state, jobs, page, now)),
	};
	const list = await readList({ ...client, listJobs }, request);
	if (!list.ok) return list;
	const { jobs: listed, saysMore } = list.value;
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

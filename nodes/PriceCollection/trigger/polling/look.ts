import { RUN } from '../../n8n/parameters';
import type { ServiceClient } from '../../service/client';
import { readList, type JobListRequest } from '../../service/jobList';
import { success, traitsOf, type Outcome } from '../../service/problems';
import { timeOf } from '../../service/time';
import type { Job } from '../../service/types';
import { latestOf, showsStatus } from '../listedJobs';
import type { TriggerSettings } from '../items';
import { isDue, isKnown, type PollState } from './pollingState';

/** Jobs of the list that are read in one poll at the most. */
const MOST_LISTED = 10_000;
/** Jobs that are asked for one by one in a poll: status calls are limited. */
const MOST_SINGLE = 10;
/** So many of these are jobs of which nothing is known yet, if there are; the others take turns. */
const MOST_UNKNOWN = 5;
/** They wait for their turn among the status calls for so long, and leave most of them to others. */
const TURN = { waitMs: 2_000, share: 0.25 };
/** Jobs may turn up in the list late and out of order by so much. */
const OVERLAP_MS = 10 * 60_000;

/** The jobs of the account, as far as they can matter, in the service's order. */
export interface Look {
	/** Those whose status is known. */
	jobs: Job[];
	/** Jobs that were asked for singly and that the service says it does not know. */
	gone: string[];
	/** Whether jobs are listed of which nothing else is known yet. */
	isUnclear: boolean;
	/** The latest `created_at` of the list, in milliseconds since 1970. */
	newest?: number;
	/** How many jobs of the list were read, where new ones can stand beyond. */
	cutAt?: number;
}

/** Whether a dated list begins with its newest job. */
function isNewestFirst(jobs: readonly Job[]): boolean {
	const times = jobs.map((job) => timeOf(job.created_at) ?? NaN);
	return times.every((time, index) => time <= (times[index - 1] ?? Infinity));
}

/** The open jobs that a list does not show and that are to be looked at now. */
function missingFrom(jobs: readonly Job[], { open }: PollState, now: number): string[] {
	const listed = new Set(jobs.map((job) => job.job_id));
	return [...open].filter(([jobId, job]) => !listed.has(jobId) && isDue(job, now)).map(([jobId]) => jobId);
}

/**
 * Whether the rest of the list can be left unread: everything on this page was seen by an earlier poll, and what
 * follows is older. Only a list that is dated and begins with the newest job tells that; any other is read whole.
 */
function restIsOld(state: PollState, jobs: readonly Job[], page: readonly Job[], now: number): boolean {
	const oldest = timeOf(page.at(-1)?.created_at);
	const first = timeOf(jobs[0]?.created_at);
	if (oldest === undefined || first === undefined || state.newest === undefined) return false;
	// Jobs created in one batch bear the same date: only a list that begins with the latest one known will do.
	if (first < state.newest || oldest > state.newest - OVERLAP_MS || !isNewestFirst(jobs)) return false;
	return missingFrom(jobs, state, now).length <= MOST_SINGLE && page.every((job) => isSeen(state, job));
}

/** Whether an earlier poll has learned how a job is. */
function isSeen(state: PollState, { job_id }: Job): boolean {
	return isKnown(state, job_id) || state.open.has(job_id);
}

/** The jobs to ask for one by one, because the list does not tell of them. */
function unclearJobs(listed: readonly Job[], state: PollState | undefined, now: number): string[] {
	const isUnknown = (job: Job) => !showsStatus(job) && (state === undefined || !isSeen(state, job));
	const unknown = listed.filter(isUnknown).map((job) => job.job_id);
	const open = state === undefined ? [] : missingFrom(listed.filter(showsStatus), state, now);
	return [...unknown.slice(0, MOST_UNKNOWN), ...open, ...unknown.slice(MOST_UNKNOWN)].slice(0, MOST_SINGLE);
}

/**
 * Looks at the account's jobs: the list as far as needed, and singly those that it does not tell of.
 *
 * @param state of the poll before; without one the whole list is read
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
		query: fields.pairs('options.queryParameters', RUN),
		paging: {
			pageParameter: fields.text('options.pageParameter', RUN, 'page'),
			pageSizeParameter: fields.text('options.pageSizeParameter', RUN, 'per_page'),
		},
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
		// What cannot be had now is tried another time.
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

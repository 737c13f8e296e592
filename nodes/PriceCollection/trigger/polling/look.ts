import { pairsOf, textOf } from '../../n8n/parameters';
import type { PollState } from '../../run/stored/pollingState';
import type { ServiceClient } from '../../service/client';
import { DEFAULT_PAGING, readList } from '../../service/jobList';
import { success, traitsOf, type Outcome } from '../../service/problems';
import type { Job } from '../../service/types';
import { timeOf } from '../../service/time';
import type { TriggerSettings } from '../settings';
import { isDue } from './patience';

/** So many jobs of the list are looked at in one poll at the most. */
const MOST_LISTED = 10_000;
/** So many open jobs that the list did not show are asked for one by one; status calls are limited. */
const MOST_SINGLE = 10;
/** They wait for their turn among the status calls for so long, in milliseconds, and leave most of them to others. */
const TURN = { waitMs: 2_000, share: 0.25 };
/** Jobs may turn up in the list late and out of order by so much, in milliseconds. */
const OVERLAP_MS = 10 * 60_000;

/** The jobs of the account, as far as they can matter, in the service's order. */
export interface Look {
	jobs: Job[];
	/** Open jobs that the service says it does not know. */
	gone: string[];
	/** How many jobs of the list were read, where new ones can stand beyond. */
	cutAt?: number;
	/** What is wrong with entries of the list that are no jobs. */
	odd: string[];
}

/** Whether a dated list begins with its newest job. */
function isNewestFirst(jobs: readonly Job[]): boolean {
	let before = Infinity;
	return jobs.every((job) => {
		const created = timeOf(job.created_at);
		const inOrder = created !== undefined && created <= before;
		before = created ?? before;
		return inOrder;
	});
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
	const last = page[page.length - 1];
	const oldest = timeOf(last?.created_at);
	if (oldest === undefined || state.newest === undefined) return false;
	const first = timeOf(jobs[0]?.created_at);
	// Jobs created in one batch bear the same date: only a list that begins with the latest one known will do.
	if (first === undefined || first < state.newest || !isNewestFirst(jobs)) return false;
	if (oldest > state.newest - OVERLAP_MS) return false;
	return (
		missingFrom(jobs, state, now).length <= MOST_SINGLE &&
		page.every((job) => state.known.has(job.job_id) || state.open.has(job.job_id))
	);
}

/** Asks for some open jobs that the list did not show. Those that cannot be had now are tried another time. */
async function lookSingly(
	client: ServiceClient,
	jobIds: readonly string[],
	timeoutMs: number | undefined,
): Promise<Pick<Look, 'jobs' | 'gone'>> {
	const found: Pick<Look, 'jobs' | 'gone'> = { jobs: [], gone: [] };
	for (const jobId of jobIds) {
		const turn = { until: client.clock.now() + TURN.waitMs, share: TURN.share };
		const job = await client.getJob(jobId, { timeoutMs, repeat: false, turn });
		if (job.ok) found.jobs.push({ ...job.value, job_id: jobId });
		else if (traitsOf(job.problem).job !== 'unsaid') found.gone.push(jobId);
		else break;
	}
	return found;
}

/**
 * Looks at the account's jobs: the list as far as needed, and open jobs that are too far down in it.
 *
 * @param state of the poll before; without one the whole list is read
 */
export async function look(
	client: ServiceClient,
	state: PollState | undefined,
	{ options, timeoutMs }: TriggerSettings,
): Promise<Outcome<Look>> {
	const now = client.clock.now();
	const patient: ServiceClient = {
		...client,
		listJobs: async (page) => await client.listJobs(page, { timeoutMs }),
	};
	let knowsRest = false;
	const list = await readList(patient, {
		limit: MOST_LISTED,
		query: pairsOf(options.queryParameters),
		paging: {
			pageParameter: textOf(options.pageParameter) || DEFAULT_PAGING.pageParameter,
			pageSizeParameter: textOf(options.pageSizeParameter) || DEFAULT_PAGING.pageSizeParameter,
		},
		enough: (jobs, page) => {
			knowsRest = state !== undefined && restIsOld(state, jobs, page, now);
			return knowsRest;
		},
	});
	if (!list.ok) return list;
	const { jobs, saysMore, odd } = list.value;
	const missing = state === undefined ? [] : missingFrom(jobs, state, now);
	const single = await lookSingly(client, missing.slice(0, MOST_SINGLE), timeoutMs);
	const isWhole = knowsRest || (!saysMore && jobs.length < MOST_LISTED);
	return success({
		jobs: [...jobs, ...single.jobs],
		gone: single.gone,
		cutAt: isWhole || isNewestFirst(jobs) ? undefined : jobs.length,
		odd,
	});
}

/** The latest of a kind of timestamp among jobs, in milliseconds since 1970. */
export function latestOf(
	jobs: readonly Job[],
	field: 'created_at' | 'terminated_at',
	before?: number,
): number | undefined {
	const times = jobs.map((job) => timeOf(job[field])).filter((time) => time !== undefined);
	return times.reduce<number | undefined>((latest, time) => Math.max(latest ?? time, time), before);
}

import { isOver, isProven, proofOf } from '../service/meaning/jobState';
import { LONGEST_RETRY_AFTER_MS } from '../service/http/pacing';
import { success, type Outcome } from '../service/problems';
import type { End } from '../service/statuses';
import type { Job } from '../service/types';
import type { JobRecord } from '../run/record';

/** How to check jobs. Times in milliseconds. */
export interface CheckPolicy {
	/** The longest pause between two checks of a job. */
	intervalMs: number;
	/** How long to check jobs after the start, and again after each job that ends. 0: each job once. */
	patienceMs: number;
	/** How many jobs to check at a time. */
	width: number;
	/** How long all checks may take, however many jobs end during them; Infinity if only deadlines end them. */
	holdMs: number;
	/** How long the last check of a job may wait for its turn. */
	graceMs: number;
	/** The ID of the job to check first. */
	firstJobId?: string;
}

const SOON: Pick<CheckPolicy, 'graceMs' | 'patienceMs' | 'width'> = {
	patienceMs: 3_000,
	width: 5,
	graceMs: 500,
};

export const CHECK_POLICIES = {
	/** Until all jobs have ended. */
	poll: (intervalMs: number): CheckPolicy => ({
		...{ intervalMs, patienceMs: Infinity, width: Infinity },
		...{ holdMs: Infinity, graceMs: LONGEST_RETRY_AFTER_MS },
	}),
	/** Jobs that end at once or come from a cache need no suspension. */
	beforeSuspending: { ...SOON, intervalMs: 1_000, holdMs: 10_000 },
	/** Once per job in each round of a suspended wait. Jobs that get no turn come first in the next round. */
	once: { intervalMs: 1_000, patienceMs: 0, width: Infinity, holdMs: Infinity, graceMs: 60_000 },
	/** A callback may arrive before the service updates the status, and the other jobs may also end soon. */
	afterCallback: { ...SOON, intervalMs: 5_000, patienceMs: 60_000, holdMs: 60_000 },
} as const;

/** A moment on both clocks: `now` in milliseconds since 1970, `elapsed` in milliseconds on the monotonic clock. */
export interface Moment {
	now: number;
	elapsed: number;
}

/** The next step: check a job until a time in milliseconds since 1970, read the job list, sleep, or stop. */
export type Step =
	| { kind: 'check'; watch: Watch; until: number }
	| { kind: 'list'; open: Watch[] }
	| { kind: 'sleep'; milliseconds: number }
	| { kind: 'done' };

/** A job to wait for. Times are in milliseconds on the monotonic clock. */
export interface Watch {
	record: JobRecord;
	nextCheck: number;
	pauseMs: number;
	/** When it was last checked, if at all. */
	checkedAt?: number;
	/** When the wait first noticed that the time for all checks except the last is over. */
	overdueSince?: number;
	/** Whether the latest reading of the job list showed its status; absent before the first reading. */
	isListed?: boolean;
}

/** The readings of the job list, which shows the statuses of many jobs at once. Times as in {@link Watch}. */
interface Listing {
	nextReading: number;
	readAt: number;
	pauseMs: number;
	/** The listed job to check individually next, and the last one checked: a list that lags behind is of no use. */
	sample?: Watch;
	sampled?: Watch;
}

/** The state of a wait: its jobs, and what decides when to check them. */
export interface Watching {
	policy: CheckPolicy;
	/** In the order of checks. */
	watches: Watch[];
	/** When the wait began, and when patience began: at that time, or when a job was last seen to end. As in {@link Watch}. */
	begun: number;
	patienceFrom: number;
	/** Until when this execution may wait, in milliseconds since 1970. */
	latest: number;
	/** Absent once the job list has proved to be of no use. */
	listing?: Listing;
}

/** A new job has rarely ended, and the service may not know it yet. */
const FIRST_CHECK_MS = 1_000;
const FIRST_PAUSE_MS = 1_000;
const BACKOFF = 1.5;

/** Up to this number, open jobs are checked one by one, because a page of the list costs as much as a check. */
export const MOST_CHECKED_SINGLY = 10;
/** A list of several pages is read less often: this is the shortest pause per page. */
const PAUSE_PER_PAGE_MS = 500;

/**
 * Begins a wait. If the width is infinite, each job is checked at least once, as far as the service's limit allows.
 *
 * @param latest until when this execution may wait, in milliseconds since 1970
 */
export function beginWait(
	records: readonly JobRecord[],
	policy: CheckPolicy,
	{ now, elapsed }: Moment,
	latest = Infinity,
): Watching {
	const open = records.filter((record) => !isOver(record));
	// In case the service's limit does not allow all checks: unchecked jobs first, latest creation first; then the oldest checks.
	const rank = ({ job, checkedAt = 0 }: JobRecord) => (job.job_id === policy.firstJobId ? -1 : checkedAt);
	const ordered = open.toReversed().sort((a, b) => rank(a) - rank(b));
	const pauseMs = Math.min(FIRST_PAUSE_MS, policy.intervalMs);
	const watches = ordered.map((record): Watch => {
		const age = now - (record.creation?.sentAt ?? 0);
		return { record, nextCheck: elapsed + Math.max(0, FIRST_CHECK_MS - age), pauseMs };
	});
	const nextReading = watches.reduce((last, { nextCheck }) => Math.max(last, nextCheck), elapsed);
	const listing = { nextReading, readAt: -Infinity, pauseMs };
	return { policy, watches, begun: elapsed, patienceFrom: elapsed, latest, listing };
}

/** When the last check of a job is due, on the monotonic clock. */
function lastCheckOf(
	{ begun, patienceFrom, policy }: Watching,
	{ record }: Watch,
	{ now, elapsed }: Moment,
): number {
	const { holdMs, patienceMs } = policy;
	return Math.min(record.deadline - now + elapsed, patienceFrom + patienceMs, begun + holdMs);
}

/** Until when a check makes sense: some time after the last one was due, or after the machine woke up late for it. */
function checkByOf(watching: Watching, watch: Watch, lastCheckAt: number, { now, elapsed }: Moment): number {
	const { graceMs, width } = watching.policy;
	// If the width is finite, jobs beyond it get no check at that very time.
	if (watch.checkedAt === undefined && width < Infinity) return lastCheckAt - 1;
	if (elapsed >= lastCheckAt) watch.overdueSince ??= elapsed;
	return Math.min((watch.overdueSince ?? lastCheckAt) + graceMs, watching.latest - now + elapsed);
}

/**
 * Decides the next step. Checks are frequent at first, then less frequent, down to one per interval, and once more
 * when the last one is due.
 *
 * @param turnDelayMs milliseconds until the next status call is allowed
 */
export function nextStep(watching: Watching, moment: Moment, turnDelayMs: number): Step {
	const { now, elapsed } = moment;
	const { listing, policy, watches } = watching;
	const running = watches.filter(({ record }) => !isOver(record));
	const open = running
		.map((watch) => {
			const lastCheckAt = lastCheckOf(watching, watch, moment);
			return { watch, lastCheckAt, checkBy: checkByOf(watching, watch, lastCheckAt, moment) };
		})
		.filter(
			({ watch, lastCheckAt, checkBy }) =>
				(watch.checkedAt ?? -Infinity) < lastCheckAt && elapsed <= checkBy,
		);
	let wake = Infinity;
	const isByList = listing !== undefined && open.length > MOST_CHECKED_SINGLY;
	if (isByList) {
		const lastChecks = open
			.filter(({ lastCheckAt }) => listing.readAt < lastCheckAt)
			.map(({ lastCheckAt }) => lastCheckAt);
		wake = lastChecks.reduce(
			(earliest, lastCheckAt) => Math.min(earliest, lastCheckAt),
			listing.nextReading,
		);
		if (wake <= elapsed) return { kind: 'list', open: open.map(({ watch }) => watch) };
	}
	let active = 0;
	let next: { watch: Watch; due: number; checkBy: number } | undefined;
	for (const { watch, lastCheckAt, checkBy } of open) {
		const isSample = watch === listing?.sample && turnDelayMs === 0;
		if (isByList && watch.isListed !== false && !isSample) continue;
		const due = isSample ? elapsed : Math.min(watch.nextCheck, lastCheckAt);
		if (Math.max(elapsed, due) + turnDelayMs > checkBy) continue;
		if (next === undefined || due < next.due) next = { watch, due, checkBy };
		if (++active >= policy.width) break;
	}
	if (next !== undefined && next.due <= elapsed)
		return { kind: 'check', watch: next.watch, until: next.checkBy - elapsed + now };
	// None of the remaining jobs gets a turn in time, so sleep until their last checks are due.
	if (next === undefined && !isByList)
		wake = running.reduce((last, watch) => Math.max(last, lastCheckOf(watching, watch, moment)), elapsed);
	else wake = Math.min(wake, next?.due ?? Infinity);
	return wake > elapsed ? { kind: 'sleep', milliseconds: wake - elapsed } : { kind: 'done' };
}

/**
 * Records the reply about a job. A temporary failure never ends the wait. A denial ends it only if the service repeats
 * the denial.
 *
 * @param askedAt when the request was made, in milliseconds since 1970
 * @param endOf the end that a status stands for, if any
 * @param isListed whether the reply is an entry of the job list: a download must confirm an end that only the list shows
 */
export function afterCheck(
	watching: Watching,
	watch: Watch,
	reply: Outcome<Job>,
	{ now, elapsed, askedAt }: Moment & { askedAt: number },
	endOf: (status: unknown) => End | undefined,
	isListed = false,
): void {
	const { listing } = watching;
	const { record } = watch;
	if (watch === listing?.sample) [listing.sampled, listing.sample] = [watch, undefined];
	watch.checkedAt = elapsed;
	record.trouble = reply.ok ? undefined : reply.problem;
	if (reply.ok) {
		// Keep the fields of the creation reply that this reply lacks.
		record.job = { ...record.job, ...reply.value, job_id: record.job.job_id };
		record.end = endOf(reply.value.status);
		record.isEndListed = isListed && record.end !== undefined ? true : undefined;
		record.checkedAt = now;
		delete record.deniedSince;
	} else if (proofOf(reply, endOf) !== 'nothing') {
		record.deniedSince ??= now;
		if (isProven(record.deniedSince, askedAt)) record.problem = reply.problem;
	}
	if (isOver(record) && watching.policy.patienceMs > 0) watching.patienceFrom = elapsed;
	watch.pauseMs = Math.min(watch.pauseMs * BACKOFF, watching.policy.intervalMs);
	watch.nextCheck = elapsed + watch.pauseMs;
}

/** Entries of the job list by job ID, and how many pages were read for them. */
export interface Entries {
	jobs: ReadonlyMap<string, Job>;
	pages: number;
}

/**
 * Records a reading of the job list. Open jobs that are missing from it are checked one by one. The list is not read again
 * if reading it took more pages than it showed open jobs, or if it lags behind a job's own status.
 *
 * @param entries undefined if the list could not be read
 */
export function afterReading(
	watching: Watching,
	open: readonly Watch[],
	entries: Entries | undefined,
	moment: Moment,
	endOf: (status: unknown) => End | undefined,
): void {
	const { listing, policy } = watching;
	if (listing === undefined) return;
	const { elapsed } = moment;
	const { sampled } = listing;
	const { jobs, pages } = entries ?? { jobs: new Map<string, Job>(), pages: 1 };
	listing.readAt = elapsed;
	listing.pauseMs = Math.min(Math.max(listing.pauseMs, pages * PAUSE_PER_PAGE_MS), policy.intervalMs);
	listing.nextReading = elapsed + listing.pauseMs;
	listing.pauseMs = Math.min(listing.pauseMs * BACKOFF, policy.intervalMs);
	const statusIn = ({ record }: Watch) => jobs.get(record.job.job_id)?.status ?? '';
	const isBehind =
		sampled !== undefined &&
		isOver(sampled.record) &&
		statusIn(sampled) !== '' &&
		endOf(statusIn(sampled)) === undefined;
	const listed = open.filter((watch) => statusIn(watch) !== '');
	if (isBehind || (entries !== undefined && pages > listed.length)) {
		delete watching.listing;
		return;
	}
	for (const watch of open) watch.isListed = statusIn(watch) !== '';
	for (const watch of listed) {
		const job = jobs.get(watch.record.job.job_id);
		if (job !== undefined)
			afterCheck(watching, watch, success(job), { ...moment, askedAt: moment.now }, endOf, true);
	}
	[listing.sample, listing.sampled] = [listed.find(({ record }) => !isOver(record)), undefined];
}

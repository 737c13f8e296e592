import { isFinal, type Outcome } from '../../service/problems';
import { LONGEST_RETRY_AFTER_MS } from '../../service/pacing';
import type { End } from '../../service/statuses';
import type { Job } from '../../service/types';
import { isSettled, type JobRecord } from '../lookup/record';

/** How to check jobs. Times in milliseconds. */
export interface LookPolicy {
	/** The longest pause between two checks of a job. */
	intervalMs: number;
	/** How long to check jobs after the start and after each end of a job. 0: each job once. */
	patienceMs: number;
	/** How many jobs are checked at a time. */
	width: number;
	/** The job to check first. */
	first?: string;
}

/** The next step: check a job, sleep until a time (milliseconds since 1970), or stop. */
export type Step =
	{ kind: 'look'; watch: Watch; until: number } | { kind: 'sleep'; until: number } | { kind: 'done' };

export interface Watch {
	record: JobRecord;
	nextLook: number;
	pauseMs: number;
	/** When it was last checked, if at all. */
	lookedAt?: number;
}

export interface Wait {
	policy: LookPolicy;
	/** In the order of checks. */
	watches: Watch[];
	/** When the wait began, or when a job was last seen to end. */
	patienceFrom: number;
	/** Jobs that were not checked by then are skipped, because many jobs must not delay the others. */
	lastCall: number;
}

/** A new job has rarely ended and may not be known yet. */
const FIRST_LOOK_MS = 1_000;
const FIRST_PAUSE_MS = 1_000;
const BACKOFF = 1.5;
/** Grace period for the last check, which is due at the deadline itself. */
const LAST_LOOK_MS = 500;
/** How long a job may be unknown: services list jobs late or lose them for a moment. */
const UNKNOWN_FOR_MS = 30_000;

/** Begins a wait. Without a width, each job is checked at least once if the service's limit allows it. */
export function beginWait(records: readonly JobRecord[], policy: LookPolicy, now: number): Wait {
	const open = records.filter((record) => !isSettled(record));
	// If not all jobs can be checked, those with the oldest check come first, then the latest creations.
	const rank = ({ job, checkedAt = 0 }: JobRecord) => (job.job_id === policy.first ? -1 : checkedAt);
	const ordered = open.toReversed().sort((a, b) => rank(a) - rank(b));
	const watches = ordered.map((record): Watch => ({
		record,
		nextLook: Math.max(now, (record.creation?.sentAt ?? 0) + FIRST_LOOK_MS),
		pauseMs: Math.min(FIRST_PAUSE_MS, policy.intervalMs),
	}));
	const soonest = Math.min(now + policy.patienceMs, ...open.map(({ deadline }) => deadline));
	const lastCall = policy.width < Infinity ? 0 : Math.max(now, soonest) + LONGEST_RETRY_AFTER_MS;
	return { policy, watches, patienceFrom: now, lastCall };
}

function limitOf({ policy, patienceFrom }: Wait, { record }: Watch): number {
	return Math.min(record.deadline, patienceFrom + policy.patienceMs);
}

/** Latest useful time of a check: the limit, or somewhat later for a job without any check. */
function latestOf(wait: Wait, watch: Watch): number {
	const limit = limitOf(wait, watch);
	if (watch.lookedAt !== undefined) return limit + LAST_LOOK_MS;
	// With a width, jobs beyond it get no turn at the limit itself.
	return wait.lastCall === 0 ? limit - 1 : Math.max(limit, wait.lastCall);
}

/**
 * Decides the next step. Checks are frequent at first, then rarer up to the interval, and the last one is at
 * the limit.
 *
 * @param now milliseconds since 1970
 * @param turnDelayMs milliseconds until a status call is allowed
 */
export function nextStep(wait: Wait, now: number, turnDelayMs: number): Step {
	const isOpen = (watch: Watch) =>
		!isSettled(watch.record) &&
		(watch.lookedAt === undefined || watch.lookedAt < limitOf(wait, watch)) &&
		Math.max(now, dueAt(watch)) + turnDelayMs <= latestOf(wait, watch);
	const dueAt = (watch: Watch) => Math.min(watch.nextLook, limitOf(wait, watch));
	let active = 0;
	let next: Watch | undefined;
	for (const watch of wait.watches) {
		if (!isOpen(watch)) continue;
		if (next === undefined || dueAt(watch) < dueAt(next)) next = watch;
		if (++active >= wait.policy.width) break;
	}
	if (next !== undefined) {
		const due = dueAt(next);
		return due <= now
			? { kind: 'look', watch: next, until: latestOf(wait, next) }
			: { kind: 'sleep', until: due };
	}
	// The remaining jobs get no turn in time, but their deadline has not passed.
	const left = wait.watches.filter(({ record }) => !isSettled(record)).map((watch) => limitOf(wait, watch));
	const end = Math.max(...left);
	return Number.isFinite(end) && end > now ? { kind: 'sleep', until: end } : { kind: 'done' };
}

/**
 * Records the service's answer about a job. A temporary failure never ends the wait.
 *
 * @param end how the job ended according to its status, if it did
 */
export function afterLook(wait: Wait, watch: Watch, answer: Outcome<Job>, now: number, end?: End): void {
	const { record } = watch;
	watch.lookedAt = now;
	record.trouble = answer.ok ? undefined : answer.problem;
	if (answer.ok) {
		// A reply without the fields of the creation must not remove them.
		record.job = { ...record.job, ...answer.value, job_id: record.job.job_id };
		record.end = end;
		record.checkedAt = now;
		delete record.unknownSince;
	} else if (answer.problem.kind === 'jobNotFound') {
		record.unknownSince ??= now;
		const isNew = now - (record.creation?.sentAt ?? 0) < UNKNOWN_FOR_MS;
		const patientUntil = Math.min(record.unknownSince + UNKNOWN_FOR_MS, record.deadline);
		if (!isNew && now >= patientUntil) record.problem = answer.problem;
	} else if (isFinal(answer.problem, 'status')) {
		record.problem = answer.problem;
	}
	if (isSettled(record) && wait.policy.patienceMs > 0) wait.patienceFrom = now;
	watch.pauseMs = Math.min(watch.pauseMs * BACKOFF, wait.policy.intervalMs);
	watch.nextLook = now + watch.pauseMs;
}

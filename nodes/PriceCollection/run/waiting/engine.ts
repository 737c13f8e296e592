import type { Outcome } from '../../service/problems';
import { isFinal } from '../../service/problems';
import { LONGEST_RETRY_AFTER_MS } from '../../service/retry';
import type { Job } from '../../service/types';
import { isSettled, type JobRecord } from '../lookup/record';

/** How jobs are looked at. Times in milliseconds. */
export interface LookPolicy {
	/** The longest pause between two looks at a job. */
	intervalMs: number;
	/** For how long after the beginning, and after each end that is seen, jobs are looked at. 0: each of them once. */
	patienceMs: number;
	/** How many jobs are looked at side by side, those created last first because they end last. */
	width: number;
	/** The job that is looked at first. */
	first?: string;
}

/** What is to be done next: look at a job, sleep until a time (milliseconds since 1970), or nothing more. */
export type Step =
	{ kind: 'look'; watch: Watch; until: number } | { kind: 'sleep'; until: number } | { kind: 'done' };

/** A job that is looked at. */
export interface Watch {
	record: JobRecord;
	nextLook: number;
	pauseMs: number;
	/** When it was last looked at; undefined: not yet. */
	lookedAt?: number;
}

/** A wait for some jobs. */
export interface Wait {
	policy: LookPolicy;
	/** In the order of looking. */
	watches: Watch[];
	/** When it began, or when a job was last seen to end. */
	patienceFrom: number;
	/** After this, jobs that were never looked at are left so: their number must not hold up the others. */
	lastCall: number;
}

/** A job that was just created has seldom ended, or is not even known yet. */
const FIRST_LOOK_MS = 1_000;
const FIRST_PAUSE_MS = 1_000;
const BACKOFF = 1.5;
/** The last look is due at the deadline, and so made a moment after it. */
const LAST_LOOK_MS = 500;
/** A service may enter a job late, or lose sight of it for a moment: unknown for as long as this, it is given up. */
const UNKNOWN_FOR_MS = 30_000;

/** Begins to wait for jobs. Without a width each is looked at at least once, as far as the service allows it in time. */
export function beginWait(records: readonly JobRecord[], policy: LookPolicy, now: number): Wait {
	const open = records.filter((record) => !isSettled(record));
	// Where not all can be looked at, those come first that were not for the longest time.
	const ordered = policy.width < open.length ? open.toReversed() : open.toSorted(byLastLook);
	const first = ordered.filter(({ job }) => job.job_id === policy.first);
	const watches = [...first, ...ordered.filter((record) => !first.includes(record))].map(
		(record): Watch => ({
			record,
			nextLook: Math.max(now, (record.creation?.sentAt ?? 0) + FIRST_LOOK_MS),
			pauseMs: Math.min(FIRST_PAUSE_MS, policy.intervalMs),
		}),
	);
	const wait = { policy, watches, patienceFrom: now, lastCall: 0 };
	if (policy.width < Infinity) return wait;
	const soonest = Math.min(...watches.map((watch) => limitOf(wait, watch)));
	return { ...wait, lastCall: Math.max(now, soonest) + LONGEST_RETRY_AFTER_MS };
}

function byLastLook(a: JobRecord, b: JobRecord): number {
	return (a.checkedAt ?? 0) - (b.checkedAt ?? 0);
}

/** Until when a job is looked at. */
function limitOf({ policy, patienceFrom }: Wait, { record }: Watch): number {
	return Math.min(record.deadline, patienceFrom + policy.patienceMs);
}

/** Until when a look makes sense: at the limit, or for a job that was never seen a while longer. */
function latestOf(wait: Wait, watch: Watch): number {
	const limit = limitOf(wait, watch);
	if (watch.lookedAt !== undefined) return limit + LAST_LOOK_MS;
	// With a width, at the limit itself it is no turn of the jobs beyond it.
	return wait.lastCall === 0 ? limit - 1 : Math.max(limit, wait.lastCall);
}

/**
 * What is to be done next. Looks come soon at first, then less and less often up to the interval, and once more at the
 * limit.
 *
 * @param now milliseconds since 1970
 * @param turnDelayMs until a status call may be made, in milliseconds
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
	// No turn comes in time for those that are left: the time is theirs all the same.
	const left = wait.watches.filter(({ record }) => !isSettled(record)).map((watch) => limitOf(wait, watch));
	const end = Math.max(...left);
	return Number.isFinite(end) && end > now ? { kind: 'sleep', until: end } : { kind: 'done' };
}

/** Whether a job that the service does not know is to be given up. */
function isGone({ creation, deadline, unknownSince }: JobRecord, now: number): boolean {
	if (unknownSince === undefined || now - (creation?.sentAt ?? 0) < UNKNOWN_FOR_MS) return false;
	return now >= Math.min(unknownSince + UNKNOWN_FOR_MS, deadline);
}

/** Takes in what the service said of a job. A look that fails for a passing reason never ends the wait. */
export function afterLook(wait: Wait, watch: Watch, answer: Outcome<Job>, now: number): void {
	const { record } = watch;
	watch.lookedAt = now;
	record.trouble = answer.ok ? undefined : answer.problem;
	if (answer.ok) {
		// A job object without the fields of the creation must not make them disappear.
		record.job = { ...record.job, ...answer.value, job_id: record.job.job_id };
		record.checkedAt = now;
		delete record.unknownSince;
	} else {
		const isUnknown = answer.problem.kind === 'jobNotFound';
		if (isUnknown) record.unknownSince ??= now;
		if (isUnknown ? isGone(record, now) : isFinal(answer.problem, 'status'))
			record.problem = answer.problem;
	}
	if (isSettled(record) && wait.policy.patienceMs > 0) wait.patienceFrom = now;
	watch.pauseMs = Math.min(watch.pauseMs * BACKOFF, wait.policy.intervalMs);
	watch.nextLook = now + watch.pauseMs;
}

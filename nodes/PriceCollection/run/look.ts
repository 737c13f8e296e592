import { isOver, isProven, proofOf } from '../service/jobState';
import { LONGEST_RETRY_AFTER_MS } from '../service/pacing';
import type { Outcome } from '../service/problems';
import type { End } from '../service/statuses';
import type { Job } from '../service/types';
import type { JobRecord, Run } from './record';

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

export const LOOKS = {
	/** Until all jobs have ended. */
	poll: (intervalMs: number): LookPolicy => ({ intervalMs, patienceMs: Infinity, width: Infinity }),
	/** Jobs that end at once or come from a cache do not need a suspension. */
	beforeSuspending: { intervalMs: 1_000, patienceMs: 3_000, width: 5 },
	/** Once per job, in every round of a suspended wait. */
	once: { intervalMs: 1_000, patienceMs: 0, width: Infinity },
	/** A callback may precede the service's own status, and the other jobs may also end soon. */
	afterCallback: { intervalMs: 5_000, patienceMs: 60_000, width: 5 },
} as const;

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

/**
 * Begins a wait. Without a width, each job is checked at least once if the service's limit allows it.
 *
 * @param latest when the time of this execution ends
 */
export function beginWait(
	records: readonly JobRecord[],
	policy: LookPolicy,
	now: number,
	latest = Infinity,
): Wait {
	const open = records.filter((record) => !isOver(record));
	// If not all jobs can be checked, those with the oldest check come first, then the latest creations.
	const rank = ({ job, checkedAt = 0 }: JobRecord) => (job.job_id === policy.first ? -1 : checkedAt);
	const ordered = open.toReversed().sort((a, b) => rank(a) - rank(b));
	const watches = ordered.map((record): Watch => ({
		record,
		nextLook: Math.max(now, (record.creation?.sentAt ?? 0) + FIRST_LOOK_MS),
		pauseMs: Math.min(FIRST_PAUSE_MS, policy.intervalMs),
	}));
	const soonest = open.reduce((first, { deadline }) => Math.min(first, deadline), now + policy.patienceMs);
	const late = Math.min(Math.max(now, soonest) + LONGEST_RETRY_AFTER_MS, latest);
	const lastCall = policy.width < Infinity ? 0 : late;
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
		!isOver(watch.record) &&
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
	const left = wait.watches.filter(({ record }) => !isOver(record)).map((watch) => limitOf(wait, watch));
	const end = left.reduce((last, limit) => Math.max(last, limit), now);
	return end > now ? { kind: 'sleep', until: end } : { kind: 'done' };
}

/**
 * Records the service's answer about a job. A temporary failure never ends the wait, and a denial only if the
 * service repeats it.
 *
 * @param endOf the end that a status stands for, if any
 */
export function afterLook(
	wait: Wait,
	watch: Watch,
	answer: Outcome<Job>,
	now: number,
	endOf: (status: unknown) => End | undefined,
): void {
	const { record } = watch;
	watch.lookedAt = now;
	record.trouble = answer.ok ? undefined : answer.problem;
	if (answer.ok) {
		// A reply without the fields of the creation must not remove them.
		record.job = { ...record.job, ...answer.value, job_id: record.job.job_id };
		record.end = endOf(answer.value.status);
		record.checkedAt = now;
		delete record.deniedSince;
	} else if (proofOf(answer, endOf) !== 'nothing') {
		record.deniedSince ??= now;
		if (isProven(record.deniedSince, now)) record.problem = answer.problem;
	}
	if (isOver(record) && wait.policy.patienceMs > 0) wait.patienceFrom = now;
	watch.pauseMs = Math.min(watch.pauseMs * BACKOFF, wait.policy.intervalMs);
	watch.nextLook = now + watch.pauseMs;
}

/** Checks the jobs of a run according to the policy, or until n8n stops the execution. */
export async function look(
	{ context, client, choices, records, wait: settings }: Run,
	policy: LookPolicy,
): Promise<void> {
	const { clock } = client;
	const { timeoutMs } = choices.first;
	const signal = context.getExecutionCancelSignal();
	const wait = beginWait(records, policy, clock.now(), settings?.latest);
	while (signal?.aborted !== true) {
		const step = nextStep(wait, clock.now(), client.statusDelay());
		if (step.kind === 'done') return;
		if (step.kind === 'sleep') {
			await clock.pause(step.until - clock.now(), signal);
		} else {
			const options = { repeat: false, timeoutMs, turn: { until: step.until } };
			const answer = await client.getJob(step.watch.record.job.job_id, options);
			afterLook(wait, step.watch, answer, clock.now(), client.endOf);
		}
	}
}

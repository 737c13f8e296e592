import type { ServiceClient } from '../../service/client';
import { isFinal, type Problem } from '../../service/problems';
import { LONGEST_RETRY_AFTER_MS } from '../../service/retry';
import { terminalStatus } from '../../service/status';
import type { Job } from '../../service/types';

/** What is known of a job that is waited for. */
export interface JobState {
	job: Job;
	/** Set when its status cannot be learned, so that waiting on makes no sense. */
	problem?: Problem;
	/** Why the latest look brought nothing, where a later one might have. */
	trouble?: Problem;
}

/** Whether nothing more is to be learned of a job. */
export function isSettled({ job, problem }: JobState): boolean {
	return problem !== undefined || terminalStatus(job.status) !== undefined;
}

/** A job to wait for. */
export interface PollJob {
	job: Job;
	/** Until when, in milliseconds since 1970. Every job is looked at at least once. */
	deadline: number;
}

export interface PollSettings {
	/** The longest pause between two looks at a job, in milliseconds. */
	intervalMs: number;
	/** The pause before the first look. */
	firstLookMs: number;
	/** How long a job may be unknown to the service: one that was just created may not be listed yet. */
	unknownForMs?: number;
	timeoutMs?: number;
	signal?: AbortSignal;
	/** Called after each look. */
	onLook?: (states: readonly JobState[]) => void;
}

const FIRST_PAUSE_MS = 1_000;
const BACKOFF = 1.5;
/** The last look is due at the deadline, and so made a moment after it. */
const LAST_LOOK_MS = 500;

interface Watched {
	state: JobState;
	deadline: number;
	nextLook: number;
	pauseMs: number;
	/** Whether it was looked at. */
	seen: boolean;
	/** Whether no further look is due: the last one was at the deadline, or none is possible before it. */
	expired: boolean;
}

async function look(
	client: ServiceClient,
	watched: Watched,
	settings: PollSettings,
	start: number,
): Promise<void> {
	const { state } = watched;
	const { now } = client.clock;
	const turn = { until: latestTurn(watched, now()) };
	const { timeoutMs } = settings;
	const answer = await client.getJob(state.job.job_id, { repeat: false, timeoutMs, turn });
	watched.seen = true;
	watched.expired = now() >= watched.deadline;
	state.trouble = answer.ok ? undefined : answer.problem;
	if (answer.ok) {
		// A job object without the fields of the creation must not make them disappear.
		state.job = { ...state.job, ...answer.value };
	} else {
		const { problem } = answer;
		const mayStillAppear = problem.kind === 'jobNotFound' && now() - start < (settings.unknownForMs ?? 0);
		if (isFinal(problem, 'status') && !mayStillAppear) state.problem = problem;
	}
	watched.pauseMs = Math.min(watched.pauseMs * BACKOFF, settings.intervalMs);
	watched.nextLook = now() + watched.pauseMs;
}

const isOpen = ({ state, expired }: Watched) => !expired && !isSettled(state);
/** The next look, or the last one at the deadline; a deadline in the past asks for one look at once. */
const dueAt = ({ nextLook, deadline }: Watched) => Math.min(nextLook, deadline);

/** The open job whose look is due first. */
function nextOf(watched: readonly Watched[]): Watched | undefined {
	const sooner = (first: Watched | undefined, one: Watched) =>
		isOpen(one) && (first === undefined || dueAt(one) < dueAt(first)) ? one : first;
	return watched.reduce(sooner, undefined);
}

/** Until when a turn for a look is waited for: until the deadline, or for a job that was never seen a while longer. */
function latestTurn({ seen, deadline }: Watched, now: number): number {
	return Math.max(deadline, now + (seen ? LAST_LOOK_MS : LONGEST_RETRY_AFTER_MS));
}

/**
 * Waits until every job has ended, cannot be asked for any more or is past its deadline, or until `signal` is
 * aborted: looks soon at first, then less and less often up to the interval, and once more at the deadline. A look
 * that fails for a passing reason is made again later; it never ends the wait.
 *
 * @returns the jobs as last seen, in the order given
 */
export async function pollUntilEnded(
	client: ServiceClient,
	jobs: readonly PollJob[],
	settings: PollSettings,
): Promise<JobState[]> {
	const { now, pause } = client.clock;
	const start = now();
	const watched = jobs.map(({ job, deadline }): Watched => ({
		state: { job },
		deadline,
		nextLook: start + settings.firstLookMs,
		pauseMs: Math.min(FIRST_PAUSE_MS, settings.intervalMs),
		seen: false,
		expired: false,
	}));
	const states = watched.map(({ state }) => state);
	for (let next = nextOf(watched); next !== undefined; next = nextOf(watched)) {
		next.expired = now() + client.statusDelay() > latestTurn(next, now());
		await pause((next.expired ? next.deadline : dueAt(next)) - now(), settings.signal);
		if (settings.signal?.aborted === true) return states;
		// What was seen last stands: this job was not looked at.
		if (next.expired) continue;
		await look(client, next, settings, start);
		settings.onLook?.(states);
	}
	return states;
}

import type { now, pause, random } from '../../n8n/clock';
import type { ServiceClient } from '../../service/client';
import { traitsOf, type Problem } from '../../service/problems';
import { delayBeforeRepeat } from '../../service/retry';
import { terminalStatus, type JobEnd } from '../../service/status';
import type { Job } from '../../service/types';

/** Time and chance, passed in so that tests need neither. */
export interface Clock {
	now: typeof now;
	pause: typeof pause;
	random: typeof random;
}

/** What the service itself says about a job that a call named. */
export type Confirmation =
	| { kind: 'ended'; job: Job; end: JobEnd }
	| { kind: 'running' }
	| { kind: 'unknown' }
	| { kind: 'unavailable'; problem: Problem };

/** A caller rarely waits longer, in milliseconds. */
const PATIENCE_MS = 15_000;
/** How long one status call may take. */
const TIMEOUT_MS = 15_000;
/** A service may call a moment before its own status changes; it may not call again. */
const WAITS_FOR_END_MS: readonly number[] = [1_000, 3_000];

/**
 * Asks the service whether a job is over: once where all is well, again for a few seconds where the problem
 * passes or the job is about to end.
 */
export async function confirmEnd(
	client: ServiceClient,
	jobId: string,
	clock: Clock,
	timeoutMs = TIMEOUT_MS,
): Promise<Confirmation> {
	const until = clock.now() + PATIENCE_MS;
	for (let attempt = 1; ; attempt++) {
		// Not the client's own repeats: they would outlast the caller.
		const reply = await client.getJob(jobId, { timeoutMs, repeat: false });
		// Another spelling of an ID, or another job altogether, must not count as a second end.
		if (reply.ok && reply.value.job_id !== jobId) return { kind: 'unknown' };
		const end = reply.ok ? terminalStatus(reply.value.status) : undefined;
		if (reply.ok && end !== undefined) return { kind: 'ended', job: reply.value, end };
		if (!reply.ok && traitsOf(reply.problem).job !== 'unsaid') return { kind: 'unknown' };
		const wait = reply.ok
			? WAITS_FOR_END_MS[attempt - 1]
			: delayBeforeRepeat(reply.problem, attempt, false, clock.random());
		if (wait === undefined || clock.now() + wait > until) {
			return reply.ok ? { kind: 'running' } : { kind: 'unavailable', problem: reply.problem };
		}
		await clock.pause(wait);
	}
}

import type { Job } from './job.ts';
import type { JobRequest } from './jobRequest.ts';
import type { SandboxOptions } from './options.ts';
import { outcomeOf } from './outcome.ts';

/** Shares of a job's duration at which it starts to work and has collected everything. */
const WORKING_FROM = 0.15;
const COLLECTED_AT = 0.8;

interface NewJob {
	id: string;
	owner: string;
	request: JobRequest;
	/** Time of creation, milliseconds. */
	now: number;
	cachedAt: Map<string, number>;
}

/**
 * A job with all its times laid out: values are answered one after the other, a slow one never;
 * the job ends when everything is collected and compiled, or at its timeout.
 */
export function planJob({ id, owner, request, now, cachedAt }: NewJob, options: SandboxOptions): Job {
	const count = request.values.length;
	const cached =
		options.cachedJobs === 'finishedAtOnce' && request.values.every((value) => cachedAt.has(value));
	const duration = cached ? 0 : options.jobDurationMs + count * options.valueDurationMs;
	const isSlow = (value: string) => outcomeOf(request.key, value).kind === 'slow';
	const slow = request.values.some(isSlow);
	const workingAt = now + duration * WORKING_FROM;
	const collected = options.autoFinish ? now + duration * COLLECTED_AT : Infinity;
	const answeredAt = request.values.map((value, index) =>
		isSlow(value) ? Infinity : workingAt + ((index + 1) / count) * (collected - workingAt),
	);
	const timeoutAt = now + request.timeoutMinutes * options.timeoutMinuteMs;
	const wholeAt = options.autoFinish && !slow ? now + duration : Infinity;
	return {
		id,
		owner,
		request,
		gtinValidation: options.gtinValidation,
		createdAt: now,
		workingAt,
		collectedAt: slow ? Infinity : collected,
		endsAt: Math.min(wholeAt, timeoutAt),
		answeredAt,
		cachedAt,
		readAt: now,
		state: 'running',
		endedAt: null,
		downloadedAt: null,
		booked: { free: 0, paid: 0 },
		shown: { free: 0, paid: 0 },
		stopTimer: () => undefined,
	};
}

import { TEST_SOURCE } from './catalog.ts';
import { isoTime } from './clock.ts';
import { echoedTopic } from './jobRequest.ts';
import type { JobRequest } from './jobRequest.ts';
import type { SandboxOptions } from './options.ts';
import { creditsOf, outcomeIn } from './results.ts';

/** A job and the times of its life, all in milliseconds; what lies in the future is a plan. */
export interface Job {
	id: string;
	owner: string;
	request: JobRequest;
	gtinValidation: SandboxOptions['gtinValidation'];
	createdAt: number;
	workingAt: number;
	/** When the last value would be answered. */
	collectedAt: number;
	endsAt: number;
	/** When each value is answered; Infinity: never. */
	answeredAt: number[];
	/** Values answered from the cache, with the time they were read. */
	cachedAt: Map<string, number>;
	/** Time that the results carry. */
	readAt: number;
	state: 'running' | 'finished' | 'cancelled';
	endedAt: number | null;
	downloadedAt: number | null;
	/** Credits booked at the end; the test source books none. */
	booked: { free: number; paid: number };
	/** Credits shown on the download. */
	shown: { free: number; paid: number };
	stopTimer: () => void;
}

/** Values answered by `now`, in the order they were asked. */
export function answeredValues(job: Job, now: number): string[] {
	const until = job.endedAt ?? now;
	return job.request.values.filter((_, index) => (job.answeredAt[index] ?? Infinity) <= until);
}

export function isFree(job: Job): boolean {
	return job.request.source === TEST_SOURCE;
}

/** What the answered values cost, whether it is booked or not. */
export function costOf(job: Job, now: number): number {
	return answeredValues(job, now).reduce((sum, value) => sum + creditsOf(job, value), 0);
}

/** The status as the service spells it. */
export function statusOf(job: Job, now: number, options: SandboxOptions): string {
	if (job.state === 'finished') return 'finished';
	if (job.state === 'cancelled') return options.cancelledSpelling;
	if (now < job.workingAt) return 'new';
	if (now >= job.collectedAt) return 'finishing';
	return workingStatus(job, now, options.extraStatuses);
}

/** The unheard-of statuses share the second half of the work; a job without an end keeps the first. */
function workingStatus(job: Job, now: number, extra: string[]): string {
	if (job.collectedAt === Infinity) return extra[0] ?? 'working';
	const half = (job.workingAt + job.collectedAt) / 2;
	if (now < half) return 'working';
	const slot = Math.floor(((now - half) / (job.collectedAt - half)) * extra.length);
	return extra[slot] ?? 'working';
}

function counters(job: Job, now: number): Record<string, number> {
	const answered = answeredValues(job, now);
	const kinds = answered.map((value) => outcomeIn(job, value));
	const count = (...names: string[]) => kinds.filter(({ kind }) => names.includes(kind)).length;
	const requested = job.request.values.length;
	const over = job.endedAt !== null;
	return {
		requested,
		completed: answered.length,
		successful: count('found', 'notFound'),
		refusals: count('invalid'),
		timeouts: over && job.state === 'finished' ? requested - answered.length : 0,
		not_founds: count('notFound'),
		errors: count('failed'),
		failed_to_access_source: kinds.filter((end) => end.kind === 'failed' && end.reason.includes('access'))
			.length,
		to_be_searched: over ? 0 : requested - answered.length,
		not_searchables: 0,
	};
}

const isoOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms));

/** The job object of the status, of lists and of the long create reply. */
export function jobObject(job: Job, now: number, options: SandboxOptions): Record<string, unknown> {
	const { request } = job;
	const counts = counters(job, now);
	return {
		job_id: job.id,
		status: statusOf(job, now, options),
		country: request.country,
		source: request.source,
		topic: echoedTopic(request.topic, options),
		key: request.key,
		parameters: { ...request.query, timeout: request.timeoutMinutes, ...request.more },
		progress: Math.floor(((counts.completed ?? 0) / (counts.requested ?? 1)) * 100),
		...counts,
		created_at: isoTime(job.createdAt),
		terminated_at: isoOrNull(job.endedAt),
		downloaded_at: isoOrNull(job.downloadedAt),
	};
}

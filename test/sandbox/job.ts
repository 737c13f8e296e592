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

/** What the service tells of a job's end: later than it happens, or not for good, where options say so. */
export function phaseOf(job: Job, now: number, options: SandboxOptions): Job['state'] {
	if (job.state !== 'finished' || job.endedAt === null) return job.state;
	const told = now - job.endedAt - options.statusDelayMs;
	const relapsed = told >= options.relapseAfterMs && told < options.relapseAfterMs + options.relapseMs;
	return told < 0 || relapsed ? 'running' : 'finished';
}

function spelled(status: string, options: SandboxOptions): string {
	if (options.statusCase === 'upper') return status.toUpperCase();
	return options.statusCase === 'lower' ? status : status.charAt(0).toUpperCase() + status.slice(1);
}

/** The status as the service spells it. */
export function statusOf(job: Job, now: number, options: SandboxOptions): string {
	return spelled(plainStatusOf(job, now, options), options);
}

function plainStatusOf(job: Job, now: number, options: SandboxOptions): string {
	const phase = phaseOf(job, now, options);
	if (phase === 'finished') {
		const whole = answeredValues(job, now).length === job.request.values.length;
		return whole ? 'finished' : options.timeoutStatus;
	}
	if (phase === 'cancelled') return options.cancelledSpelling;
	if (job.endedAt !== null) return now - job.endedAt < options.statusDelayMs ? 'finishing' : 'working';
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

const isoOrNull = (ms: number | null, { clockSkewMs }: SandboxOptions) =>
	ms === null ? null : isoTime(ms + clockSkewMs);

type Fields = Record<string, unknown>;

function partsOf(
	job: Job,
	now: number,
	options: SandboxOptions,
): Record<SandboxOptions['jobFields'][number], Fields> {
	const { request } = job;
	const counts = counters(job, now);
	const over = phaseOf(job, now, options) !== 'running';
	return {
		order: {
			country: request.country,
			source: request.source,
			topic: echoedTopic(request.topic, options),
			key: request.key,
			parameters: { ...request.query, timeout: request.timeoutMinutes, ...request.more },
		},
		values: { values: request.values },
		counters: {
			progress: Math.floor(((counts.completed ?? 0) / (counts.requested ?? 1)) * 100),
			...counts,
		},
		times: {
			created_at: isoTime(job.createdAt + options.clockSkewMs),
			terminated_at: isoOrNull(over ? job.endedAt : null, options),
			downloaded_at: isoOrNull(job.downloadedAt, options),
		},
		webhookUrl: { [options.webhookUrlParameter]: request.webhook?.url ?? null },
	};
}

/** The job object of the status, of lists and of the long create reply, with the parts that are switched on. */
export function jobObject(
	job: Job,
	now: number,
	options: SandboxOptions,
	fields = options.jobFields,
): Fields {
	const parts = partsOf(job, now, options);
	const shown = Object.entries(parts).filter(([name]) => fields.some((field) => field === name));
	return {
		job_id: job.id,
		status: statusOf(job, now, options),
		...Object.assign({}, ...shown.map(([, part]) => part)),
	} as Fields;
}

/** Counters under names that other services use for the outcome of a request. */
export function countersOf(job: Job, now: number): { success: number; error: number } {
	const { successful = 0, errors = 0 } = counters(job, now);
	return { success: successful, error: errors };
}

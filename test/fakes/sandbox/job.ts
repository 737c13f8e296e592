import { createHash } from 'node:crypto';
import { TEST_SOURCE } from './catalog.ts';
import { isoTime } from './clock.ts';
import { echoedTopic } from './jobRequest.ts';
import type { JobRequest } from './jobRequest.ts';
import type { SandboxOptions } from './options.ts';
import { outcomeOf } from './outcome.ts';
import { ownKey } from './requestNames.ts';
import { creditsOf } from './results.ts';

type Fields = Record<string, unknown>;

/** A job and its times in milliseconds; future times are planned. */
export interface Job {
	id: string;
	owner: string;
	request: JobRequest;
	createdAt: number;
	workingAt: number;
	/** When the last value would be answered. */
	collectedAt: number;
	endsAt: number;
	/** When each value is answered; Infinity: never. */
	answeredAt: number[];
	/** Values answered from the cache, with the time they were read. */
	cachedAt: Map<string, number>;
	/** The results' time stamp. */
	readAt: number;
	state: 'running' | SandboxOptions['jobEnd'];
	endedAt: number | null;
	downloadedAt: number | null;
	/** Credits booked at the end; the test source books none. */
	booked: number;
	/** Credits shown in the download. */
	shown: number;
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

/** What the answered values cost, whether booked or not. */
export function costOf(job: Job, now: number): number {
	return answeredValues(job, now).reduce((sum, value) => sum + creditsOf(job, value), 0);
}

/** The state that the service reports; `statusDelayMs` delays `finished` and `failed`. */
export function phaseOf(job: Job, now: number, { statusDelayMs }: SandboxOptions): Job['state'] {
	const isOwn = job.state === 'finished' || job.state === 'failed';
	const isLate = isOwn && job.endedAt !== null && now - job.endedAt < statusDelayMs;
	return isLate ? 'running' : job.state;
}

/** Whether a job is finished but its results are not there yet. */
export function awaitsResults(job: Job, now: number, options: SandboxOptions): boolean {
	const isFinished = phaseOf(job, now, options) === 'finished';
	return isFinished && now < (job.endedAt ?? now) + options.resultsDelayMs;
}

/** Why a job failed or was cancelled, in the field that is switched on; no field without a reason. */
export function whyOf(job: Job, now: number, options: SandboxOptions): Fields {
	const phase = phaseOf(job, now, options);
	const words = { failed: options.failureReason, cancelled: options.endReason, finished: '', running: '' };
	const detail = words[phase];
	if (detail === '') return {};
	return options.reasonField === 'failure' ? { failure: { detail } } : { reason: detail };
}

function plainStatusOf(job: Job, now: number, options: SandboxOptions): string {
	const phase = phaseOf(job, now, options);
	if (phase === 'finished') return options.finishedSpelling;
	if (phase === 'failed') return options.failedSpelling;
	if (phase === 'cancelled') return options.cancelledSpelling;
	if (job.endedAt !== null || now >= job.collectedAt) return 'finishing';
	return now < job.workingAt ? 'new' : options.workingSpelling;
}

/** The status as the service spells it. */
export function statusOf(job: Job, now: number, options: SandboxOptions): string {
	const status = plainStatusOf(job, now, options);
	const spelled: Record<SandboxOptions['statusCase'], () => string> = {
		lower: () => status,
		upper: () => status.toUpperCase(),
		capitalised: () => status.charAt(0).toUpperCase() + status.slice(1),
		dash: () => status.replaceAll('_', '-'),
		blank: () => status.replaceAll('_', ' '),
		camel: () => status.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
	};
	return spelled[options.statusCase]();
}

function counters(job: Job, now: number): Record<string, number> {
	const answered = answeredValues(job, now);
	const ends = answered.map((value) => outcomeOf(job.request.key, value));
	const count = (...names: string[]) => ends.filter(({ kind }) => names.includes(kind)).length;
	const requested = job.request.values.length;
	const missing = requested - answered.length;
	const noAccess = ends.filter((end) => end.kind === 'failed' && end.reason.includes('access'));
	return {
		requested,
		completed: answered.length,
		successful: count('found', 'notFound'),
		refusals: count('invalid'),
		timeouts: job.state === 'running' ? 0 : missing,
		not_founds: count('notFound'),
		errors: count('failed'),
		failed_to_access_source: noAccess.length,
		to_be_searched: job.state === 'running' ? missing : 0,
		not_searchables: 0,
	};
}

/** A job's time as the service writes it; null if it has not come yet. */
function writtenTime(ms: number | null, { clockSkewMs, jobTimes, zoneMinutes }: SandboxOptions) {
	if (ms === null) return null;
	const text = isoTime(ms + clockSkewMs + (jobTimes === 'utc' ? 0 : zoneMinutes * 60_000));
	return jobTimes === 'withoutZone' ? text.replace('Z', '') : text;
}

function partsOf(
	job: Job,
	now: number,
	options: SandboxOptions,
): Record<SandboxOptions['jobFields'][number], Fields> {
	const { request } = job;
	const counts = counters(job, now);
	const over = phaseOf(job, now, options) !== 'running';
	const times = {
		created_at: writtenTime(job.createdAt, options),
		terminated_at: writtenTime(over ? job.endedAt : null, options),
		downloaded_at: writtenTime(job.downloadedAt, options),
	};
	const { labelParameter } = options;
	return {
		order: {
			country: request.country,
			source: request.source,
			topic: echoedTopic(request.topic, options),
			key: ownKey(request.key, options),
			parameters: { ...request.query, timeout: request.timeoutMinutes, ...request.more },
			...(labelParameter !== '' && { [labelParameter]: request.label }),
		},
		values: { values: request.values },
		counters: {
			progress: Math.floor(((counts.completed ?? 0) / (counts.requested ?? 1)) * 100),
			...counts,
		},
		times: options.jobTimes === 'absent' ? {} : times,
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
	const parts = Object.entries(partsOf(job, now, options));
	const shown = parts.filter(([name]) => fields.some((field) => field === name));
	const head: Fields = {
		job_id: job.id,
		status: statusOf(job, now, options),
		...whyOf(job, now, options),
	};
	return Object.assign(head, ...shown.map(([, part]) => part)) as Fields;
}

/** The unique ID of the `count`-th job in the format that is switched on. */
function newJobId(count: number, now: number, format: SandboxOptions['jobIdFormat']): string {
	const hex = createHash('sha256').update(`${now} ${count}`).digest('hex');
	switch (format) {
		case 'hex':
			return hex.slice(0, 24);
		case 'number':
			// Beyond 2^53: a client that reads it as a number gets another ID.
			return String(10_000_000_000_000_000_000n + BigInt(count));
		case 'odd':
			return `Job.${hex.slice(0, 6)}~v2_${count}`;
		case 'uuid':
			return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
	}
}

/** Shares of a job's duration at which it starts to work and has collected everything. */
const WORKING_FROM = 0.15;
const COLLECTED_AT = 0.8;

/**
 * A job with all its times planned. Values are answered one after the other, a slow one never. The job ends when
 * everything is collected and compiled, or at its timeout. `count`: its number among all jobs.
 */
export function planJob(
	{ owner, request, cachedAt }: Pick<Job, 'owner' | 'request' | 'cachedAt'>,
	count: number,
	now: number,
	options: SandboxOptions,
): Job {
	const cached =
		options.cachedJobs === 'finishedAtOnce' && request.values.every((value) => cachedAt.has(value));
	const duration = cached ? 0 : options.jobDurationMs;
	const isSlow = (value: string) => outcomeOf(request.key, value).kind === 'slow';
	const slow = request.values.some(isSlow);
	const workingAt = now + duration * WORKING_FROM;
	const collected = options.autoFinish ? now + duration * COLLECTED_AT : Infinity;
	const answeredAt = request.values.map((value, index) =>
		isSlow(value)
			? Infinity
			: workingAt + ((index + 1) / request.values.length) * (collected - workingAt),
	);
	const timeoutAt = now + request.timeoutMinutes * options.timeoutMinuteMs;
	const wholeAt = options.autoFinish && !slow ? now + duration : Infinity;
	return {
		...{ id: newJobId(count, now, options.jobIdFormat), owner, request, cachedAt },
		...{ createdAt: now, workingAt, collectedAt: slow ? Infinity : collected, answeredAt },
		...{ endsAt: Math.min(wholeAt, timeoutAt), readAt: now, endedAt: null, downloadedAt: null },
		...{ state: 'running', booked: 0, shown: 0, stopTimer: () => undefined },
	};
}

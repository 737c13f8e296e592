import { answeredValues } from './job.ts';
import type { Job } from './job.ts';
import type { SandboxOptions } from './options.ts';

export interface Credits {
	free: number;
	paid: number;
}

/** Days and months are those of UTC. */
export function startOfDay(now: number): number {
	return new Date(now).setUTCHours(0, 0, 0, 0);
}

function startOfMonth(now: number): number {
	const date = new Date(now);
	return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** Credits of jobs that ended at or after `since`. */
export function bookedSince(jobs: Job[], since: number): Credits {
	const ended = jobs.filter((job) => job.endedAt !== null && job.endedAt >= since);
	return {
		free: ended.reduce((sum, job) => sum + job.booked.free, 0),
		paid: ended.reduce((sum, job) => sum + job.booked.paid, 0),
	};
}

function figures(jobs: Job[], now: number): Record<string, number> {
	const booked = bookedSince(jobs, 0);
	return {
		jobs: jobs.length,
		requested: jobs.reduce((sum, job) => sum + job.request.values.length, 0),
		completed: jobs.reduce((sum, job) => sum + answeredValues(job, now).length, 0),
		free_credits: booked.free,
		paid_credits: booked.paid,
		credits: booked.free + booked.paid,
	};
}

function bySource(jobs: Job[], now: number): Array<Record<string, unknown>> {
	const sources = [...new Set(jobs.map((job) => job.request.source))].sort();
	return sources.map((source) => ({
		source,
		...figures(
			jobs.filter((job) => job.request.source === source),
			now,
		),
	}));
}

/**
 * Usage of today or of this month: jobs count on the day of their creation, with what they have
 * booked so far, so that the days add up to the month and the sources to the whole.
 */
export function usageOf(
	jobs: Job[],
	period: 'today' | 'month',
	now: number,
	options: SandboxOptions,
): Record<string, unknown> | unknown[] {
	const since = period === 'today' ? startOfDay(now) : startOfMonth(now);
	const counted = jobs.filter((job) => job.createdAt >= since);
	const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
	const total = figures(counted, now);
	const sources = bySource(counted, now);
	if (options.usageShape === 'counters') {
		return { success: total.completed, error: (total.requested ?? 0) - (total.completed ?? 0) };
	}
	if (options.usageShape === 'array') return sources;
	const named = period === 'today' ? { date: day(now) } : { month: day(now).slice(0, 7) };
	const quota = options.dailyQuota === 0 ? null : options.dailyQuota;
	const body: Record<string, unknown> = { ...named, ...total, daily_quota: quota, sources };
	if (period === 'month') {
		const days = [...new Set(counted.map((job) => day(job.createdAt)))].sort();
		body.days = days.map((date) => {
			const those = counted.filter((job) => day(job.createdAt) === date);
			return { date, ...figures(those, now) };
		});
	}
	return options.usageShape === 'nested' ? { usage: body } : body;
}

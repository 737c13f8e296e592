import { answeredValues } from './job.ts';
import type { Job } from './job.ts';
import type { SandboxOptions } from './options.ts';

function figures(jobs: Job[], now: number): Record<string, number> {
	const sum = (of: (job: Job) => number) => jobs.reduce((all, job) => all + of(job), 0);
	const credits = sum(({ booked }) => booked);
	return {
		jobs: jobs.length,
		requested: sum((job) => job.request.values.length),
		completed: sum((job) => answeredValues(job, now).length),
		free_credits: credits,
		paid_credits: 0,
		credits,
	};
}

function bySource(jobs: Job[], now: number): Array<Record<string, unknown>> {
	const sources = [...new Set(jobs.map((job) => job.request.source))].sort();
	const of = (source: string) => jobs.filter((job) => job.request.source === source);
	return sources.map((source) => ({ source, ...figures(of(source), now) }));
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
	const date = new Date(now);
	const first = period === 'today' ? date.getUTCDate() : 1;
	const since = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), first);
	const counted = jobs.filter((job) => job.createdAt >= since);
	const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
	const total = figures(counted, now);
	const sources = bySource(counted, now);
	if (options.usageShape === 'counters') {
		return { success: total.completed, error: (total.requested ?? 0) - (total.completed ?? 0) };
	}
	if (options.usageShape === 'array') return sources;
	const named = period === 'today' ? { date: day(now) } : { month: day(now).slice(0, 7) };
	const body: Record<string, unknown> = { ...named, ...total, daily_quota: null, sources };
	if (period === 'month') {
		const days = [...new Set(counted.map((job) => day(job.createdAt)))].sort();
		body.days = days.map((date) => {
			const those = counted.filter((job) => day(job.createdAt) === date);
			return { date, ...figures(those, now) };
		});
	}
	return options.usageShape === 'nested' ? { usage: body } : body;
}

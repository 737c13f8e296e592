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
 * Usage of today or of this month. Jobs count on the day of their creation, with the credits booked so far, so that the
 * sources add up to the total.
 */
export function usageOf(
	jobs: Job[],
	period: 'today' | 'month',
	now: number,
	{ usageShape }: SandboxOptions,
): Record<string, unknown> | unknown[] {
	// All times of a day or month begin with these characters.
	const shown = new Date(now).toISOString().slice(0, period === 'today' ? 10 : 7);
	const counted = jobs.filter(({ createdAt }) => new Date(createdAt).toISOString().startsWith(shown));
	const total = figures(counted, now);
	const sources = bySource(counted, now);
	if (usageShape === 'array') return sources;
	const body = { [period === 'today' ? 'date' : 'month']: shown, ...total, sources };
	return usageShape === 'nested' ? { usage: body } : body;
}

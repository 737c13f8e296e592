import type { Job } from './job.ts';
import { answeredValues, statusOf } from './job.ts';
import type { Service } from './service.ts';

export type InspectedJob = ReturnType<typeof inspectJob>;

/** A job as tests see it: with more than the service reveals. */
export function inspectJob(service: Service, job: Job) {
	const { topic, source, country, key, values, query, more, timeoutMinutes, webhook, label } = job.request;
	const { owner, createdAt, endedAt, downloadedAt } = job;
	const now = service.clock.now();
	return {
		job_id: job.id,
		/** The key of the account that created it. */
		owner,
		status: statusOf(job, now, service.options),
		state: job.state,
		...{ topic, source, country, key, values },
		answered: answeredValues(job, now),
		/** The other parameters, with defaults for absent ones. */
		parameters: { ...query, ...more } as Record<string, unknown>,
		timeoutMinutes,
		label,
		webhookUrl: webhook?.url ?? null,
		/** Credits booked: 0 until the job finishes, and always for test jobs. */
		charged: job.booked,
		...{ createdAt, endedAt, downloadedAt },
	};
}

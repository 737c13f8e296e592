import type { Job } from './job.ts';
import { answeredValues, statusOf } from './job.ts';
import type { Service } from './service.ts';

/** A job as tests see it: more than the service would tell. */
export interface InspectedJob {
	job_id: string;
	/** The key of the account that created it. */
	owner: string;
	status: string;
	topic: string;
	source: string;
	country: string;
	key: string;
	values: string[];
	answered: string[];
	/** The other parameters, with what was assumed for absent ones. */
	parameters: Record<string, unknown>;
	timeoutMinutes: number;
	webhookUrl: string | null;
	/** Credits booked: 0 until the end, and always for cancelled and test jobs. */
	charged: number;
	createdAt: number;
	endedAt: number | null;
	downloadedAt: number | null;
}

export function inspectJob(service: Service, job: Job): InspectedJob {
	const { request } = job;
	const now = service.clock.now();
	return {
		job_id: job.id,
		owner: job.owner,
		status: statusOf(job, now, service.options),
		topic: request.topic,
		source: request.source,
		country: request.country,
		key: request.key,
		values: request.values,
		answered: answeredValues(job, now),
		parameters: { ...request.query, ...request.more },
		timeoutMinutes: request.timeoutMinutes,
		webhookUrl: request.webhook?.url ?? null,
		charged: job.booked,
		createdAt: job.createdAt,
		endedAt: job.endedAt,
		downloadedAt: job.downloadedAt,
	};
}

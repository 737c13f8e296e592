import { newRecord, type JobRecord } from '../../../nodes/PriceCollection/run/record';
import { success, type Outcome } from '../../../nodes/PriceCollection/service/problems';
import type { Job } from '../../../nodes/PriceCollection/service/types';

export const START = 1_800_000_000_000;
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** What the service says about a job, this long after the start, at the look with this number. */
export type Answer = (jobId: string, at: number, count: number) => Outcome<Job>;

export const working: Answer = (job_id) => success({ job_id, status: 'working' });
export const finished: Answer = (job_id) => success({ job_id, status: 'finished' });
export const endsAt =
	(end: number): Answer =>
	(jobId, at) =>
		at < end ? working(jobId, at, 0) : finished(jobId, at, 0);

/** A job created now or this long ago, with a deadline this long after the start. */
export function record(jobId: string, deadlineMs: number, ageMs = 0): JobRecord {
	const creation = { sentAt: START - ageMs, executionId: '7' };
	return { ...newRecord(jobId, [{ item: 0 }]), creation, deadline: START + deadlineMs };
}
export const records = (count: number, deadlineMs: number, ageMs = 0) =>
	Array.from({ length: count }, (_, index) => record(`job${index}`, deadlineMs, ageMs));

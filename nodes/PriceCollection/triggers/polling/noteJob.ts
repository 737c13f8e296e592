import type { ServiceClient } from '../../service/api/client';
import { timeOf } from '../../service/time';
import type { Job } from '../../service/types';
import { endTime } from './endsInOrder';
import { isHandled, markHandled, noteOpen, type PollState } from './pollingState';

/** What {@link noteJob} needs from the service. */
export interface Noting {
	endOf: ServiceClient['endOf'];
	/** The current time by the service's clock. */
	present: number;
}

export const showsStatus = ({ status }: Job) => status.trim() !== '';

/** Whether a job ended while the list was being read, as far as the service's dates and clock show. */
export function endedDuringReading(job: Job, begunAt: number | undefined, present: number): boolean {
	const end = timeOf(job.terminated_at);
	if (end === undefined || begunAt === undefined) return false;
	// A time in the future comes from another clock, and cannot be compared.
	return end > begunAt && end <= present;
}

/** Whether an ended job is old: it ended before the first poll, or before the first poll of a changed account. */
function endedBeforeStart({ open, reading, since = 0 }: PollState, job: Job, present: number): boolean {
	// In the first reading, open jobs and jobs that ended during it are not old.
	const isRecent = open.has(job.job_id) || endedDuringReading(job, reading?.begunAt, present);
	if (reading?.isFirst === true && !isRecent) return true;
	return (timeOf(job.terminated_at) ?? Infinity) < since;
}

/** Whether a job's end has been handled: by its fingerprint, or by its date if the fingerprint was dropped. */
function isDone(state: PollState, job: Job): boolean {
	const { forgotten = -Infinity, open } = state;
	return isHandled(state, job) || (!open.has(job.job_id) && (endTime(job) ?? Infinity) <= forgotten);
}

/**
 * Records a job from the service in the state: as found if it has ended, as open if it runs or its status is not shown.
 * Skips a job whose end is handled, found or queued, even if it runs again.
 *
 * @returns whether the job is new to the state
 */
export function noteJob(state: PollState, job: Job, { endOf, present }: Noting): boolean {
	const { job_id: jobId } = job;
	const end = endOf(job.status);
	if ((end !== undefined || !showsStatus(job)) && isDone(state, job)) {
		// Without dates, the oldest fingerprints are dropped. Recording a listed job again keeps its fingerprint.
		if (state.lastEnd === undefined) markHandled(state, job);
		return false;
	}
	if (isHandled(state, job) || state.found.has(jobId) || state.queue.has(jobId)) return false;
	const wasOpen = state.open.has(jobId);
	if (end === undefined) {
		if (showsStatus(job) || !wasOpen) noteOpen(state, job);
		return !wasOpen;
	}
	if (endedBeforeStart(state, job, present)) {
		markHandled(state, job);
		return false;
	}
	state.open.delete(jobId);
	state.found.set(jobId, job);
	return !wasOpen;
}

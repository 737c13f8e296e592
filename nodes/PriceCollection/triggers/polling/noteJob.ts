import type { ServiceClient } from '../../service/api/client';
import { timeOf } from '../../service/time';
import type { Job } from '../../service/types';
import { endTime } from './endsInOrder';
import { handle, isHandled, noteOpen, type PollState } from './pollingState';

/** What noting a job needs to know about its service. */
export interface Noting {
	endOf: ServiceClient['endOf'];
	/** The present by the service's clock. */
	present: number;
}

export const showsStatus = ({ status }: Job) => status.trim() !== '';

/** Whether a job ended while the list was being read, as far as the service's dates and clock tell. */
export function endedMeanwhile(job: Job, begunAt: number | undefined, present: number): boolean {
	const end = timeOf(job.terminated_at);
	if (end === undefined || begunAt === undefined) return false;
	// Times ahead of the present are of another clock, and cannot be compared.
	return end > begunAt && end <= present;
}

/** Whether an ended job is old: it had ended before the first poll, or before that of another account. */
function endedBeforeStart({ open, reading, since = 0 }: PollState, job: Job, present: number): boolean {
	// One that this reading has seen running is not.
	const isSeen = open.has(job.job_id) || endedMeanwhile(job, reading?.begunAt, present);
	if (reading?.isFirst === true && !isSeen) return true;
	return (timeOf(job.terminated_at) ?? Infinity) < since;
}

/** Whether the end of a job is handled, also if that is only known by its date. */
function isDone(state: PollState, job: Job): boolean {
	const { forgotten = -Infinity, open } = state;
	return isHandled(state, job) || (!open.has(job.job_id) && (endTime(job) ?? Infinity) <= forgotten);
}

/**
 * Notes a job that the service shows: as found if it has ended, as open if it runs or its status is not shown, unless
 * its end is handled or about to be. A job that runs again after its end was output stays handled.
 *
 * @returns whether nothing was known about it
 */
export function noteJob(state: PollState, job: Job, { endOf, present }: Noting): boolean {
	const { job_id: jobId } = job;
	const end = endOf(job.status);
	if ((end !== undefined || !showsStatus(job)) && isDone(state, job)) {
		// Without dates the oldest records are dropped, so what is still listed is recorded again.
		if (state.lastEnd === undefined) handle(state, job);
		return false;
	}
	if (isHandled(state, job) || state.found.has(jobId) || state.queue.has(jobId)) return false;
	const wasOpen = state.open.has(jobId);
	if (end === undefined) {
		if (showsStatus(job) || !wasOpen) noteOpen(state, job);
		return !wasOpen;
	}
	if (endedBeforeStart(state, job, present)) {
		handle(state, job);
		return false;
	}
	state.open.delete(jobId);
	state.found.set(jobId, job);
	return !wasOpen;
}

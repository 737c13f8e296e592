import type { IDataObject } from 'n8n-workflow';

import { now } from '../../n8n/clock';
import type { PollState } from '../../run/stored/pollingState';
import type { ServiceClient } from '../../service/client';
import { isFinal, success, traitsOf, type Outcome, type Problem } from '../../service/problems';
import { terminalStatus } from '../../service/status';
import type { Job } from '../../service/types';
import { itemsOfJob, itemWithReason, reasonOf } from '../jobItems';
import { timeOf } from '../../service/time';
import { endsInOrder } from '../order';
import type { TriggerSettings } from '../settings';
import { latestOf, type Look } from './look';
import { failedAgain, isConfirmed, isDue, isHopeless } from './patience';

/** So many rows in one execution; the ends that follow are left to the next poll. */
const MOST_ROWS = 50_000;

/** Whether a job was over before the first poll, which did not see it because the list shifted while it was read. */
function isOldNews({ since, createdBefore, open }: PollState, job: Job): boolean {
	const ended = timeOf(job.terminated_at);
	if (since === undefined || ended === undefined || ended >= since || open.has(job.job_id)) return false;
	const created = timeOf(job.created_at);
	return createdBefore === undefined || created === undefined || created <= createdBefore;
}

/** Notes once more that an open job cannot be had, at the end of the row, so that all take their turns. */
function noteFailure(state: PollState, jobId: string, at: number): void {
	const failed = failedAgain(state.open.get(jobId) ?? {}, at);
	state.open.delete(jobId);
	state.open.set(jobId, failed);
}

/**
 * The ends that nobody was told of, in order; and all other jobs noted for later.
 *
 * @param warn told of jobs that are given up
 */
export function newEnds(
	state: PollState,
	{ jobs, gone }: Look,
	at: number,
	warn: (message: string) => void,
): Job[] {
	for (const jobId of gone) {
		// A service may not know its own job for a moment, or for as long as a key is mixed up.
		if (!isHopeless(state.open.get(jobId) ?? {}, at)) noteFailure(state, jobId, at);
		else if (state.open.delete(jobId)) {
			warn(
				`Job ${jobId} was seen before and has been unknown for days: whether it ended cannot be told`,
			);
		}
	}
	for (const job of jobs.filter(({ status }) => terminalStatus(status) === undefined)) {
		// One that is said to run again after its end was handed over has had its end.
		if (state.known.has(job.job_id)) continue;
		// To the end, so that the open jobs which are asked for one by one take turns.
		state.open.delete(job.job_id);
		state.open.set(job.job_id, {});
	}
	// What is still listed is remembered longest: only what is gone from the list may be forgotten.
	const ends = endsInOrder(jobs);
	const isNew = (job: Job) => !state.known.has(job.job_id) && !isOldNews(state, job);
	const fresh = ends.filter(isNew);
	for (const job of ends) if (!isNew(job)) state.known.add(job.job_id);
	state.newest = latestOf(jobs, 'created_at', state.newest);
	return fresh;
}

/** One poll that hands over ends. */
export interface EndedJobsRun {
	client: ServiceClient;
	settings: TriggerSettings;
	state: PollState;
	/** Milliseconds since 1970. */
	at: number;
	/** Nothing new is begun after that, in milliseconds since 1970. */
	until: number;
}

/** Whether an end is to go out without its results. */
function isLost({ state, at }: EndedJobsRun, jobId: string, problem: Problem): boolean {
	const job = state.open.get(jobId) ?? {};
	if (isHopeless(job, at)) return true;
	// The list has just shown the job: that it is gone has to be said more than once.
	return isFinal(problem, 'download') && (traitsOf(problem).job !== 'gone' || isConfirmed(job, at));
}

/** The items of one end, or the problem for which it is to be tried again. */
async function itemsOfEnd(run: EndedJobsRun, job: Job): Promise<Outcome<IDataObject[]>> {
	const notified = { at: new Date(run.at).toISOString(), payload: (clean: Job) => clean };
	const items = await itemsOfJob(run.client, job, run.settings, notified);
	return items.ok || !isLost(run, job.job_id, items.problem)
		? items
		: success([itemWithReason(job, reasonOf(items.problem))]);
}

/**
 * Hands ends over in order, as far as time and memory allow; the rest stays open. An end whose results cannot be had
 * now is tried again later, as long as the service keeps them, and does not hold up the others.
 */
export async function emitEndedJobs(
	run: EndedJobsRun,
	ends: readonly Job[],
): Promise<{ rows: IDataObject[]; handedOver: string[] }> {
	const { state, settings, at, until } = run;
	const rows: IDataObject[] = [];
	const handedOver: string[] = [];
	let isOver = false;
	for (const job of ends) {
		const { job_id: jobId, status } = job;
		if (settings.wants(status)) {
			const open = state.open.get(jobId) ?? {};
			isOver ||= handedOver.length > 0 && (now() > until || rows.length > MOST_ROWS);
			if (isOver || !isDue(open, at)) {
				state.open.set(jobId, open);
				continue;
			}
			const items = await itemsOfEnd(run, job);
			if (!items.ok) {
				// What every further request would meet is not held against the job.
				isOver = traitsOf(items.problem).accountWide;
				if (isOver) state.open.set(jobId, open);
				else noteFailure(state, jobId, at);
				continue;
			}
			for (const item of items.value) rows.push(item);
			handedOver.push(jobId);
		}
		state.known.add(jobId);
		state.open.delete(jobId);
	}
	return { rows, handedOver };
}

import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient } from '../../service/client';
import { isFinal, traitsOf, type Problem } from '../../service/problems';
import { type Job, terminalStatus } from '../../service/types';
import { timeOf } from '../../service/time';
import { itemsOfJob, itemWithProblem, type TriggerSettings } from '../items';
import { endsInOrder } from '../listedJobs';
import type { Look } from './look';
import {
	failedAgain,
	hasFailedFor,
	isDue,
	isKnown,
	remember,
	type OpenJob,
	type PollState,
} from './pollingState';

/** Maximum rows per execution; further ends are left to the next poll. */
const MOST_ROWS = 50_000;
/** Services of this kind keep jobs and results for 72 hours; the last attempt is slightly earlier. */
const RETENTION_MS = 71 * 60 * 60_000;
/** A listed job only counts as gone after this time. */
const CONFIRMED_MS = 10 * 60_000;

/** Whether a job ended before the first poll, which did not see its status. */
function isOldNews({ since, createdBefore, open }: PollState, job: Job): boolean {
	const ended = timeOf(job.terminated_at);
	if (since === undefined || ended === undefined || ended >= since || open.has(job.job_id)) return false;
	const created = timeOf(job.created_at);
	return createdBefore === undefined || created === undefined || created <= createdBefore;
}

/** Moves a job to the end of the queue of single status calls, so that all jobs take turns. */
function moveToEnd({ open }: PollState, jobId: string, job = {}): void {
	open.delete(jobId);
	open.set(jobId, job);
}

function noteFailure(state: PollState, jobId: string, at: number): void {
	moveToEnd(state, jobId, failedAgain(state.open.get(jobId) ?? {}, at));
}

/**
 * The ends that were not output yet, in order. Records all other jobs for later.
 *
 * @param warn called for jobs that are given up
 */
export function newlyEndedJobs(
	state: PollState,
	{ jobs, gone, newest }: Look,
	at: number,
	warn: (message: string) => void,
): Job[] {
	for (const jobId of gone) {
		// A service may not know its own job for a moment, or while the wrong key is configured.
		if (!hasFailedFor(RETENTION_MS, state.open.get(jobId) ?? {}, at)) noteFailure(state, jobId, at);
		else if (state.open.delete(jobId)) {
			warn(`Job ${jobId} has been unknown to the service for days: whether it ended is not known`);
		}
	}
	for (const { job_id: jobId, status } of jobs) {
		// A job whose end was output and that seems to run again has already been handled.
		const isRunning = terminalStatus(status) === undefined && !isKnown(state, jobId);
		if (isRunning) moveToEnd(state, jobId);
	}
	state.newest = Math.max(newest ?? 0, state.newest ?? 0) || undefined;
	// Refreshes what is still listed, so that jobs which left the list are forgotten first.
	return endsInOrder(jobs).filter((job) => {
		const isNew = !isKnown(state, job.job_id) && !isOldNews(state, job);
		if (!isNew) remember(state, job.job_id);
		return isNew;
	});
}

/** Whether to output an end without its results. */
function isLost(job: OpenJob, problem: Problem, at: number): boolean {
	if (hasFailedFor(RETENTION_MS, job, at)) return true;
	const isGone = traitsOf(problem).job === 'gone';
	return isFinal(problem, 'download') && (!isGone || hasFailedFor(CONFIRMED_MS, job, at));
}

/**
 * Outputs ends in order, as far as time and memory allow; the rest stays open. An end without available
 * results is retried as long as the service keeps them, and does not delay the others.
 *
 * @param until when to start nothing new, in milliseconds since 1970, like `at`
 */
export async function emitEndedJobs(
	client: ServiceClient,
	settings: TriggerSettings,
	state: PollState,
	ends: readonly Job[],
	{ at, until }: { at: number; until: number },
): Promise<{ rows: IDataObject[]; handedOver: string[] }> {
	const rows: IDataObject[] = [];
	const handedOver: string[] = [];
	let isOver = false;
	for (const job of ends) {
		const { job_id: jobId, status } = job;
		if (settings.wants(status)) {
			const open = state.open.get(jobId) ?? {};
			isOver ||= handedOver.length > 0 && (client.clock.now() > until || rows.length > MOST_ROWS);
			if (isOver || !isDue(open, at)) {
				state.open.set(jobId, open);
				continue;
			}
			const items = await itemsOfJob(client, job, settings);
			if (!items.ok && !isLost(open, items.problem, at)) {
				// An account-wide problem is not a failure of this job.
				isOver = traitsOf(items.problem).accountWide;
				if (isOver) state.open.set(jobId, open);
				else noteFailure(state, jobId, at);
				continue;
			}
			for (const item of items.ok ? items.value : [itemWithProblem(job, items.problem)])
				rows.push(item);
			handedOver.push(jobId);
		}
		remember(state, jobId);
		state.open.delete(jobId);
	}
	return { rows, handedOver };
}

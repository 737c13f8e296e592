import { apiError, type NodeError } from '../n8n/errors';
import { unlessItStops } from '../n8n/items';
import { mayHaveResults } from '../service/meaning/jobState';
import type { Problem } from '../service/problems';
import { inputIndexesOf, type JobRecord, type Run } from '../run/record';

/* The errors of jobs. Each names the jobs that a retry or another node can still use, so that no ID is lost. */

const idsOf = (jobs: readonly JobRecord[]) => jobs.map(({ job }) => job.job_id).join(', ');

/**
 * Sentences that name jobs for an error: only the failed job if the node continues and outputs the others; all jobs if it
 * stops.
 */
export function jobsText({ context, records }: Run, record?: JobRecord): string {
	const named = context.continueOnFail() ? (record === undefined ? [] : [record]) : records;
	const cancelled = named.filter(({ isCancelledHere }) => isCancelledHere === true);
	const ended = named.filter((job) => !mayHaveResults(job) && !cancelled.includes(job));
	const others = named.filter((job) => mayHaveResults(job) && !cancelled.includes(job));
	const saved = 'Nothing is lost: Wait and Download get the results of existing jobs at no extra cost.';
	return [
		others.length > 0 && `${named.length === 1 ? 'Job' : 'Jobs of this run'}: ${idsOf(others)}. ${saved}`,
		ended.length > 0 && `${ended.length === 1 ? 'Job' : 'Jobs'} without results: ${idsOf(ended)}.`,
		cancelled.length > 0 && `Cancelled by this node: ${idsOf(cancelled)}.`,
	]
		.filter(Boolean)
		.join(' ');
}

/**
 * The error of a job whose results cannot be fetched.
 *
 * @throws the error, unless the node continues after failures
 */
export function errorOf(run: Run, record: JobRecord, problem: Problem): NodeError {
	const error = apiError(run.context.getNode(), problem, inputIndexesOf(record), jobsText(run, record));
	return unlessItStops(run.context, error);
}

import { apiError, inputError, type NodeError } from '../n8n/errors';
import { unlessItStops } from '../n8n/items';
import { mayHaveResults, troubleOf, unknownStatusText } from '../service/jobState';
import type { Problem } from '../service/problems';
import { placesOf, type JobRecord, type Run } from './record';
import { CONNECT } from './tickets';

/** The errors of jobs. Each names the jobs that a retry or another node can still use, so that no ID is lost. */

const listed = (jobs: readonly JobRecord[]) => jobs.map(({ job }) => job.job_id).join(', ');

/** The sentences that name jobs: the failed one if the node continues and outputs the others, all if it stops. */
export function jobsText({ context, records }: Run, record?: JobRecord): string {
	const named = context.continueOnFail() ? (record === undefined ? [] : [record]) : records;
	const cancelled = named.filter(({ isCancelledHere }) => isCancelledHere === true);
	const ended = named.filter((job) => !mayHaveResults(job) && !cancelled.includes(job));
	const others = named.filter((job) => mayHaveResults(job) && !cancelled.includes(job));
	const saved = 'Nothing is lost: Wait and Download get the results of existing jobs at no extra cost.';
	return [
		others.length > 0 &&
			`${named.length === 1 ? 'Job' : 'Jobs of this run'}: ${listed(others)}. ${saved}`,
		ended.length > 0 && `${ended.length === 1 ? 'Job' : 'Jobs'} without results: ${listed(ended)}.`,
		cancelled.length > 0 && `Cancelled by this node: ${listed(cancelled)}.`,
	]
		.filter(Boolean)
		.join(' ');
}

/**
 * The error of a job whose results cannot be had.
 *
 * @throws it, unless the node continues after failures
 */
export function errorOf(run: Run, record: JobRecord, problem: Problem): NodeError {
	const error = apiError(run.context.getNode(), problem, placesOf(record), jobsText(run, record));
	return unlessItStops(run.context, error);
}

/** The error for a job that still runs at its deadline, or whose output leads nowhere. */
export function runningError(run: Run, record: JobRecord, isLost: boolean): NodeError {
	const { checkedAt, job } = record;
	const { job_id, status } = job;
	const isUnknown = status === '' || checkedAt === undefined;
	const state = isUnknown ? `The status of job ${job_id} was unknown` : `Job ${job_id} was still ${status}`;
	const what = isLost ? ', and nothing is connected to the output Still Running' : ' at the deadline';
	const advice = isLost ? CONNECT : 'Raise Max Wait, or set On Deadline to Cancel Job.';
	const keeps = `It keeps running at the service. ${advice}`;
	const unknown = unknownStatusText([record.job], run.client.knowsStatus);
	const description = [troubleOf(record), unknown, keeps, jobsText(run, record)].filter(Boolean).join(' ');
	return inputError(run.context.getNode(), `${state}${what}`, description, placesOf(record));
}

import type { IExecuteFunctions } from 'n8n-workflow';

import { apiError, inputError, type NodeError } from '../n8n/errors';
import { counted } from '../service/text';
import { unlessItStops } from '../n8n/items';
import { disabledNodeBehind } from '../n8n/wiring';
import { mayHaveResults, troubleOf, unknownStatusText } from '../service/meaning/jobState';
import type { Problem } from '../service/problems';
import { repeated } from '../values/cells';
import { inputIndexesOf, type JobRecord, type Run } from '../run/record';
import { CONNECT, STILL_RUNNING_OUTPUT } from './tickets';

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

/** How long the node waited for a job, as in ` after 5 minutes`; blank if that rounds to 0 seconds. */
function timeWaited({ since, deadline }: JobRecord): string {
	const seconds = Math.max(0, Math.round((deadline - since) / 1_000));
	if (seconds === 0) return '';
	return ` after ${seconds < 60 ? counted(seconds, 'second') : counted(Math.round(seconds / 60), 'minute')}`;
}

function reasonText(record: JobRecord, state: string): string {
	const summary = `${state}${timeWaited(record)}: job ${record.job.job_id}`;
	return repeated([summary, troubleOf(record)].filter(Boolean).join('. '));
}

/** Whether no check has returned a status. The status in the creation reply is outdated and does not count. */
const isStatusUnknown = ({ checkedAt, job }: JobRecord) => checkedAt === undefined || job.status === '';

/** Why the values of a job that is still running at its deadline have no results. */
export function runningReason(record: JobRecord): string {
	return reasonText(record, isStatusUnknown(record) ? 'status unknown' : 'still running');
}

/** Why the values of a job that is over have no results at its deadline. */
export const lateReason = (record: JobRecord) => reasonText(record, 'results not available');

/** Why a job cannot leave by Still Running, and what to do. */
function noExitText(context: IExecuteFunctions): [problem: string, advice: string] {
	const disabled = disabledNodeBehind(context, STILL_RUNNING_OUTPUT);
	if (disabled === undefined) return [', and nothing is connected to the output Still Running', CONNECT];
	const problem = `, and the node "${disabled}" behind the output Still Running is disabled`;
	return [problem, 'n8n would pass the job on as if it were a row. Enable that node, or remove it.'];
}

/** The error for a job that is still running at its deadline, or that cannot leave by Still Running. */
export function runningError(run: Run, record: JobRecord, isLost: boolean): NodeError {
	const { job_id, status } = record.job;
	const isStatusKnown = !isStatusUnknown(record);
	const state = isStatusKnown ? `Job ${job_id} is still running` : `The status of job ${job_id} is unknown`;
	const orStillRunning = run.wait?.onDeadline === 'stillRunning' ? '' : ' or Output as Still Running';
	const [suffix, advice] = isLost
		? noExitText(run.context)
		: [
				timeWaited(record),
				`Raise Max Wait, or set If Not Finished in Time to Cancel Job${orStillRunning}.`,
			];
	const statusText = isStatusKnown ? `Its status is "${status}". ` : '';
	const outlook = `${statusText}It keeps running at the service. ${advice}`;
	const unknown = unknownStatusText([record.job], run.client.knowsStatus);
	const description = [troubleOf(record), unknown, outlook, jobsText(run, record)]
		.filter(Boolean)
		.join(' ');
	return inputError(run.context.getNode(), `${state}${suffix}`, description, inputIndexesOf(record));
}

import type { IExecuteFunctions } from 'n8n-workflow';

import { apiError, inputError, type NodeError } from '../n8n/errors';
import { counted } from '../service/text';
import { unlessItStops } from '../n8n/items';
import { disabledPasser } from '../n8n/wiring';
import { mayHaveResults, troubleOf, unknownStatusText } from '../service/meaning/jobState';
import type { Problem } from '../service/problems';
import { repeated } from '../values/cells';
import { inputIndexesOf, type JobRecord, type Run } from '../run/record';
import { CONNECT, STILL_RUNNING_OUTPUT } from './tickets';

/** The errors of jobs. Each names the jobs that a retry or another node can still use, so that no ID is lost. */

const idsOf = (jobs: readonly JobRecord[]) => jobs.map(({ job }) => job.job_id).join(', ');

/** The sentences that name jobs: the failed one if the node continues and outputs the others, all if it stops. */
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
 * The error of a job whose results cannot be had.
 *
 * @throws it, unless the node continues after failures
 */
export function errorOf(run: Run, record: JobRecord, problem: Problem): NodeError {
	const error = apiError(run.context.getNode(), problem, inputIndexesOf(record), jobsText(run, record));
	return unlessItStops(run.context, error);
}

/** How long a job was waited for; blank for less than a second. */
function timeWaited({ since, deadline }: JobRecord): string {
	const seconds = Math.max(0, Math.round((deadline - since) / 1_000));
	if (seconds === 0) return '';
	return ` after ${seconds < 60 ? counted(seconds, 'second') : counted(Math.round(seconds / 60), 'minute')}`;
}

function reasonAt(record: JobRecord, state: string): string {
	const what = `${state}${timeWaited(record)}: job ${record.job.job_id}`;
	return repeated([what, troubleOf(record)].filter(Boolean).join('. '));
}

/** Whether no check has told its status: that of the creation is no longer true. */
const isUnknown = ({ checkedAt, job }: JobRecord) => checkedAt === undefined || job.status === '';

/** Why the values of a job that runs at its deadline have no results. */
export function runningReason(record: JobRecord): string {
	return reasonAt(record, isUnknown(record) ? 'status unknown' : 'still running');
}

/** Why the values of a job that is over have no results at its deadline. */
export const lateReason = (record: JobRecord) => reasonAt(record, 'results not available');

/** Why a job cannot be output by Still Running, and what to do. */
function withoutWay(context: IExecuteFunctions): [what: string, advice: string] {
	const disabled = disabledPasser(context, STILL_RUNNING_OUTPUT);
	if (disabled === undefined) return [', and nothing is connected to the output Still Running', CONNECT];
	const what = `, and the node "${disabled}" behind the output Still Running is disabled`;
	return [what, 'n8n would pass the job on as if it were a row. Enable that node, or remove it.'];
}

/** The error for a job that still runs at its deadline, or that cannot be output by Still Running. */
export function runningError(run: Run, record: JobRecord, isLost: boolean): NodeError {
	const { job_id, status } = record.job;
	const isSeen = !isUnknown(record);
	const state = isSeen ? `Job ${job_id} is still running` : `The status of job ${job_id} is unknown`;
	const others = run.wait?.onDeadline === 'stillRunning' ? '' : ' or Output as Still Running';
	const [what, advice] = isLost
		? withoutWay(run.context)
		: [timeWaited(record), `Raise Max Wait, or set If Not Finished in Time to Cancel Job${others}.`];
	const seen = isSeen ? `Its status is "${status}". ` : '';
	const keeps = `${seen}It keeps running at the service. ${advice}`;
	const unknown = unknownStatusText([record.job], run.client.knowsStatus);
	const description = [troubleOf(record), unknown, keeps, jobsText(run, record)].filter(Boolean).join(' ');
	return inputError(run.context.getNode(), `${state}${what}`, description, inputIndexesOf(record));
}

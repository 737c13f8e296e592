import type { IExecuteFunctions } from 'n8n-workflow';

import { operationError, type NodeError } from '../n8n/errors';
import { disabledNodeBehind } from '../n8n/wiring';
import { troubleOf, unknownStatusText } from '../service/meaning/jobState';
import { counted } from '../service/text';
import { makesRows } from '../settings/resultChoice';
import { repeated } from '../values/cells';
import { inputIndexesOf, type JobRecord, type Run } from '../run/record';
import { CONNECT, STILL_RUNNING_OUTPUT } from '../run/tickets';
import { jobsText } from './jobErrors';
import type { Delivery, JobOutcome } from './jobOutcome';
import { answersOf } from './pairing';

/* Jobs that have no results at their deadline: the reason in their rows, or their error. */

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

/** A text about the jobs' statuses that this node does not know; undefined if there are none. */
export const unknownStatusesText = ({ client }: Pick<Run, 'client'>, records: readonly JobRecord[]) =>
	unknownStatusText(
		records.map(({ job }) => job),
		client.knowsStatus,
	);

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
	// The error hides the hints, so it names the words of all jobs.
	const unknown = unknownStatusesText(run, run.records);
	const description = [troubleOf(record), unknown, outlook, jobsText(run, record)]
		.filter(Boolean)
		.join(' ');
	return operationError(run.context.getNode(), `${state}${suffix}`, description, inputIndexesOf(record));
}

/**
 * Rows with the reason for a job that has no results at its deadline. Undefined unless the user chose Output Rows and
 * another job of the run has ended: a run without any results is an error.
 */
export async function rowsWithout(
	delivery: Delivery,
	record: JobRecord,
	reason: string,
): Promise<JobOutcome | undefined> {
	const { run, table } = delivery;
	const hasOtherEnded = run.records.some((other) => other !== record && other.end !== undefined);
	if (run.wait?.onDeadline !== 'rows' || !makesRows(run.choices.first) || !hasOtherEnded) return undefined;
	await table.add(answersOf(record, { ...record.job, results: [] }, delivery, reason));
	return { record, root: record.job };
}

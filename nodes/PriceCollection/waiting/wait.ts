import type { INodeExecutionData } from 'n8n-workflow';

import { isAwaitedByCaller, isStopped } from '../n8n/execution';
import { isWired, leadsToWait } from '../n8n/wiring';
import { isOver } from '../service/meaning/jobState';
import { deliver } from '../delivery/deliver';
import type { CheckPolicy } from './check';
import { checkJobs } from './checkJobs';
import type { JobRecord, WaitingRun } from '../run/record';
import { hintLongHold } from '../settings/waitSettings';
import { suspendRun } from './suspend';
import { STILL_RUNNING_OUTPUT } from '../run/tickets';

/**
 * Outputs jobs that are over. If none of them has output yet, suspends the execution instead, because the next node would
 * request their results at once.
 *
 * @param due the jobs that are over
 * @param open the run's other jobs, which another node waits for
 */
async function deliverOrSleep(
	run: WaitingRun,
	due: JobRecord[],
	open: readonly JobRecord[],
	hasResumer: boolean,
): Promise<INodeExecutionData[][]> {
	const { outputs, late } = await deliver({ ...run, records: due }, open);
	const hasOnlyLate = hasResumer && late.length > 0 && outputs[0]?.length === 0;
	if (!hasOnlyLate) return outputs;
	const awaited = new Set([...open, ...late]);
	const records = run.records.filter((record) => awaited.has(record));
	return await suspendRun({ ...run, records }, records, hasResumer);
}

/**
 * Checks the jobs of a run, then outputs them or suspends the execution until the next round.
 *
 * @throws NodeApiError or NodeOperationError, unless the node continues after failures
 */
export async function waitForJobs(run: WaitingRun, policy: CheckPolicy): Promise<INodeExecutionData[][]> {
	const { context, client, records, wait } = run;
	const start = client.clock.now();
	await checkJobs(run, policy);
	const hasResumer = wait.mode !== 'poll' && leadsToWait(context, STILL_RUNNING_OUTPUT);
	if (isStopped(context)) return [[]];
	hintLongHold(context, start);
	// No node would resume the jobs after the timer, so they are reported now, while this node can still fail.
	const isLost = wait.mode === 'durable' && isWired(context, STILL_RUNNING_OUTPUT) === false;
	const now = client.clock.now();
	const isOpen = (record: JobRecord) => !isOver(record) && record.deadline > now;
	const isLast = wait.mode === 'poll' || isLost || !records.some(isOpen);
	if (isLast) return await deliverOrSleep(run, records, [], hasResumer);
	// A job whose error stops the node stays open while others are, so that they do not lose their output.
	const stops = ({ problem }: JobRecord) => problem !== undefined && !context.continueOnFail();
	const open = records.filter((record) => isOpen(record) || stops(record));
	const isKept = new Set(open);
	const due = records.filter((record) => !isKept.has(record));
	// If a Wait node resumes the open jobs, finished jobs are output without them, unless the caller of a sub-workflow would
	// lose their rows.
	if (wait.mode === 'durable' && due.length > 0 && hasResumer && !isAwaitedByCaller(context))
		return await deliverOrSleep(run, due, open, hasResumer);
	return await suspendRun(run, open, hasResumer);
}

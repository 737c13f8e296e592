import { createHash } from 'node:crypto';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { now } from '../n8n/clock';
import { inputError } from '../n8n/errors';
import type { PlannedJob } from './lookup/plan';
import { identityOf } from './lookup/values';
import { retryRecordFormat } from './stored/retryRecord';
import type { RunJob } from './stored/suspendedRun';

/** Where the record stands in the node's context, which n8n keeps with the execution. */
const CONTEXT_KEY = 'priceCollectionRetry';
/** Services of this kind delete jobs some days after their creation: a late retry is a new request. */
const KEPT_FOR_MS = 24 * 3_600_000;

function signatureOf(plan: readonly PlannedJob[]): string {
	return createHash('sha256').update(JSON.stringify(plan)).digest('hex');
}

/**
 * The jobs that an earlier try of the same plan has created.
 *
 * @throws NodeOperationError for a record that cannot be read: creating anew could be paid for twice
 */
export function recordedJobs(context: IExecuteFunctions, plan: readonly PlannedJob[]): RunJob[] {
	const read = retryRecordFormat.read(context.getContext('node')[CONTEXT_KEY]);
	if (read.kind === 'unreadable') {
		throw inputError(
			context.getNode(),
			`${read.reason}, so it is not known which jobs exist already`,
			'Nothing was sent. Look into the job list (Get Many), take up its jobs with Wait, or start the workflow anew.',
		);
	}
	if (read.kind === 'absent') return [];
	const { jobs, signature, since } = read.value;
	return since >= now() - KEPT_FOR_MS && signature === signatureOf(plan) ? jobs : [];
}

/** Records the jobs of a plan until the node has given them out. */
export function recordJobs(context: IExecuteFunctions, plan: readonly PlannedJob[], jobs: RunJob[]): void {
	const record = { signature: signatureOf(plan), since: now(), jobs };
	context.getContext('node')[CONTEXT_KEY] = retryRecordFormat.write(record);
}

/** Forgets the recorded jobs, unless n8n takes this output for a failure and runs the node again. */
export function forgetJobs(context: IExecuteFunctions, output: INodeExecutionData[][]): void {
	const failed = output[0]?.[0]?.json.error !== undefined;
	if (failed && context.getNode().retryOnFail === true) return;
	delete context.getContext('node')[CONTEXT_KEY];
}

/** What is left of a plan when these jobs exist already. */
export function withoutJobs(plan: readonly PlannedJob[], jobs: readonly RunJob[]): PlannedJob[] {
	const nameOf = ({ group, key }: PlannedJob, value: string) => `${group} ${identityOf(key, value)}`;
	const covered = new Set(
		jobs.flatMap(({ planned }) => planned.values.map((value) => nameOf(planned, value))),
	);
	return plan.flatMap((planned) => {
		const values = planned.values.filter((value) => !covered.has(nameOf(planned, value)));
		return values.length === 0 ? [] : [{ ...planned, values }];
	});
}

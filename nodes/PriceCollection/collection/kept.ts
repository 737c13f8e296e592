import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isObject } from '../service/types';
import type { PlannedJob } from './plan';
import type { RunJob } from './run';
import { identityOf } from './values';

/**
 * With Retry On Fail n8n runs the whole node again, after an error and also when its first item is an error item. The
 * jobs of the failed try exist and are paid for, so they are kept with the execution and the next try takes them up
 * instead of creating them again.
 */
interface Kept {
	/** Tells the same request from that of another round of the node. */
	signature: string;
	jobs: RunJob[];
}

const CONTEXT_KEY = 'priceCollectionKept';

function signatureOf(plan: readonly PlannedJob[]): string {
	return createHash('sha256').update(JSON.stringify(plan)).digest('hex');
}

const isRetried = (context: IExecuteFunctions) => context.getNode().retryOnFail === true;

/** The jobs that an earlier try of the same plan has created. */
export function keptJobs(context: IExecuteFunctions, plan: readonly PlannedJob[]): RunJob[] {
	if (!isRetried(context)) return [];
	const kept: unknown = context.getContext('node')[CONTEXT_KEY];
	if (!isObject(kept) || kept.signature !== signatureOf(plan) || !Array.isArray(kept.jobs)) return [];
	return kept.jobs as unknown as RunJob[];
}

/** Keeps the jobs of a plan until the node has given them out. */
export function keepJobs(context: IExecuteFunctions, plan: readonly PlannedJob[], jobs: RunJob[]): void {
	if (!isRetried(context)) return;
	const kept: Kept = { signature: signatureOf(plan), jobs };
	context.getContext('node')[CONTEXT_KEY] = kept as unknown as IDataObject;
}

/** Forgets the kept jobs, unless n8n takes this output for a failure and runs the node again. */
export function forgetJobs(context: IExecuteFunctions, output: INodeExecutionData[][]): void {
	if (!isRetried(context) || output[0]?.[0]?.json.error !== undefined) return;
	delete context.getContext('node')[CONTEXT_KEY];
}

/** What is left of a plan when these jobs exist already. */
export function withoutKept(plan: readonly PlannedJob[], kept: readonly RunJob[]): PlannedJob[] {
	const covered = new Set(
		kept.flatMap(({ planned }) =>
			planned.values.map((value) => `${planned.group} ${identityOf(planned.key, value)}`),
		),
	);
	return plan.flatMap((planned) => {
		const values = planned.values.filter(
			(value) => !covered.has(`${planned.group} ${identityOf(planned.key, value)}`),
		);
		return values.length === 0 ? [] : [{ ...planned, values }];
	});
}

import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { now } from '../../n8n/clock';
import { isObject } from '../../service/types';
import type { PlannedJob } from '../lookup/plan';
import type { RunJob } from './run';
import { identityOf } from '../lookup/values';

/**
 * The jobs of a run that has not given them out yet, kept with the execution. When the node is run again in it, by Retry
 * On Fail (also where its first item is an error item) or by hand in the list of executions, they are taken up instead
 * of being created and paid for once more.
 */
interface Kept {
	/** Tells the same request from that of another round of the node. */
	signature: string;
	/** Milliseconds since 1970. */
	since: number;
	jobs: RunJob[];
}

const CONTEXT_KEY = 'priceCollectionKept';
/** Services of this kind delete jobs some days after their creation: a late retry is a new request. */
const KEPT_FOR_MS = 24 * 3_600_000;

function signatureOf(plan: readonly PlannedJob[]): string {
	return createHash('sha256').update(JSON.stringify(plan)).digest('hex');
}

function asKept(value: unknown): Kept | undefined {
	return isObject(value) && Array.isArray(value.jobs) ? (value as unknown as Kept) : undefined;
}

/** The jobs that an earlier try of the same plan has created. */
export function keptJobs(context: IExecuteFunctions, plan: readonly PlannedJob[]): RunJob[] {
	const kept = asKept(context.getContext('node')[CONTEXT_KEY]);
	if (kept === undefined || kept.since < now() - KEPT_FOR_MS) return [];
	return kept.signature === signatureOf(plan) ? kept.jobs : [];
}

/** Keeps the jobs of a plan until the node has given them out. */
export function keepJobs(context: IExecuteFunctions, plan: readonly PlannedJob[], jobs: RunJob[]): void {
	const kept: Kept = { signature: signatureOf(plan), since: now(), jobs };
	context.getContext('node')[CONTEXT_KEY] = kept as unknown as IDataObject;
}

/** Forgets the kept jobs, unless n8n takes this output for a failure and runs the node again. */
export function forgetJobs(context: IExecuteFunctions, output: INodeExecutionData[][]): void {
	const failed = output[0]?.[0]?.json.error !== undefined;
	if (failed && context.getNode().retryOnFail === true) return;
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

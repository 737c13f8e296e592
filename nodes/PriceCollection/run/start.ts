import type { IExecuteFunctions, ISourceData } from 'n8n-workflow';

import { errorItem } from '../n8n/items';
import type { ServiceClient } from '../service/client';
import { apiError } from '../n8n/errors';
import { cancelOnStop } from './waiting/cancel';
import { createJobs } from './create';
import { counted, hint } from './hints';
import { keepJobs, keptJobs, withoutKept } from './stored/retryRecord';
import type { Prepared } from './prepare';
import type { CollectRun, RunJob } from './stored/run';

/** The node whose items are this node's input; absent where n8n does not say, as in tools. */
export function sourceOf(context: IExecuteFunctions): ISourceData | undefined {
	return context.getExecuteData().source?.main?.[0] ?? undefined;
}

/** The sentence that names what exists although something failed. */
function existingText(jobs: RunJob[]): string | undefined {
	if (jobs.length === 0) return undefined;
	const ids = jobs.map(({ job }) => job.job_id).join(', ');
	return `These jobs were created and run: ${ids}. Wait and Download take them up.`;
}

export interface StartSettings {
	/** Until when the jobs are waited for, in milliseconds since 1970. */
	deadline: number;
	/** What becomes of them when n8n stops the execution. */
	onStop: 'cancel' | 'leave';
}

/**
 * Creates the jobs of a run.
 *
 * @throws NodeApiError for a job that could not be created, unless the node goes on; it names those that were
 */
export async function startRun(
	context: IExecuteFunctions,
	client: ServiceClient,
	{ plan, asked, refused, timeoutMs }: Prepared,
	{ deadline, onStop }: StartSettings,
): Promise<CollectRun> {
	const continues = context.continueOnFail();
	const kept = keptJobs(context, plan);
	const created = await createJobs(client, withoutKept(plan, kept), asked, {
		continueAfterFailure: continues,
		timeoutMs,
	});
	const fresh = created.flatMap(({ planned, outcome, adopted }): RunJob[] =>
		outcome.ok ? [{ planned, job: outcome.value, adopted }] : [],
	);
	const jobs = [...kept, ...fresh];
	const run: CollectRun = { jobs, asked: [...asked], errors: [], source: sourceOf(context), deadline };
	keepJobs(context, plan, jobs);
	const ids = jobs.map(({ job }) => job.job_id);
	if (onStop === 'cancel') cancelOnStop(context, ids);
	for (const [item, error] of refused) run.errors.push({ item, json: errorItem(error, [item]).json });
	for (const { planned, outcome } of created) {
		if (outcome.ok) continue;
		const error = apiError(context.getNode(), outcome.problem, planned.items[0], existingText(jobs));
		if (!continues) throw error;
		const { json } = errorItem(error, planned.items);
		for (const item of planned.items) run.errors.push({ item, json });
	}
	remarkOnAdopted(context, fresh);
	return run;
}

function remarkOnAdopted(context: IExecuteFunctions, jobs: RunJob[]): void {
	const ids = jobs.flatMap(({ job, adopted }) => (adopted ? [job.job_id] : []));
	if (ids.length === 0) return;
	hint(
		context,
		`The reply to ${counted(ids.length, 'creation')} was lost; the job list had the job (${ids.join(', ')}), so nothing was created twice.`,
	);
}

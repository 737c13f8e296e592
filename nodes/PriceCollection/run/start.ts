import type { IExecuteFunctions } from 'n8n-workflow';

import { apiError } from '../n8n/errors';
import { counted, hint } from '../n8n/hints';
import { errorItem } from '../n8n/items';
import { sourceOf } from '../n8n/pairing';
import type { ServiceClient } from '../service/client';
import { createJobs } from './create';
import type { Prepared } from './prepare';
import { recordedJobs, recordJobs, withoutJobs } from './retries';
import type { CollectRun, RunJob } from './stored/suspendedRun';
import { cancelOnStop } from './waiting/cancel';

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
	const recorded = recordedJobs(context, plan);
	const created = await createJobs(client, withoutJobs(plan, recorded), asked, {
		continueAfterFailure: continues,
		timeoutMs,
	});
	const fresh = created.flatMap(({ planned, outcome, recovered }): RunJob[] =>
		outcome.ok ? [{ planned, job: outcome.value, recovered }] : [],
	);
	const jobs = [...recorded, ...fresh];
	const run: CollectRun = { jobs, asked: [...asked], errors: [], source: sourceOf(context), deadline };
	recordJobs(context, plan, jobs);
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
	remarkOnRecovered(context, fresh);
	return run;
}

function remarkOnRecovered(context: IExecuteFunctions, jobs: RunJob[]): void {
	const ids = jobs.flatMap(({ job, recovered }) => (recovered ? [job.job_id] : []));
	if (ids.length === 0) return;
	hint(
		context,
		`The reply to ${counted(ids.length, 'creation')} was lost; the job list had the job (${ids.join(', ')}), so nothing was created twice.`,
	);
}

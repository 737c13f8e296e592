import type { IExecuteFunctions, ISourceData } from 'n8n-workflow';

import { errorItem } from '../actions/itemRunner';
import type { ServiceClient } from '../service/client';
import { apiError } from '../service/errors';
import { createJobs } from './create';
import type { CreatedJob } from './create';
import { counted, hint } from './hints';
import type { Prepared } from './prepare';
import type { CollectRun } from './run';

/** The node whose items asked; absent where n8n does not say, as in tools. */
function sourceOf(context: IExecuteFunctions): ISourceData | undefined {
	return context.getExecuteData().source?.main?.[0] ?? undefined;
}

/** The sentence that names what exists although something failed. */
export function existingText(created: CreatedJob[]): string | undefined {
	const ids = created.flatMap(({ outcome }) => (outcome.ok ? [outcome.value.job_id] : []));
	if (ids.length === 0) return undefined;
	return `These jobs were created and run: ${ids.join(', ')}. Wait and Download take them up.`;
}

/**
 * Creates the jobs of a run.
 *
 * @param deadline until when they are waited for, in milliseconds since 1970
 * @throws NodeApiError for a job that could not be created, unless the node goes on; it names those that were
 */
export async function startRun(
	context: IExecuteFunctions,
	client: ServiceClient,
	prepared: Prepared,
	deadline: number,
): Promise<CollectRun> {
	const { plan, asked, refused, timeoutMs } = prepared;
	const continues = context.continueOnFail();
	const created = await createJobs(client, plan, asked, {
		continueAfterFailure: continues,
		timeoutMs,
	});
	const run: CollectRun = { jobs: [], asked: [...asked], errors: [], source: sourceOf(context), deadline };
	for (const [item, error] of refused)
		run.errors.push({ items: [item], json: errorItem(error, [item]).json });
	for (const { planned, outcome, adopted } of created) {
		if (outcome.ok) {
			run.jobs.push({ planned, job: outcome.value, adopted });
			continue;
		}
		const error = apiError(context.getNode(), outcome.problem, planned.items[0], existingText(created));
		if (!continues) throw error;
		run.errors.push({ items: planned.items, json: errorItem(error, planned.items).json });
	}
	const adopted = run.jobs.filter((job) => job.adopted).length;
	if (adopted > 0) {
		hint(
			context,
			`The reply to ${counted(adopted, 'creation')} was lost; the job list had the job, so nothing was created twice.`,
		);
	}
	return run;
}

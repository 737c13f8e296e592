import type { IExecuteFunctions } from 'n8n-workflow';

import { apiError } from '../n8n/errors';
import { counted, hint } from '../n8n/hints';
import { errorItem } from '../n8n/items';
import type { ServiceClient } from '../service/client';
import { createJobs } from './create';
import type { Ledger } from './ledger';
import type { PlannedJob } from './lookup/plan';
import type { Aside } from './lookup/record';
import type { Prepared } from './prepare';

/** The sentence that names what exists although something failed. */
function existingText(jobs: readonly PlannedJob[]): string | undefined {
	if (jobs.length === 0) return undefined;
	const ids = jobs.map(({ job }) => job.job_id).join(', ');
	return `These jobs were created and run: ${ids}. Wait and Download take them up; so does another try of this execution.`;
}

function remarkOnRecovered(context: IExecuteFunctions, jobs: readonly PlannedJob[]): void {
	const ids = jobs.flatMap(({ job, creation }) => (creation?.recovered === true ? [job.job_id] : []));
	const said = `The reply to ${counted(ids.length, 'creation')} was lost; the job list had the job (${ids.join(', ')}), so nothing was created twice.`;
	if (ids.length > 0) hint(context, said);
}

/**
 * Creates the jobs of a plan, those that an earlier try of the node has created excepted.
 *
 * @param onCreated told of each job as soon as it is known to exist
 * @returns all of these jobs, and what leaves without one: also the error items of those that could not be created
 * @throws NodeApiError for a job that could not be created, unless the node goes on; it names those that were
 */
export async function startJobs(
	context: IExecuteFunctions,
	client: ServiceClient,
	{ plan, asides, identify, timeoutMs }: Prepared,
	ledger: Ledger,
	onCreated?: (jobId: string) => void,
): Promise<{ records: PlannedJob[]; asides: Aside[] }> {
	const continueAfterFailure = context.continueOnFail();
	const executionId = context.getExecutionId();
	const settings = { continueAfterFailure, executionId, ledger, identify, timeoutMs, onCreated };
	const tried = await createJobs(client, plan, settings);
	const records = tried.flatMap(({ outcome }) => (outcome.ok ? [outcome.value] : []));
	const errors = tried.flatMap(({ planned, outcome }): Aside[] => {
		if (outcome.ok) return [];
		const items = planned.requesters.map(({ item }) => item);
		const error = apiError(context.getNode(), outcome.problem, items, existingText(records));
		if (!continueAfterFailure) throw error;
		return items.map((item) => ({ item, place: 0, error: errorItem(error, item).json }));
	});
	remarkOnRecovered(context, records);
	return { records, asides: [...asides, ...errors] };
}

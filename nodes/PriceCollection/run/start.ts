import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import * as clock from '../n8n/clock';
import { apiError, type NodeError } from '../n8n/errors';
import { counted, hint } from '../n8n/hints';
import { errorItem } from '../n8n/items';
import { OutputByItem, pairedTo, sourceOf } from '../n8n/pairing';
import { isTool } from '../n8n/tool';
import type { ServiceClient } from '../service/client';
import { createJobs, type CreateSettings } from './create';
import type { Prepared } from './prepare';
import { Requests, type RequestMemory } from './requests';
import type { CollectRun, RunJob } from './stored/suspendedRun';
import { estimateText } from './tally';
import { ToolQuestions } from './toolQuestions';

/** An error and the input items that it concerns. */
type Concern = { items: number[]; error: NodeError };

/** The sentence that names what exists although something failed. */
function existingText(jobs: RunJob[]): string | undefined {
	if (jobs.length === 0) return undefined;
	const ids = jobs.map(({ job }) => job.job_id).join(', ');
	return `These jobs were created and run: ${ids}. Wait and Download take them up; so does another try of this execution.`;
}

function remarkOnTakenUp(context: IExecuteFunctions, jobs: RunJob[]): void {
	const ids = jobs.flatMap(({ job, evidence }) => (evidence === 'reply' ? [] : [job.job_id]));
	const said = `The reply to ${counted(ids.length, 'creation')} was lost; the job list had the job (${ids.join(', ')}), so nothing was created twice.`;
	if (ids.length > 0) hint(context, said);
}

/**
 * What is known of requests that were sent before. To be opened before anything that can fail: that n8n has kept nothing of
 * an earlier try is how a retry knows that it was killed.
 *
 * @throws NodeOperationError where it cannot be read
 */
export async function openRequests(context: IExecuteFunctions): Promise<RequestMemory> {
	return isTool(context) ? ToolQuestions.open(context, clock) : await Requests.open(context, clock);
}

/**
 * Creates the jobs of a plan, those that an earlier try of the node has created excepted.
 *
 * @returns all of these jobs, and why others are missing, with the input items that each error concerns
 * @throws NodeApiError for a job that could not be created, unless the node goes on; it names those that were
 */
async function startJobs(
	context: IExecuteFunctions,
	client: ServiceClient,
	{ plan, asked, refused, identify, timeoutMs }: Prepared,
	{ requests, resultsCanProve }: Pick<CreateSettings, 'requests' | 'resultsCanProve'>,
) {
	const continueAfterFailure = context.continueOnFail();
	const created = await createJobs(client, plan, asked, {
		...{ continueAfterFailure, requests, identify, resultsCanProve, timeoutMs },
	});
	const jobs = created.flatMap(({ planned, outcome }): RunJob[] =>
		outcome.ok ? [{ planned, ...outcome.value }] : [],
	);
	const errors = [...refused].map(([item, error]): Concern => ({ items: [item], error }));
	for (const { planned, outcome } of created) {
		if (outcome.ok) continue;
		const error = apiError(context.getNode(), outcome.problem, planned.items, existingText(jobs));
		if (!continueAfterFailure) throw error;
		errors.push({ items: planned.items, error });
	}
	remarkOnTakenUp(context, jobs);
	return { jobs, errors };
}

/**
 * Creates the jobs of a run of `collect`.
 *
 * @param deadline until when they are waited for, in milliseconds since 1970
 * @param resultsCanProve whether the results will be looked at, so that they can prove a job to be the right one
 * @throws like {@link startJobs}
 */
export async function startRun(
	context: IExecuteFunctions,
	client: ServiceClient,
	prepared: Prepared,
	{ deadline, ...how }: Pick<CreateSettings, 'requests' | 'resultsCanProve'> & { deadline: number },
): Promise<CollectRun> {
	const { jobs, errors } = await startJobs(context, client, prepared, how);
	const eachItem = errors.flatMap(({ items, error }) =>
		items.map((item) => ({ item, json: errorItem(error, item).json })),
	);
	const source = sourceOf(context);
	const { asked, unsent } = prepared;
	return { jobs, asked: [...asked], unsent, errors: eachItem, source, deadline };
}

/**
 * Creates jobs for `create`: one item per job, the service's job object as it came, paired to every input item that asked.
 * Where the node goes on after a failure, each item concerned has an error item of its own.
 *
 * @throws like {@link startJobs}
 */
export async function createAndList(
	context: IExecuteFunctions,
	client: ServiceClient,
	prepared: Prepared,
	requests: RequestMemory,
): Promise<INodeExecutionData[]> {
	const { jobs, errors } = await startJobs(context, client, prepared, { requests, resultsCanProve: false });
	const output = new OutputByItem();
	for (const { items, error } of errors) {
		for (const item of items) output.add(item, errorItem(error, item));
	}
	for (const { planned, job } of jobs) {
		// Of a job that an earlier try has created only the ID is recorded.
		const seen = job.status === '' ? await client.getJob(job.job_id) : undefined;
		const json = seen?.ok === true ? seen.value : job;
		output.add(planned.items[0] ?? 0, { json, pairedItem: pairedTo(planned.items) });
	}
	const items = output.inInputOrder();
	requests.givenOut([items]);
	const estimate = estimateText(prepared.estimate);
	if (estimate !== undefined) hint(context, estimate);
	return items;
}

import type { IExecuteFunctions } from 'n8n-workflow';

import { jobsBySignature } from '../n8n/memory';
import type { NodeFields } from '../n8n/nodeFields';
import type { PurchasedValue, Purchase } from '../run/formats';
import { without, type JobRequest } from '../run/record';
import type { ServiceClient } from '../service/api/client';
import { plainField, valuesNamed } from '../service/names';
import { traitsOf, type Problem } from '../service/problems';
import { reasonIn } from '../service/text';
import { figureOf, isFilled, type Job } from '../service/types';
import type { ChoiceReader } from '../settings/resultChoice';
import { identityOf } from '../values/identity';
import type { Encoding } from './encodings';
import type { Ledger } from './ledger';
import type { JobListSearch } from './lost';
import type { PlannedJob } from './plan';
import type { Room } from './room';
import type { Spending } from './spending';

/** How to create the jobs of a run. */
export interface CreateSettings {
	fields: NodeFields;
	/** Knows the requests of earlier attempts and records this attempt's. */
	ledger: Ledger;
	/** The callback URL of every job; replaces the one in the options. */
	webhookUrl?: string;
	/** Reads how to output rows. Without it, an item with an invalid value fails. */
	choiceReader?: ChoiceReader;
	/** When the time of this execution ends, in milliseconds since 1970. */
	latest?: number;
	/** When to stop waiting for a service that accepts no jobs at the moment, in milliseconds since 1970. */
	until?: number;
	/** Whether the run continues with the jobs that exist if the service accepts no more. */
	continuesWithoutRoom?: boolean;
}

/** State shared by all creations of a run. */
export interface Creating {
	readonly context: IExecuteFunctions;
	readonly client: ServiceClient;
	readonly settings: CreateSettings;
	readonly ledger: Ledger;
	readonly search: JobListSearch;
	readonly spending: Spending;
	readonly room: Room;
	readonly stop?: AbortSignal;
	/** Called with the ID of each job as soon as the job is known to exist. */
	readonly onCreated: (jobId: string) => void;
	/** Jobs that are known to exist, by ID. */
	readonly records: Map<string, PlannedJob>;
	/** Parameters that the service reports as ignored, under the names it uses. */
	readonly ignored: Set<string>;
	readonly failures: Array<{ planned: PlannedJob; problem: Problem }>;
	/** The encoding that the service accepted after it had refused another one. */
	accepted?: Encoding;
	/** Why no more requests are sent; absent until then. */
	stopping?: Problem;
}

/** The values that a job buys, each with the item that requests it. */
export function purchasedValuesOf({ request: { key }, requesters }: PlannedJob): PurchasedValue[] {
	return requesters.flatMap(({ item, lookups = [] }) =>
		lookups.map(([, value]): PurchasedValue => [item, identityOf(key, value)]),
	);
}

/** Records that a planned job failed. Returns why. */
function recordFailure(creating: Creating, planned: PlannedJob, cause: Problem): Problem {
	// n8n shows a run as stopped only if its error says so.
	const problem: Problem = creating.stop?.aborted === true ? { ...cause, kind: 'stopped' } : cause;
	creating.failures.push({ planned, problem });
	return problem;
}

/** Stops further requests if they would fail too, or if the node stops at errors. */
function stopIfPointless(creating: Creating, problem: Problem): void {
	// The remaining jobs are not attempted, so nothing is created for them, and doubts about this job do not apply.
	const detail = problem.effect === 'unknown' ? undefined : problem.detail;
	if (traitsOf(problem).accountWide || !creating.context.continueOnFail())
		creating.stopping ??= { ...problem, detail, effect: 'none' };
}

/** Gives up a planned job that failed, and all further requests if they would be pointless. */
export function giveUp(creating: Creating, planned: PlannedJob, cause: Problem): void {
	stopIfPointless(creating, recordFailure(creating, planned, cause));
}

/** Records in the ledger which job a purchase is. The job may also answer further items with the same request. */
function notePurchasedJob(ledger: Ledger, planned: PlannedJob, purchase: Purchase, job: Job): void {
	const booked = figureOf(plainField(job, 'booked')) ?? purchase.creation.booked;
	const creation = without({ ...purchase.creation, jobId: job.job_id, booked }, 'doubt');
	// Items with the same request share the purchase.
	if (planned.purchase !== undefined) ledger.extend(purchase, purchasedValuesOf(planned));
	ledger.note(purchase, creation);
}

/** The request that a planned job turned out to be. */
function actualRequest({ request, purchase: earlier }: PlannedJob, { values }: Purchase): JobRequest {
	if (earlier === undefined) return request;
	// The purchase may include values that are not requested now, and all of them are needed to match its results.
	return { ...request, values: [...new Set(values.map(([, identity]) => identity))] };
}

/** Adds a job to the run. Several planned jobs may turn out to be one job; then they share one record. */
function addToRun(creating: Creating, planned: PlannedJob, purchase: Purchase, job: Job): void {
	const { client, records } = creating;
	const { creation } = purchase;
	if (creation.signatureHash !== undefined) jobsBySignature.set(creation.signatureHash, job.job_id);
	for (const name of valuesNamed('ignored', job).flat().filter(isFilled))
		creating.ignored.add(reasonIn(name) ?? JSON.stringify(name));
	creating.onCreated(job.job_id);
	const end = client.endOf(job.status);
	const request = actualRequest(planned, purchase);
	const record = { ...without(planned, 'purchase', 'isAbsent'), request, job, end, creation };
	creating.spending.add(record);
	const existing = records.get(job.job_id);
	if (existing === undefined) records.set(job.job_id, record);
	else for (const requester of record.requesters) existing.requesters.push(requester);
}

/** Records a job that exists: in the ledger first, then in the run. */
export function recordJob(creating: Creating, planned: PlannedJob, purchase: Purchase, job: Job): void {
	notePurchasedJob(creating.ledger, planned, purchase, job);
	addToRun(creating, planned, purchase, job);
}

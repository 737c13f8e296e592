import type { IExecuteFunctions } from 'n8n-workflow';

import { jobsBySignature } from '../n8n/memory';
import type { ServiceClient } from '../service/api/client';
import { plainField, valuesNamed } from '../service/names';
import { traitsOf, type Problem } from '../service/problems';
import { reasonIn } from '../service/text';
import { figureOf, isFilled, type Job } from '../service/types';
import type { PurchasedValue, Purchase } from '../run/formats';
import type { Encoding } from './encodings';
import type { Ledger } from './ledger';
import { identityOf } from '../values/identity';
import type { JobListSearch } from './lost';
import type { CreateSettings, PlannedJob } from './plan';
import { without } from '../run/record';
import type { Room } from './room';
import type { Spending } from './spending';

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

/** Records that a planned job failed. Stops further requests if they would fail too, or if the node stops at errors. */
export function recordFailure(creating: Creating, planned: PlannedJob, cause: Problem): void {
	// n8n shows a run as stopped only if its error says so.
	const problem: Problem = creating.stop?.aborted === true ? { ...cause, kind: 'stopped' } : cause;
	creating.failures.push({ planned, problem });
	// The remaining jobs are not attempted, so nothing is created for them, and doubts about this job do not apply.
	const detail = problem.effect === 'unknown' ? undefined : problem.detail;
	if (traitsOf(problem).accountWide || !creating.context.continueOnFail())
		creating.stopping ??= { ...problem, detail, effect: 'none' };
}

/** Records a job that exists. Several planned jobs may turn out to be one job; then they share one record. */
export function recordJob(creating: Creating, planned: PlannedJob, purchase: Purchase, job: Job): void {
	const { client, ledger, records } = creating;
	const booked = figureOf(plainField(job, 'booked')) ?? purchase.creation.booked;
	const creation = without({ ...purchase.creation, jobId: job.job_id, booked }, 'doubt');
	let { request } = planned;
	if (planned.purchase !== undefined) {
		// Items with the same request share the purchase. It may include values that are not requested now, and
		// all of them are needed to match its results.
		ledger.extend(purchase, purchasedValuesOf(planned));
		request = { ...request, values: [...new Set(purchase.values.map(([, identity]) => identity))] };
	}
	ledger.note(purchase, creation);
	if (creation.signatureHash !== undefined) jobsBySignature.set(creation.signatureHash, job.job_id);
	for (const name of valuesNamed('ignored', job).flat().filter(isFilled))
		creating.ignored.add(reasonIn(name) ?? JSON.stringify(name));
	creating.onCreated(job.job_id);
	const end = client.endOf(job.status);
	const record = { ...without(planned, 'purchase', 'isAbsent'), request, job, end, creation };
	creating.spending.add(record);
	const existing = records.get(job.job_id);
	if (existing === undefined) records.set(job.job_id, record);
	else for (const requester of record.requesters) existing.requesters.push(requester);
}

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

/** What the creations of a run share. */
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
	/** The jobs that exist, by their ID. */
	readonly records: Map<string, PlannedJob>;
	/** Parameters that the service says it ignored, in its words. */
	readonly ignored: Set<string>;
	readonly failures: Array<{ planned: PlannedJob; problem: Problem }>;
	/** What the service took after it had refused another form of the lookup values. */
	accepted?: Encoding;
	/** Why nothing more is sent. */
	stopping?: Problem;
}

/** The values that a job buys, by item. */
export function purchasedValuesOf({ request: { key }, requesters }: PlannedJob): PurchasedValue[] {
	return requesters.flatMap(({ item, lookups = [] }) =>
		lookups.map(([, value]): PurchasedValue => [item, identityOf(key, value)]),
	);
}

/** Notes that there is no job, and whether anything more may be sent. */
export function fail(creating: Creating, planned: PlannedJob, why: Problem): void {
	// n8n only shows a run as stopped if its error says so.
	const problem: Problem = creating.stop?.aborted === true ? { ...why, kind: 'stopped' } : why;
	creating.failures.push({ planned, problem });
	// For jobs that were not attempted, nothing was created.
	const detail = problem.effect === 'unknown' ? undefined : problem.detail;
	if (traitsOf(problem).accountWide || !creating.context.continueOnFail())
		creating.stopping ??= { ...problem, detail, effect: 'none' };
}

/** Notes the job that exists now. Values that were bought in several ways may be of one job. */
export function exists(creating: Creating, planned: PlannedJob, purchase: Purchase, job: Job): void {
	const { client, ledger, records } = creating;
	const booked = figureOf(plainField(job, 'booked')) ?? purchase.creation.booked;
	const creation = without({ ...purchase.creation, jobId: job.job_id, booked }, 'doubt');
	let { request } = planned;
	if (planned.purchase !== undefined) {
		// Items that ask the same share it. It may have bought more than is asked for now, and its results are
		// told apart by all of it.
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
	const same = records.get(job.job_id);
	if (same === undefined) records.set(job.job_id, record);
	else for (const requester of record.requesters) same.requesters.push(requester);
}

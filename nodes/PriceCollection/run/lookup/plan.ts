import { createHash } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { newRecord, type JobRecord, type JobRequest } from './record';
import { bringsOwnValue, type ItemRequest } from './request';
import { canonical, identityOf } from './values';

/** A record of a job that this node creates. */
export type PlannedJob = JobRecord & {
	request: JobRequest;
	/** The key that all jobs with these parameters share. */
	group: string;
};

interface PlanSettings {
	/** `combine`: items with equal parameters share jobs. `perItem`: each item has its own jobs. */
	grouping: 'combine' | 'perItem';
	maxValuesPerJob: number;
	/** The groups of an earlier attempt: its items stay together, even if expressions changed. */
	earlier?: ReadonlyMap<number, string>;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');

/**
 * Plans as few jobs as the grouping allows, in the order in which values are first requested. Items without
 * values get no job. Linear in the number of values.
 */
export function planJobs(
	requests: ReadonlyArray<Omit<ItemRequest, 'unsent'>>,
	{ grouping, maxValuesPerJob, earlier }: PlanSettings,
): PlannedJob[] {
	const limit = Math.max(1, Math.trunc(maxValuesPerJob) || 1);
	const jobs: PlannedJob[] = [];
	const groups = new Map<string, string>();
	const jobOf = new Map<string, PlannedJob>();
	const lastOf = new Map<string, PlannedJob>();
	for (const { item, parameters, asks, given } of requests) {
		const key = String(parameters.key ?? '');
		const known = earlier?.get(item) ?? (grouping === 'perItem' ? String(item) : undefined);
		// Most items have their parameters in the same order, so only other spellings need sorting.
		const written = JSON.stringify(parameters);
		const group = known ?? groups.get(written) ?? hashOf(canonical(parameters));
		if (known === undefined) groups.set(written, group);
		// Values from Additional Parameters are sent unchanged in one job.
		const most = bringsOwnValue(parameters) ? Infinity : limit;
		for (const [place, value] of asks) {
			const purchase = `${group}\n${identityOf(key, value)}`;
			let job = jobOf.get(purchase) ?? lastOf.get(group);
			if (!jobOf.has(purchase)) {
				if (job === undefined || job.request.values.length >= most) {
					// All requests of a group have equal parameters; sharing one object saves memory.
					const request = { parameters: job?.request.parameters ?? parameters, key, values: [] };
					job = { ...newRecord('', [], request), request, group };
					jobs.push(job);
					lastOf.set(group, job);
				}
				job.request.values.push(value);
				jobOf.set(purchase, job);
			}
			const requester = job?.requesters.at(-1);
			if (requester?.item === item) requester.asks?.push([place, value]);
			else job?.requesters.push({ item, given, asks: [[place, value]] });
		}
	}
	return jobs;
}

/** Splits a job into one per value, for a service that accepts one value per job. */
export function splitIntoSingles({ request: { parameters }, requesters, group }: PlannedJob): PlannedJob[] {
	const requests = requesters.map(({ asks = [], ...one }) => ({ ...one, parameters, asks }));
	const earlier = new Map(requesters.map(({ item }) => [item, group]));
	return planJobs(requests, { grouping: 'combine', maxValuesPerJob: 1, earlier });
}

/**
 * Identifies a creation request by the node's stored fields, the values in any order and the items that ask.
 * A retry has the identity of the first attempt, whatever expressions such as `{{ $now }}` return; the ledger
 * adds the round of a loop.
 *
 * @param what the node's stored fields; for questions of an agent also the resolved parameters
 */
export function identityOfRequest({ request, requesters }: PlannedJob, what: IDataObject): string {
	const items = requesters.map(({ item }) => item);
	const asked = [canonical(what), [...request.values].sort(), items];
	return hashOf(JSON.stringify(asked));
}

import { createHash } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { newRecord, type JobRecord, type JobRequest } from './record';
import { bringsOwnValue, type ItemRequest } from './request';
import { canonical, identityOf } from './values';

/** A record of a job that this node creates. */
export type PlannedJob = JobRecord & {
	request: JobRequest;
	/** What the items of the jobs that share its parameters have in common. */
	group: string;
};

interface PlanSettings {
	/** `combine`: items with equal parameters share jobs. `perItem`: each item has jobs of its own. */
	grouping: 'combine' | 'perItem';
	maxValuesPerJob: number;
	/** The groups of items that an earlier try has asked for: they stay together, whatever expressions give now. */
	earlier?: ReadonlyMap<number, string>;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');

/**
 * Turns the requests of a run into as few jobs as the grouping allows, in the order of first asking. An item
 * without values gets no job. Linear in the number of values.
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
		// Most items name their parameters in the same order: only what is written anew is put in order.
		const written = JSON.stringify(parameters);
		const group = known ?? groups.get(written) ?? hashOf(canonical(parameters));
		if (known === undefined) groups.set(written, group);
		// What Additional Parameters bring is sent as given, in one job.
		const most = bringsOwnValue(parameters) ? Infinity : limit;
		for (const [place, value] of asks) {
			const purchase = `${group}\n${identityOf(key, value)}`;
			let job = jobOf.get(purchase) ?? lastOf.get(group);
			if (!jobOf.has(purchase)) {
				if (job === undefined || job.request.values.length >= most) {
					// The first job's parameters serve the whole group: equal anyway, and less to keep.
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

/** Each value as a job of its own, for a service that takes one value per job. */
export function splitIntoSingles({ request: { parameters }, requesters, group }: PlannedJob): PlannedJob[] {
	const requests = requesters.map(({ asks = [], ...one }) => ({ ...one, parameters, asks }));
	const earlier = new Map(requesters.map(({ item }) => [item, group]));
	return planJobs(requests, { grouping: 'combine', maxValuesPerJob: 1, earlier });
}

/**
 * What makes two creations the same request: what the node stores for it, what of it is resolved and counts, the values in
 * whatever order, and the items that ask. A retry of a request has the identity of the first try, whatever expressions such
 * as `{{ $now }}` give; the round of a loop is told apart by who keeps the ledger.
 *
 * @param what the stored fields of the node; for the questions of an agent also the resolved parameters
 */
export function identityOfRequest({ request, requesters }: PlannedJob, what: IDataObject): string {
	const items = requesters.map(({ item }) => item);
	const asked = [canonical(what), [...request.values].sort(), items];
	return hashOf(JSON.stringify(asked));
}

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

/** Jobs that share their parameters and differ in their values. */
interface Group {
	name: string;
	/** Which job holds a purchase. */
	jobOf: Map<string, PlannedJob>;
	/** The job that is being filled. */
	last?: PlannedJob;
}

function plannedJob(parameters: IDataObject, group: string): PlannedJob {
	const request = { parameters, key: String(parameters.key ?? ''), values: [] };
	return { ...newRecord('', [], request), request, group };
}

/**
 * Turns the requests of a run into as few jobs as the grouping allows, in the order of first asking. An item
 * without values gets no job. Linear in the number of values.
 */
export function planJobs(
	requests: ReadonlyArray<Omit<ItemRequest, 'unsent'>>,
	settings: PlanSettings,
): PlannedJob[] {
	const limit = Math.max(1, Math.trunc(settings.maxValuesPerJob) || 1);
	const groupFor = grouper(settings);
	const jobs: PlannedJob[] = [];
	for (const { item, parameters, asks } of requests) {
		const group = groupFor(item, parameters);
		// What Additional Parameters bring is sent as given, in one job.
		const most = bringsOwnValue(parameters) ? Infinity : limit;
		for (const [place, value] of asks) {
			const identity = identityOf(String(parameters.key ?? ''), value);
			let job = group.jobOf.get(identity);
			if (job === undefined) {
				job = group.last;
				if (job === undefined || job.request.values.length >= most) {
					// The first job's parameters serve the whole group: equal anyway, and less to keep.
					job = plannedJob(job?.request.parameters ?? parameters, group.name);
					jobs.push(job);
					group.last = job;
				}
				job.request.values.push(value);
				group.jobOf.set(identity, job);
			}
			const requester = job.requesters.at(-1);
			if (requester?.item === item) requester.asks?.push([place, value]);
			else job.requesters.push({ item, asks: [[place, value]] });
		}
	}
	return jobs;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');

function grouper({ grouping, earlier }: PlanSettings): (item: number, parameters: IDataObject) => Group {
	const groups = new Map<string, Group>();
	const named = (name: string) => groups.get(name) ?? { name, jobOf: new Map<string, PlannedJob>() };
	return (item, parameters) => {
		const known = earlier?.get(item) ?? (grouping === 'perItem' ? String(item) : undefined);
		const written = known ?? JSON.stringify(parameters);
		// Most items name their parameters in the same order: only what is written anew is put in order.
		const group = groups.get(written) ?? named(known ?? hashOf(canonical(parameters)));
		groups.set(written, group).set(group.name, group);
		return group;
	};
}

/** Each value as a job of its own, for a service that takes one value per job. */
export function splitIntoSingles({ request: { parameters }, requesters, group }: PlannedJob): PlannedJob[] {
	const requests = requesters.map(({ item, asks = [] }) => ({ item, parameters, asks }));
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

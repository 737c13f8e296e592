import type { Purchase } from '../run/formats';
import { newRecord, type JobRecord, type JobRequest } from '../run/record';
import { fullGtin, gtinProblem } from '../values/gtin';
import { canonical, folded, hashOf, identityOf } from '../values/identity';
import type { Ledger } from './ledger';
import { hasInlineValue, type ItemRequest } from './request';

/** What an item requests. */
export type ItemLookups = Omit<ItemRequest, 'unsent'>;

export type PlannedJob = JobRecord & {
	request: JobRequest;
	/** The earlier request that bought its values, or may have bought them. */
	purchase?: Purchase;
	/** Whether it is proven that no unrecorded request bought them. */
	isAbsent?: boolean;
};

/** The values of a job as they are sent. Each GTIN appears once: its longest requested spelling, padded with zeros. */
function valuesToSend({ request: { key, parameters, values }, requesters }: PlannedJob): string[] {
	if (key !== 'gtin' || hasInlineValue(parameters)) return [...new Set(values)];
	const longest = new Map(values.map((value) => [identityOf(key, value), value]));
	for (const [, value] of requesters.flatMap(({ lookups = [] }) => lookups)) {
		const identity = identityOf(key, value);
		const isLonger = value.length > (longest.get(identity) ?? '').length;
		if (isLonger && gtinProblem(value) === undefined) longest.set(identity, value);
	}
	return [...longest.values()].map(fullGtin);
}

/** Adds a value that an item requests to the requesters of a job. */
function addLookup(
	{ requesters }: JobRecord,
	{ item, inputPrices, isOfSeveral }: ItemLookups,
	lookup: [position: number, value: string],
): void {
	const last = requesters.at(-1);
	if (last?.item === item) last.lookups?.push(lookup);
	else requesters.push({ item, inputPrices, ...(isOfSeveral && { isOfSeveral }), lookups: [lookup] });
}

/** The key that an item looks its values up by; blank without one. */
export const lookupKeyOf = ({ parameters }: ItemLookups) => String(parameters.key ?? '');

/**
 * Plans as few jobs as the grouping allows, in the order in which values are first requested. Items without
 * values get no job. Values that look alike go into different jobs, because the service may echo them identically.
 * Takes linear time.
 *
 * @param grouping `combine`: items with equal parameters share jobs. `perItem`: each item has its own jobs
 * @param bought jobs of earlier requests, with their lookups: other items that request the same values share them
 */
export function planJobs(
	itemLookups: readonly ItemLookups[],
	grouping: 'combine' | 'perItem',
	maxValuesPerJob: number,
	bought: ReadonlyArray<[ItemLookups, PlannedJob]> = [],
): PlannedJob[] {
	const jobs: PlannedJob[] = [];
	const groups = new Map<string, string>();
	const groupOf = ({ item, parameters }: ItemLookups) => {
		if (grouping === 'perItem') return String(item);
		// Most items have their parameters in the same order, so `canonical` rarely has to run.
		const serialized = JSON.stringify(parameters);
		const group = groups.get(serialized) ?? hashOf(canonical(parameters));
		groups.set(serialized, group);
		return group;
	};
	const jobOf = new Map<string, PlannedJob>();
	/** Per group: its jobs, how many are full, and per folded value the index after the last job that contains it. */
	const progressOf = new Map<
		string,
		{ jobs: PlannedJob[]; full: number; nextIndex: Map<string, number> }
	>();
	for (const [lookupsOfItem, job] of bought)
		for (const [, value] of lookupsOfItem.lookups)
			jobOf.set(`${groupOf(lookupsOfItem)}\n${identityOf(lookupKeyOf(lookupsOfItem), value)}`, job);
	for (const lookupsOfItem of itemLookups) {
		const { parameters } = lookupsOfItem;
		const [group, key] = [groupOf(lookupsOfItem), lookupKeyOf(lookupsOfItem)];
		// Values from Additional Parameters are sent unchanged in one job.
		const isInline = hasInlineValue(parameters);
		const maxValues = isInline ? Infinity : Math.trunc(maxValuesPerJob);
		const progress = progressOf.get(group) ?? { jobs: [], full: 0, nextIndex: new Map<string, number>() };
		progressOf.set(group, progress);
		for (const lookup of lookupsOfItem.lookups) {
			const valueKey = `${group}\n${identityOf(key, lookup[1])}`;
			let job = jobOf.get(valueKey);
			if (job === undefined) {
				const fold = isInline ? lookup[1] : folded(lookup[1]);
				const index = Math.max(progress.full, progress.nextIndex.get(fold) ?? 0);
				progress.nextIndex.set(fold, index + 1);
				job = progress.jobs[index];
				if (job === undefined) {
					// All requests of a group have equal parameters, and sharing one object saves memory.
					const parametersOfGroup = progress.jobs[0]?.request.parameters ?? parameters;
					const request = { parameters: parametersOfGroup, key, values: [] };
					job = { ...newRecord('', [], request), request };
					progress.jobs.push(job);
					jobs.push(job);
				}
				job.request.values.push(lookup[1]);
				// No job has more values than the one before it, so jobs become full in order.
				if (job.request.values.length >= maxValues) progress.full = index + 1;
				jobOf.set(valueKey, job);
			}
			addLookup(job, lookupsOfItem, lookup);
		}
	}
	for (const job of jobs) job.request.values = valuesToSend(job);
	return jobs;
}

/** What each requester of a job requests. */
export function itemLookupsOf({ request: { parameters }, requesters }: PlannedJob): ItemLookups[] {
	return requesters.map(({ item, inputPrices, isOfSeveral, lookups = [] }) => {
		return { item, inputPrices, isOfSeveral, parameters, lookups };
	});
}

/** Splits a job into one per value, for a service that accepts one value per job. */
export function splitIntoSingles(job: PlannedJob): PlannedJob[] {
	return planJobs(itemLookupsOf(job), 'combine', 1);
}

/**
 * Separates values that earlier requests bought, or may have bought, from new ones. Known values stay with their
 * job, whatever expressions return now.
 *
 * @returns `known`: the jobs of earlier requests; `bought`: each known lookup with its job; `rest`: the new lookups
 */
export function separate(itemLookups: readonly ItemLookups[], ledger: Ledger, webhookUrlParameter: string) {
	const jobs = new Map<Purchase, PlannedJob>();
	const bought: Array<[ItemLookups, PlannedJob]> = [];
	const rest: ItemLookups[] = [];
	for (const lookupsOfItem of itemLookups) {
		const { item, parameters } = lookupsOfItem;
		const key = lookupKeyOf(lookupsOfItem);
		const what = ledger.whatOf(parameters, webhookUrlParameter);
		const newLookups: ItemLookups['lookups'] = [];
		for (const lookup of lookupsOfItem.lookups) {
			const purchase = ledger.find(what, item, identityOf(key, lookup[1]));
			if (purchase === undefined) {
				newLookups.push(lookup);
				continue;
			}
			let job = jobs.get(purchase);
			if (job === undefined) {
				const request = { parameters, key, values: [] };
				job = { ...newRecord('', [], request), request, purchase };
				jobs.set(purchase, job);
			}
			addLookup(job, lookupsOfItem, lookup);
			job.request.values.push(lookup[1]);
			bought.push([{ ...lookupsOfItem, lookups: [lookup] }, job]);
		}
		if (newLookups.length > 0) rest.push({ ...lookupsOfItem, lookups: newLookups });
	}
	for (const job of jobs.values()) job.request.values = valuesToSend(job);
	return { known: [...jobs.values()], bought, rest };
}

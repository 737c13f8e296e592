import type { IDataObject } from 'n8n-workflow';
import { canonical, identityOf } from './values';

/** What one input item asks for. */
export interface ItemRequest {
	/** Index of the input item. */
	item: number;
	/** Wire parameters without `value` and `values`: topic, key, source, … and the callback URL. */
	parameters: IDataObject;
	/** As `readValues` gives them. */
	values: string[];
	/** Values that are not sent, see {@link UnsentValue}. */
	unsent?: UnsentValue[];
}

/**
 * A value that is not sent, because it would be paid for in vain, and gets a row with the reason. It holds nothing but
 * JSON, so that it survives a suspended execution.
 */
export interface UnsentValue {
	/** Index of the input item. */
	item: number;
	/** How many of the item's values that are sent stand before it. */
	place: number;
	/** The value, null for a blank one, and the parameters that its result would echo. */
	query: IDataObject;
	/** What is wrong with it, and what is expected. */
	reason: string;
}

/** One job to create. It holds nothing but JSON, so that it survives a suspended execution. */
export interface PlannedJob {
	parameters: IDataObject;
	key: string;
	/** Each purchase once, spelt as it was first asked for, in the order of first asking. */
	values: string[];
	/** Every input item that asked for one of them, ascending. */
	items: number[];
	/**
	 * Jobs with the same number share their parameters and differ in their values; all that an input item
	 * asked for is in the jobs of one group.
	 */
	group: number;
}

interface PlanSettings {
	/** `combine`: items with equal parameters share jobs. `perItem`: each item has jobs of its own. */
	grouping: 'combine' | 'perItem';
	maxValuesPerJob: number;
	/** Parameters that are the same for all items although every item makes them anew, and what stands for each. */
	stoodFor?: IDataObject;
}

interface Group {
	number: number;
	key: string;
	/** Which job holds a purchase. */
	jobOf: Map<string, PlannedJob>;
	/** The job that is being filled. */
	last?: PlannedJob;
}

/**
 * Turns the requests of a run into as few jobs as the grouping allows, in the order of first asking. An item
 * without values gets no job. Linear in the number of values.
 */
export function planJobs(requests: ItemRequest[], settings: PlanSettings): PlannedJob[] {
	const limit = Math.max(1, Math.trunc(settings.maxValuesPerJob) || 1);
	const groupFor = grouper(settings);
	const jobs: PlannedJob[] = [];
	// Ascending, so that the items of a job come out ascending without sorting each.
	for (const request of [...requests].sort((a, b) => a.item - b.item)) {
		const group = groupFor(request);
		for (const value of request.values) {
			const identity = identityOf(group.key, value);
			const known = group.jobOf.get(identity);
			const job = known ?? roomyJob(group, request.parameters, limit);
			if (known === undefined) {
				if (job.values.length === 0) jobs.push(job);
				job.values.push(value);
				group.jobOf.set(identity, job);
			}
			if (job.items.at(-1) !== request.item) job.items.push(request.item);
		}
	}
	return jobs;
}

function roomyJob(group: Group, parameters: IDataObject, limit: number): PlannedJob {
	const { number, key, last } = group;
	if (last !== undefined && last.values.length < limit) return last;
	// The first job's object serves the whole group: equal anyway, and less to keep.
	const shared = last?.parameters ?? parameters;
	group.last = { parameters: shared, key, values: [], items: [], group: number };
	return group.last;
}

function grouper({ grouping, stoodFor }: PlanSettings): (request: ItemRequest) => Group {
	const groups = new Map<string, Group>();
	let count = 0;
	return ({ item, parameters: made }) => {
		const parameters = { ...made, ...stoodFor };
		const written = grouping === 'perItem' ? String(item) : JSON.stringify(parameters);
		const known = groups.get(written);
		if (known) return known;
		// Most items name their parameters in the same order: only what is written anew is put in order.
		const signature = grouping === 'perItem' ? written : canonical(parameters);
		const group = groups.get(signature) ?? {
			number: count++,
			key: String(made.key ?? ''),
			jobOf: new Map<string, PlannedJob>(),
		};
		groups.set(written, group).set(signature, group);
		return group;
	};
}

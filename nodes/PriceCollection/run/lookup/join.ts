import type { Result } from '../../service/types';
import { matchResults, valuesOfRun } from './match';
import type { ItemRequest, PlannedJob } from './plan';
import { identityOf } from './values';

/** A planned job with what its download gave; without results when it was never created or has none. */
export interface CollectedJob {
	planned: PlannedJob;
	results: Result[];
}

/** What the service said to one value of one input item. */
export interface Answer {
	/** As the item spells it. */
	value: string;
	/** Index into the collected jobs; undefined when none of them holds the value. */
	job: number | undefined;
	/** All results for the value, in the order of the download; empty: the service left it unanswered, or in doubt. */
	results: Result[];
	/** Results that fit this value and others that look like it, and no one better than the others. */
	doubtful?: Result[];
}

export interface JoinedItem {
	item: number;
	/** One per value of the item, in its order. */
	answers: Answer[];
}

export interface Joined {
	/** One per request, in input order. */
	items: JoinedItem[];
	/** Results that belong to no value of their job, or to none for certain. They are in no answer. */
	unmatched: Array<{ job: number; result: Result }>;
}

interface Place {
	job: number;
	position: number;
}

/**
 * Gives every input item the results of its own values. Results are matched by the value they echo (see
 * `matchResults`), never by their position alone; a result that several items asked for is shared, not
 * copied. Linear in the number of values and results.
 */
export function joinResults(
	jobs: CollectedJob[],
	requests: Array<Pick<ItemRequest, 'item' | 'values'>>,
): Joined {
	const isAsked = valuesOfRun(jobs.map(({ planned }) => planned));
	const matches = jobs.map(({ planned, results }) => matchResults(planned, results, isAsked));
	const doubts = matches.map(
		({ doubtful }) =>
			new Map(
				doubtful.flatMap(({ positions, results }) =>
					positions.map((position) => [position, results] as const),
				),
			),
	);
	const placeOf = finder(jobs);
	const items = [...requests].sort((a, b) => a.item - b.item);
	return {
		items: items.map(({ item, values }) => ({
			item,
			answers: values.map((value) => {
				const place = placeOf(item, value);
				const results = place && matches[place.job]?.byValue[place.position];
				const doubtful = place && doubts[place.job]?.get(place.position);
				return { value, job: place?.job, results: results ?? [], ...(doubtful && { doubtful }) };
			}),
		})),
		unmatched: matches.flatMap((match, job) =>
			[...match.unmatched, ...match.doubtful.flatMap(({ results }) => results)].map((result) => ({
				job,
				result,
			})),
		),
	};
}

/** Which job of the item's group holds a value, and where: the plan's own grouping, read back from the jobs. */
function finder(jobs: CollectedJob[]): (item: number, value: string) => Place | undefined {
	const groups = new Map<number, { key: string; places: Map<string, Place> }>();
	const groupOfItem = new Map<number, number>();
	jobs.forEach(({ planned }, job) => {
		const group = groups.get(planned.group) ?? { key: planned.key, places: new Map<string, Place>() };
		groups.set(planned.group, group);
		planned.values.forEach((value, position) => {
			group.places.set(identityOf(planned.key, value), { job, position });
		});
		for (const item of planned.items) groupOfItem.set(item, planned.group);
	});
	return (item, value) => {
		const group = groups.get(groupOfItem.get(item) ?? -1);
		return group?.places.get(identityOf(group.key, value));
	};
}

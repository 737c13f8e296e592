import type { Result } from '../../service/types';
import { matchResults, valuesOfRun } from './match';
import type { ItemRequest, PlannedJob } from './plan';
import { identityOf } from './values';

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

interface Joined {
	/** One per request, in input order, with one answer per value, in its order. */
	items: Array<{ item: number; answers: Answer[] }>;
	/** Results that belong to no value of their job, or to none for certain. They are in no answer. */
	unmatched: Array<{ job: number; result: Result }>;
}

/** A job of the run, and a value in it. */
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
	jobs: ReadonlyArray<{ planned: PlannedJob; results: Result[] }>,
	requests: Array<Pick<ItemRequest, 'item' | 'values'>>,
): Joined {
	const plan = jobs.map(({ planned }) => planned);
	const isAsked = valuesOfRun(plan);
	const matches = jobs.map(({ planned, results }) => matchResults(planned, results, isAsked));
	const doubts = matches.map(
		({ doubtful }) =>
			new Map(doubtful.flatMap(({ positions, results }) => positions.map((one) => [one, results]))),
	);
	const placeOf = finder(plan);
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
function finder(plan: readonly PlannedJob[]): (item: number, value: string) => Place | undefined {
	const groups = new Map<number, { key: string; places: Map<string, Place> }>();
	const groupOfItem = new Map<number, number>();
	for (const [job, { group: number, key, values, items }] of plan.entries()) {
		const group = groups.get(number) ?? { key, places: new Map<string, Place>() };
		groups.set(number, group);
		for (const [position, value] of values.entries()) {
			group.places.set(identityOf(key, value), { job, position });
		}
		for (const item of items) groupOfItem.set(item, number);
	}
	return (item, value) => {
		const group = groups.get(groupOfItem.get(item) ?? -1);
		return group?.places.get(identityOf(group.key, value));
	};
}

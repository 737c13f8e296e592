import { echoedValue, type Result } from '../service/types';
import { folded, identityOf } from './identity';

/**
 * Drops repeated results: services may return the same one twice. Results that echo no value stay, because equal ones may be
 * the answers to several values.
 */
export function withoutRepeats(results: readonly Result[]): Result[] {
	const counts = new Map<unknown, number>();
	for (const { query } of results) {
		const echo = echoedValue(query);
		counts.set(echo, (counts.get(echo) ?? 0) + 1);
	}
	const seen = new Set<string>();
	return results.filter((result) => {
		const echo = echoedValue(result.query);
		if (echo === undefined || counts.get(echo) === 1) return true;
		const json = JSON.stringify(result);
		return !seen.has(json) && seen.add(json);
	});
}

/** The positions of texts, by folded text. */
function positionsByFold(texts: Iterable<[position: number, text: string]>): Map<string, number[]> {
	const positions = new Map<string, number[]>();
	for (const [position, text] of texts) {
		const fold = folded(text);
		const known = positions.get(fold);
		if (known === undefined) positions.set(fold, [position]);
		else known.push(position);
	}
	return positions;
}

/** Returns a predicate: does any of these jobs request a value that looks like the text? */
export function requestedIn(
	jobs: ReadonlyArray<{ request?: { values: readonly string[] } }>,
): (text: string) => boolean {
	const foldedValues = new Set(jobs.flatMap(({ request }) => request?.values.map(folded) ?? []));
	return (text) => foldedValues.has(folded(text));
}

/**
 * Assigns the results of a job to its values by the value that each result echoes:
 *
 * 1. A result whose echo is identical to a value belongs to that value.
 * 2. Remaining results whose echo looks like exactly one value belong to it, if that value has no result yet and all of
 *    them spell the echo the same way.
 *
 * The plan puts values that look alike into different jobs, so that step 2 can decide; values from Additional Parameters
 * share one job. All other results stay unmatched, with one exception: the only value of a job, if it has no result yet,
 * gets all results except those that echo another value of the run. The cases are in `test/unit/values/match.cases.txt`.
 *
 * @param isRequested whether a text, in any spelling, is a value of any job in the run; see {@link requestedIn}
 * @returns the results of each value in download order, and the results that match no value with certainty
 */
export function matchResults(
	key: string,
	values: readonly string[],
	download: readonly Result[],
	isRequested: (text: string) => boolean,
): { byValue: Result[][]; unmatched: Result[] } {
	const results = withoutRepeats(download);
	const byValue = values.map((): number[] => []);
	const identical = new Map(values.map((value, position) => [identityOf(key, value), position]));
	/** The echoes of results without a value yet, by the result's index. */
	const unassigned = new Map<number, string | undefined>();
	const assign = (position: number, indexes: number[]) => {
		byValue[position] = indexes;
		for (const index of indexes) unassigned.delete(index);
	};
	for (const [index, { query }] of results.entries()) {
		const echo = echoedValue(query);
		const position = echo === undefined ? undefined : identical.get(identityOf(key, echo));
		if (position === undefined) unassigned.set(index, echo);
		else byValue[position]?.push(index);
	}
	const positionsOfFold = positionsByFold(unassigned.size > 0 ? values.entries() : []);
	const echoed = [...unassigned].filter((one): one is [number, string] => one[1] !== undefined);
	for (const [fold, indexes] of positionsByFold(echoed)) {
		const [position, another] = positionsOfFold.get(fold) ?? [];
		const hasOneSpelling = new Set(indexes.map((index) => unassigned.get(index))).size === 1;
		if (position === undefined || another !== undefined || byValue[position]?.length) continue;
		if (hasOneSpelling) assign(position, indexes);
	}
	if (values.length === 1 && byValue[0]?.length === 0) {
		const isForOtherValue = (echo = '') => isRequested(echo) && folded(echo) !== folded(values[0] ?? '');
		assign(
			0,
			[...unassigned].flatMap(([index, echo]) => (isForOtherValue(echo) ? [] : [index])),
		);
	}
	const resultsAt = (indexes: Iterable<number>) => [...indexes].flatMap((index) => results[index] ?? []);
	return { byValue: byValue.map(resultsAt), unmatched: resultsAt(unassigned.keys()) };
}

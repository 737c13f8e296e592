import { echoedValue, type Result } from '../service/types';
import { folded, identityOf } from './identity';

/** Each result once: services may give the same one twice. Only results with the same echo are compared. */
export function withoutRepeats(results: readonly Result[]): Result[] {
	const counts = new Map<unknown, number>();
	for (const { query } of results) {
		const echo = echoedValue(query);
		counts.set(echo, (counts.get(echo) ?? 0) + 1);
	}
	const seen = new Set<string>();
	return results.filter((result) => {
		if (counts.get(echoedValue(result.query)) === 1) return true;
		const written = JSON.stringify(result);
		return !seen.has(written) && seen.add(written);
	});
}

/** The positions of texts by their folded form. */
function positionsByFold(texts: Iterable<[position: number, text: string]>): Map<string, number[]> {
	const positions = new Map<string, number[]>();
	for (const [position, text] of texts) {
		const fold = folded(text);
		const alike = positions.get(fold);
		if (alike === undefined) positions.set(fold, [position]);
		else alike.push(position);
	}
	return positions;
}

/**
 * Assigns the results of a job to its values by the value that each result echoes:
 *
 * 1. a result whose echo is identical to a value belongs to that value;
 * 2. the results left whose echo looks like exactly one value belong to it, if it has no result yet and all of
 *    them spell the echo the same way.
 *
 * The plan puts values that look alike into different jobs, so that step 2 can decide. All other results are
 * unmatched, except in a job with one value: it owns all results left, unless they echo another value of the run.
 *
 * @param isAsked whether a text, in any spelling, is a value of any job of the run
 * @returns the results of each value in download order, and those that match no value with certainty
 */
export function matchResults(
	key: string,
	values: readonly string[],
	download: readonly Result[],
	isAsked: (text: string) => boolean,
): { byValue: Result[][]; unmatched: Result[] } {
	const results = withoutRepeats(download);
	const byValue = values.map((): number[] => []);
	const identical = new Map(values.map((value, position) => [identityOf(key, value), position]));
	/** The results without a value, and what they echo. */
	const left = new Map<number, string | undefined>();
	const assign = (position: number, indexes: number[]) => {
		byValue[position] = indexes;
		for (const index of indexes) left.delete(index);
	};
	for (const [index, { query }] of results.entries()) {
		const echo = echoedValue(query);
		const position = echo === undefined ? undefined : identical.get(identityOf(key, echo));
		if (position === undefined) left.set(index, echo);
		else byValue[position]?.push(index);
	}
	const alike = positionsByFold(left.size > 0 ? values.entries() : []);
	const echoed = [...left].filter((one): one is [number, string] => one[1] !== undefined);
	for (const [fold, indexes] of positionsByFold(echoed)) {
		const [position, another] = alike.get(fold) ?? [];
		const isOneEcho = new Set(indexes.map((index) => left.get(index))).size === 1;
		if (position === undefined || another !== undefined || byValue[position]?.length) continue;
		if (isOneEcho) assign(position, indexes);
	}
	if (values.length === 1 && byValue[0]?.length === 0) {
		const isOther = (echo = '') => isAsked(echo) && folded(echo) !== folded(values[0] ?? '');
		assign(
			0,
			[...left].flatMap(([index, echo]) => (isOther(echo) ? [] : [index])),
		);
	}
	const resultsAt = (indexes: Iterable<number>) => [...indexes].flatMap((index) => results[index] ?? []);
	return { byValue: byValue.map(resultsAt), unmatched: resultsAt(left.keys()) };
}

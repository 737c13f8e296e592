import { echoedValue, type Result } from '../../service/types';
import type { JobRequest } from './record';
import { folded, levelled, spaced, withoutLeadingZeros } from './values';

/** The results of one job, assigned to its values. */
export interface Matches {
	/** Parallel to the job's values; each list is in download order. */
	byValue: Result[][];
	/** Results that match no requested value, or none with certainty. */
	unmatched: Result[];
}

type Tier = (text: string) => string;

/** From strict to loose: exact; spaces; case and width; leading zeros; accents and punctuation. */
const TIERS: Tier[] = [
	(text) => text,
	spaced,
	levelled,
	(text) => withoutLeadingZeros(levelled(text)),
	folded,
];

/** Groups the positions of values that are equal at a tier. */
function alikeBy(tier: Tier, values: readonly string[]): Map<string, number[]> {
	const classes = new Map<string, number[]>();
	for (const [position, value] of values.entries()) {
		const name = tier(value);
		const alike = classes.get(name);
		if (alike === undefined) classes.set(name, [position]);
		else alike.push(position);
	}
	return classes;
}

/**
 * Assigns the results of a job to its values by the value that each result echoes, tier by tier, so that an
 * exact match comes before a looser one. An echo of several values goes to the first without an answer.
 *
 * A job with one value owns all its results, unless they echo another value of the run. As soon as one of
 * them echoes the value, the others belong to something else.
 *
 * @param isAsked whether a text, in any spelling, is a value of any job of the run
 */
export function matchResults(
	{ key, values }: Pick<JobRequest, 'key' | 'values'>,
	results: readonly Result[],
	isAsked: (text: string) => boolean,
): Matches {
	const echoes = results.map(({ query }) => echoedValue(query, key));
	const owners = new Map<number, number>();
	const byValue = values.map((): number[] => []);
	for (const tier of TIERS) {
		if (owners.size === results.length) break;
		const classes = alikeBy(tier, values);
		for (const [index, echo] of echoes.entries()) {
			const alike = echo === undefined || owners.has(index) ? undefined : classes.get(tier(echo));
			if (alike === undefined) continue;
			const owner = alike.find((position) => byValue[position]?.length === 0) ?? alike[0] ?? 0;
			owners.set(index, owner);
			byValue[owner]?.push(index);
		}
	}
	const unmatched: Result[] = [];
	// A job with one value owns all results that name nothing else, unless one of them names the value.
	const isOnly = values.length === 1 && owners.size === 0;
	for (const [index, result] of results.entries()) {
		const echo = echoes[index];
		if (isOnly && (echo === undefined || !isAsked(echo))) byValue[0]?.push(index);
		else if (!owners.has(index)) unmatched.push(result);
	}
	const resultsAt = (indexes: readonly number[]) =>
		[...indexes].sort((a, b) => a - b).flatMap((index) => results[index] ?? []);
	for (const { positions, meanTheSame } of crowds(key, values, byValue, unmatched.length > 0)) {
		const found = positions.flatMap((position) => byValue[position] ?? []).sort((a, b) => a - b);
		for (const [place, position] of positions.entries())
			byValue[position] = meanTheSame ? shareOf(found, place, positions.length) : [];
		if (!meanTheSame) unmatched.push(...resultsAt(found));
	}
	return { byValue: byValue.map((indexes) => withoutRepeats(resultsAt(indexes))), unmatched };
}

/** Removes repeated results. */
function withoutRepeats(results: Result[]): Result[] {
	if (results.length < 2) return results;
	return [...new Map(results.map((result) => [JSON.stringify(result), result])).values()];
}

/**
 * Groups of similar values of which only some have results, because the service normalised them to one query.
 * Words that differ only in case, width or composition mean the same, as do all values that differ only in
 * spaces or composition. Words that differ in accents or punctuation mean the same if one has several
 * results; identifiers like that are ambiguous.
 * @param hasUnmatched whether a remaining result may belong to a value without results
 */
function crowds(
	key: string,
	values: readonly string[],
	byValue: ReadonlyArray<readonly number[]>,
	hasUnmatched: boolean,
) {
	if (!byValue.some((found) => found.length === 0)) return [];
	const areWords = key === 'term';
	const answers = (position: number) => byValue[position]?.length ?? 0;
	const unequal = (tier: Tier, least: number) =>
		[...alikeBy(tier, values).values()].filter(
			(all) => all.some((one) => answers(one) >= least) && all.some((one) => answers(one) === 0),
		);
	const same = unequal(areWords ? levelled : (text) => spaced(text.normalize('NFC')), hasUnmatched ? 2 : 1);
	const similar = unequal(folded, 2).filter((all) => !all.some((one) => same.flat().includes(one)));
	return [
		...same.map((positions) => ({ positions, meanTheSame: true })),
		...similar.map((positions) => ({ positions, meanTheSame: areWords })),
	];
}

/** The share of results for one of several values with the same meaning: one each, the rest for the last. */
function shareOf(found: number[], place: number, requesters: number): number[] {
	if (found.length < requesters) return found;
	return place === requesters - 1 ? found.slice(place) : found.slice(place, place + 1);
}

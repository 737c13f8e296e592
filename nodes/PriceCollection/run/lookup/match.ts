import { echoedValue } from '../../service/echo';
import type { Result } from '../../service/types';
import type { JobRequest } from './record';
import { folded, levelled, spaced, withoutLeadingZeros } from './values';

/** The results of one job, sorted to its values. */
export interface Matches {
	/** Parallel to the job's values; each list in the order of the download. */
	byValue: Result[][];
	/** Results that name nothing that was asked for, or no value for certain. */
	unmatched: Result[];
}

type Tier = (text: string) => string;

/** From strict to loose: the text itself; without spaces; case and width; leading zeros; accents and punctuation. */
const TIERS: Tier[] = [
	(text) => text,
	spaced,
	levelled,
	(text) => withoutLeadingZeros(levelled(text)),
	folded,
];

/** The positions of values by what they are at a tier. */
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
 * Sorts the results of a job to its values by the value that each result echoes, tier by tier, so that an exact echo is
 * never taken by a looser one. An echo that fits several values goes to the first of them that has no answer yet.
 *
 * A job of one value owns its results whatever they echo, except where the echo is another value of the run. As soon as
 * one of them echoes the value, the others are for something else.
 *
 * @param isAsked whether a text is, however spelt, a value of any job of the run
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
	// A job of one value owns what names nothing else, unless a result names it.
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

/** The same result given twice is one. */
function withoutRepeats(results: Result[]): Result[] {
	if (results.length < 2) return results;
	return [...new Map(results.map((result) => [JSON.stringify(result), result])).values()];
}

/**
 * Values that look alike, of which some have results and others none, because the service has levelled them to one query.
 * Words that differ in case, width or composition only, and whatever differs in spaces or composition, mean the same. What
 * differs in accents or punctuation does where one value has several results; identifiers like that are in doubt then.
 *
 * @param hasUnmatched whether a result is left that may be the own one of a value without any
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

/** The results that one of several askers of the same question gets: one each in order, the rest for the last. */
function shareOf(found: number[], place: number, askers: number): number[] {
	if (found.length < askers) return found;
	return place === askers - 1 ? found.slice(place) : found.slice(place, place + 1);
}

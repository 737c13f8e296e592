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
	/** By the position of a value: results that fit it and others that look alike, and none better than the others. */
	doubtful: Map<number, Result[]>;
}

/** From strict to loose: the text itself; without spaces; case and width; leading zeros; accents and punctuation. */
const TIERS: Array<(text: string) => string> = [
	(text) => text,
	spaced,
	levelled,
	(text) => withoutLeadingZeros(levelled(text)),
	folded,
];

/**
 * Sorts the results of a job to its values by the value that each result echoes, tier by tier, so that an
 * exact echo is never taken by a looser one. Where an echo fits several values equally well, it goes to the
 * first of them (in the order of asking) that has no answer yet, or else to the first. Values that a service levels to one
 * query share its results where they mean the same; identifiers are not told apart by guessing.
 *
 * A job of one value owns its results whatever they echo, except where the echo is another value of the run. As soon as
 * one of them echoes the value, the others are for something else.
 *
 * @param isAsked whether a text is a value of any job of the run, see `valuesOfRun`
 */
export function matchResults(
	{ key, values }: Pick<JobRequest, 'key' | 'values'>,
	results: readonly Result[],
	isAsked: (text: string) => boolean,
): Matches {
	const echoes = results.map(({ query }) => echoedValue(query, key));
	const owners = ownersByEcho(values, echoes);
	// A job of one value owns what names nothing else, unless a result names it.
	const isOnly = values.length === 1 && !owners.includes(0);
	const byValue = values.map((): number[] => []);
	const unmatched: Result[] = [];
	for (const [index, result] of results.entries()) {
		const echo = echoes[index];
		const isForOnly = isOnly && (echo === undefined || !isAsked(echo));
		const owner = owners[index] ?? (isForOnly ? 0 : undefined);
		if (owner === undefined) unmatched.push(result);
		else byValue[owner]?.push(index);
	}
	const resultsAt = (indexes: readonly number[]) => indexes.flatMap((index) => results[index] ?? []);
	const doubtful: Matches['doubtful'] = new Map();
	for (const { positions, meanTheSame } of crowds(key, values, byValue)) {
		const found = positions.flatMap((position) => byValue[position] ?? []).sort((a, b) => a - b);
		for (const [place, position] of positions.entries()) {
			byValue[position] = meanTheSame ? shareOf(found, place, positions.length) : [];
			if (!meanTheSame) doubtful.set(position, resultsAt(found));
		}
		if (!meanTheSame) unmatched.push(...resultsAt(found));
	}
	return { byValue: byValue.map(resultsAt), unmatched, doubtful };
}

/** The position of the value that each echo belongs to; none for an echo of nothing that was asked for. */
function ownersByEcho(values: string[], echoes: ReadonlyArray<string | undefined>): number[] {
	const owners: number[] = [];
	const answered = new Set<number>();
	let open = [...echoes.keys()];
	for (const tier of TIERS) {
		if (open.length === 0) break;
		const classes = alikeBy(tier, values);
		open = open.filter((index) => {
			const echo = echoes[index];
			const alike = echo === undefined ? undefined : classes.get(tier(echo));
			if (alike === undefined) return true;
			const owner = ownerAmong(alike, answered);
			owners[index] = owner;
			answered.add(owner);
			return false;
		});
	}
	return owners;
}

/**
 * Values that look alike, of which some have results and others none. Words that differ in case, width or composition only,
 * and whatever differs in spaces or composition, mean the same. What differs in accents or punctuation does where the
 * service has given one of the values several results; identifiers like that are in doubt then.
 */
function crowds(key: string, values: string[], byValue: readonly number[][]) {
	const areWords = key === 'term';
	const answers = (position: number) => byValue[position]?.length ?? 0;
	if (!byValue.some((found) => found.length === 0)) return [];
	const composed = (text: string) => spaced(text.normalize('NFC'));
	const unequal = (tier: (text: string) => string, least: number) =>
		[...alikeBy(tier, values).values()]
			.map(({ positions }) => positions)
			.filter(
				(all) => all.some((one) => answers(one) >= least) && all.some((one) => answers(one) === 0),
			);
	const same = unequal(areWords ? levelled : composed, 1);
	const taken = new Set(same.flat());
	const similar = unequal(folded, 2).filter((all) => !all.some((one) => taken.has(one)));
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

/** Tells whether a text is, however spelt, a value of one of the jobs. Few runs ever ask: built when needed. */
export function valuesOfRun(jobs: ReadonlyArray<Pick<JobRequest, 'values'>>): (text: string) => boolean {
	let texts: Set<string> | undefined;
	return (text) => {
		texts ??= new Set(jobs.flatMap(({ values }) => values.map(folded)));
		return texts.has(folded(text));
	};
}

/** The values of one job that look alike at some tier. `next` walks to the first without an answer. */
interface Alike {
	positions: number[];
	next: number;
}

function alikeBy(tier: (text: string) => string, values: readonly string[]): Map<string, Alike> {
	const classes = new Map<string, Alike>();
	for (const [position, value] of values.entries()) {
		const name = tier(value);
		const alike = classes.get(name);
		if (alike) alike.positions.push(position);
		else classes.set(name, { positions: [position], next: 0 });
	}
	return classes;
}

function ownerAmong(alike: Alike, answered: ReadonlySet<number>): number {
	const { positions } = alike;
	// What is answered stays answered, so the walk never starts over.
	while (answered.has(positions[alike.next] ?? -1)) alike.next++;
	return positions[alike.next] ?? positions[0] ?? 0;
}

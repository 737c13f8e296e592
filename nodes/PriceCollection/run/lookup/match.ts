import type { Result } from '../../service/types';
import type { PlannedJob } from './plan';
import { echoedValue } from '../../service/echo';
import { withoutLeadingZeros } from './values';

/** The results of one job, sorted to its values. */
export interface Matches {
	/** Parallel to the job's values; each list in the order of the download. */
	byValue: Result[][];
	/** Results that name nothing that was asked for. */
	unmatched: Result[];
	/** Values that look alike, and results that fit each of them and no one better than the others. */
	doubtful: Array<{ positions: number[]; results: Result[] }>;
}

/** The values of one job that look alike at some tier. `next` walks to the first without an answer. */
interface Alike {
	positions: number[];
	next: number;
}

/** From strict to loose: the text itself; without spaces; case and width; leading zeros; accents and punctuation. */
const TIERS: Array<(text: string) => string> = [(text) => text, spaced, levelled, withoutZeros, folded];

/** A job's values while results are being sorted to them. */
interface Sorting {
	values: string[];
	results: Result[];
	echoes: Array<string | undefined>;
	/** Parallel to the results: the position of the value that each belongs to. */
	owners: Array<number | undefined>;
	/** Whether values that a service levels to one query mean the same, as words do and identifiers do not. */
	levelIsSame: boolean;
}

/**
 * Sorts the results of a job to its values by the value that each result echoes, tier by tier, so that an
 * exact echo is never taken by a looser one. Where an echo fits several values equally well, it goes to the
 * first of them (in the order of asking) that has no answer yet, or else to the first. Values that only look alike, and
 * that the service has levelled to one echo, share its results where they are words; identifiers are not told apart by
 * guessing.
 *
 * A job of one value owns its results whatever they echo, except where the echo is another value of the run. As soon as
 * one of them echoes the value, the others are for something else.
 *
 * @param isAsked whether a text is a value of any job of the run, see `valuesOfRun`
 */
export function matchResults(
	job: PlannedJob,
	results: Result[],
	isAsked: (text: string) => boolean,
): Matches {
	const sorting: Sorting = {
		values: job.values,
		results,
		echoes: results.map((result) => echoedValue(result.query, job.key)),
		owners: results.map(() => undefined),
		levelIsSame: job.key === 'term',
	};
	sortByEcho(sorting);
	if (job.values.length === 1 && !sorting.owners.includes(0)) {
		for (const [index, echo] of sorting.echoes.entries()) {
			if (echo === undefined || !isAsked(echo)) sorting.owners[index] = 0;
		}
	}
	return sorted(sorting);
}

function sortByEcho({ values, echoes, owners }: Sorting): void {
	const answered = values.map(() => false);
	let open = echoes.map((_echo, index) => index);
	for (const tier of TIERS) {
		if (open.length === 0) return;
		const classes = alikeBy(tier, values);
		open = open.filter((index) => {
			const echo = echoes[index];
			const alike = echo === undefined ? undefined : classes.get(tier(echo));
			if (!alike) return true;
			const owner = ownerAmong(alike, answered);
			owners[index] = owner;
			answered[owner] = true;
			return false;
		});
	}
}

/** Every result in its place; what one echo gave to one of several values that look alike is looked at once more. */
function sorted(sorting: Sorting): Matches {
	const { values, results, owners } = sorting;
	const byValue = values.map((): number[] => []);
	const unmatched: Result[] = [];
	for (const [index, result] of results.entries()) {
		const owner = owners[index];
		if (owner === undefined) unmatched.push(result);
		else byValue[owner]?.push(index);
	}
	const doubtful: Matches['doubtful'] = [];
	for (const positions of crowds(sorting, byValue)) {
		const found = positions.flatMap((position) => byValue[position] ?? []).sort((a, b) => a - b);
		for (const [place, position] of positions.entries()) {
			byValue[position] = sorting.levelIsSame ? shareOf(found, place, positions.length) : [];
		}
		if (sorting.levelIsSame) continue;
		doubtful.push({ positions, results: found.flatMap((index) => results[index] ?? []) });
	}
	const resultsOf = (indexes: number[]) => indexes.flatMap((index) => results[index] ?? []);
	return { byValue: byValue.map(resultsOf), unmatched, doubtful };
}

/** Values that differ in case, accents or punctuation only, some without an answer although the others have several. */
function crowds({ values }: Sorting, byValue: readonly number[][]): number[][] {
	const answers = (position: number) => byValue[position]?.length ?? 0;
	if (!byValue.some((found) => found.length > 1)) return [];
	return [...alikeBy(folded, values).values()]
		.map(({ positions }) => positions)
		.filter(
			(positions) =>
				positions.some((one) => answers(one) > 1) && positions.some((one) => answers(one) === 0),
		);
}

/** The results that one of several askers of the same question gets: one each in order, the rest for the last. */
function shareOf(found: number[], place: number, askers: number): number[] {
	if (found.length < askers) return found;
	return place === askers - 1 ? found.slice(place) : found.slice(place, place + 1);
}

/** Tells whether a text is, however spelt, a value of one of the jobs. Few runs ever ask: built when needed. */
export function valuesOfRun(jobs: PlannedJob[]): (text: string) => boolean {
	let texts: Set<string> | undefined;
	return (text) => {
		texts ??= new Set(jobs.flatMap((job) => job.values.map(folded)));
		return texts.has(folded(text));
	};
}

function alikeBy(tier: (text: string) => string, values: string[]): Map<string, Alike> {
	const classes = new Map<string, Alike>();
	values.forEach((value, position) => {
		const name = tier(value);
		const alike = classes.get(name);
		if (alike) alike.positions.push(position);
		else classes.set(name, { positions: [position], next: 0 });
	});
	return classes;
}

function ownerAmong(alike: Alike, answered: boolean[]): number {
	const first = alike.positions[0] ?? 0;
	let candidate = alike.positions[alike.next];
	// What is answered stays answered, so the walk never starts over.
	while (candidate !== undefined && answered[candidate]) candidate = alike.positions[++alike.next];
	return candidate ?? first;
}

function withoutZeros(text: string): string {
	return withoutLeadingZeros(levelled(text));
}

/** A text without accents and punctuation as well; one of nothing else stays what it is. */
function folded(text: string): string {
	const plain = levelled(text).normalize('NFD').replace(/\p{M}/gu, '');
	const words = plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
	return withoutLeadingZeros(words === '' ? plain : words);
}

/** A text without repeated and surrounding spaces. */
function spaced(text: string): string {
	return text.replace(/\s+/g, ' ').trim();
}

/** A text without its case, width, composition and repeated spaces. */
function levelled(text: string): string {
	// Identifiers, by far the most of what is asked, need no Unicode.
	if (/^[\w-]*$/.test(text)) return text.toLowerCase();
	// Down, up and down again: so letters without a single other case, such as both sharp s, become the same.
	const caseless = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase();
	return spaced(caseless.normalize('NFKC'));
}

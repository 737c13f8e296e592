import { echoedValue } from '../../service/echo';
import type { Result } from '../../service/types';
import type { PlannedJob } from './plan';
import { withoutLeadingZeros } from './values';

/** The results of one job, sorted to its values. */
interface Matches {
	/** Parallel to the job's values; each list in the order of the download. */
	byValue: Result[][];
	/** Results that name nothing that was asked for. */
	unmatched: Result[];
	/** Values that look alike, and results that fit each of them and no one better than the others. */
	doubtful: Array<{ positions: number[]; results: Result[] }>;
}

/** From strict to loose: the text itself; without spaces; case and width; leading zeros; accents and punctuation. */
const TIERS: Array<(text: string) => string> = [(text) => text, spaced, levelled, withoutZeros, folded];

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
	{ key, values }: PlannedJob,
	results: Result[],
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
	const doubtful: Matches['doubtful'] = [];
	for (const positions of crowds(values, byValue)) {
		const found = positions.flatMap((position) => byValue[position] ?? []).sort((a, b) => a - b);
		// Values that a service levels to one query mean the same where they are words, and not where they are identifiers.
		const isSame = key === 'term';
		for (const [place, position] of positions.entries()) {
			byValue[position] = isSame ? shareOf(found, place, positions.length) : [];
		}
		if (!isSame) doubtful.push({ positions, results: resultsAt(found) });
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

/** Values that differ in case, accents or punctuation only, some without an answer although the others have several. */
function crowds(values: string[], byValue: readonly number[][]): number[][] {
	const answers = (position: number) => byValue[position]?.length ?? 0;
	if (!byValue.some((found) => found.length > 1)) return [];
	return [...alikeBy(folded, values).values()]
		.map(({ positions }) => positions)
		.filter((all) => all.some((one) => answers(one) > 1) && all.some((one) => answers(one) === 0));
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

/** The values of one job that look alike at some tier. `next` walks to the first without an answer. */
interface Alike {
	positions: number[];
	next: number;
}

function alikeBy(tier: (text: string) => string, values: string[]): Map<string, Alike> {
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

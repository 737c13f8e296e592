import type { Result } from '../../service/types';
import type { PlannedJob } from './plan';
import { echoedValue } from '../../service/echo';
import { withoutLeadingZeros } from './values';

/** The results of one job, sorted to its values. */
export interface Matches {
	/** Parallel to the job's values; each list in the order of the download. */
	byValue: Result[][];
	unmatched: Result[];
}

/** The values of one job that look alike at some tier. `next` walks to the first without an answer. */
interface Alike {
	positions: number[];
	next: number;
}

/** From strict to loose: the text itself; case, width and spaces levelled; leading zeros stripped as well. */
const TIERS: Array<(text: string) => string> = [(text) => text, levelled, loosest];

/**
 * Sorts the results of a job to its values by the value that each result echoes, tier by tier, so that an
 * exact echo is never taken by a looser one. Where an echo fits several values equally well, it goes to the
 * first of them (in the order of asking) that has no answer yet, or else to the first: the service levelled
 * them to one query, and results in order are the best that can be known. A value that is exactly echoed
 * twice keeps both results, and a value that only looks like it stays unanswered.
 *
 * A job of one value owns its results whatever they echo, except where the echo is another value of the run.
 *
 * @param isAsked whether a text is a value of any job of the run, see `valuesOfRun`
 */
export function matchResults(
	job: PlannedJob,
	results: Result[],
	isAsked: (text: string) => boolean,
): Matches {
	const echoes = results.map((result) => echoedValue(result.query, job.key));
	const owners: Array<number | undefined> = results.map(() => undefined);
	const answered = job.values.map(() => false);
	let open = results.map((_result, index) => index);
	for (const tier of TIERS) {
		if (open.length === 0) break;
		const classes = alikeBy(tier, job.values);
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
	if (job.values.length === 1) {
		for (const index of open) {
			const echo = echoes[index];
			if (echo === undefined || !isAsked(echo)) owners[index] = 0;
		}
	}
	return sorted(results, owners, job.values.length);
}

/** Tells whether a text is, however spelt, a value of one of the jobs. Few runs ever ask: built when needed. */
export function valuesOfRun(jobs: PlannedJob[]): (text: string) => boolean {
	let texts: Set<string> | undefined;
	return (text) => {
		texts ??= new Set(jobs.flatMap((job) => job.values.map(loosest)));
		return texts.has(loosest(text));
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

function sorted(results: Result[], owners: Array<number | undefined>, count: number): Matches {
	const byValue = Array.from({ length: count }, (): Result[] => []);
	const unmatched: Result[] = [];
	results.forEach((result, index) => {
		const owner = owners[index];
		const list = owner === undefined ? unmatched : byValue[owner];
		list?.push(result);
	});
	return { byValue, unmatched };
}

function loosest(text: string): string {
	return withoutLeadingZeros(levelled(text));
}

/** A text without its case, width, composition and repeated spaces. */
function levelled(text: string): string {
	// Identifiers, by far the most of what is asked, need no Unicode.
	if (/^[\w-]*$/.test(text)) return text.toLowerCase();
	// Down, up and down again: so letters without a single other case, such as both sharp s, become the same.
	const caseless = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase();
	return caseless.normalize('NFKC').replace(/\s+/g, ' ').trim();
}

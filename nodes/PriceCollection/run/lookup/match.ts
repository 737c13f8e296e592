import { echoedValue, type Result } from '../../service/types';
import { folded, identityOf, levelled } from './values';

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

/** The positions of texts by a form of them. */
function positionsBy(form: (text: string) => string, texts: ReadonlyArray<string | undefined>) {
	const positions = new Map<string, number[]>();
	for (const [position, text] of texts.entries()) {
		if (text === undefined) continue;
		const alike = positions.get(form(text)) ?? [];
		alike.push(position);
		positions.set(form(text), alike);
	}
	return positions;
}

/**
 * Assigns the results of a job to its values by the value that each result echoes: first those whose identity is
 * the same, then those that only differ in case, width and spaces, where one value and one echo are the only
 * ones of that kind. All other results are unmatched.
 *
 * A job with one value owns all its results, unless they echo another value of the run.
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
	const echoes = results.map(({ query }) => echoedValue(query));
	const byValue = values.map((): number[] => []);
	const identical = positionsBy((text) => identityOf(key, text), values);
	const left = new Set<number>();
	for (const [index, echo] of echoes.entries()) {
		const [position] = (echo !== undefined && identical.get(identityOf(key, echo))) || [];
		if (position === undefined) left.add(index);
		else byValue[position]?.push(index);
	}
	const isOpen = byValue.some((own) => own.length === 0);
	const levels = positionsBy(levelled, isOpen ? values : []);
	// An answer that comes once for each of several values that are written alike is the answer of all of them.
	for (const positions of levels.values()) {
		const [answered, another] = positions.filter((one) => byValue[one]?.length === 1);
		const [index] = (answered !== undefined && byValue[answered]) || [];
		if (index === undefined || another !== undefined || positions.length < 2) continue;
		const times = download.filter(({ query }) => echoedValue(query) === echoes[index]).length;
		for (const one of times >= positions.length ? positions : []) byValue[one] = [index];
	}
	const others = positionsBy(
		levelled,
		echoes.map((echo, index) => (left.has(index) ? echo : undefined)),
	);
	for (const [form, indexes] of others) {
		const [position, another] = levels.get(form) ?? [];
		const isOneEcho = new Set(indexes.map((index) => echoes[index])).size === 1;
		if (position === undefined || another !== undefined || !isOneEcho || byValue[position]?.length)
			continue;
		byValue[position] = indexes;
		for (const index of indexes) left.delete(index);
	}
	const alike = positionsBy(folded, values);
	// Where a service writes several values alike, nobody can tell whose the results of one of them are.
	const unclear = new Set<number>();
	for (const positions of alike.values())
		for (const position of positions) {
			const own = byValue[position] ?? [];
			if (own.length < 2 || positions.every((one) => byValue[one]?.length)) continue;
			for (const index of own) unclear.add(index);
			byValue[position] = [];
		}
	if (values.length === 1 && byValue[0]?.length === 0) {
		const isOther = (echo = '') => isAsked(echo) && folded(echo) !== folded(values[0] ?? '');
		const own = [...left].filter((index) => !isOther(echoes[index]));
		byValue[0] = own;
		for (const index of own) left.delete(index);
	}
	const resultsAt = (indexes: Iterable<number>) =>
		[...indexes].sort((a, b) => a - b).flatMap((index) => results[index] ?? []);
	return { byValue: byValue.map(resultsAt), unmatched: resultsAt([...left, ...unclear]) };
}

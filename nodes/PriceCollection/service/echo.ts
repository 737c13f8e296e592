import type { ResultQuery } from './types';

/**
 * The value that a result belongs to, as its query echoes it: under `value`, as the only one of `values`, or
 * under the name of the lookup key (`gtin`, `term`, `id`, …). Undefined when the query does not contain it.
 */
export function echoedValue(query: ResultQuery | undefined, key?: string): string | undefined {
	if (!query) return undefined;
	const name = query.key ?? key;
	return single(query.value) ?? single(query.values) ?? (name ? single(query[name]) : undefined);
}

/** Query fields that services of this kind name after the lookup key. */
const NAMES = ['gtin', 'id', 'term'] as const;

/**
 * The lookup key that a query names: in `key`, or else by its only field that is named like a lookup key.
 * Undefined when the query does not contain it.
 */
export function echoedKey(query: ResultQuery | undefined): string | undefined {
	if (!query) return undefined;
	const told = query.key ?? undefined;
	if (told !== undefined || echoedValue(query) !== undefined) return told;
	const named = NAMES.filter((name) => single(query[name]) !== undefined);
	return named.length === 1 ? named[0] : undefined;
}

/** The only text in an echo: a text, a number, or a list or lines of which just one is filled. */
function single(echo: unknown): string | undefined {
	if (typeof echo === 'string' && !echo.includes('\n')) return echo === '' ? undefined : echo;
	const texts = new Set<string>();
	for (const element of Array.isArray(echo) ? echo : [echo]) {
		if (element === undefined || element === null) continue;
		if (typeof element !== 'string' && !Number.isSafeInteger(element)) return undefined;
		for (const line of String(element).split(/[\r\n]+/)) if (line.trim() !== '') texts.add(line.trim());
	}
	const [only] = texts;
	return texts.size === 1 ? only : undefined;
}

/**
 * Compares values whatever their structure: only lost leaves count. A leaf is the text of a scalar; null and empty
 * texts have none.
 */

/** The leaves of any value, each as often as it occurs. */
export function leavesOf(value: unknown): string[] {
	if (value === null || value === undefined || value === '') return [];
	if (typeof value !== 'object') return [String(value)];
	return Object.values(value).flatMap(leavesOf);
}

/** Letters and digits of a name, in lower case: the same in every spelling. */
export const bare = (name: string) => name.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

/** A field by its name in any spelling. */
export function fieldNamed(object: unknown, name: string): unknown {
	if (typeof object !== 'object' || object === null) return undefined;
	return Object.entries(object).find(([field]) => bare(field) === bare(name))?.[1] as unknown;
}

const flat = (text: string) => text.replace(/\s+/g, ' ').trim();

/**
 * The expected leaves that are missing from the actual ones, as often as they are missing. `words`: a text may be
 * split, as long as each of its words is there.
 */
export function missingLeaves(expected: string[], actual: string[], words = false): string[] {
	const left = new Map<string, number>();
	for (const leaf of actual) left.set(flat(leaf), (left.get(flat(leaf)) ?? 0) + 1);
	const all = words ? new Set(actual.flatMap((leaf) => flat(leaf).split(' '))) : undefined;
	return expected.filter((leaf) => {
		const text = flat(leaf);
		const count = left.get(text) ?? 0;
		if (count > 0) {
			left.set(text, count - 1);
			return false;
		}
		return !(all && text.split(' ').every((word) => all.has(word)));
	});
}

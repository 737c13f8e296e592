/** What a callback may be at the most. Notifications are far smaller; services of this kind send no results with them. */
export const LARGEST_CALL = {
	/** Bytes of the body as it arrived. */
	bytes: 1024 * 1024,
	/** Names and elements in body or query, all levels together. */
	fields: 5_000,
	/** Levels of nesting. */
	depth: 40,
} as const;

/**
 * Whether parsed data is small enough to be looked into. Whoever calls may be anybody, so this comes before anything
 * else is done with a body: it stops at the limit, and needs no stack however deep the nesting is.
 */
export function isWithinBounds(data: unknown): boolean {
	const open: Array<{ value: unknown; depth: number }> = [{ value: data, depth: 0 }];
	let fields = 0;
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		const { value, depth } = next;
		if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) continue;
		if (depth >= LARGEST_CALL.depth) return false;
		for (const name in value) {
			if (++fields > LARGEST_CALL.fields) return false;
			open.push({ value: (value as Record<string, unknown>)[name], depth: depth + 1 });
		}
	}
	return true;
}

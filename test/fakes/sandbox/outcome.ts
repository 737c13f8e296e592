/**
 * How a lookup ends. Values choose it by their first letters, with any key but `gtin`: `notfound` (success, with the
 * content of the option `notFoundContent`; `-null`, `-empty`, `-list`: content null, `[]`, an object with an empty
 * list; `-reason`: no success, but charged), `fail` or `fail-some-words` (with that reason), `invalid`, or `slow`
 * (never answered). A create with `disabled` or `noproduct` is refused.
 *
 * Values also choose their content: `many-250` (that many entries), `nulls` (everything optional is null or empty),
 * `awkward` (every odd character), `megabytes-512` (the download is filled up to that size).
 */
export type Outcome =
	| { kind: 'found' }
	| { kind: 'notFound'; content: 'option' | 'null' | 'emptyArray' | 'emptyList' | 'reason' }
	| { kind: 'failed'; reason: string }
	| { kind: 'invalid' }
	| { kind: 'slow' };

/** GTINs that choose outcomes. They are in the in-store range, so no real article is hit. */
const SPECIAL_GTINS: Array<[prefix: string, word: string]> = [
	['2404', 'notfound'],
	['2408', 'slow'],
	['2422', 'invalid'],
	['2500', 'fail'],
];

const NOT_FOUND_CONTENT = {
	notfound: 'option',
	'notfound-empty': 'emptyArray',
	'notfound-list': 'emptyList',
	'notfound-null': 'null',
	'notfound-reason': 'reason',
} as const;

function wordOf(key: string, value: string): string {
	if (key !== 'gtin') return value.toLowerCase();
	const digits = value.replace(/^0+/, '');
	return SPECIAL_GTINS.find(([prefix]) => digits.length >= 12 && digits.startsWith(prefix))?.[1] ?? '';
}

/** The outcome that a value chooses by its first letters; any other value is found. */
export function outcomeOf(key: string, value: string): Outcome {
	const word = wordOf(key, value);
	if (word.startsWith('notfound')) {
		const exact = Object.entries(NOT_FOUND_CONTENT).findLast(([name]) => word.startsWith(name));
		return { kind: 'notFound', content: exact?.[1] ?? 'option' };
	}
	if (word.startsWith('fail')) {
		const reason = word.replace(/^fail-?/, '').replaceAll('-', ' ');
		return { kind: 'failed', reason: reason || 'failed to access source' };
	}
	if (word.startsWith('invalid')) return { kind: 'invalid' };
	return { kind: word.startsWith('slow') ? 'slow' : 'found' };
}

/** Size that a value such as `megabytes-512` asks for, in bytes; 0 for any other value. */
export function fillBytesOf(value: string): number {
	const match = /^megabytes-(\d{1,5})\b/i.exec(value);
	return match ? Number(match[1]) * 1_000_000 : 0;
}

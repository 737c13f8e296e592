/** What both readers give for text that cannot be read; `truncated` when the end is missing. */
export interface Unreadable {
	ok: false;
	/** For people; holds names of the document at most, never its texts. */
	detail: string;
	truncated: boolean;
}

/** How deeply objects and lists may be nested: results need about ten levels, and recursion over them is safe. */
export const MAX_DEPTH = 64;

export const TOO_DEEP = `nested more than ${MAX_DEPTH} levels deep`;

/** Shorter literals without an exponent are always exact. */
export const LONGEST_SAFE_NUMBER = 15;

/**
 * Whether a number keeps every digit of its literal: identifiers of twenty digits occur, and one wrong digit names
 * another product. Zeros at the end of a fraction do not count: they say nothing about the number.
 */
export function isExactNumber(literal: string): boolean {
	const value = Number(literal);
	if (/^-?\d+$/.test(literal)) return Number.isSafeInteger(value);
	return Number.isFinite(value) && digitsOf(literal) === digitsOf(String(value));
}

/** A number's digits without zeros around them, and where its point is. */
function digitsOf(literal: string): string {
	const [, sign = '', whole = '', fraction = '', exponent = '0'] =
		/^\+?(-?)(\d*)\.?(\d*)(?:[eE](.+))?$/.exec(literal) ?? [];
	const digits = `${whole}${fraction}`.replace(/^0+/, '');
	const bare = digits.replace(/0+$/, '');
	if (bare === '') return '0';
	return `${sign}${bare}e${Number(exponent) - fraction.length + digits.length}`;
}

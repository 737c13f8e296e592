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

/** A number's digits without zeros around them, and where its point is. Loops, because a literal has any length. */
function digitsOf(literal: string): string {
	const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
	const [whole = '', fraction = ''] = mantissa.replace(/^[-+]/, '').split('.');
	const digits = whole + fraction;
	let [first, last] = [0, digits.length];
	while (digits[first] === '0') first++;
	while (last > first && digits[last - 1] === '0') last--;
	if (first === last) return '0';
	const point = Number(exponent) + whole.length - first;
	return `${literal.startsWith('-') ? '-' : ''}${digits.slice(first, last)}e${point}`;
}

/** From this length on, V8 makes a part of a text a view of the whole. */
const SHORTEST_VIEW = 13;

/** A text by itself. One that was cut out of the document would keep all of it in memory. */
export function ownText(text: string): string {
	return text.length < SHORTEST_VIEW ? text : Buffer.from(text).toString();
}

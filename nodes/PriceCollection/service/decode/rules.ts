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

/**
 * An integer literal as a number, or as its own text where a number would change its digits: identifiers of
 * twenty digits occur, and one wrong digit names another product.
 */
export function exactInteger(literal: string): number | string {
	const value = Number(literal);
	return Number.isSafeInteger(value) ? value : literal;
}

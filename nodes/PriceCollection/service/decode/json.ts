/** What both parsers return for invalid text; `truncated` when the end is missing. */
export interface Unreadable {
	ok: false;
	/** For people; may contain names from the document, never its texts. */
	detail: string;
	truncated: boolean;
}

/** Deepest nesting of objects and lists: results need about ten levels, and recursion stays safe. */
export const MAX_DEPTH = 64;

const NOT_JSON = 'The JSON is not well-formed';

export const TOO_DEEP = `nested more than ${MAX_DEPTH} levels deep`;

const LONG_INTEGER = /(?<=^|[[:,\s])-?[1-9]\d{15}[-+.\dEe]*/g;

/** Puts integers that a double would change into quotes. Most documents have none, and stay the same text. */
function withExactIntegers(text: string): string {
	let [exact, from, isInText] = ['', 0, false];
	for (const { 0: number, index } of text.matchAll(LONG_INTEGER)) {
		const before = text.slice(from, index);
		// An even number of parts has an odd number of quotes in between.
		if (before.replace(/\\[^]/g, '').split('"').length % 2 === 0) isInText = !isInText;
		exact += before + (isInText || isExactNumber(number) ? number : `"${number}"`);
		from = index + number.length;
	}
	return exact + text.slice(from);
}

/** Parses JSON; integers that a double cannot represent exactly are kept as text. */
export async function parseJson(
	text: string,
	yieldToEventLoop: () => Promise<void>,
): Promise<{ ok: true; value: unknown } | Unreadable> {
	const exact = withExactIntegers(text);
	await yieldToEventLoop();
	try {
		const value: unknown = JSON.parse(exact);
		if (!isTooDeep(value, MAX_DEPTH)) return { ok: true, value };
		return { ok: false, detail: `The JSON is ${TOO_DEEP}`, truncated: false };
	} catch (error) {
		// The engine's message is not shown: it quotes the body, which may contain secrets.
		const [place, at] = /Unexpected token|position (\d+)/.exec(String(error)) ?? [];
		const truncated = place === undefined || Number(at) >= exact.trimEnd().length;
		return { ok: false, detail: truncated ? 'The JSON ends in the middle' : NOT_JSON, truncated };
	}
}

function isTooDeep(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	if (levels === 0) return true;
	if (Array.isArray(value)) return value.some((inner) => isTooDeep(inner, levels - 1));
	// Objects of JSON.parse have only own fields, and are far too many for lists of their values.
	for (const name in value)
		if (isTooDeep((value as Record<string, unknown>)[name], levels - 1)) return true;
	return false;
}

/** Whether an integer keeps every digit: one wrong digit of an identifier means another product. */
export function isExactNumber(literal: string): boolean {
	return !/^[-+]?\d+$/.test(literal) || Number.isSafeInteger(Number(literal));
}

/** What both parsers return for invalid text; `truncated` when the end is missing. */
export interface Unreadable {
	ok: false;
	/** For people; may contain names from the document, never its texts. */
	detail: string;
	truncated: boolean;
}

/** Deepest nesting of objects and lists: results need about ten levels, and recursion stays safe. */
export const MAX_DEPTH = 64;

export const TOO_DEEP = `nested more than ${MAX_DEPTH} levels deep`;

/** Shorter integers are always exact. */
const LONGEST_SAFE_NUMBER = 15;

/**
 * Scans the bytes of a document once for what JSON.parse does not report: the places of integers that a double
 * would change, and whether anything is still open at the end. A plain loop takes a fifth of the parsing time.
 */
function scanJson(bytes: Buffer) {
	const [quote, backslash, minus, nine, exponent] = [0x22, 0x5c, 0x2d, 0x39, 0x65] as const;
	// The square and curly brackets differ in one bit.
	const [begin, end, bracket] = [0x5b, 0x5d, 0xdf] as const;
	const [comma, colon] = [0x2c, 0x3a] as const;
	const { length } = bytes;
	const numbers: Array<[from: number, to: number]> = [];
	let [depth, deepest] = [0, 0];
	let isInText = false;
	for (let at = 0; at < length;) {
		let byte = bytes[at++] ?? 0;
		// What matters mostly follows one of these.
		if (byte === comma || byte === colon) byte = bytes[at++] ?? 0;
		if (byte === quote) {
			isInText = true;
			while (at < length) {
				// Most letters come after both.
				while ((bytes[at] ?? 0) > backslash) at++;
				const inside = bytes[at++];
				if (inside === backslash) at++;
				if (inside !== quote) continue;
				isInText = false;
				break;
			}
		} else if (byte >= minus && byte <= nine) {
			const from = at - 1;
			while ((bytes[at] ?? 0) >= minus && (bytes[at] ?? 0) <= nine) at++;
			const isWhole = ((bytes[at] ?? 0) | 0x20) !== exponent;
			if (at - from > LONGEST_SAFE_NUMBER && isWhole && isChanged(bytes, from, at))
				numbers.push([from, at]);
		} else if ((byte & bracket) === begin) {
			if (++depth > deepest) deepest = depth;
		} else if ((byte & bracket) === end) {
			depth--;
		}
	}
	return { numbers, isTooDeep: deepest > MAX_DEPTH, isOpen: isInText || depth > 0 };
}

function isChanged(bytes: Buffer, from: number, to: number): boolean {
	const literal = bytes.toString('latin1', from, to);
	return /^-?[1-9]\d*$/.test(literal) && !isExactNumber(literal);
}

/** Parses JSON in UTF-8; integers that a double cannot represent exactly are kept as text. */
export async function parseJson(
	bytes: Buffer,
	yieldToEventLoop: () => Promise<void>,
): Promise<{ ok: true; value: unknown } | Unreadable> {
	// Before the text is made, which then is in memory for a shorter time.
	const { numbers, isTooDeep, isOpen } = scanJson(bytes);
	await yieldToEventLoop();
	if (isTooDeep) return { ok: false, detail: `The JSON is ${TOO_DEEP}`, truncated: false };
	const ends = [...numbers.flat(), bytes.length];
	try {
		// A quote before and after each of these numbers.
		const parts = ends.map((end, index) => bytes.toString('utf8', ends[index - 1] ?? 0, end));
		return { ok: true, value: JSON.parse(parts.join('"')) as unknown };
	} catch {
		// The engine's message is not shown: it quotes the body, which may contain secrets.
		const detail = isOpen ? 'The JSON ends in the middle' : 'The JSON is not well-formed';
		return { ok: false, detail, truncated: isOpen };
	}
}

/** Whether an integer keeps every digit: one wrong digit of an identifier means another product. */
export function isExactNumber(literal: string): boolean {
	return !/^[-+]?\d+$/.test(literal) || Number.isSafeInteger(Number(literal));
}

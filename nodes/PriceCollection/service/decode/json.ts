import { exactInteger, MAX_DEPTH, TOO_DEEP, type Unreadable } from './rules';

/** Sixteen digits are the fewest that can pass 2^53; inside quotes they are text and need no care. */
const LONG_INTEGER = /(?<![\d"])\d{16,}(?=[\s,\]}]|$)/;

/** The same where it is known that no quotes are around: not the digits of a fraction or of an exponent. */
const LONG_INTEGERS = /(?<![\d.+eE]|[eE]-)-?\d{16,}(?![\d.eE])/g;

/**
 * JSON text to a value, as JSON.parse gives it, but integers that a number cannot hold exactly become strings.
 * A byte order mark is skipped. JSON.parse runs in one go: about 5 ms per megabyte.
 */
export function parseJson(text: string): { ok: true; value: unknown } | Unreadable {
	const json = text.startsWith('\uFEFF') ? text.slice(1) : text;
	let value: unknown;
	try {
		value = JSON.parse(json);
		// Only valid JSON is rewritten, so that strings can be told from numbers by their quotes alone.
		if (LONG_INTEGER.test(json)) value = JSON.parse(quoteLongIntegers(json));
	} catch (error) {
		return unreadable(json, error);
	}
	if (isDeeperThan(value, MAX_DEPTH))
		return { ok: false, detail: `The JSON is ${TOO_DEEP}`, truncated: false };
	return { ok: true, value };
}

/** Puts quotes around the unquoted integers beyond 2^53 of valid JSON. */
function quoteLongIntegers(json: string): string {
	const pieces: string[] = [];
	for (let start = 0; start < json.length;) {
		const quote = json.indexOf('"', start);
		const end = quote === -1 ? json.length : quote;
		pieces.push(json.slice(start, end).replace(LONG_INTEGERS, quoteIfLong));
		start = quote === -1 ? end : endOfString(json, quote);
		pieces.push(json.slice(end, start));
	}
	return pieces.join('');
}

function quoteIfLong(literal: string): string {
	return typeof exactInteger(literal) === 'string' ? `"${literal}"` : literal;
}

/** The index after the string that opens at `quote`. */
function endOfString(json: string, quote: number): number {
	for (let end = quote + 1; ; end++) {
		end = json.indexOf('"', end);
		let backslashes = 0;
		while (json[end - 1 - backslashes] === '\\') backslashes++;
		if (backslashes % 2 === 0) return end + 1;
	}
}

/** JSON.parse takes any depth, but whoever walks the value later would run out of stack. */
function isDeeperThan(value: unknown, levels: number): boolean {
	if (!isNested(value)) return false;
	if (levels === 0) return true;
	// Plain loops, and no call for a mere text: every field of a large body comes by here.
	if (Array.isArray(value)) {
		for (const child of value) if (isNested(child) && isDeeperThan(child, levels - 1)) return true;
		return false;
	}
	for (const name in value) {
		const child = value[name as keyof typeof value];
		if (isNested(child) && isDeeperThan(child, levels - 1)) return true;
	}
	return false;
}

function isNested(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}

/** The engine's message quotes the body, which may hold secrets; only the place is taken from it. */
function unreadable(json: string, error: unknown): Unreadable {
	const message = error instanceof Error ? error.message : '';
	const at = Number(/at position (\d+)/.exec(message)?.[1] ?? NaN);
	if (message.includes('Unexpected end') || at >= json.length) {
		return { ok: false, detail: 'The JSON ends in the middle', truncated: true };
	}
	const place = Number.isNaN(at) ? '' : ` at character ${at + 1}`;
	return { ok: false, detail: `The JSON is not well-formed${place}`, truncated: false };
}

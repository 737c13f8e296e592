import { isExactNumber, LONGEST_SAFE_NUMBER, MAX_DEPTH, TOO_DEEP, type Unreadable } from './rules';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const IN_EXPONENT: ReadonlySet<number | undefined> = new Set(Buffer.from('eE+-.0123456789'));
const BLANKS: ReadonlySet<number | undefined> = new Set(Buffer.from(' \n\r\t'));

/** What JSON.parse does not tell of a document. */
interface Scan {
	/** Numbers that a double would change: where each begins and ends. */
	numbers: Array<[from: number, to: number]>;
	isTooDeep: boolean;
	/** Whether a text, a list or an object is open at the end. */
	isOpen: boolean;
}

/** Goes once through the bytes of a document. The loop is plain, because it takes a fifth of the time of the parsing. */
function scan(bytes: Buffer): Scan {
	const [quote, backslash, minus, nine, exponent] = [0x22, 0x5c, 0x2d, 0x39, 0x65] as const;
	// Both brackets of either kind differ in one bit.
	const [begin, end, bracket] = [0x5b, 0x5d, 0xdf] as const;
	const { length } = bytes;
	const numbers: Scan['numbers'] = [];
	let [depth, deepest] = [0, 0];
	let isInText = false;
	for (let at = 0; at < length;) {
		const byte = bytes[at++] ?? 0;
		if (byte === quote) {
			isInText = true;
			while (isInText && at < length) {
				const inside = bytes[at++];
				if (inside === quote) isInText = false;
				else if (inside === backslash) at++;
			}
		} else if (byte >= minus && byte <= nine) {
			const from = at - 1;
			while ((bytes[at] ?? 0) >= minus && (bytes[at] ?? 0) <= nine) at++;
			const isRisky = at - from > LONGEST_SAFE_NUMBER || ((bytes[at] ?? 0) | 0x20) === exponent;
			while (isRisky && IN_EXPONENT.has(bytes[at])) at++;
			if (isRisky && isChanged(bytes, from, at)) numbers.push([from, at]);
		} else if ((byte & bracket) === begin) {
			if (++depth > deepest) deepest = depth;
		} else if ((byte & bracket) === end) {
			depth--;
		}
	}
	return { numbers, isTooDeep: deepest > MAX_DEPTH, isOpen: isInText || depth > 0 };
}

/** Whether a double would change a number. A name, which JSON does not allow to be one, is not for us to mend. */
function isChanged(bytes: Buffer, from: number, to: number): boolean {
	const literal = bytes.toString('latin1', from, to);
	if (!NUMBER.test(literal) || isExactNumber(literal)) return false;
	let next = to;
	while (BLANKS.has(bytes[next])) next++;
	return bytes[next] !== ':'.charCodeAt(0);
}

function withQuotes(bytes: Buffer, numbers: Scan['numbers']): string {
	const ends = [0, ...numbers.flat(), bytes.length];
	return ends
		.slice(1)
		.map((end, index) => bytes.toString('utf8', ends[index], end))
		.join('"');
}

/**
 * JSON to a value, as JSON.parse gives it, but numbers that a double cannot hold to the last digit become their own texts.
 * `yieldToEventLoop` is awaited between looking and parsing.
 *
 * @param bytes the text in UTF-8
 */
export async function parseJson(
	text: string,
	bytes: Buffer,
	yieldToEventLoop: () => Promise<void>,
): Promise<{ ok: true; value: unknown } | Unreadable> {
	const { numbers, isTooDeep, isOpen } = scan(bytes);
	if (isTooDeep) return { ok: false, detail: `The JSON is ${TOO_DEEP}`, truncated: false };
	await yieldToEventLoop();
	try {
		const exact = numbers.length === 0 ? text : withQuotes(bytes, numbers);
		return { ok: true, value: JSON.parse(exact) as unknown };
	} catch {
		return faultIn(text, isOpen);
	}
}

/** The engine's message quotes the body, which may hold secrets; only the place is taken from it. */
function faultIn(text: string, isOpen: boolean): Unreadable {
	let message = '';
	try {
		JSON.parse(text);
	} catch (error) {
		message = error instanceof Error ? error.message : '';
	}
	const place = / at position (\d+)(?: \([^()]*\))?$/.exec(message)?.[1];
	const isAtEnd = message.startsWith('Unexpected end') || Number(place ?? NaN) >= text.length;
	if (isOpen && isAtEnd) return { ok: false, detail: 'The JSON ends in the middle', truncated: true };
	const where = place === undefined ? '' : ` at character ${Number(place) + 1}`;
	return { ok: false, detail: `The JSON is not well-formed${where}`, truncated: false };
}

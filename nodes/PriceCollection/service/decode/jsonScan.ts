import { LONGEST_SAFE_NUMBER, MAX_DEPTH, TOO_DEEP } from './rules';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** Bytes that a number can be made of: digits, signs, the point and the exponent. */
const IN_NUMBER = new Uint8Array(256);
for (const character of '0123456789+-.eE') IN_NUMBER[character.charCodeAt(0)] = 1;

/**
 * Finds out where JSON in UTF-8 can be cut: tells strings from what is around them, and keeps count of brackets and
 * commas. Whether it is JSON at all is for the parser to say. All places are those of the bytes that `run` gets.
 */
export class JsonScan {
	/** How many containers have begun in the one that the reader is in, and have not ended. */
	depth = 0;
	/** By depth: where the container that is open there begins. */
	readonly begins = new Int32Array(MAX_DEPTH + 1);
	/** By depth: the last comma between members of that container, -1 where there is none. */
	readonly commas = new Int32Array(MAX_DEPTH + 1).fill(-1);
	/** The numbers that a double may not hold. */
	longNumbers: Array<{ from: number; to: number }> = [];
	inString = false;
	private inNumber = false;
	/** How many containers the reader is in. */
	private levels = 0;

	/**
	 * Goes on from one place to another, or to the end of the container that the reader is in: gives where that is. What
	 * is open stands in full before it, and a byte behind it is used as well. One loop over local variables: every byte
	 * of a large body comes by here.
	 */
	run(bytes: Buffer, from: number, end: number): number {
		const { begins, commas } = this;
		const deepest = MAX_DEPTH - this.levels;
		let { depth } = this;
		// Strings and numbers end here at the latest, so that their loops need not look for the end.
		bytes[end] = QUOTE;
		let at = from;
		if (this.inString) at = behindString(bytes, from, end);
		else if (this.inNumber) at = this.number(bytes, from, end);
		while (at < end) {
			const byte = bytes[at] ?? 0;
			if (byte === QUOTE) {
				at = behindString(bytes, at + 1, end);
				continue;
			}
			if (byte === COMMA) {
				commas[depth] = at;
			} else if ((byte >= 0x30 && byte <= 0x39) || byte === 0x2d) {
				at = this.number(bytes, at, end);
				continue;
			} else if (byte === 0x7b || byte === 0x5b) {
				if (depth === deepest) throw new RangeError(TOO_DEEP);
				depth++;
				begins[depth] = at;
				commas[depth] = -1;
			} else if (byte === 0x7d || byte === 0x5d) {
				if (depth === 0) break;
				depth--;
			}
			at++;
		}
		this.inString = at > end;
		this.depth = depth;
		return Math.min(at, end);
	}

	/** The reader has gone into all containers that have begun. */
	enter(): void {
		this.levels += this.depth;
		this.depth = 0;
		this.commas[0] = -1;
	}

	/** The reader has left the container that it was in. */
	leave(): void {
		this.levels--;
		this.commas[0] = -1;
	}

	/** The bytes have moved to the front. */
	move(distance: number): void {
		for (let level = 0; level <= this.depth; level++) {
			this.begins[level] = (this.begins[level] ?? 0) - distance;
			const comma = this.commas[level] ?? -1;
			if (comma >= 0) this.commas[level] = comma - distance;
		}
		for (const number of this.longNumbers) {
			number.from -= distance;
			number.to -= distance;
		}
	}

	/** Nothing more comes: what is open ends here. */
	finish(bytes: Buffer, end: number): void {
		if (this.inNumber) this.note(bytes, end, end);
	}

	/** Goes on to the end of a number. */
	private number(bytes: Buffer, from: number, end: number): number {
		let at = from;
		let hasExponent = false;
		for (; IN_NUMBER[bytes[at] ?? 0] === 1; at++)
			hasExponent ||= bytes[at] === 0x65 || bytes[at] === 0x45;
		// Of one that goes on from the last run only the rest was looked at.
		if (at < end && (hasExponent || this.inNumber || at - from > LONGEST_SAFE_NUMBER))
			this.note(bytes, from, at);
		this.inNumber = at === end;
		return at;
	}

	private note(bytes: Buffer, middle: number, to: number): void {
		let from = middle;
		while (IN_NUMBER[bytes[from - 1] ?? 0] === 1) from--;
		this.longNumbers.push({ from, to });
	}
}

/**
 * Where a string that begins before a place has ended; behind the end where it goes on. Looks at four bytes in turn,
 * which takes a quarter less than one: most of a large body is strings.
 */
function behindString(bytes: Buffer, from: number, end: number): number {
	let at = from;
	for (;;) {
		if (bytes[at] !== QUOTE) {
			if (bytes[at + 1] === QUOTE) at += 1;
			else if (bytes[at + 2] === QUOTE) at += 2;
			else if (bytes[at + 3] === QUOTE) at += 3;
			else {
				at += 4;
				continue;
			}
		}
		if (at === end || bytes[at - 1] !== BACKSLASH || !isEscaped(bytes, at)) return at + 1;
		at++;
	}
}

/** Whether an odd number of backslashes stands before a quote. */
function isEscaped(bytes: Buffer, quote: number): boolean {
	let at = quote;
	while (bytes[at - 1] === BACKSLASH) at--;
	return (quote - at) % 2 === 1;
}

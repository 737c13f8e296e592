import { LONGEST_SAFE_NUMBER, MAX_DEPTH, TOO_DEEP } from './rules';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** Bytes that a number can be made of: digits, signs, the point and the exponent. */
const IN_NUMBER = new Uint8Array(256);
for (const character of '0123456789+-.eE') IN_NUMBER[character.charCodeAt(0)] = 1;

/**
 * Finds out where JSON in UTF-8 can be cut: tells strings from what is around them, and keeps count of brackets and
 * commas. Pieces may end anywhere. Whether it is JSON at all is for the parser to say.
 */
export class JsonScan {
	/** How many containers are open inside the one that the reader is in. */
	depth = 0;
	/** By depth, within the piece: where the container that is open there begins. */
	readonly begins = new Int32Array(MAX_DEPTH + 1);
	/** By depth, within the piece: the last comma between members of that container, -1 where there is none. */
	readonly commas = new Int32Array(MAX_DEPTH + 1).fill(-1);
	/** Where in the document the numbers stand that a double may not hold. */
	longNumbers: Array<{ from: number; to: number }> = [];
	inString = false;
	/** How many containers the reader is in. */
	private levels = 0;
	private escaped = false;
	/** Where in the document the number began that the piece ended in. */
	private numberFrom: number | undefined;
	private hasExponent = false;

	/**
	 * Goes on up to the end of the container that the reader is in, or of the piece: gives where that is. One loop over
	 * local variables: every byte of a large body comes by here.
	 *
	 * @param base where in the document the piece begins
	 */
	run(piece: Buffer, from: number, base: number): number {
		const { begins, commas } = this;
		const deepest = MAX_DEPTH - this.levels;
		const size = piece.length;
		let { depth, inString } = this;
		let at = this.numberFrom === undefined ? from : this.number(piece, from, base);
		if (this.escaped && at < size) {
			this.escaped = false;
			at++;
		}
		while (at < size) {
			if (inString) {
				let byte = 0;
				while (at < size && (byte = piece[at] ?? 0) !== QUOTE) at += byte === BACKSLASH ? 2 : 1;
				inString = at >= size;
				// The escaped character is in the next piece.
				this.escaped = at > size;
				at++;
				continue;
			}
			const byte = piece[at] ?? 0;
			if (byte === QUOTE) {
				inString = true;
			} else if (byte === COMMA) {
				commas[depth] = at;
			} else if ((byte >= 0x30 && byte <= 0x39) || byte === 0x2d) {
				at = this.number(piece, at, base);
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
		this.depth = depth;
		this.inString = inString;
		return Math.min(at, size);
	}

	/** The reader has gone into all containers that are open. */
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

	/** Nothing more comes: a number may end with the document. */
	finish(length: number): void {
		if (this.numberFrom !== undefined) this.longNumbers.push({ from: this.numberFrom, to: length });
	}

	/** Goes to the end of a number, and notes it when a double may not hold it. */
	private number(piece: Buffer, from: number, base: number): number {
		const start = this.numberFrom ?? base + from;
		let hasExponent = this.numberFrom !== undefined && this.hasExponent;
		let at = from;
		for (; at < piece.length && IN_NUMBER[piece[at] ?? 0] === 1; at++)
			hasExponent ||= piece[at] === 0x65 || piece[at] === 0x45;
		if (at === piece.length) {
			this.numberFrom = start;
			this.hasExponent = hasExponent;
		} else {
			this.numberFrom = undefined;
			if (hasExponent || base + at - start > LONGEST_SAFE_NUMBER)
				this.longNumbers.push({ from: start, to: base + at });
		}
		return at;
	}
}

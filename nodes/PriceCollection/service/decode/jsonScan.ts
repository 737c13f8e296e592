import { isExactNumber, LONGEST_SAFE_NUMBER, MAX_DEPTH, TOO_DEEP } from './rules';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const QUOTE_BYTES = Buffer.from('"');
const MARK = Buffer.from('\uFEFF');

/** Bytes that a number can be made of: digits, signs, the point and the exponent. */
const IN_NUMBER = new Uint8Array(256);
for (const character of '0123456789+-.eE') IN_NUMBER[character.charCodeAt(0)] = 1;

/**
 * Looks through the bytes of JSON in UTF-8 on their way to the parser: puts quotes around the numbers that a double
 * would change, and keeps count of what is open. Pieces may end anywhere.
 */
export class JsonScan {
	/** Bytes seen so far. */
	length = 0;
	/** Whether it is nested too deeply: the rest is then not worth reading. */
	isTooDeep = false;
	private depth = 0;
	private inString = false;
	private escaped = false;
	/** A number that the piece ended in. */
	private held: Buffer[] = [];

	/** Whether something is open: if nothing more comes, the end is missing. */
	get isOpen(): boolean {
		return this.depth > 0 || this.inString;
	}

	/** A piece as it goes on to the parser. One loop over local variables: every byte of a large body comes by here. */
	push(bytes: Buffer): Buffer[] {
		const piece = this.length === 0 && bytes.subarray(0, 3).equals(MARK) ? bytes.subarray(3) : bytes;
		this.length += bytes.length;
		const out: Buffer[] = [];
		const size = piece.length;
		let from = this.goOn(piece, out);
		let { inString, depth } = this;
		let at = from;
		if (this.escaped && size > 0) {
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
			} else if ((byte >= 0x30 && byte <= 0x39) || byte === 0x2d) {
				const start = at;
				let hasExponent = false;
				for (; at < size && IN_NUMBER[piece[at] ?? 0] === 1; at++)
					hasExponent ||= piece[at] === 0x65 || piece[at] === 0x45;
				if (at === size) {
					out.push(piece.subarray(from, start));
					this.held.push(Buffer.from(piece.subarray(start)));
					from = size;
				} else if ((at - start > LONGEST_SAFE_NUMBER || hasExponent) && piece[at] !== 0x3a) {
					// A colon behind it would make it a name, which JSON does not allow: that is not for us to mend.
					const number = piece.subarray(start, at);
					if (needsQuotes(number)) {
						out.push(piece.subarray(from, start), QUOTE_BYTES, number, QUOTE_BYTES);
						from = at;
					}
				}
				continue;
			} else if (byte === 0x7b || byte === 0x5b) {
				depth++;
				if (depth > MAX_DEPTH) {
					this.isTooDeep = true;
					throw new RangeError(TOO_DEEP);
				}
			} else if (byte === 0x7d || byte === 0x5d) {
				depth--;
			}
			at++;
		}
		this.inString = inString;
		this.depth = depth;
		if (from < size) out.push(from === 0 ? piece : piece.subarray(from));
		return out;
	}

	/** What was held back, once nothing more comes. */
	finish(): Buffer[] {
		return this.held.length === 0 ? [] : this.released();
	}

	/** Goes on with a number that the piece before ended in. Gives where the rest begins. */
	private goOn(piece: Buffer, out: Buffer[]): number {
		if (this.held.length === 0) return 0;
		let at = 0;
		while (at < piece.length && IN_NUMBER[piece[at] ?? 0] === 1) at++;
		this.held.push(Buffer.from(piece.subarray(0, at)));
		if (at < piece.length) out.push(...this.released());
		return at;
	}

	private released(): Buffer[] {
		const number = Buffer.concat(this.held);
		this.held = [];
		return needsQuotes(number) ? [QUOTE_BYTES, number, QUOTE_BYTES] : [number];
	}
}

function needsQuotes(number: Buffer): boolean {
	if (number.length <= LONGEST_SAFE_NUMBER && !number.includes('e') && !number.includes('E')) return false;
	const literal = number.toString('latin1');
	// What is no number stays as it is, for the parser to object to.
	return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(literal) && !isExactNumber(literal);
}

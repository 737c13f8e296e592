const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const HEX = Buffer.from('0123456789abcdef');
const WORD = 4;
/** The bits that ASCII does not have, in a word of four bytes. */
const BEYOND_ASCII = 0x80808080;
/** The most that a character takes: two escapes. */
const LONGEST = 12;
/** How much longer an escape is than the UTF-16 unit that it stands for. */
const SURPLUS = 5;

/** A text that the engine keeps in one byte per character, and how many UTF-16 units it has without its escapes. */
interface Narrow {
	text: string;
	characters: number;
}

/**
 * Writes JSON in UTF-8 with escapes for what is beyond Latin-1. One such character makes the engine keep a whole text
 * in two bytes per character, and that is most of the memory that reading a large body takes.
 */
export class NarrowText {
	private room = Buffer.alloc(0);
	private words = new Int32Array(0);
	/** How many the text has that was written last. */
	private escapes = 0;

	/**
	 * The JSON as a text that JSON.parse reads as the same value; what it refuses in one it refuses in the other, though
	 * maybe at another place.
	 *
	 * @returns undefined for bytes that are not UTF-8, and where escapes would take more memory than they save
	 */
	of(bytes: Buffer): Narrow | undefined {
		// The text is written in front of the bytes that it is made of; the room between them is for escapes.
		const between = Math.max(LONGEST, bytes.length >> 2);
		const size = this.write(between, this.fill(bytes, between));
		if (size === undefined) return undefined;
		return { text: this.room.toString('latin1', 0, size), characters: size - SURPLUS * this.escapes };
	}

	/** Writes the text of the bytes from one place to another. Gives its size. */
	private write(from: number, end: number): number | undefined {
		const { room } = this;
		this.escapes = 0;
		for (let at = from, size = 0; ;) {
			const begin = at;
			at = this.asciiUntil(at);
			room.copyWithin(size, begin, at);
			size += at - begin;
			if (at === end) return size;
			const code = codePoint(room, at);
			// What is not JSON must not become it: a backslash before a character is not, before an escape it may be.
			if (code === undefined || size + LONGEST > at || room[size - 1] === BACKSLASH) return undefined;
			at += bytesOf(code);
			if (code <= 0xff) {
				room[size++] = code;
			} else if (code <= 0xffff) {
				size = escape(room, size, code);
				this.escapes++;
			} else {
				size = escape(room, escape(room, size, 0xd7c0 + (code >> 10)), 0xdc00 + (code & 0x3ff));
				this.escapes += 2;
			}
		}
	}

	/** Puts the bytes behind the room for escapes. Gives their end. */
	private fill(bytes: Buffer, between: number): number {
		const end = between + bytes.length;
		if (this.room.length < end + 2 * WORD) {
			this.room = Buffer.allocUnsafeSlow((end + 2 * WORD + bytes.length / 4) & ~(WORD - 1));
			this.words = new Int32Array(this.room.buffer);
		}
		bytes.copy(this.room, between);
		// ASCII ends here at the latest, so that its loops need not look for the end.
		this.room.fill(0x80, end, end + WORD);
		return end;
	}

	/** Where ASCII ends. Looks at whole words: every byte of a large body comes by here. */
	private asciiUntil(from: number): number {
		const { room, words } = this;
		let at = from;
		while (at % WORD !== 0 && isAscii(room[at])) at++;
		if (at % WORD !== 0) return at;
		let word = at / WORD;
		while (((words[word] ?? 0) & BEYOND_ASCII) === 0) word++;
		at = word * WORD;
		while (isAscii(room[at])) at++;
		return at;
	}
}

function isAscii(byte: number | undefined): boolean {
	return (byte ?? 0) < 0x80;
}

/** The character beyond ASCII that begins at a place; undefined where the bytes are not UTF-8. */
function codePoint(bytes: Buffer, at: number): number | undefined {
	const first = bytes[at] ?? 0;
	const second = (bytes[at + 1] ?? 0) ^ 0x80;
	if (first < 0xe0) return first < 0xc2 || second > 0x3f ? undefined : ((first & 0x1f) << 6) | second;
	const third = (bytes[at + 2] ?? 0) ^ 0x80;
	if (first < 0xf0) {
		const code = ((first & 0x0f) << 12) | (second << 6) | third;
		const isHalf = code >= 0xd800 && code <= 0xdfff;
		return (second | third) > 0x3f || code < 0x800 || isHalf ? undefined : code;
	}
	const fourth = (bytes[at + 3] ?? 0) ^ 0x80;
	const code = ((first & 0x0f) << 18) | (second << 12) | (third << 6) | fourth;
	const isOut = first > 0xf4 || code < 0x10000 || code > 0x10ffff;
	return (second | third | fourth) > 0x3f || isOut ? undefined : code;
}

/** How many bytes a character beyond ASCII has in UTF-8. */
function bytesOf(code: number): number {
	if (code < 0x800) return 2;
	return code < 0x10000 ? 3 : 4;
}

/** Writes the escape of a UTF-16 unit. Gives where it ends. */
function escape(room: Buffer, at: number, unit: number): number {
	room[at] = BACKSLASH;
	room[at + 1] = LETTER_U;
	for (let digit = 0; digit < 4; digit++) room[at + 2 + digit] = HEX[(unit >> (12 - 4 * digit)) & 0xf] ?? 0;
	return at + 6;
}

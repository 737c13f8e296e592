import { setField } from '../types';
import { mendedText, type Pieces } from './bytes';
import { JsonScan } from './jsonScan';
import { NarrowText } from './narrowText';
import { isExactNumber, TOO_DEEP, type Unreadable } from './rules';

/**
 * Bytes that are parsed at a stretch. Texts of this size live outside of the engine's heap: smaller ones cost it more
 * collections of garbage than they save memory.
 */
const STEP = 1024 * 1024;

/** Bytes that are scanned at a stretch: a loop that comes to its end now and then is compiled once, and for good. */
const PIECE = 64 * 1024;

/** Bytes after which others get their turn: they are read in some 40 ms, and each turn costs collections of garbage. */
const TURN = 4 * 1024 * 1024;

const COMMA = 0x2c;
const COLON = 0x3a;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
const QUOTE = Buffer.from('"');
const MARK = /^\uFEFF/;

/** More than the brackets that are put around members. */
const SPARE = 4;

/** A string as JSON writes it. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/gs;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const TRUNCATED: Unreadable = { ok: false, detail: 'The JSON ends in the middle', truncated: true };

/** What was read. `mended` is there where some texts held bytes that are not UTF-8: how many. */
export interface ReadJson {
	ok: true;
	value: unknown;
	mended?: number;
}

type Container = unknown[] | Record<string, unknown>;

/**
 * Reads one JSON document in UTF-8 as it comes. A scan finds where it can be cut: at commas and brackets outside of
 * strings. What stands between two cuts goes through JSON.parse, in brackets of its own, and into the innermost
 * container that is still open. So nothing passes that JSON.parse would refuse, and the text never exists as a whole.
 */
export class JsonReader {
	private readonly scan = new JsonScan();
	private readonly root: unknown[] = [];
	/** The containers that are open, from the outside in. The document is the only element of the first. */
	private readonly open: Container[] = [this.root];
	/** What comes next in the innermost: after a comma a member, after a container that ended a comma or the end. */
	private next: 'any' | 'member' | 'separator' = 'any';
	/** What is not parsed yet, and room around it. */
	private bytes = Buffer.alloc(2 * SPARE);
	/** Up to where the bytes are parsed, scanned and filled. */
	private parsed = SPARE;
	private scanned = SPARE;
	private filled = SPARE;
	/** Characters parsed so far. */
	private characters = 0;
	/** Texts with bytes that are not UTF-8. */
	private mended = 0;
	private readonly narrow = new NarrowText();
	private fault: Unreadable | undefined;

	/** @param step how many bytes are parsed at a stretch */
	constructor(private readonly step = STEP) {}

	/** Reads on. False after a fault: the rest is not worth reading. */
	write(piece: Buffer): boolean {
		this.attempt(() => {
			this.fill(piece);
			this.read();
			if (this.filled - this.parsed >= this.step) this.enterAll();
		});
		return this.fault === undefined;
	}

	/** The document's value, or why there is none. */
	close(): ReadJson | Unreadable {
		const { scan, filled } = this;
		scan.finish(this.bytes, filled);
		const isWhole = this.isOutside && scan.depth === 0 && !scan.inString;
		// The engine says whether the end is all that is missing.
		if (!isWhole) this.attempt(() => this.take(filled, ''), true);
		else if (this.next === 'any') this.attempt(() => this.take(filled));
		if (this.fault || !isWhole) return this.fault ?? TRUNCATED;
		return { ok: true, value: this.root[0], ...(this.mended > 0 && { mended: this.mended }) };
	}

	/** Moves what is not parsed to the front, and puts the piece behind it. */
	private fill(piece: Buffer): void {
		const { bytes, parsed, filled } = this;
		const distance = parsed - SPARE;
		const needed = filled - distance + piece.length + SPARE;
		const isEnough = needed <= bytes.length;
		// Most bodies come in one piece; others get room for all that will stand here at once.
		const room = filled === SPARE ? 0 : Math.max(this.step, needed);
		const target = isEnough ? bytes : Buffer.allocUnsafe(needed + room);
		if (!isEnough || distance > 0) bytes.copy(target, SPARE, parsed, filled);
		piece.copy(target, filled - distance);
		// A number is looked for backwards from its end: here is none.
		target[SPARE - 1] = 0;
		this.bytes = target;
		this.scan.move(distance);
		this.parsed -= distance;
		this.scanned -= distance;
		this.filled += piece.length - distance;
	}

	/** Scans what has come, from one end of an open container to the next. */
	private read(): void {
		const { scan, bytes, filled } = this;
		let at = this.scanned;
		while (at < filled) {
			if (this.next === 'separator') at = this.readSeparator(at);
			at = scan.run(bytes, at, filled);
			if (at < filled) this.leave(at++);
		}
		this.scanned = at;
	}

	/** What stands behind a container that ended: blanks, then a comma or the end of the one around it. */
	private readSeparator(from: number): number {
		const { bytes, filled } = this;
		const at = skipBlanks(bytes, from, filled);
		this.skip(at - from);
		if (at === filled || bytes[at] === LIST_END || bytes[at] === OBJECT_END) return at;
		if (bytes[at] !== COMMA) throw this.misplaced();
		this.skipComma();
		return at + 1;
	}

	/** The innermost container ends here. */
	private leave(at: number): void {
		if (this.next !== 'separator') this.take(at);
		const end = Array.isArray(this.innermost) ? LIST_END : OBJECT_END;
		if (this.isOutside || this.bytes[at] !== end) throw this.misplaced();
		this.open.pop();
		this.scan.leave();
		this.skip(1);
		this.next = 'separator';
	}

	/** Takes all members that are complete, and goes into those that are not. */
	private enterAll(): void {
		const { scan } = this;
		for (let level = 0; level <= scan.depth; level++) {
			const comma = scan.commas[level] ?? -1;
			if (comma >= 0) {
				this.next = 'member';
				this.take(comma);
				this.skipComma();
			}
			if (level < scan.depth) this.enter(scan.begins[level + 1] ?? 0);
		}
		scan.enter();
	}

	/** Goes into the container that begins here: parsed as an empty one, it is filled from then on. */
	private enter(at: number): void {
		const child = this.bytes[at] === OBJECT ? '{}' : '[]';
		const parsed = this.take(at, child + this.brackets[1]);
		this.open.push(this.isOutside ? parsed : (Object.values(parsed)[0] as Container));
		this.skip(1);
		this.next = 'any';
	}

	private skipComma(): void {
		if (this.isOutside) throw this.misplaced();
		this.skip(1);
		this.next = 'member';
	}

	private skip(bytes: number): void {
		this.parsed += bytes;
		this.characters += bytes;
	}

	/**
	 * Parses the members up to a place, and puts them into the innermost container.
	 *
	 * @param end what is to follow them for the engine
	 * @returns a container of these members alone; the document where none is open
	 */
	private take(to: number, end = this.brackets[1]): Container {
		const { bytes, parsed: from } = this;
		const [begin, close] = this.brackets;
		const isNothing = end === close && skipBlanks(bytes, from, to) === to;
		if (isNothing && this.next === 'member') throw this.misplaced(to - from);
		// The brackets are written around the bytes for a while: around the text they would cost a copy of it.
		const behind = Buffer.from(bytes.subarray(to, to + end.length));
		bytes.write(begin, from - begin.length);
		bytes.write(end, to);
		const wrapped = bytes.subarray(from - begin.length, to + end.length);
		let read;
		try {
			read = this.parse(wrapped, this.withQuotes(wrapped, to));
		} finally {
			behind.copy(bytes, to);
		}
		append(this.innermost, this.isOutside ? [read.value] : read.value);
		this.parsed = to;
		this.characters += read.characters - begin.length - end.length;
		return read.value;
	}

	/** Parses bytes, and says how many characters they are. */
	private parse(bytes: Buffer, quoted: Buffer | undefined): { value: Container; characters: number } {
		const narrow = quoted === undefined ? this.narrow.of(bytes) : undefined;
		if (narrow !== undefined) {
			try {
				return { value: JSON.parse(narrow.text) as Container, characters: narrow.characters };
			} catch {
				// The place counts in the text as it came.
			}
		}
		const read = mendedText(bytes, STRING);
		const text = this.isOutside ? read.text.replace(MARK, '') : read.text;
		const exact = quoted && mendedText(quoted, STRING).text;
		const value = (exact === undefined ? JSON.parse(text) : parseEither(exact, text)) as Container;
		this.mended += read.mended;
		return { value, characters: text.length };
	}

	/** The bytes with quotes around those numbers up to a place that a double would change. */
	private withQuotes(wrapped: Buffer, to: number): Buffer | undefined {
		const { scan } = this;
		const numbers = scan.longNumbers.filter((number) => number.to <= to);
		if (numbers.length === 0) return undefined;
		scan.longNumbers = scan.longNumbers.slice(numbers.length);
		const start = this.parsed - this.brackets[0].length;
		const parts: Buffer[] = [];
		let from = 0;
		for (const number of numbers) {
			const literal = wrapped.subarray(number.from - start, number.to - start);
			if (!needsQuotes(wrapped, number.from - start, number.to - start)) continue;
			parts.push(wrapped.subarray(from, number.from - start), QUOTE, literal, QUOTE);
			from = number.to - start;
		}
		return from === 0 ? undefined : Buffer.concat([...parts, wrapped.subarray(from)]);
	}

	private get innermost(): Container {
		return this.open.at(-1) ?? this.root;
	}

	/** Whether no container of the document is open. */
	private get isOutside(): boolean {
		return this.open.length === 1;
	}

	/** Those of the innermost container; the document stands in none. */
	private get brackets(): readonly [string, string] {
		if (this.isOutside) return ['', ''];
		return Array.isArray(this.innermost) ? ['[', ']'] : ['{', '}'];
	}

	/** An error in the engine's words, so many characters behind what is parsed. */
	private misplaced(characters = 0): SyntaxError {
		return new SyntaxError(`Misplaced in JSON at position ${this.brackets[0].length + characters}`);
	}

	private attempt(work: () => void, isEnd = false): void {
		if (this.fault) return;
		try {
			work();
		} catch (error) {
			this.fault = this.faultOf(error instanceof Error ? error.message : '', isEnd);
		}
	}

	/** The engine's message quotes the body, which may hold secrets; only the place is taken from it. */
	private faultOf(message: string, isEnd: boolean): Unreadable {
		if (message === TOO_DEEP) return unreadable(`The JSON is ${TOO_DEEP}`);
		const place = / at position (\d+)(?: \(.*\))?$/.exec(message)?.[1];
		const offset = Number(place ?? NaN) - this.brackets[0].length;
		const { bytes, parsed, filled } = this;
		const isAtEnd =
			offset >= bytes.toString('utf8', parsed, filled).length || /^Unexpected end/.test(message);
		if (isEnd && isAtEnd) return TRUNCATED;
		const where = place === undefined ? '' : ` at character ${this.characters + offset + 1}`;
		return unreadable(`The JSON is not well-formed${where}`);
	}
}

/**
 * JSON in UTF-8 to a value, as JSON.parse gives it, but numbers that a double cannot hold to the last digit become
 * their own texts, and bytes that are not UTF-8 are read as Windows-1252. `yieldToEventLoop` is awaited after every
 * few megabytes: it decides when n8n's event loop gets its turn, and its rejection ends the work.
 *
 * @throws what `pieces` or `yieldToEventLoop` throw
 */
export async function parseJson(
	pieces: Pieces,
	yieldToEventLoop: () => Promise<void>,
): Promise<ReadJson | Unreadable> {
	const reader = new JsonReader();
	let size = 0;
	for await (const piece of pieces) {
		for (let at = 0; at < piece.length; at += PIECE) {
			const part = piece.subarray(at, at + PIECE);
			if (!reader.write(part)) return reader.close();
			size += part.length;
			if (size < TURN) continue;
			size = 0;
			await yieldToEventLoop();
		}
	}
	return reader.close();
}

/** Parses a text, or, if that is not JSON, another in its place. */
function parseEither(text: string, other: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return JSON.parse(other);
	}
}

function append(container: Container, members: Container): void {
	if (Array.isArray(container)) {
		for (const member of Object.values(members)) container.push(member);
		return;
	}
	for (const [name, value] of Object.entries(members)) setField(container, name, value);
}

/** Whether a double would change a number. A name, which JSON does not allow, is not for us to mend. */
function needsQuotes(bytes: Buffer, from: number, to: number): boolean {
	const literal = bytes.toString('latin1', from, to);
	if (!NUMBER.test(literal) || isExactNumber(literal)) return false;
	return bytes[skipBlanks(bytes, to, bytes.length)] !== COLON;
}

function skipBlanks(bytes: Buffer, from: number, to: number): number {
	let at = from;
	for (; at < to; at++) {
		const byte = bytes[at];
		if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
	}
	return at;
}

function unreadable(detail: string): Unreadable {
	return { ok: false, detail, truncated: false };
}

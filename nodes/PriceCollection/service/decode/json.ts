import type { Pieces } from './bytes';
import { JsonScan } from './jsonScan';
import { isExactNumber, TOO_DEEP, type Unreadable } from './rules';

/** Bytes read at a stretch: about 2 ms of work. */
const STEP = 256 * 1024;
/** After so many steps others get their turn: a turn of n8n's event loop costs as much as a step. */
const STEPS_AT_A_STRETCH = 4;

const COMMA = 0x2c;
const COLON = 0x3a;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
const BLANKS = Buffer.from(' \t\r\n');
const QUOTE = Buffer.from('"');
const MARK = Buffer.from('\uFEFF');

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const TRUNCATED: Unreadable = { ok: false, detail: 'The JSON ends in the middle', truncated: true };

type Container = unknown[] | Record<string, unknown>;

/**
 * Reads one JSON document in UTF-8 piece by piece. A scan finds where it can be cut: at commas and brackets outside of
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
	private piece: Buffer = Buffer.alloc(0);
	/** What is not parsed yet of earlier pieces: the beginning of a member that goes on in this one. */
	private held: Buffer[] = [];
	/** Where in the document the piece begins, in bytes. */
	private base = 0;
	/** Up to where the document is parsed, in bytes and in characters. */
	private done = 0;
	private characters = 0;
	private fault: Unreadable | undefined;

	/** Reads on. False after a fault: the rest is not worth reading. */
	write(piece: Buffer): boolean {
		this.attempt(() => {
			this.enterAll();
			this.base += this.piece.length;
			this.piece = piece;
			this.read();
		});
		return this.fault === undefined;
	}

	/** The document's value, or why there is none. */
	close(): { ok: true; value: unknown } | Unreadable {
		const { scan } = this;
		const end = this.base + this.piece.length;
		scan.finish(end);
		const isWhole = this.isOutside && scan.depth === 0 && !scan.inString;
		// The engine says whether the end is all that is missing.
		if (!isWhole) this.attempt(() => this.take(end, ''), end);
		else if (this.next === 'any') this.attempt(() => this.take(end));
		return this.fault ?? (isWhole ? { ok: true, value: this.root[0] } : TRUNCATED);
	}

	/** Goes through the piece from one end of an open container to the next. */
	private read(): void {
		const { scan, piece, base } = this;
		if (base === 0 && piece.subarray(0, MARK.length).equals(MARK)) this.done = MARK.length;
		let at = Math.max(this.done - base, 0);
		while (at < piece.length) {
			if (this.next === 'separator') at = this.readSeparator(at);
			at = scan.run(piece, at, base);
			if (at < piece.length) this.leave(at++);
		}
	}

	/** What stands behind a container that ended: blanks, then a comma or the end of the one around it. */
	private readSeparator(from: number): number {
		const { piece } = this;
		let at = from;
		while (at < piece.length && BLANKS.includes(piece[at] ?? 0)) at++;
		this.skip(at - from);
		if (at === piece.length || piece[at] === LIST_END || piece[at] === OBJECT_END) return at;
		if (piece[at] !== COMMA) throw this.misplaced();
		this.skipComma();
		return at + 1;
	}

	/** The innermost container ends here. */
	private leave(at: number): void {
		if (this.next !== 'separator') this.take(this.base + at);
		const end = Array.isArray(this.innermost) ? LIST_END : OBJECT_END;
		if (this.isOutside || this.piece[at] !== end) throw this.misplaced();
		this.open.pop();
		this.scan.leave();
		this.skip(1);
		this.next = 'separator';
	}

	/** Takes all members that are complete, goes into those that are not, and holds what is left of the piece. */
	private enterAll(): void {
		const { scan, piece, base } = this;
		for (let level = 0; level <= scan.depth; level++) {
			const comma = scan.commas[level] ?? -1;
			if (comma >= 0) {
				this.next = 'member';
				this.take(base + comma);
				this.skipComma();
			}
			if (level < scan.depth) this.enter(scan.begins[level + 1] ?? 0);
		}
		scan.enter();
		this.held.push(piece.subarray(Math.max(this.done - base, 0)));
	}

	/** Goes into the container that begins here: parsed as an empty one, it is filled from then on. */
	private enter(at: number): void {
		const child = this.piece[at] === OBJECT ? '{}' : '[]';
		const parsed = this.take(this.base + at, child + this.brackets[1]);
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
		this.done += bytes;
		this.characters += bytes;
	}

	/**
	 * Parses the members up to a place, and puts them into the innermost container.
	 *
	 * @param end what is to follow them for the engine
	 * @returns a container of these members alone; the document where none is open
	 */
	private take(to: number, end = this.brackets[1]): Container {
		const [begin, close] = this.brackets;
		const bytes = this.bytesTo(to);
		const text = bytes.toString();
		if (this.next === 'member' && end === close && text.trim() === '') throw this.misplaced(text.length);
		const exact = this.withQuotes(bytes, to);
		const parsed = parseEither(begin + (exact ?? text) + end, begin + text + end) as Container;
		append(this.innermost, this.isOutside ? [parsed] : parsed);
		this.done = to;
		this.characters += text.length;
		this.held = [];
		return parsed;
	}

	/** Puts quotes around the numbers up to a place that a double would change. */
	private withQuotes(bytes: Buffer, to: number): string | undefined {
		const { scan, done } = this;
		const numbers = scan.longNumbers.filter((number) => number.to <= to);
		if (numbers.length === 0) return undefined;
		scan.longNumbers = scan.longNumbers.slice(numbers.length);
		const parts: Buffer[] = [];
		let from = 0;
		for (const number of numbers) {
			const [start, end] = [number.from - done, number.to - done];
			if (!needsQuotes(bytes, start, end)) continue;
			parts.push(bytes.subarray(from, start), QUOTE, bytes.subarray(start, end), QUOTE);
			from = end;
		}
		return from === 0 ? undefined : Buffer.concat([...parts, bytes.subarray(from)]).toString();
	}

	/** What is not parsed yet up to a place in or behind the piece. */
	private bytesTo(to: number): Buffer {
		const { held, piece, base, done } = this;
		return Buffer.concat([...held, piece.subarray(Math.max(done - base, 0), to - base)]);
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

	/** @param end where the document ends, if an error there shall mean that its end is missing */
	private attempt(work: () => void, end?: number): void {
		if (this.fault) return;
		try {
			work();
		} catch (error) {
			this.fault = this.faultOf(error instanceof Error ? error.message : '', end);
		}
	}

	/** The engine's message quotes the body, which may hold secrets; only the place is taken from it. */
	private faultOf(message: string, end: number | undefined): Unreadable {
		if (message === TOO_DEEP) return unreadable(`The JSON is ${TOO_DEEP}`);
		const at = /^Unexpected end/.test(message)
			? Infinity
			: / at position (\d+)(?: \(.*\))?$/.exec(message)?.[1];
		if (at === undefined) return unreadable('The JSON is not well-formed');
		const offset = Number(at) - this.brackets[0].length;
		if (end !== undefined && offset >= this.bytesTo(end).toString().length) return TRUNCATED;
		return unreadable(`The JSON is not well-formed at character ${this.characters + offset + 1}`);
	}
}

/**
 * JSON in UTF-8 to a value, as JSON.parse gives it, but numbers that a double cannot hold to the last digit become
 * their own texts. `yieldToEventLoop` is awaited after each megabyte: it decides when n8n's event loop gets its turn,
 * and its rejection ends the work.
 *
 * @throws what `pieces` or `yieldToEventLoop` throw
 */
export async function parseJson(
	pieces: Pieces,
	yieldToEventLoop: () => Promise<void>,
): Promise<{ ok: true; value: unknown } | Unreadable> {
	const reader = new JsonReader();
	let steps = 0;
	for await (const step of inSteps(pieces)) {
		if (!reader.write(step)) break;
		if (++steps % STEPS_AT_A_STRETCH === 0) await yieldToEventLoop();
	}
	return reader.close();
}

/** Pieces of one size: smaller ones would be scanned and parsed one by one. */
async function* inSteps(pieces: Pieces): AsyncGenerator<Buffer> {
	let parts: Buffer[] = [];
	let size = 0;
	for await (const piece of pieces) {
		for (let at = 0; at < piece.length;) {
			const part = piece.subarray(at, at + STEP - size);
			parts.push(part);
			size += part.length;
			at += part.length;
			if (size < STEP) continue;
			yield Buffer.concat(parts);
			parts = [];
			size = 0;
		}
	}
	yield Buffer.concat(parts);
}

/** Parses a text, or, if that is not JSON, tries another in its place. */
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
	for (const [name, value] of Object.entries(members)) {
		// Assigned, it would become the prototype.
		if (name === '__proto__') Object.defineProperty(container, name, { value, ...PLAIN });
		else container[name] = value;
	}
}

const PLAIN = { configurable: true, enumerable: true, writable: true };

/** Whether a number is one that a double would change. A name, which JSON does not allow, is not for us to mend. */
function needsQuotes(bytes: Buffer, from: number, to: number): boolean {
	const literal = bytes.toString('latin1', from, to);
	if (!NUMBER.test(literal) || isExactNumber(literal)) return false;
	let at = to;
	while (at < bytes.length && BLANKS.includes(bytes[at] ?? 0)) at++;
	return bytes[at] !== COLON;
}

function unreadable(detail: string): Unreadable {
	return { ok: false, detail, truncated: false };
}

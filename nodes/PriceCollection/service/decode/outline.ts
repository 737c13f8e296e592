import { decodeBody, type Decoded } from './body';
import { decoderOf, encodingOf, type Decoder } from './bytes';
import { XmlReader } from './xml';

/** Levels that are kept: a root in two envelopes, its results and their fields. */
const LEVELS = 5;
/** Elements of each list that are kept: enough to see that there are some. */
const ELEMENTS = 3;
/** Bytes of each text that are kept. */
const LONGEST_TEXT = 1_000;
/** Characters of the beginning that are kept for an excerpt. */
const HEAD_CHARACTERS = 8_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** JSON in UTF-8 without what is deep inside, long or many: enough to judge it, of a size that does not matter. */
class JsonOutline {
	private readonly kept: Buffer[] = [];
	private depth = 0;
	private readonly isList: boolean[] = [];
	private readonly elements: number[] = [];
	/** The depth of the container whose rest is left out; 0 while nothing is. */
	private leftOut = 0;
	private inString = false;
	private escaped = false;
	/** Bytes of the text that is open. */
	private textLength = 0;

	push(bytes: Buffer): void {
		const out = Buffer.allocUnsafe(bytes.length);
		let size = 0;
		for (const byte of bytes) {
			const keeps = this.inString ? this.keepsText(byte) : this.keepsStructure(byte);
			if (keeps) out[size++] = byte;
		}
		if (size > 0) this.kept.push(Buffer.from(out.subarray(0, size)));
	}

	get bytes(): Buffer {
		return Buffer.concat(this.kept);
	}

	private keepsText(byte: number): boolean {
		if (this.escaped) {
			this.escaped = false;
		} else if (byte === BACKSLASH) {
			this.escaped = true;
			this.textLength++;
		} else if (byte === QUOTE) {
			this.inString = false;
			return this.leftOut === 0;
		} else {
			this.textLength++;
		}
		return this.leftOut === 0 && this.textLength <= LONGEST_TEXT;
	}

	private keepsStructure(byte: number): boolean {
		switch (byte) {
			case QUOTE:
				this.inString = true;
				this.textLength = 0;
				return this.leftOut === 0;
			case 0x7b:
			case 0x5b:
				this.depth++;
				this.isList[this.depth] = byte === 0x5b;
				this.elements[this.depth] = 0;
				if (this.leftOut > 0) return false;
				if (this.depth > LEVELS) this.leftOut = this.depth;
				return true;
			case 0x7d:
			case 0x5d:
				if (this.depth === this.leftOut) this.leftOut = 0;
				this.depth--;
				return this.leftOut === 0;
			case 0x2c:
				return this.leftOut === 0 && this.keepsElement();
			default:
				return this.leftOut === 0;
		}
	}

	/** Whether what follows a comma is kept. */
	private keepsElement(): boolean {
		const elements = (this.elements[this.depth] ?? 0) + 1;
		this.elements[this.depth] = elements;
		if (this.isList[this.depth] !== true || elements < ELEMENTS) return true;
		this.leftOut = this.depth;
		return false;
	}
}

/**
 * The outline of a document that somebody else reads at the same time: what it is, whether it is whole, and its value
 * without what is deep inside, long or many.
 */
export class Outline {
	private readonly json = new JsonOutline();
	private xml: XmlReader | undefined;
	private decoder: Decoder | undefined;
	private head = '';
	private finished: Promise<Decoded> | undefined;

	constructor(
		private readonly format: 'json' | 'xml',
		private readonly contentType: string | undefined,
	) {}

	push(bytes: Buffer): void {
		this.decoder ??= decoderOf(encodingOf(bytes, this.contentType));
		const { encoding } = this.decoder;
		const isJsonToConvert = this.format === 'json' && encoding !== 'utf-8';
		const isText = isJsonToConvert || this.head.length < HEAD_CHARACTERS;
		const text = isText ? this.decoder.decode(bytes, { stream: true }) : '';
		if (this.head.length < HEAD_CHARACTERS) this.head += text.slice(0, HEAD_CHARACTERS);
		if (this.format === 'xml') (this.xml ??= new XmlReader(decoderOf(encoding), LEVELS)).write(bytes);
		else this.json.push(isJsonToConvert ? Buffer.from(text) : bytes);
	}

	/** The outline as a decoded body. */
	async finish(): Promise<Decoded> {
		this.finished ??= this.format === 'xml' ? this.finishXml() : this.finishJson();
		return await this.finished;
	}

	private async finishJson(): Promise<Decoded> {
		return { ...(await decodeBody([this.json.bytes], undefined, async () => {})), head: this.head };
	}

	private async finishXml(): Promise<Decoded> {
		const read = (this.xml ?? new XmlReader(decoderOf('utf-8'))).close();
		if (!read.ok) return this.unusable(read.detail, read.truncated);
		return { ok: true, format: 'xml', value: read.value, head: this.head };
	}

	private unusable(detail: string, truncated: boolean): Decoded {
		return { ok: false, problem: 'malformed', detail, truncated, head: this.head };
	}
}

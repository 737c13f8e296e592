/** A body as it comes: in pieces of any size. */
export type Pieces = AsyncIterable<Buffer> | Iterable<Buffer>;

/** Enough to tell what a body is, whatever blanks and comments it begins with. */
const HEAD_BYTES = 16 * 1024;

/** The first bytes of a body, and a way to read all of it, these included. */
export async function withHead(pieces: Pieces): Promise<{ head: Buffer; all: AsyncGenerator<Buffer> }> {
	const iterator =
		Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
	const first: Buffer[] = [];
	let size = 0;
	let ended = false;
	while (size < HEAD_BYTES && !ended) {
		const next = await iterator.next();
		if (next.done === true) {
			ended = true;
		} else {
			first.push(next.value);
			size += next.value.length;
		}
	}
	const begun = Buffer.concat(first);
	async function* all(): AsyncGenerator<Buffer> {
		try {
			if (begun.length > 0) yield begun;
			while (!ended) {
				const next = await iterator.next();
				if (next.done === true) return;
				yield next.value;
			}
		} finally {
			await iterator.return?.();
		}
	}
	return { head: begun.subarray(0, HEAD_BYTES), all: all() };
}

/** Encodings by the mark that a body begins with, the longest first. */
const MARKS: ReadonlyArray<readonly [mark: readonly number[], encoding: string]> = [
	[[0xef, 0xbb, 0xbf], 'utf-8'],
	[[0xff, 0xfe], 'utf-16le'],
	[[0xfe, 0xff], 'utf-16be'],
];

/** Encodings by how `<`, `{` and `[`, and what follows them, are written in two bytes each. */
const WIDE: ReadonlyArray<readonly [pattern: RegExp, encoding: string]> = [
	[/^(?:[\s]\0)*[<{[]\0/, 'utf-16le'],
	[/^(?:\0[\s])*\0[<{[]/, 'utf-16be'],
];

const XML_ENCODING = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/;

/** How many characters of a body are looked at for its XML declaration. */
const DECLARATION_BYTES = 400;

/**
 * The encoding a body is written in: what its first bytes cannot but mean, else what its headers or its XML
 * declaration say, UTF-8 otherwise.
 */
export function encodingOf(head: Buffer, contentType: string | undefined): string {
	const [, marked] = MARKS.find(([mark]) => mark.every((byte, index) => head[index] === byte)) ?? [];
	const start = head.subarray(0, DECLARATION_BYTES).toString('latin1');
	const [, wide] = WIDE.find(([pattern]) => pattern.test(start)) ?? [];
	const stated = [
		marked,
		wide,
		/charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? '')?.[1],
		XML_ENCODING.exec(start)?.[1],
	];
	return stated.find((name) => name !== undefined && isKnown(name)) ?? 'utf-8';
}

function isKnown(name: string): boolean {
	try {
		return decoderOf(name).encoding !== '';
	} catch {
		return false;
	}
}

/** Bytes to text, also piece by piece; a byte order mark is skipped. */
export interface Decoder {
	/** Its name in the WHATWG Encoding Standard, in lower case: `windows-1252` for `ISO-8859-1` as well. */
	readonly encoding: string;
	decode(bytes?: Buffer, options?: { stream?: boolean }): string;
}

/** Windows-1252 from 0x80 to 0x9F: all that it has in another place than Unicode. Five of these bytes stay controls. */
const FROM_0X80 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * Not the TextDecoder's: that of many a Node 20 and 22 gives control characters for all of these bytes, as ISO-8859-1
 * has them (nodejs/node#56542, #60888). Each byte is a character, so that none can be wrong.
 */
const WINDOWS_1252: Decoder = {
	encoding: 'windows-1252',
	decode: (bytes) =>
		(bytes ?? Buffer.alloc(0))
			.toString('latin1')
			.replace(/[\x80-\x9f]/g, (byte) => FROM_0X80.charAt(byte.charCodeAt(0) - 0x80)),
};

/**
 * The one decoder of an encoding, the same in every Node.
 *
 * @param encoding any of its labels
 * @param options with `fatal`, bytes that are none of the encoding's are an error
 */
export function decoderOf(encoding: string, options: { fatal?: boolean } = {}): Decoder {
	const decoder = new TextDecoder(encoding, options);
	return decoder.encoding === WINDOWS_1252.encoding ? WINDOWS_1252 : decoder;
}

/** The text of a body, piece by piece; a byte order mark is skipped. */
export async function* textsOf(pieces: Pieces, encoding: string): AsyncGenerator<string> {
	const decoder = decoderOf(encoding);
	for await (const piece of pieces) {
		const text = decoder.decode(piece, { stream: true });
		if (text !== '') yield text;
	}
	const rest = decoder.decode();
	if (rest !== '') yield rest;
}

/** Characters of UTF-8 beyond ASCII, where each character here stands for a byte. */
const BEYOND_ASCII =
	/((?:[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})+)/;

/**
 * Bytes as UTF-8 and, where they are not, as Windows-1252, the likeliest where no encoding is named, so that no byte is
 * lost; characters of UTF-8 beside them stay.
 *
 * @param stretch what is looked at and counted, as bytes: everything else stays as it is
 * @returns the text, and how many stretches hold bytes that are not UTF-8
 */
export function mendedText(bytes: Buffer, stretch: RegExp): { text: string; mended: number } {
	const text = bytes.toString();
	if (!text.includes('\uFFFD')) return { text, mended: 0 };
	let mended = 0;
	const utf8 = bytes.toString('latin1').replace(stretch, (found) => {
		// Every second part is well-formed.
		const parts = found.split(BEYOND_ASCII);
		const sound = parts.map((part, index) => (index % 2 === 1 ? part : fromWindows1252(part))).join('');
		if (sound !== found) mended++;
		return sound;
	});
	return mended === 0 ? { text, mended } : { text: Buffer.from(utf8, 'latin1').toString(), mended };
}

function fromWindows1252(bytes: string): string {
	if (!/[\x80-\xff]/.test(bytes)) return bytes;
	return Buffer.from(WINDOWS_1252.decode(Buffer.from(bytes, 'latin1'))).toString('latin1');
}

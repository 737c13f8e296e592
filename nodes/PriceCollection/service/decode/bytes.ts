/** A body as it comes: in pieces of any size. */
export type Pieces = AsyncIterable<Buffer> | Iterable<Buffer>;

export async function joined(pieces: Pieces): Promise<Buffer> {
	const all: Buffer[] = [];
	for await (const piece of pieces) all.push(piece);
	return all.length === 1 && all[0] ? all[0] : Buffer.concat(all);
}

/** A body as text, and the same in UTF-8. */
export interface BodyText {
	text: string;
	utf8: Buffer;
	/** How many characters are not UTF-8 although nothing names another encoding. */
	mended: number;
}

/** As much of a header, and of a document, as is looked at for the name of an encoding. */
const DECLARATION_LENGTH = 400;

const CHARSET = /charset\s*=\s*"?([\w.:-]+)/i;
const XML_ENCODING = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/;

/**
 * The text of a JSON or XML document. Its bytes count for more than what is declared: what is valid UTF-8 is hardly ever
 * anything else. What is neither UTF-8 nor declared is Windows-1252, or UTF-8 in which some characters are broken.
 */
export function decodeText(bytes: Buffer, contentType = ''): BodyText {
	const readAs = (encoding: string, mended = 0): BodyText => {
		const text = new TextDecoder(encoding).decode(bytes);
		return { text, utf8: Buffer.from(text), mended };
	};
	// Such a document begins with ASCII or a byte order mark, and has no zeros: in UTF-16 one stands beside each letter.
	const [first, second] = bytes;
	if ((first === 0xff && second === 0xfe) || second === 0) return readAs('utf-16le');
	if ((first === 0xfe && second === 0xff) || first === 0) return readAs('utf-16be');
	const text = validUtf8(bytes);
	if (text !== undefined) return { text, utf8: bytes.subarray(first === 0xef ? 3 : 0), mended: 0 };
	const start = bytes.toString('latin1', 0, DECLARATION_LENGTH);
	const charset = CHARSET.exec(contentType.slice(0, DECLARATION_LENGTH))?.[1];
	const declared = [charset, XML_ENCODING.exec(start)?.[1]].map(standardName);
	const other = declared.find((name) => name !== undefined && !name.startsWith('utf-'));
	if (other !== undefined) return readAs(other);
	const beyondAscii = bytes.toString().replace(/[\0-\x7f]+/g, '');
	const broken = beyondAscii.split('\uFFFD').length - 1;
	return readAs(2 * broken > beyondAscii.length ? 'windows-1252' : 'utf-8', broken);
}

/** The text of bytes that are UTF-8; a character may be cut at their end. */
function validUtf8(bytes: Buffer): string | undefined {
	let end = bytes.length;
	while (end > Math.max(0, bytes.length - 3) && (bytes[end - 1] ?? 0) >= 0x80) end--;
	for (const whole of [bytes, bytes.subarray(0, end)]) {
		try {
			return new TextDecoder('utf-8', { fatal: true }).decode(whole);
		} catch {
			// The one without the last character may still be.
		}
	}
	return undefined;
}

/** The name of an encoding in the WHATWG Encoding Standard; undefined where there is none. */
function standardName(label: string | undefined): string | undefined {
	try {
		return label && new TextDecoder(label).encoding;
	} catch {
		return undefined;
	}
}

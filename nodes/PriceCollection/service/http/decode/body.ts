import { parseJson, type InvalidText } from './json';
import { parseXml } from './xml';

export type Decoded = {
	/** The beginning of the body. Not redacted. */
	head: string;
} & (
	| { ok: true; value: unknown }
	/** `text`: not JSON, XML or HTML. `malformed`: starts like JSON or XML, but is invalid. */
	| (InvalidText & { problem: 'empty' | 'html' | 'text' | 'malformed' })
);

const PIECE_BYTES = 65_536;
/** Enough to recognise a body that begins with comments. */
const HEAD_LENGTH = 16 * 1024;

/**
 * Decodes a body. Detects the format from the body, because content types are unreliable.
 *
 * @param fallbackEncoding for a body that neither is UTF-8 nor declares an encoding that fits; without it, such a body
 *   is unreadable
 */
export async function decodeBody(
	body: Buffer,
	contentType: string | undefined,
	yieldToEventLoop: () => Promise<void>,
	fallbackEncoding?: string,
): Promise<Decoded> {
	const detected = encodingOf(body, contentType);
	const encoding = detected.label ?? fallbackEncoding;
	const head = headOf(body, encoding ?? 'utf-8');
	const unusable = (problem: 'empty' | 'html' | 'text', detail: string): Decoded => {
		return { ok: false, problem, detail, head, truncated: false };
	};
	if (head === '') return unusable('empty', 'The body is empty');
	if (isHtml(head)) return unusable('html', 'The body is a web page');
	const parse = async (label: string) =>
		head.startsWith('<')
			? await parseXml(textsOf(body, label), yieldToEventLoop)
			: await parseJson(
					detected.text?.trimStart() ?? [...textsOf(body, label)].join(''),
					yieldToEventLoop,
				);
	const parsed = encoding === undefined ? UNREADABLE : await parse(encoding);
	if (parsed.ok) return { ...parsed, head };
	// JSON may be a single word, number or string, but other text is plain text and not broken JSON.
	if (!/^[<[{]/.test(head)) return unusable('text', 'The body is plain text');
	return { ...parsed, problem: 'malformed', head };
}

const UNREADABLE = {
	ok: false as const,
	detail: 'The body is not valid UTF-8 and declares no other encoding that fits',
	truncated: false,
};

const HTML = /^<(?:!doctype\s+html|(?:html|head|body|title|meta|center|h[1-3]|p|pre|div)[\s/>])/i;
/** What may precede the first tag: XHTML begins with an XML declaration. */
const BEFORE_HTML = /\s+|<!--[^]*?-->|<\?[^]*?\?>/y;

/** Whether a text is HTML, ignoring whitespace, comments and processing instructions at its beginning. */
export function isHtml(text: string): boolean {
	let position = (BEFORE_HTML.lastIndex = 0);
	while (BEFORE_HTML.test(text)) position = BEFORE_HTML.lastIndex;
	return HTML.test(text.slice(position));
}

/** The text of a body in chunks, without leading whitespace or a byte order mark. */
export function* textsOf(body: Buffer, encoding: string): Generator<string> {
	let isStart = true;
	for (const text of piecesOf(body, new TextDecoder(encoding))) {
		const chunk: string = isStart ? text.trimStart() : text;
		isStart &&= chunk === '';
		if (chunk !== '') yield chunk;
	}
}

type Decoder = InstanceType<typeof TextDecoder>;

/** Decodes a body in pieces. An incomplete character at the end stays in the decoder. */
function* piecesOf(body: Buffer, decoder: Decoder): Generator<string> {
	for (let offset = 0; offset < body.length; offset += PIECE_BYTES)
		yield decoder.decode(body.subarray(offset, offset + PIECE_BYTES), { stream: true });
}

function headOf(body: Buffer, encoding: string): string {
	let head = '';
	for (const text of textsOf(body, encoding)) {
		head += text;
		if (head.length >= HEAD_LENGTH) break;
	}
	return head.slice(0, HEAD_LENGTH);
}

const UTF_16_MARKS: Readonly<Record<string, string>> = { '\xff\xfe': 'utf-16le', '\xfe\xff': 'utf-16be' };
const UTF_8 = 'utf-8';
const CHARSET = /charset\s*=\s*"?([\w.:-]+)/i;
const XML_ENCODING = /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/;
/** How much of a header or document to search for the name of an encoding. */
const DECLARATION_LENGTH = 400;
/** Whitespace and the three bytes of UTF-8's byte order mark. */
const BEFORE_TEXT: readonly number[] = [0x20, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0xef, 0xbb, 0xbf];

/** The beginning of a body as Latin-1, without leading whitespace and UTF-8 byte order mark. */
function bodyStart(body: Buffer): string {
	let start = 0;
	while (BEFORE_TEXT.includes(body[start] ?? -1)) start++;
	return body.toString('latin1', start, start + DECLARATION_LENGTH);
}

/**
 * Returns the first encoding that fits: UTF-16 by its byte order mark, UTF-8 (text in another encoding is hardly ever
 * valid UTF-8), or a declared one. Also returns the text, unless the body is XML or truncated. Empty if none fits.
 */
function encodingOf(body: Buffer, contentType = ''): { label?: string; text?: string } {
	const start = bodyStart(body);
	const charset = CHARSET.exec(contentType.slice(0, DECLARATION_LENGTH))?.[1];
	const utf16 = UTF_16_MARKS[body.toString('latin1', 0, 2)];
	// XML is parsed in pieces, so that its whole text is never in memory.
	const isXml = start.startsWith('<');
	for (const label of [utf16, UTF_8, charset, XML_ENCODING.exec(start)?.[1]]) {
		if (label === undefined) continue;
		const text = decodedAs(label, body, isXml, false);
		if (text !== undefined) return isXml ? { label } : { label, text };
		// A truncated body may end in the middle of a character, which is only valid in a stream.
		if (decodedAs(label, body, isXml, true) !== undefined) return { label };
	}
	return {};
}

/** A body's text in an encoding, blank for XML; undefined if the bytes do not fit or the encoding is unknown. */
function decodedAs(label: string, body: Buffer, isXml: boolean, mayBeTruncated: boolean): string | undefined {
	try {
		const decoder = new TextDecoder(label, { fatal: true });
		// Decoding UTF-8 in one call is several times faster than in pieces. For other encodings it is not safe: some
		// versions of Node (20.19 to 22.22, 24.0 to 24.10) then turn the € of windows-1252 into a control character.
		if (label === UTF_8 && !isXml) return decoder.decode(body, { stream: mayBeTruncated });
		let text = '';
		for (const piece of piecesOf(body, decoder)) if (!isXml) text += piece;
		return mayBeTruncated ? text : text + decoder.decode();
	} catch {
		return undefined;
	}
}

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

const STEP = 65_536;
/** Enough to recognise a body in spite of comments at its beginning. */
const HEAD_LENGTH = 16 * 1024;

/**
 * Decodes a body. It decides the format itself, because content types are unreliable.
 *
 * @param otherwise the encoding of a body that neither is UTF-8 nor declares one; without it such a body is unreadable
 */
export async function decodeBody(
	body: Buffer,
	contentType: string | undefined,
	yieldToEventLoop: () => Promise<void>,
	otherwise?: string,
): Promise<Decoded> {
	const known = encodingOf(body, contentType);
	const encoding = known.label ?? otherwise;
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
					known.text?.trimStart() ?? [...textsOf(body, label)].join(''),
					yieldToEventLoop,
				);
	const parsed = encoding === undefined ? UNREADABLE : await parse(encoding);
	if (parsed.ok) return { ...parsed, head };
	// JSON may be a single word, number or text, but other text is not broken JSON.
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

/** Whether HTML follows any blanks, comments and processing instructions. */
export function isHtml(text: string): boolean {
	let at = (BEFORE_HTML.lastIndex = 0);
	while (BEFORE_HTML.test(text)) at = BEFORE_HTML.lastIndex;
	return HTML.test(text.slice(at));
}

/** The text of a body in chunks, without leading blanks or a byte order mark. */
export function* textsOf(body: Buffer, encoding: string): Generator<string> {
	let isStart = true;
	for (const text of piecesOf(body, new TextDecoder(encoding))) {
		const rest: string = isStart ? text.trimStart() : text;
		isStart &&= rest === '';
		if (rest !== '') yield rest;
	}
}

type Decoder = InstanceType<typeof TextDecoder>;

/** The pieces of a decoded body, the last one without a character whose end is missing. */
function* piecesOf(body: Buffer, decoder: Decoder): Generator<string> {
	for (let at = 0; at < body.length; at += STEP)
		yield decoder.decode(body.subarray(at, at + STEP), { stream: true });
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
/** How much of a header or document is searched for the name of an encoding. */
const DECLARATION_LENGTH = 400;
/** Blanks, and the three bytes of UTF-8's byte order mark. */
const BEFORE_TEXT: readonly number[] = [0x20, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0xef, 0xbb, 0xbf];

/** The beginning of a body as Latin-1, without leading blanks and byte order mark. */
function bodyStart(body: Buffer): string {
	let start = 0;
	while (BEFORE_TEXT.includes(body[start] ?? -1)) start++;
	return body.toString('latin1', start, start + DECLARATION_LENGTH);
}

/**
 * The encoding that a byte order mark names, else UTF-8 where that is valid, which other texts hardly ever are, else
 * a declared one, with the text if it is whole and no XML. Nothing when none of them fits.
 */
function encodingOf(body: Buffer, contentType = ''): { label?: string; text?: string } {
	const start = bodyStart(body);
	const charset = CHARSET.exec(contentType.slice(0, DECLARATION_LENGTH))?.[1];
	const mark = UTF_16_MARKS[body.toString('latin1', 0, 2)];
	// XML is parsed in pieces, so its whole text must never be in memory.
	const isXml = start.startsWith('<');
	for (const label of [mark, UTF_8, charset, XML_ENCODING.exec(start)?.[1]]) {
		if (label === undefined) continue;
		const text = decodedAs(label, body, isXml, false);
		if (text !== undefined) return isXml ? { label } : { label, text };
		// Only in a stream may the end of a truncated body be missing in the middle of a character.
		if (decodedAs(label, body, isXml, true) !== undefined) return { label };
	}
	return {};
}

/** A body's text in an encoding, blank for XML; undefined where the body is none, or the encoding is unknown. */
function decodedAs(label: string, body: Buffer, isXml: boolean, mayBeCut: boolean): string | undefined {
	try {
		const decoder = new TextDecoder(label, { fatal: true });
		// UTF-8 at once is several times as fast as in pieces. Of other encodings, some versions of Node decode
		// windows-1252 wrongly at once (20.19 to 22.22, 24.0 to 24.10): a € becomes a control character.
		if (label === UTF_8 && !isXml) return decoder.decode(body, { stream: mayBeCut });
		let text = '';
		for (const piece of piecesOf(body, decoder)) if (!isXml) text += piece;
		return mayBeCut ? text : text + decoder.decode();
	} catch {
		return undefined;
	}
}

import { decoderOf, encodingOf, mendedText, textsOf, withHead, type Pieces } from './bytes';
import { parseJson, type ReadJson } from './json';
import { isExactNumber, type Unreadable } from './rules';
import { parseXml } from './xml';

export type Decoded =
	| {
			ok: true;
			format: 'json' | 'xml';
			value: unknown;
			/** How the body begins. Not redacted. */
			head: string;
			/** Where some texts of JSON held bytes that are not UTF-8 and were read as Windows-1252: how many. */
			mended?: number;
	  }
	| {
			ok: false;
			problem: BodyProblem;
			/** What is wrong, as a sentence without full stop. */
			detail: string;
			/** How the body begins. Not redacted. */
			head: string;
			/** Whether the body is a document whose end is missing: asking again may help. */
			truncated: boolean;
	  };

/** `text`: neither JSON nor XML nor HTML. `malformed`: begins like JSON or XML, but is not. */
export type BodyProblem = 'empty' | 'html' | 'text' | 'malformed';

const EXCERPT_LENGTH = 200;

/** Enough to find an excerpt in, whatever blanks there are. */
const EXCERPT_SOURCE = 2_000;

/** A lone word, number or text is no longer than this. */
const LONGEST_SCALAR = 16 * 1024;

const WHOLE = /[^]+/;

const HTML = /^<(?:!doctype\s+html|(?:html|head|body|title|meta|center|h[1-3]|p|pre|div)[\s/>])/i;

/** Enough for what the expression looks at. */
const LONGEST_TAG = 100;

/** What may stand before the first tag, by how it begins and ends. XHTML begins with an XML declaration. */
const BEFORE_HTML = [
	['<!--', '-->'],
	['<?', '?>'],
] as const;

/**
 * A body to a value. The body itself decides what it is, because content types lie; the header counts for the
 * encoding. Both formats are read in steps, between which `yieldToEventLoop` is awaited.
 */
export async function decodeBody(
	pieces: Pieces,
	contentType: string | undefined,
	yieldToEventLoop: () => Promise<void>,
): Promise<Decoded> {
	const { head: bytes, all } = await withHead(pieces);
	const encoding = encodingOf(bytes, contentType);
	const { text: head, mended } = headOf(bytes, encoding);
	const start = head.search(/\S/);
	switch (head[start]) {
		case undefined:
			return unusable(head, 'empty', 'The body is empty');
		case '<':
			if (isHtml(head, start)) return unusable(head, 'html', 'The body is a web page');
			return decoded(head, 'xml', await parseXml(all, encoding, yieldToEventLoop));
		case '{':
		case '[':
			return decoded(head, 'json', await parseJson(inUtf8(all, encoding), yieldToEventLoop));
		default:
			return decodeScalar(head, bytes.length, mended);
	}
}

/** How a body begins; a character that is cut at its end is left out. */
function headOf(bytes: Buffer, encoding: string): { text: string; mended: number } {
	const text = decoderOf(encoding).decode(bytes, { stream: true });
	const isSpoilt = isUtf8(encoding) && text.includes('\uFFFD');
	return isSpoilt ? mendedText(bytes, WHOLE) : { text, mended: 0 };
}

function isUtf8(encoding: string): boolean {
	return decoderOf(encoding).encoding === 'utf-8';
}

async function* inUtf8(pieces: AsyncGenerator<Buffer>, encoding: string): AsyncGenerator<Buffer> {
	if (isUtf8(encoding)) yield* pieces;
	else for await (const text of textsOf(pieces, encoding)) yield Buffer.from(text);
}

/** JSON may be a lone word, number or string, but text that fails to be one is no broken JSON: it is text. */
function decodeScalar(head: string, size: number, mended: number): Decoded {
	const text = head.trim();
	try {
		if (size >= LONGEST_SCALAR) throw new SyntaxError('no scalar is so long');
		const value: unknown = JSON.parse(text);
		const isExact = typeof value !== 'number' || isExactNumber(text);
		return decoded(head, 'json', {
			ok: true,
			value: isExact ? value : text,
			...(mended > 0 && { mended }),
		});
	} catch {
		return unusable(head, 'text', 'The body is plain text');
	}
}

function decoded(head: string, format: 'json' | 'xml', parsed: ReadJson | Unreadable): Decoded {
	if (parsed.ok) return { ...parsed, format, head };
	return unusable(head, 'malformed', parsed.detail, parsed.truncated);
}

function unusable(head: string, problem: BodyProblem, detail: string, truncated = false): Decoded {
	return { ok: false, problem, detail, head, truncated };
}

/** The first 200 characters of a text with every run of blanks as one. */
export function excerptOf(text: string): string {
	const start = Math.max(text.search(/\S/), 0);
	const line = text
		.slice(start, start + EXCERPT_SOURCE)
		.replace(/\s+/g, ' ')
		.trim();
	// A character of two halves must not be cut in two.
	return line.length > EXCERPT_LENGTH
		? line.slice(0, EXCERPT_LENGTH).replace(/[\uD800-\uDBFF]$/, '')
		: line;
}

/** Whether HTML follows after blanks, comments and processing instructions. */
export function isHtml(text: string, start = 0): boolean {
	for (let at = start; at < text.length;) {
		const [, end] = BEFORE_HTML.find(([begin]) => text.startsWith(begin, at)) ?? [];
		if (end === undefined && !/\s/.test(text.charAt(at)))
			return HTML.test(text.slice(at, at + LONGEST_TAG));
		const found = end === undefined ? at : text.indexOf(end, at);
		if (found === -1) return false;
		at = found + (end?.length ?? 1);
	}
	return false;
}

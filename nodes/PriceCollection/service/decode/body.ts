import { parseJson, type Unreadable } from './json';
import { parseXml } from './xml';

export type Decoded = {
	/** The beginning of the body. Not redacted. */
	head: string;
} & (
	| { ok: true; value: unknown }
	/** `text`: not JSON, XML or HTML. `malformed`: starts like JSON or XML, but is invalid. */
	| (Unreadable & { problem: 'empty' | 'html' | 'text' | 'malformed' })
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
	const [begin = ''] = textsOf(body, encoding ?? 'utf-8');
	const head = begin.slice(0, HEAD_LENGTH);
	const unusable = (problem: 'empty' | 'html' | 'text', detail: string): Decoded => {
		return { ok: false, problem, detail, head, truncated: false };
	};
	if (head === '') return unusable('empty', 'The body is empty');
	if (isHtml(head)) return unusable('html', 'The body is a web page');
	const parse = async (label: string) =>
		head.startsWith('<')
			? await parseXml(textsOf(body, label), yieldToEventLoop)
			: // At once, which is several times as fast as in pieces.
				await parseJson(
					(known.text ?? new TextDecoder(label).decode(body)).trimStart(),
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
	const decoder = new TextDecoder(encoding);
	for (let at = 0; at < body.length; at += STEP) {
		const text = decoder.decode(body.subarray(at, at + STEP), { stream: true });
		yield at === 0 ? text.trimStart() : text;
	}
}

const UTF_16_MARKS: Readonly<Record<string, string>> = { '\xff\xfe': 'utf-16le', '\xfe\xff': 'utf-16be' };
const CHARSET = /charset\s*=\s*"?([\w.:-]+)/i;
const XML_ENCODING = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/;
/** How much of a header or document is searched for the name of an encoding. */
const DECLARATION_LENGTH = 400;

/** XML is parsed in pieces, so its whole text must never be in memory. */
const XML_START = /^(?:\xef\xbb\xbf)?\s*</;

/**
 * The encoding that a byte order mark names, else UTF-8 where that is valid, which other texts hardly ever are, else
 * a declared one, with the text if it is whole and no XML. Nothing when none of them fits.
 */
function encodingOf(body: Buffer, contentType = ''): { label?: string; text?: string } {
	const start = body.toString('latin1', 0, DECLARATION_LENGTH);
	const charset = CHARSET.exec(contentType.slice(0, DECLARATION_LENGTH))?.[1];
	const labels = [UTF_16_MARKS[start.slice(0, 2)], 'utf-8', charset, XML_ENCODING.exec(start)?.[1]];
	const isXml = XML_START.test(start);
	const step = isXml ? STEP : body.length;
	for (const label of labels.filter((one) => one !== undefined)) {
		const text = decodedAs(label, body, step, false);
		if (text !== undefined) return isXml ? { label } : { label, text };
		// Only in a stream may the end of a truncated body be missing in the middle of a character.
		if (decodedAs(label, body, step, true) !== undefined) return { label };
	}
	return {};
}

/** The last step of a body's text in an encoding; undefined where the body is none, or the encoding is unknown. */
function decodedAs(label: string, body: Buffer, step: number, mayBeCut: boolean): string | undefined {
	try {
		const decoder = new TextDecoder(label, { fatal: true });
		let text = '';
		for (let at = 0; at < body.length; at += step) {
			const isLast = at + step >= body.length;
			text = decoder.decode(body.subarray(at, at + step), { stream: !isLast || mayBeCut });
		}
		return text;
	} catch {
		return undefined;
	}
}

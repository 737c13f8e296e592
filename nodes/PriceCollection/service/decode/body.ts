import { encodingOf, ownText, textsOf } from './bytes';
import { parseJson, type Unreadable } from './json';
import { parseXml } from './xml';

export type Decoded =
	| {
			ok: true;
			format: 'json' | 'xml';
			value: unknown;
			/** The beginning of the body. Not redacted. */
			head: string;
			/** How many characters are not UTF-8 although no other encoding is declared. */
			repaired?: number;
	  }
	| (Unreadable & {
			/** `text`: not JSON, XML or HTML. `malformed`: starts like JSON or XML, but is invalid. */
			problem: 'empty' | 'html' | 'text' | 'malformed';
			/** The beginning of the body. Not redacted. */
			head: string;
	  });

/** Enough to recognise a body in spite of comments at its beginning. */
const HEAD_LENGTH = 16 * 1024;

const HTML = /^<(?:!doctype\s+html|(?:html|head|body|title|meta|center|h[1-3]|p|pre|div)[\s/>])/i;

/** The expression does not need more. */
const LONGEST_TAG = 100;

/** What may precede the first tag, with its begin and end marks. XHTML begins with an XML declaration. */
const BEFORE_HTML = [
	['<!--', '-->'],
	['<?', '?>'],
] as const;

/**
 * Decodes a body. The body itself decides the format, because content types are unreliable; only the header's
 * encoding counts. Awaits `yieldToEventLoop` between the steps.
 */
export async function decodeBody(
	body: Buffer,
	contentType: string | undefined,
	yieldToEventLoop: () => Promise<void>,
): Promise<Decoded> {
	const [begin = ''] = textsOf(body.subarray(0, HEAD_LENGTH), 'utf-8');
	// XML is never joined to one text; for all else, this shows whether the body is UTF-8.
	const utf8 = begin.startsWith('<') ? undefined : plainUtf8(body);
	const { encoding, repaired } =
		utf8 !== undefined ? { encoding: 'utf-8', repaired: 0 } : encodingOf(body, contentType);
	let head = '';
	for (const text of textsOf(body, encoding)) {
		head += text;
		if (head.length >= HEAD_LENGTH) break;
	}
	head = ownText(head.slice(0, HEAD_LENGTH));
	const unusable = (problem: 'empty' | 'html' | 'text', detail: string): Decoded => ({
		...{ ok: false, problem, detail, head, truncated: false },
	});
	if (head === '') return unusable('empty', 'The body is empty');
	if (head.startsWith('<') && isHtml(head)) return unusable('html', 'The body is a web page');
	const isJson = /^[[{]/.test(head);
	const isXml = head.startsWith('<');
	if (!isJson && !isXml) {
		// JSON may be a single word, number or text, but other text is not broken JSON.
		const text = head.length < HEAD_LENGTH ? head.trim() : '';
		const scalar = await parseJson(text, Buffer.from(text), yieldToEventLoop);
		if (!scalar.ok) return unusable('text', 'The body is plain text');
		return { ...scalar, format: 'json', head, ...(repaired > 0 && { repaired }) };
	}
	const text = isXml ? '' : (utf8 ?? [...textsOf(body, encoding)].join(''));
	const parsed = isXml
		? await parseXml(textsOf(body, encoding), yieldToEventLoop)
		: await parseJson(text, utf8 !== undefined ? body : Buffer.from(text), yieldToEventLoop);
	if (!parsed.ok) return { ...parsed, problem: 'malformed', head };
	return { ...parsed, format: isXml ? 'xml' : 'json', head, ...(repaired > 0 && { repaired }) };
}

/** The text of bytes that are certainly UTF-8 without a byte order mark. */
function plainUtf8(bytes: Buffer): string | undefined {
	const text = bytes.toString();
	return ['\uFEFF', '\uFFFD', '\0'].some((odd) => text.includes(odd)) ? undefined : text;
}

/** Whether HTML follows any blanks, comments and processing instructions. */
export function isHtml(text: string): boolean {
	for (let at = 0; at < text.length;) {
		const [, end] = BEFORE_HTML.find(([begin]) => text.startsWith(begin, at)) ?? [];
		if (end === undefined && !/\s/.test(text.charAt(at)))
			return HTML.test(text.slice(at, at + LONGEST_TAG));
		const found = end === undefined ? at : text.indexOf(end, at);
		if (found === -1) return false;
		at = found + (end?.length ?? 1);
	}
	return false;
}

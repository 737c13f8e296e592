import { parseJson, scanJson, type Unreadable } from './json';
import { parseXml } from './xml';

export type Decoded = {
	/** The beginning of the body. Not redacted. */
	head: string;
} & (
	| {
			ok: true;
			value: unknown;
			/** Some characters are not UTF-8 although no other encoding is declared. */
			isRepaired?: true;
	  }
	/** `text`: not JSON, XML or HTML. `malformed`: starts like JSON or XML, but is invalid. */
	| (Unreadable & { problem: 'empty' | 'html' | 'text' | 'malformed' })
);

const STEP = 65_536;
/** Enough to recognise a body in spite of comments at its beginning. */
const HEAD_LENGTH = 16 * 1024;
/** How much of a header or document is searched for the name of an encoding. */
const DECLARATION_LENGTH = 400;
const CHARSET = /charset\s*=\s*"?([\w.:-]+)/i;
const XML_START = /^\s*</;
const XML_ENCODING = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/;

/** Decodes a body. It decides the format itself, because content types are unreliable. */
export async function decodeBody(
	marked: Buffer,
	contentType: string | undefined,
	yieldToEventLoop: () => Promise<void>,
): Promise<Decoded> {
	const body = marked.subarray(marked.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0);
	// XML is read in steps, so its whole text need not be in memory.
	const scanned = XML_START.test(body.toString('latin1', 0, HEAD_LENGTH)) ? undefined : scanJson(body);
	await yieldToEventLoop();
	const whole = scanned && body.toString();
	const { encoding, isRepaired } = encodingOf(body, contentType, whole);
	const [begin = ''] = textsOf(body, encoding);
	const head = begin.slice(0, HEAD_LENGTH);
	const unusable = (problem: 'empty' | 'html' | 'text', detail: string): Decoded => {
		return { ok: false, problem, detail, head, truncated: false };
	};
	if (head === '') return unusable('empty', 'The body is empty');
	if (isHtml(head)) return unusable('html', 'The body is a web page');
	const isXml = head.startsWith('<');
	// JSON may be a single word, number or text, but other text is not broken JSON.
	const isScalar = !isXml && !/^[[{]/.test(head);
	if (isScalar && head.length === HEAD_LENGTH) return unusable('text', 'The body is plain text');
	const isUnchanged = whole !== undefined && encoding === 'utf-8' && !isRepaired;
	const parse = () =>
		isUnchanged ? parseJson(whole, scanned) : parseJson([...textsOf(body, encoding)].join(''));
	const parsed = isXml ? await parseXml(textsOf(body, encoding), yieldToEventLoop) : parse();
	if (isScalar && !parsed.ok) return unusable('text', 'The body is plain text');
	if (!parsed.ok) return { ...parsed, problem: 'malformed', head };
	return { ...parsed, head, ...(isRepaired && { isRepaired }) };
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

const HTML = /^<(?:!doctype\s+html|(?:html|head|body|title|meta|center|h[1-3]|p|pre|div)[\s/>])/i;
/** What may precede the first tag: XHTML begins with an XML declaration. */
const BEFORE_HTML = /\s+|<!--[^]*?-->|<\?[^]*?\?>/y;
const LONGEST_TAG = 100;

/** Whether HTML follows any blanks, comments and processing instructions. */
export function isHtml(text: string): boolean {
	let at = (BEFORE_HTML.lastIndex = 0);
	while (BEFORE_HTML.test(text)) at = BEFORE_HTML.lastIndex;
	return HTML.test(text.slice(at, at + LONGEST_TAG));
}

/** The text of a body in chunks, without leading blanks or a byte order mark. */
export function* textsOf(body: Buffer, encoding: string): Generator<string> {
	const decoder = new TextDecoder(encoding);
	let begun = false;
	for (let at = 0; at < body.length; at += STEP) {
		const text = decoder.decode(body.subarray(at, at + STEP), { stream: true });
		const rest: string = begun ? text : text.trimStart();
		begun ||= rest !== '';
		if (rest !== '') yield rest;
	}
}

/**
 * Detects the encoding of a JSON or XML document. The bytes count for more than the declaration: valid UTF-8 is hardly
 * ever anything else. Other bytes without a declaration are Windows-1252 or broken UTF-8.
 *
 * @param text the body read as UTF-8, if that is at hand
 */
function encodingOf(body: Buffer, contentType = '', text?: string): { encoding: string; isRepaired?: true } {
	const start = body.subarray(0, DECLARATION_LENGTH);
	// Documents begin with ASCII or a byte order mark. Zeros only occur in UTF-16, beside each letter.
	const [first, second] = start;
	if ((first === 0xff && second === 0xfe) || second === 0) return { encoding: 'utf-16le' };
	if ((first === 0xfe && second === 0xff) || first === 0) return { encoding: 'utf-16be' };
	if (text?.includes('\uFFFD') === false || isUtf8(body)) return { encoding: 'utf-8' };
	const charset = CHARSET.exec(contentType.slice(0, DECLARATION_LENGTH))?.[1];
	const declared = [charset, XML_ENCODING.exec(start.toString('latin1'))?.[1]].map(standardName);
	const other = declared.find((name) => name !== undefined && !name.startsWith('utf-'));
	if (other !== undefined) return { encoding: other };
	let [broken, beyondAscii] = [0, 0];
	for (const part of textsOf(body, 'utf-8')) {
		const beyond = part.replace(/[\0-\x7f]+/g, '');
		broken += beyond.split('\uFFFD').length - 1;
		beyondAscii += beyond.length;
	}
	return { encoding: 2 * broken > beyondAscii ? 'windows-1252' : 'utf-8', isRepaired: true };
}

function isUtf8(body: Buffer): boolean {
	const decoder = new TextDecoder('utf-8', { fatal: true });
	try {
		for (let at = 0; at < body.length; at += STEP)
			decoder.decode(body.subarray(at, at + STEP), { stream: true });
		decoder.decode();
		return true;
	} catch {
		return false;
	}
}

/** The name of an encoding in the WHATWG Encoding Standard; undefined for unknown ones. */
function standardName(label: string | undefined): string | undefined {
	try {
		return label && new TextDecoder(label).encoding;
	} catch {
		return undefined;
	}
}

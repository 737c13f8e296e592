/** Bytes that are decoded at a stretch. */
const STEP = 65_536;

/** The text of a body in steps, without blanks in front. A byte order mark is skipped. */
export function* textsOf(body: Buffer, encoding: string, fatal = false): Generator<string> {
	const decoder = new TextDecoder(encoding, { fatal });
	let begun = false;
	for (let at = 0; at < body.length; at += STEP) {
		const text = decoder.decode(body.subarray(at, at + STEP), { stream: true });
		const rest: string = begun ? text : text.trimStart();
		begun ||= rest !== '';
		if (rest !== '') yield rest;
	}
}

/** The encoding of a body, and how many of its characters are not UTF-8 although nothing names another one. */
export interface TextEncoding {
	encoding: string;
	mended: number;
}

/** As much of a header, and of a document, as is looked at for the name of an encoding. */
const DECLARATION_LENGTH = 400;
const CHARSET = /charset\s*=\s*"?([\w.:-]+)/i;
const XML_ENCODING = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/;

/**
 * The encoding of a JSON or XML document. Its bytes count for more than what is declared: what is valid UTF-8 is hardly
 * ever anything else. What is neither UTF-8 nor declared is Windows-1252, or UTF-8 in which some characters are broken.
 */
export function encodingOf(body: Buffer, contentType = ''): TextEncoding {
	const start = body.subarray(0, DECLARATION_LENGTH);
	// Such a document begins with ASCII or a byte order mark, and has no zeros: in UTF-16 one stands beside each letter.
	const [first, second] = start;
	if ((first === 0xff && second === 0xfe) || second === 0) return { encoding: 'utf-16le', mended: 0 };
	if ((first === 0xfe && second === 0xff) || first === 0) return { encoding: 'utf-16be', mended: 0 };
	if (isUtf8(body)) return { encoding: 'utf-8', mended: 0 };
	const charset = CHARSET.exec(contentType.slice(0, DECLARATION_LENGTH))?.[1];
	const declared = [charset, XML_ENCODING.exec(start.toString('latin1'))?.[1]].map(standardName);
	const other = declared.find((name) => name !== undefined && !name.startsWith('utf-'));
	if (other !== undefined) return { encoding: other, mended: 0 };
	let [broken, beyondAscii] = [0, 0];
	for (const text of textsOf(body, 'utf-8')) {
		const beyond = text.replace(/[\0-\x7f]+/g, '');
		broken += beyond.split('\uFFFD').length - 1;
		beyondAscii += beyond.length;
	}
	return { encoding: 2 * broken > beyondAscii ? 'windows-1252' : 'utf-8', mended: broken };
}

/** Whether bytes are UTF-8; a character may be cut at their end. */
function isUtf8(body: Buffer): boolean {
	try {
		for (const text of textsOf(body, 'utf-8', true)) if (text === '') return false;
		return true;
	} catch {
		return false;
	}
}

/** The name of an encoding in the WHATWG Encoding Standard; undefined where there is none. */
function standardName(label: string | undefined): string | undefined {
	try {
		return label && new TextDecoder(label).encoding;
	} catch {
		return undefined;
	}
}

/** From this length on, V8 makes a part of a text a view of the whole. */
const SHORTEST_VIEW = 13;

/** A text by itself. One that was cut out of the document would keep all of it in memory. */
export function ownText(text: string): string {
	return text.length < SHORTEST_VIEW ? text : Buffer.from(text).toString();
}

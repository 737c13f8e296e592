/** How many bytes are decoded at once. */
const STEP = 65_536;

/** The text of a body in chunks, without leading blanks or a byte order mark. */
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

/** The encoding of a body, and how many characters are not UTF-8 although no other encoding is declared. */
export interface TextEncoding {
	encoding: string;
	repaired: number;
}

/** How much of a header or document is searched for the name of an encoding. */
const DECLARATION_LENGTH = 400;
const CHARSET = /charset\s*=\s*"?([\w.:-]+)/i;
const XML_ENCODING = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/;

/**
 * Detects the encoding of a JSON or XML document. The bytes count for more than the declaration: valid UTF-8
 * is hardly ever anything else. Other bytes without a declaration are Windows-1252 or broken UTF-8.
 */
export function encodingOf(body: Buffer, contentType = ''): TextEncoding {
	const start = body.subarray(0, DECLARATION_LENGTH);
	// Documents begin with ASCII or a byte order mark. Zeros only occur in UTF-16, beside each letter.
	const [first, second] = start;
	if ((first === 0xff && second === 0xfe) || second === 0) return { encoding: 'utf-16le', repaired: 0 };
	if ((first === 0xfe && second === 0xff) || first === 0) return { encoding: 'utf-16be', repaired: 0 };
	if (isUtf8(body)) return { encoding: 'utf-8', repaired: 0 };
	const charset = CHARSET.exec(contentType.slice(0, DECLARATION_LENGTH))?.[1];
	const declared = [charset, XML_ENCODING.exec(start.toString('latin1'))?.[1]].map(standardName);
	const other = declared.find((name) => name !== undefined && !name.startsWith('utf-'));
	if (other !== undefined) return { encoding: other, repaired: 0 };
	let [broken, beyondAscii] = [0, 0];
	for (const text of textsOf(body, 'utf-8')) {
		const beyond = text.replace(/[\0-\x7f]+/g, '');
		broken += beyond.split('\uFFFD').length - 1;
		beyondAscii += beyond.length;
	}
	return { encoding: 2 * broken > beyondAscii ? 'windows-1252' : 'utf-8', repaired: broken };
}

/** Whether bytes are UTF-8; the last character may be cut. */
function isUtf8(body: Buffer): boolean {
	try {
		for (const text of textsOf(body, 'utf-8', true)) if (text === '') return false;
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

/** From this length on, V8 stores a substring as a view of the whole text. */
const SHORTEST_VIEW = 13;

/** A copy of a text: a substring would keep the whole document in memory. */
export function ownText(text: string): string {
	return text.length < SHORTEST_VIEW ? text : Buffer.from(text).toString();
}

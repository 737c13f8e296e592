import { parseJson } from './json';
import type { Unreadable } from './rules';
import { parseXml } from './xml';

export type Decoded =
	| { ok: true; format: 'json' | 'xml'; value: unknown }
	| {
			ok: false;
			problem: BodyProblem;
			/** What is wrong, as a sentence without full stop. */
			detail: string;
			/** How the body begins, on one line. Not redacted. */
			excerpt: string;
			/** Whether the body is a document whose end is missing: asking again may help. */
			truncated: boolean;
	  };

/** `text`: neither JSON nor XML nor HTML. `malformed`: begins like JSON or XML, but is not. */
export type BodyProblem = 'empty' | 'html' | 'text' | 'malformed';

const EXCERPT_LENGTH = 200;

/** Enough to find an excerpt in, whatever blanks there are. */
const EXCERPT_SOURCE = 2_000;

const HTML = /^<(?:!doctype\s+html|(?:html|head|body|title|meta|center|h[1-3]|p|pre|div)[\s/>])/i;

/** Enough for what the expression looks at. */
const LONGEST_TAG = 100;

/** What may stand before the first tag, by how it begins and ends. XHTML begins with an XML declaration. */
const BEFORE_HTML = [
	['<!--', '-->'],
	['<?', '?>'],
] as const;

/**
 * A reply's text to a value. The body itself decides what it is, because content types lie.
 * `yieldToEventLoop` is awaited again and again while XML is read (see `parseXml`).
 */
export async function decodeBody(text: string, yieldToEventLoop: () => Promise<void>): Promise<Decoded> {
	const start = text.search(/\S/);
	if (start === -1) return unusable(text, 'empty', 'The body is empty');
	switch (text[start]) {
		case '<':
			if (isHtml(text, start)) return unusable(text, 'html', 'The body is a web page');
			return decoded(text, 'xml', await parseXml(text, yieldToEventLoop));
		case '{':
		case '[':
			return decoded(text, 'json', parseJson(text));
		default:
			return decodeScalar(text);
	}
}

/** JSON may be a lone word, number or string, but text that fails to be one is no broken JSON: it is text. */
function decodeScalar(text: string): Decoded {
	const parsed = parseJson(text);
	return parsed.ok ? decoded(text, 'json', parsed) : unusable(text, 'text', 'The body is plain text');
}

function decoded(
	text: string,
	format: 'json' | 'xml',
	parsed: { ok: true; value: unknown } | Unreadable,
): Decoded {
	if (parsed.ok) return { ok: true, format, value: parsed.value };
	return unusable(text, 'malformed', parsed.detail, parsed.truncated);
}

function unusable(text: string, problem: BodyProblem, detail: string, truncated = false): Decoded {
	return { ok: false, problem, detail, excerpt: excerptOf(text), truncated };
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
function isHtml(text: string, start: number): boolean {
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

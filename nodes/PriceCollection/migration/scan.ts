/**
 * Just enough JavaScript reading to find the ends of strings, brackets and operands in n8n
 * expressions and Code nodes. It does not parse: a text that it cannot follow is reported as such.
 */

/** A piece of a text that is built: fixed text, or the code of a hole such as `{{ … }}`. */
export type Part = { text: string } | { code: string };

const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** What a scan visits: code characters one by one, strings, templates' texts and comments whole. */
interface Span {
	start: number;
	end: number;
	code: boolean;
}

const quotedEnd = (text: string, start: number): number => {
	const quote = text[start];
	for (let at = start + 1; at < text.length; at++) {
		if (text[at] === '\\') at++;
		else if (text[at] === quote) return at + 1;
	}
	return text.length;
};

const commentEnd = (text: string, start: number): number => {
	const closer = text[start + 1] === '/' ? '\n' : '*/';
	const end = text.indexOf(closer, start + 2);
	return end < 0 ? text.length : end + closer.length;
};

const isComment = (text: string, at: number): boolean =>
	text[at] === '/' && (text[at + 1] === '/' || text[at + 1] === '*');

/** End of a template literal; `spans` gets its texts, its `${…}` parts are scanned as code. */
function templateEnd(text: string, start: number, spans: Span[]): number {
	let from = start;
	for (let at = start + 1; at < text.length; at++) {
		if (text[at] === '\\') at++;
		else if (text[at] === '`') {
			spans.push({ start: from, end: at + 1, code: false });
			return at + 1;
		} else if (text[at] === '$' && text[at + 1] === '{') {
			spans.push({ start: from, end: at + 2, code: false });
			at = scanCode(text, at + 2, spans, '}');
			from = at;
		}
	}
	spans.push({ start: from, end: text.length, code: false });
	return text.length;
}

/** Scans from `start` to the end or to the unmatched closer `until`; returns where it stopped. */
function scanCode(text: string, start: number, spans: Span[], until?: string): number {
	let depth = 0;
	let at = start;
	while (at < text.length) {
		const char = text[at] ?? '';
		if (char === until && depth === 0) return at;
		let end = at + 1;
		if (char === '`') {
			at = templateEnd(text, at, spans);
			continue;
		}
		const code = !(char === '"' || char === "'" || isComment(text, at));
		if (char === '"' || char === "'") end = quotedEnd(text, at);
		else if (!code) end = commentEnd(text, at);
		else if (char === '{') depth++;
		else if (char === '}') depth--;
		spans.push({ start: at, end, code });
		at = end;
	}
	return at;
}

/** For every position of a JavaScript text, whether it is code rather than string or comment. */
export function codeMask(text: string): boolean[] {
	const spans: Span[] = [];
	scanCode(text, 0, spans);
	const mask = new Array<boolean>(text.length).fill(false);
	for (const span of spans) if (span.code) mask[span.start] = true;
	return mask;
}

/** Index after the bracket that closes the one at `open`, or undefined. */
export function closeOf(text: string, open: number, mask: boolean[]): number | undefined {
	const stack: string[] = [];
	for (let at = open; at < text.length; at++) {
		const char = text[at] ?? '';
		if (!mask[at]) continue;
		const closer = CLOSERS[char];
		if (closer !== undefined) stack.push(closer);
		else if (char === stack.at(-1)) {
			stack.pop();
			if (stack.length === 0) return at + 1;
		} else if (char === ')' || char === ']' || char === '}') return undefined;
	}
	return undefined;
}

/** Splits at a one-character separator outside brackets and strings; undefined when unbalanced. */
export function splitTopLevel(text: string, separator: string): string[] | undefined {
	const mask = codeMask(text);
	const pieces: string[] = [];
	let from = 0;
	for (let at = 0; at < text.length; at++) {
		const char = text[at] ?? '';
		if (!mask[at]) continue;
		if (char === separator) {
			pieces.push(text.slice(from, at));
			from = at + 1;
		} else if (CLOSERS[char] !== undefined) {
			const end = closeOf(text, at, mask);
			if (end === undefined) return undefined;
			at = end - 1;
		} else if (char === ')' || char === ']' || char === '}') return undefined;
	}
	return [...pieces, text.slice(from)];
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** The value of a text that is one quoted JavaScript string, else undefined. */
export function stringLiteral(code: string): string | undefined {
	const text = code.trim();
	const quote = text[0];
	if (quote !== '"' && quote !== "'") return undefined;
	if (quotedEnd(text, 0) !== text.length || text.length < 2 || text.at(-1) !== quote) {
		return undefined;
	}
	const inner = text.slice(1, -1);
	if (/\\[^ntr\\'"/]/.test(inner)) return undefined;
	return inner.replace(/\\(.)/g, (_all, char: string) => ESCAPES[char] ?? char);
}

/** The pieces of a text that is one JavaScript template literal without escapes, else undefined. */
export function templatePieces(code: string): Part[] | undefined {
	if (code[0] !== '`') return undefined;
	const pieces: Part[] = [];
	let from = 1;
	for (let at = 1; at < code.length; at++) {
		if (code[at] === '\\') return undefined;
		if (code[at] === '`') {
			return at === code.length - 1 ? [...pieces, { text: code.slice(from, at) }] : undefined;
		}
		if (code[at] !== '$' || code[at + 1] !== '{') continue;
		const end = scanCode(code, at + 2, [], '}');
		pieces.push({ text: code.slice(from, at) }, { code: code.slice(at + 2, end).trim() });
		at = end;
		from = end + 1;
	}
	return undefined;
}

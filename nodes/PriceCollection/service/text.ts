/** Line breaks, control characters and the marks that turn the direction of a text: nothing of that belongs in a line. */
const NOT_IN_A_LINE = /[\s\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
/** What some file system refuses in a name, or reads as a path. */
const NOT_IN_A_NAME = /["*/:<>?\\|]/g;
/** A secret that begins within a bound must be whole when it is looked for, so that none is cut in two. */
const READ_BEYOND = 4_000;
const LONGEST_FILE_NAME = 100;

/**
 * A text as one line of at most so many characters. A longer one is cut before anything looks at it, so that its length
 * costs nothing.
 *
 * @param clean takes secrets out of what is left of the text, before it is cut to its length
 */
export function oneLine(text: string, most = Infinity, clean = (line: string) => line): string {
	let line = '';
	let isBetweenWords = false;
	for (const character of clean(text.slice(0, most + READ_BEYOND))) {
		if (NOT_IN_A_LINE.test(character)) {
			isBetweenWords = line !== '';
			continue;
		}
		const next = isBetweenWords ? ` ${character}` : character;
		if (line.length + next.length > most) break;
		line += next;
		isBetweenWords = false;
	}
	return line;
}

/** A text from outside as the name of a file: no path, no hidden file, no name that another system refuses. */
export function fileNameOf(text: string): string {
	const name = oneLine(text, LONGEST_FILE_NAME).replace(NOT_IN_A_NAME, '_');
	return name.replace(/^\.+/, '_') || '_';
}

/** A text without a character that it ends in, however often. */
export function withoutEnd(text: string, character: string): string {
	let end = text.length;
	while (end > 0 && text[end - 1] === character) end--;
	return text.slice(0, end);
}

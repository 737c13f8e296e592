/** Line breaks, control characters and marks that change the text direction do not belong in a line. */
const NOT_IN_A_LINE = /[\s\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
/** Characters that some file system forbids in names or reads as part of a path. */
const NOT_IN_A_NAME = /["*/:<>?\\|]/g;
/** Text beyond the limit is read as well, so that a secret at the limit is recognised before it is cut. */
const READ_BEYOND = 4_000;
const LONGEST_FILE_NAME = 100;

/**
 * A text as one line of at most `most` characters. Long texts are cut before they are examined, to bound the
 * work.
 *
 * @param clean removes secrets from the remaining text before it is cut to its final length
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

/** A file name from external text: no path, no hidden file, no characters that another system forbids. */
export function fileNameOf(text: string): string {
	const name = oneLine(text, LONGEST_FILE_NAME).replace(NOT_IN_A_NAME, '_');
	return name.replace(/^\.+/, '_') || '_';
}

/** A text without any trailing repetitions of a character. */
export function withoutEnd(text: string, character: string): string {
	let end = text.length;
	while (end > 0 && text[end - 1] === character) end--;
	return text.slice(0, end);
}

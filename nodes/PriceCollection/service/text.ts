import { REPLY_NAMES } from './names';
import { bareName, isTextOrNumber } from './types';

/*
 * Texts: as a single line, as a file name, and the messages that a reply contains.
 */

/** Characters with no place in a single line: line breaks, control characters, marks that change the text direction. */
const NOT_IN_A_LINE = /[\s\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;
/** How many characters past the limit are read, so that a secret across the limit is recognised before the cut. */
const READ_BEYOND = 4_000;

/**
 * Returns a text as one line of at most `maxLength` characters. Long texts are cut before they are examined; `clean`
 * then removes secrets before the text is cut to its final length.
 */
export function oneLine(text: string, maxLength = Infinity, clean = (line: string) => line): string {
	const line = clean(text.slice(0, maxLength + READ_BEYOND))
		.replace(NOT_IN_A_LINE, ' ')
		.trim();
	// The cut may have left the first half of a surrogate pair.
	return line
		.slice(0, maxLength)
		.replace(/[\uD800-\uDBFF]$/, '')
		.trimEnd();
}

/** How many characters of a text in a reply are examined. */
const MOST_CHARACTERS = 5_000;
/** A word shows that a text is written for people, unlike a time or an identifier. */
const WORD = /(?<![\p{L}\d])\p{L}{2,}(?![\p{L}\d])/u;
const ADDRESS = /^[a-z]{1,9}:\S*$|^\//i;
/** Words that report an error in any reply; some of them are also the status of a failed job. */
export const ERROR_WORDS: readonly string[] = ['error', 'fail', 'failed', 'failure'];
/** Texts that only count in a message field: elsewhere, as in `status: error`, they add nothing. */
const VERDICTS: readonly string[] = ['true', 'false', 'yes', 'no', 'ok', 'success', ...ERROR_WORDS];
/** Field names that only introduce a message. Other names are shown with it, as in `country: is missing`. */
const ANNOUNCING: readonly string[] = [...REPLY_NAMES.reason, 'title', 'description', 'msg', 'text'];
const isAnnouncement = (name: string) => ANNOUNCING.includes(bareName(name));
const NO_ERROR = /^(\d+|false|no|none|null|nil|ok|)$/i;
/** The keys under which validators name the field they reject, and the parts of a request that may precede it. */
const FIELD_NAMES: readonly string[] = ['field', 'loc', 'propertypath'];
const PARTS_OF_REQUEST = ['body', 'header', 'path', 'query'];

/** Long enough to recognise a secret in place of a name before the name is cut. */
const LONGEST_FIELD = 200;

/** A text in a reply, with the name of its field. */
export interface ReplyText {
	text: string;
	/** Blank if the name adds nothing to the text. */
	field: string;
	/** Whether `field` is a field of the request, as a validator names it. */
	isOfField: boolean;
}

const isFieldName = (key: string, isListed: boolean) =>
	FIELD_NAMES.includes(bareName(key)) || (isListed && bareName(key) === 'parameter');

/** The request field that a validator's error object is about, such as `source` in `{ loc: ["body", "source"], msg }`. */
function fieldOfRequest(object: object, isListed: boolean): string | undefined {
	for (const [key, value] of Object.entries(object)) {
		const path = isFieldName(key, isListed) ? [value].flat().filter(isTextOrNumber).map(String) : [];
		if (path.length > 1 && PARTS_OF_REQUEST.includes(path[0] ?? '')) path.shift();
		if (path.length > 0) return path.join('.').slice(0, LONGEST_FIELD);
	}
	return undefined;
}

/** Yields the texts in a value, in order. */
function* replyTextsIn(
	value: unknown,
	field = '',
	isRequestField = false,
	isListed = false,
): Generator<ReplyText> {
	if (typeof value === 'string') {
		const text = value.slice(0, MOST_CHARACTERS).trim();
		const isUnlabelled = field === '' || (!isRequestField && isAnnouncement(field));
		const isShown =
			WORD.test(text) &&
			!ADDRESS.test(text) &&
			(isUnlabelled || !VERDICTS.includes(text.toLowerCase()));
		if (isShown)
			yield {
				text,
				field: isUnlabelled ? '' : field.slice(0, LONGEST_FIELD),
				isOfField: !isUnlabelled && isRequestField,
			};
	} else if (Array.isArray(value)) {
		for (const entry of value) yield* replyTextsIn(entry, field, isRequestField, true);
	} else if (typeof value === 'object' && value !== null) {
		const fields = Object.entries(value);
		const requestField = fieldOfRequest(value, isListed);
		const isMessage = fields.some(([key]) => isAnnouncement(key));
		const isMap = bareName(field) === 'errors' && !isListed && !isMessage;
		for (const [key, inner] of fields) {
			if (requestField === undefined || !isMessage) {
				// The documented field `parameter` is shown separately, beside the message.
				if (bareName(key) !== 'parameter') yield* replyTextsIn(inner, key, isMap);
			} else if (isAnnouncement(key)) yield* replyTextsIn(inner, requestField, true);
			// Lists such as the allowed values. Other fields are codes, or repeat what was sent.
			else if (Array.isArray(inner) && !isFieldName(key, isListed)) yield* replyTextsIn(inner, key);
		}
	}
}

/** All texts in a value, in order and each once, keyed by how they are shown: `field: text`, or the text alone. */
export function messagesIn(value: unknown): Map<string, ReplyText> {
	return new Map(
		[...replyTextsIn(value)].map((entry) => [
			entry.field === '' ? entry.text : `${entry.field}: ${entry.text}`,
			entry,
		]),
	);
}

/** The texts in a value as they are shown. */
const shownTextsIn = (value: unknown) => [...messagesIn(value).keys()];

/** Joins texts, with a semicolon after each text that does not end a sentence. */
export const joinedSentences = (texts: readonly string[]) => texts.join('; ').replace(/([.!?]); /g, '$1 ');

/** The text of a reason of any shape; undefined if there is none. */
export function reasonIn(value: unknown): string | undefined {
	return (isTextOrNumber(value) ? String(value).trim() : joinedSentences(shownTextsIn(value))) || undefined;
}

/** The text of the first value that reports an error. Values such as 0 or false mean that there is none. */
export function errorIn(...values: unknown[]): string | undefined {
	return values.map(reasonIn).find((text = '') => !NO_ERROR.test(text));
}

const LONGEST_FILE_NAME = 100;

/** Turns external text into a file name: not a path or hidden file, and without characters that file systems forbid. */
export function fileNameOf(text: string): string {
	const name = oneLine(text, LONGEST_FILE_NAME).replace(/["*/:<>?\\|]/g, '_');
	return name.replace(/^\.+/, '_') || '_';
}

/** Returns a text without any repetitions of a character at its end. */
export function withoutEnd(text: string, character: string): string {
	let end = text.length;
	while (end > 0 && text[end - 1] === character) end--;
	return text.slice(0, end);
}

/** Returns "1 job", "2 jobs". */
export function counted(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

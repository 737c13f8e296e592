import { REPLY_NAMES } from './names';
import type { Clock } from './time';
import { bareName, isObject, isTextOrNumber, objectFrom } from './types';

/** Line breaks, control characters and marks that change the text direction do not belong in a line. */
const NOT_IN_A_LINE = /[\s\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;
/** Text beyond the limit is read as well, so that a secret at the limit is recognised before it is cut. */
const READ_BEYOND = 4_000;

/**
 * A text as one line of at most `most` characters. Long texts are cut before they are examined; `clean` then
 * removes secrets before the text is cut to its final length.
 */
export function oneLine(text: string, most = Infinity, clean = (line: string) => line): string {
	const line = clean(text.slice(0, most + READ_BEYOND))
		.replace(NOT_IN_A_LINE, ' ')
		.trim();
	// The first half of a character may be at the end.
	return line
		.slice(0, most)
		.replace(/[\uD800-\uDBFF]$/, '')
		.trimEnd();
}

/** Characters that are examined of a text in a reply. */
const MOST_CHARACTERS = 5_000;
/** Text for people; addresses, times and identifiers are not. */
const WORD = /(?<![\p{L}\d])\p{L}{2,}(?![\p{L}\d])/u;
const ADDRESS = /^[a-z]{1,9}:\S*$|^\//i;
/** Words by which any reply reports an error; some of them are also the status of a job that failed. */
export const ERROR_WORDS: readonly string[] = ['error', 'fail', 'failed', 'failure'];
/** Such a text under a name of its own, as in `status: error`, says no more than that there is an error. */
const VERDICTS: readonly string[] = ['true', 'false', 'yes', 'no', 'ok', 'success', ...ERROR_WORDS];
/** Names that only announce words. Other names are shown, as in `country: is missing`. */
const ANNOUNCING: readonly string[] = [...REPLY_NAMES.reason, 'title', 'description', 'msg', 'text'];
const isBareName = (name: string) => ANNOUNCING.includes(bareName(name));
const NO_ERROR = /^(\d+|false|no|none|null|nil|ok|)$/i;
/** Names under which validators say which field they speak of, and the parts of a request before it. */
const FIELD_NAMES: readonly string[] = ['field', 'loc', 'propertypath'];
const PARTS_OF_REQUEST = ['body', 'header', 'path', 'query'];

/** Long enough that a secret in place of a name is recognised before it is cut. */
const LONGEST_FIELD = 200;

/** A text in a reply, and the name of its field where that says something. */
export interface ReplyText {
	text: string;
	field: string;
	/** Whether that is a field of the request, as a validator names it. */
	isOfField: boolean;
}

const isFieldName = (key: string, isListed: boolean) =>
	FIELD_NAMES.includes(bareName(key)) || (isListed && bareName(key) === 'parameter');

/** The field of the request that an object of a validator is about, such as `{ loc: ["body", "source"], msg }`. */
function fieldOfRequest(object: object, isListed: boolean): string | undefined {
	for (const [key, value] of Object.entries(object)) {
		const isName = FIELD_NAMES.includes(bareName(key)) || (isListed && bareName(key) === 'parameter');
		const path = isName ? [value].flat().filter(isTextOrNumber).map(String) : [];
		if (path.length > 1 && PARTS_OF_REQUEST.includes(path[0] ?? '')) path.shift();
		if (path.length > 0) return path.join('.').slice(0, LONGEST_FIELD);
	}
	return undefined;
}

/** The texts in a value in their order. */
function* replyTextsIn(
	value: unknown,
	field = '',
	isOfField = false,
	isListed = false,
): Generator<ReplyText> {
	if (typeof value === 'string') {
		const text = value.slice(0, MOST_CHARACTERS).trim();
		const isBare = field === '' || (!isOfField && isBareName(field));
		const isSaid =
			WORD.test(text) && !ADDRESS.test(text) && (isBare || !VERDICTS.includes(text.toLowerCase()));
		if (isSaid)
			yield {
				text,
				field: isBare ? '' : field.slice(0, LONGEST_FIELD),
				isOfField: !isBare && isOfField,
			};
	} else if (Array.isArray(value)) {
		for (const entry of value) yield* replyTextsIn(entry, field, isOfField, true);
	} else if (typeof value === 'object' && value !== null) {
		const fields = Object.entries(value);
		const own = fieldOfRequest(value, isListed);
		const isMessage = fields.some(([key]) => isBareName(key));
		const isMap = bareName(field) === 'errors' && !isListed && !isMessage;
		for (const [key, inner] of fields) {
			if (own === undefined || !isMessage) {
				// The documented name of a parameter is shown beside the words.
				if (bareName(key) !== 'parameter') yield* replyTextsIn(inner, key, isMap);
			} else if (isBareName(key)) yield* replyTextsIn(inner, own, true);
			// Such as the values that are allowed. Other fields are codes, or repeat what was sent.
			else if (Array.isArray(inner) && !isFieldName(key, isListed)) yield* replyTextsIn(inner, key);
		}
	}
}

/** All texts in a value in their order, with their fields, each once. */
export function saidIn(value: unknown): Map<string, ReplyText> {
	return new Map(
		[...replyTextsIn(value)].map((said) => [
			said.field === '' ? said.text : `${said.field}: ${said.text}`,
			said,
		]),
	);
}

/** The same as words. */
const wordsIn = (value: unknown) => [...saidIn(value).keys()];

/** Joins texts, with a semicolon after those that have no full stop. */
export const joinedSentences = (words: readonly string[]) => words.join('; ').replace(/([.!?]); /g, '$1 ');

/** The words of a reason of any shape, in their order. */
export function reasonIn(value: unknown): string | undefined {
	return (isTextOrNumber(value) ? String(value).trim() : joinedSentences(wordsIn(value))) || undefined;
}

/** The words of the first value that speaks of an error; others say that there is none. */
export function errorIn(...values: unknown[]): string | undefined {
	return values.map(reasonIn).find((text = '') => !NO_ERROR.test(text));
}

const LONGEST_FILE_NAME = 100;

/** A file name from external text: no path, no hidden file, no characters that some file system forbids. */
export function fileNameOf(text: string): string {
	const name = oneLine(text, LONGEST_FILE_NAME).replace(/["*/:<>?\\|]/g, '_');
	return name.replace(/^\.+/, '_') || '_';
}

/** A text without any trailing repetitions of a character. */
export function withoutEnd(text: string, character: string): string {
	let end = text.length;
	while (end > 0 && text[end - 1] === character) end--;
	return text.slice(0, end);
}

/** Replacing a shorter secret would mangle ordinary words. */
const SHORTEST_SECRET = 4;
const REPLACEMENT = '***';

/**
 * Signatures with which others could act as the user: that of a callback URL, which services may echo, and n8n's in the
 * address of a waiting execution, which resumes every later wait of it as well. The search from one address ends at the
 * next one, so that a long text with many of them is read once.
 */
const SIGNATURE =
	/((?:pc_signature|webhook-waiting(?:\\{0,9}\/|%2F)(?:(?!webhook-waiting)[^\s"'<>]){0,500}?(?<![a-z_])signature)(?:=|%3D|\\{1,9}u003d))[^&%\s"'<>\\]+/gi;

const inBase64 = (secret: string) => withoutEnd(Buffer.from(secret).toString('base64'), '=');

const escaped = (text: string) => text.replace(/[$()*+./?[\\\]^{|}-]/g, '\\$&');
const IN_XML: Readonly<Record<string, string>> = {
	'"': 'quot',
	'&': 'amp',
	"'": 'apos',
	'<': 'lt',
	'>': 'gt',
};
const hex = (code: number, length = 0) => code.toString(16).padStart(length, '0');

/**
 * A pattern for one character in every spelling: as it is and in addresses, forms, JSON and XML, also in one of them
 * inside another. JSON has as many backslashes as there are levels; the limit keeps a long row of them cheap.
 */
function spellingsOf(character: string): string {
	if (/^[a-z\d]$/i.test(character)) return character;
	if (character.startsWith('\\')) return '(?:\\\\{1,99}|(?:%(?:25)*5c)+)';
	const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
	const code = character.codePointAt(0) ?? 0;
	const spellings = [
		`\\\\{0,9}${escaped(character)}`,
		[...Buffer.from(character)].map((byte) => `%(?:25)*${hex(byte, 2)}`).join(''),
		units.map((unit) => `\\\\{1,9}u${hex(unit, 4)}`).join(''),
		`&(?:amp;)*#(?:0*${code}|x0*${hex(code)});`,
		...(character in IN_XML ? [`&(?:amp;)*${IN_XML[character]};`] : []),
		...(character === ' ' ? ['\\+'] : []),
	];
	return `(?:${spellings.join('|')})`;
}

/** A pattern for a text in any spelling. */
const patternOf = (text: string) => (text.match(/\\+|[^]/gu) ?? []).map(spellingsOf).join('');

/** Returns a function that replaces secrets, as they are and in base64, in any spelling and any case. */
function replacerOf(secrets: readonly string[]): (text: string) => string {
	const long = secrets.filter(({ length }) => length >= SHORTEST_SECRET);
	const forms = new Set(long.flatMap((secret) => [secret, inBase64(secret)]));
	const longestFirst = [...forms].sort((a, b) => b.length - a.length);
	// The last alternative never matches, which an empty pattern would do everywhere.
	const pattern = new RegExp([...longestFirst.map(patternOf), '(?!)'].join('|'), 'gi');
	return (text) => text.replace(pattern, REPLACEMENT);
}

/** An address without the parameters that contain a secret; undefined if other parts contain one. */
export function withoutSecrets(target: URL, secrets: readonly string[]): URL | undefined {
	const clean = new URL(target);
	const replaced = replacerOf(secrets);
	const isSecret = (text: string) => replaced(text) !== text;
	for (const [name, value] of target.searchParams) {
		if (isSecret(name) || isSecret(value)) clean.searchParams.delete(name);
	}
	return isSecret(clean.href) ? undefined : clean;
}

/**
 * Whether a secret is so long that it cannot be an ordinary word, the name of a column or a number. Only such secrets
 * are replaced in data: the password `price` must not remove the prices.
 */
const isUnmistakable = (secret: string) => secret.length >= 16 && !/^([a-z_-]+|[\d.]+)$/.test(secret);

/** The text with `***` in place of every secret and of every signature that grants access. */
export function redactText(text: string, secrets: readonly string[]): string {
	return withoutSignatures(replacerOf(secrets)(text));
}

const withoutSignatures = (text: string) => text.replace(SIGNATURE, `$1${REPLACEMENT}`);

/** The longest part of a text that no encoder changes. */
const plainPart = (text: string) =>
	(text.match(/[a-z\d]+/gi) ?? []).reduce((a, b) => (b.length > a.length ? b : a), '');

const PIECE = 1024 * 1024;

/**
 * Whether a body may contain a secret, in any case: a cheap check that saves most replies the {@link redactValue}
 * traversal. UTF-16 has a zero beside each character.
 */
export function mayHoldSecret(body: Buffer, secrets: readonly string[]): boolean {
	const parts = secrets.filter(isUnmistakable).flatMap((one) => [one, inBase64(one)].map(plainPart));
	const marks = ['\\0', 'pc_signature', 'webhook-waiting', ...parts];
	const pattern = new RegExp(marks.join('|'), 'i');
	const longest = Math.max(...marks.map(({ length }) => length));
	// In pieces that overlap, because the whole text would take as much memory as the body.
	for (let at = 0; at < body.length; at += PIECE)
		if (pattern.test(body.toString('latin1', at, at + PIECE + longest))) return true;
	return false;
}

/**
 * Decoded data without unmistakable secrets and without signatures, also in the names of fields; all else stays as
 * it is.
 */
export async function redactValue(
	value: unknown,
	secrets: readonly string[],
	clock: Pick<Clock, 'yieldToEventLoop'>,
): Promise<unknown> {
	const replaced = replacerOf(secrets.filter(isUnmistakable));
	const clean = (text: string) => withoutSignatures(replaced(text));
	const text = JSON.stringify(value ?? null);
	await clock.yieldToEventLoop();
	return clean(text) === text ? value : cleanedTexts(value, clean);
}

/** A value whose texts and names are cleaned. */
function cleanedTexts(value: unknown, clean: (text: string) => string): unknown {
	if (typeof value === 'string') return clean(value);
	if (Array.isArray(value)) return value.map((entry) => cleanedTexts(entry, clean));
	if (!isObject(value)) return value;
	return objectFrom(
		Object.keys(value).map(clean),
		Object.values(value).map((field) => cleanedTexts(field, clean)),
	);
}

/** "1 job", "2 jobs". */
export function counted(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

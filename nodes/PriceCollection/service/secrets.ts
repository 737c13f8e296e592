import { withoutEnd } from './text';
import type { Clock } from './time';
import { isObject, objectFrom } from './types';

/*
 * Keeps secrets, and signatures that grant access, out of texts, addresses and data.
 */

/** Replacing a shorter secret would mangle ordinary words. */
const SHORTEST_SECRET = 4;
const REPLACEMENT = '***';

/**
 * Signatures that would let others act as the user: in a callback URL, which services may echo, and in n8n's address of a
 * waiting execution, where the signature also resumes every later wait. The search from one address ends at the next one,
 * so that a long text with many addresses is read only once.
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
 * A pattern for one character in every spelling: plain, in addresses, forms, JSON and XML, and in one of these nested in
 * another. Each level of JSON adds backslashes; the limit keeps a long run of them cheap.
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

/** Returns a function that replaces secrets, both plain and in base64, in any spelling and any case. */
function replacerOf(secrets: readonly string[]): (text: string) => string {
	const long = secrets.filter(({ length }) => length >= SHORTEST_SECRET);
	const forms = new Set(long.flatMap((secret) => [secret, inBase64(secret)]));
	const longestFirst = [...forms].sort((a, b) => b.length - a.length);
	// The last alternative never matches. Without secrets, an empty pattern would match everywhere.
	const pattern = new RegExp([...longestFirst.map(patternOf), '(?!)'].join('|'), 'gi');
	return (text) => text.replace(pattern, REPLACEMENT);
}

/** Returns a URL without the query parameters that contain a secret; undefined if another part contains one. */
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
 * Whether a secret cannot be an ordinary word, a column name or a number. Only such secrets are replaced in data: the
 * password `price` must not remove the prices.
 */
const isUnmistakable = (secret: string) => secret.length >= 16 && !/^([a-z_-]+|[\d.]+)$/.test(secret);

/** Returns the text with `***` in place of every secret and every signature that grants access. */
export function redactText(text: string, secrets: readonly string[]): string {
	return withoutSignatures(replacerOf(secrets)(text));
}

const withoutSignatures = (text: string) => text.replace(SIGNATURE, `$1${REPLACEMENT}`);

/** The longest part of a text that no encoding changes. */
const plainPart = (text: string) =>
	(text.match(/[a-z\d]+/gi) ?? []).reduce((a, b) => (b.length > a.length ? b : a), '');

const PIECE = 1024 * 1024;

/**
 * Whether a body may contain a secret, in any case: a cheap check that spares most replies the traversal in
 * {@link redactValue}. A zero byte may mean UTF-16, in which the other marks would not be found.
 */
export function mayHoldSecret(body: Buffer, secrets: readonly string[]): boolean {
	const parts = secrets.filter(isUnmistakable).flatMap((one) => [one, inBase64(one)].map(plainPart));
	const marks = ['\\0', 'pc_signature', 'webhook-waiting', ...parts];
	const pattern = new RegExp(marks.join('|'), 'i');
	const longest = Math.max(...marks.map(({ length }) => length));
	// In overlapping pieces: the whole body as text would need as much memory again.
	for (let start = 0; start < body.length; start += PIECE)
		if (pattern.test(body.toString('latin1', start, start + PIECE + longest))) return true;
	return false;
}

/**
 * Returns decoded data without unmistakable secrets and without signatures, also in field names. Everything else stays
 * the same.
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

/** Applies `clean` to all texts and field names in a value. */
function cleanedTexts(value: unknown, clean: (text: string) => string): unknown {
	if (typeof value === 'string') return clean(value);
	if (Array.isArray(value)) return value.map((entry) => cleanedTexts(entry, clean));
	if (!isObject(value)) return value;
	return objectFrom(
		Object.keys(value).map(clean),
		Object.values(value).map((field) => cleanedTexts(field, clean)),
	);
}

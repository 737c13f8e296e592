import type { Clock } from './time';

/** Line breaks, control characters and marks that change the text direction do not belong in a line. */
const NOT_IN_A_LINE = /[\s\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
/** Text beyond the limit is read as well, so that a secret at the limit is recognised before it is cut. */
const READ_BEYOND = 4_000;

/**
 * A text as one line of at most `most` characters. Long texts are cut before they are examined; `clean` then
 * removes secrets before the text is cut to its final length.
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

/** Replacing a shorter secret, or a shorter part of one, would mangle ordinary words. */
const [SHORTEST_SECRET, TELLING_LENGTH] = [4, 12];
const REPLACEMENT = '***';

/** Query parameters whose value lets others act as the user. */
const SECRET_PARAMETER = /([?&;](?:pc_signature|token|api_?key|access_token)=)[^&\s"'<>]+/gi;

/** The signature of a callback URL, which services may echo: whoever has it can forge callbacks. */
const CALLBACK_SIGNATURE = /(\bpc_signature(?:=|%3D))[0-9a-f]+/gi;

/** n8n's token in the address of a waiting execution: it resumes every later wait of it as well. */
const RESUME_ADDRESS = /webhook-waiting(?:\/|%2F)/i;
const RESUME_TOKEN = /((?<![a-z_])signature(?:=|%3D))[^&%]+/gi;
const WORD = /[^\s"'<>]+/g;

const XML_NAMES: Readonly<Record<string, string>> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": 'apos',
};

/** Every spelling of a character: plain, and as addresses, forms, JSON, XML and HTML encode it. */
function spellingsOf(character: string): string {
	if (/[a-z\d]/i.test(character)) return character;
	const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');
	// In text that was encoded twice, the percent sign is encoded as well.
	const inAddress = [...Buffer.from(character)].map((byte) => `%(?:25)?${hex(byte, 2)}`).join('');
	const inJson = character.split('').map((unit) => `\\\\u${hex(unit.charCodeAt(0), 4)}`);
	const code = character.codePointAt(0) ?? 0;
	const inXml = `&(?:#0*${code}|#x0*${hex(code, 1)}|${XML_NAMES[character] ?? '#'});`;
	const plain = `\\\\?${character.replace(/[$()*+./?[\\\]^{|}-]/, '\\$&')}`;
	return `(?:${[inAddress, ...(character === ' ' ? ['\\+'] : []), inJson.join(''), inXml, plain].join('|')})`;
}

/** The longest part of a secret that no encoder changes. */
function tellingPart(secret: string): string {
	return (secret.match(/[a-z\d]+/gi) ?? []).reduce((a, b) => (b.length > a.length ? b : a), '');
}

/** A secret as it is, and in base64 as Basic authentication and tokens carry it. */
const formsOf = (secret: string) => [secret, withoutEnd(Buffer.from(secret).toString('base64'), '=')];

/** Replaces secrets in any spelling, and their telling parts, which remain of cut ones. */
function replacerOf(secrets: readonly string[]): (text: string) => string {
	const long = secrets.filter(({ length }) => length >= SHORTEST_SECRET).flatMap(formsOf);
	const parts = long.map(tellingPart).filter(({ length }) => length >= TELLING_LENGTH);
	const patterns = [...long.sort((a, b) => b.length - a.length), ...parts].map((secret) => ({
		sign: tellingPart(secret).toLowerCase(),
		pattern: new RegExp(Array.from(secret, spellingsOf).join(''), 'gi'),
	}));
	return (text) => {
		const plain = text.toLowerCase();
		// A pattern takes long on runs of its first letter; most texts do not contain its sign.
		const possible = patterns.filter(({ sign }) => plain.includes(sign));
		return possible.reduce((clean, { pattern }) => clean.replace(pattern, REPLACEMENT), text);
	};
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

/** Lengths at which a secret does not occur in ordinary text: of any, and of several kinds of characters. */
const [UNMISTAKABLE_LENGTH, MIXED_LENGTH, FEWEST_CHARACTERS] = [24, 16, 8];

/**
 * Whether a secret is so long and random that it cannot be an ordinary word or name. Only such secrets are
 * replaced in data: the password `price` must not remove the prices.
 */
function isUnmistakable(secret: string): boolean {
	if (new Set(secret).size < FEWEST_CHARACTERS) return false;
	const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^\w\s.-]/].filter((kind) => kind.test(secret)).length;
	// Words joined by underscores are column names, at any length.
	if (kinds === 1 && /[a-z]/.test(secret) && /[_-]/.test(secret)) return false;
	return secret.length >= UNMISTAKABLE_LENGTH || (secret.length >= MIXED_LENGTH && kinds > 1);
}

/** The text with `***` in place of every secret and of every parameter that grants access. */
export function redactText(text: string, secrets: readonly string[]): string {
	return withoutSignatures(replacerOf(secrets)(text).replace(SECRET_PARAMETER, `$1${REPLACEMENT}`));
}

function withoutSignatures(text: string): string {
	const plain = text.replace(CALLBACK_SIGNATURE, `$1${REPLACEMENT}`);
	if (!RESUME_ADDRESS.test(plain)) return plain;
	// Word by word, because one search over a long text with many addresses would take hours.
	return plain.replace(WORD, (word) =>
		RESUME_ADDRESS.test(word) ? word.replace(RESUME_TOKEN, `$1${REPLACEMENT}`) : word,
	);
}

/**
 * Whether a body may contain a secret in any spelling: a cheap check that saves most replies the
 * {@link redactValue} traversal. UTF-16 has a zero beside each character, and JSON may escape any character.
 */
export function mayHoldSecret(body: Buffer, secrets: readonly string[]): boolean {
	const forms = secrets.filter(isUnmistakable).flatMap(formsOf);
	const parts = forms.map((form) => tellingPart(form) || form);
	const spelled = parts.flatMap((part) => [part, part.toLowerCase(), part.toUpperCase()]);
	const escape = parts.length > 0 ? ['\\u00'] : [];
	return ['\0', 'pc_signature', 'webhook-waiting', ...escape, ...spelled].some((one) => body.includes(one));
}

const TEXTS_AT_A_STRETCH = 20_000;

/**
 * Removes unmistakable secrets from decoded data, including field names. Changes the data in place, because
 * nothing else refers to it yet. Callback signatures are always removed; all else stays as it is.
 */
export async function redactValue(
	value: unknown,
	secrets: readonly string[],
	clock: Pick<Clock, 'yieldToEventLoop'>,
): Promise<unknown> {
	const replaced = replacerOf(secrets.filter(isUnmistakable));
	const clean = (text: string) => withoutSignatures(replaced(text));
	const root = { value };
	let seen = 0;
	const open: object[] = [root];
	for (let part = open.pop(); part !== undefined; part = open.pop()) {
		const fields = part as Record<string, unknown>;
		const isList = Array.isArray(part);
		for (const name of Object.keys(fields)) {
			const field = fields[name];
			if (typeof field === 'object' && field !== null) open.push(field);
			const newName = isList ? name : clean(name);
			const newField = typeof field === 'string' ? clean(field) : field;
			// A replaced name contains `***`, so it is never `__proto__`.
			if (newName !== name) delete fields[name];
			if (newName !== name || newField !== field) fields[newName] = newField;
			if (++seen % TEXTS_AT_A_STRETCH === 0) await clock.yieldToEventLoop();
		}
	}
	return root.value;
}

import type { Clock } from './clock';

/** Replacing a shorter secret would mangle ordinary words; no service issues keys that short. */
const SHORTEST_SECRET = 4;
/** A part of a secret that is this long is not an ordinary word. */
const TELLING_LENGTH = 12;
const REPLACEMENT = '***';

/** Query parameters whose value lets others act as the user. */
const SECRET_PARAMETER = /([?&;](?:pc_signature|token|api_?key|access_token)=)[^&\s"'<>]+/gi;

/** The signature of a callback URL, which services may echo: whoever has it can forge callbacks. */
const CALLBACK_SIGNATURE = /(\bpc_signature(?:=|%3D))[0-9a-f]+/gi;

/** n8n's token in the address of a waiting execution: it resumes every later wait of it as well. */
const RESUME_ADDRESS = /webhook-waiting(?:\/|%2F)/i;
const RESUME_TOKEN = /((?<![a-z_])signature(?:=|%3D))[^&%]+/gi;
/** A sequence of characters that can be an address. */
const WORD = /[^\s"'<>]+/g;

/** A secret of this length does not occur in ordinary text. */
const UNMISTAKABLE_LENGTH = 24;
/** The same for a secret with several kinds of characters. */
const MIXED_LENGTH = 16;
const FEWEST_CHARACTERS = 8;

/** XML's names for characters that must be escaped. */
const XML_NAMES: Readonly<Record<string, string>> = {
	...{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' },
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

/** A secret as it is, and in base64 as Basic authentication and tokens carry it. */
const formsOf = (secret: string) => [
	secret,
	Buffer.from(secret)
		.toString('base64')
		.replace(/={1,2}$/, ''),
];

/** The longest part of a secret that no encoder changes. */
function tellingPart(secret: string): string {
	return (secret.match(/[a-z\d]+/gi) ?? []).reduce((a, b) => (b.length > a.length ? b : a), '');
}

/** Finds secrets in any spelling, and their telling part if they were cut or encoded otherwise. */
function patternOf(secrets: readonly string[]): RegExp {
	const long = secrets.filter(({ length }) => length >= SHORTEST_SECRET).flatMap(formsOf);
	const parts = long.map(tellingPart).filter(({ length }) => length >= TELLING_LENGTH);
	const longestFirst = [...long.sort((a, b) => b.length - a.length), ...parts];
	const spelled = longestFirst.map((secret) => Array.from(secret, spellingsOf).join(''));
	return new RegExp(spelled.join('|') || '(?!)', 'gi');
}

/** An address without the parameters that contain a secret; undefined if other parts contain one. */
export function withoutSecrets(target: URL, secrets: readonly string[]): URL | undefined {
	const clean = new URL(target);
	const isSecret = (text: string) => patternOf(secrets).test(text);
	for (const [name, value] of target.searchParams) {
		if (isSecret(name) || isSecret(value)) clean.searchParams.delete(name);
	}
	return isSecret(clean.href) ? undefined : clean;
}

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
	const clean = text.replace(patternOf(secrets), REPLACEMENT);
	return withoutSignatures(clean.replace(SECRET_PARAMETER, `$1${REPLACEMENT}`));
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
	const parts = secrets
		.filter(isUnmistakable)
		.flatMap(formsOf)
		.map((form) => tellingPart(form) || form);
	const spelled = parts.flatMap((part) => [part, part.toLowerCase(), part.toUpperCase()]);
	const escape = parts.length > 0 ? ['\\u00'] : [];
	return ['\0', 'pc_signature', 'webhook-waiting', ...escape, ...spelled].some((one) => body.includes(one));
}

/** How many texts are processed before n8n's event loop gets its turn. */
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
	const pattern = patternOf(secrets.filter(isUnmistakable));
	const clean = (text: string) => withoutSignatures(text.replace(pattern, REPLACEMENT));
	if (typeof value === 'string') return clean(value);
	let seen = 0;
	const open: object[] = typeof value === 'object' && value !== null ? [value] : [];
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
	return value;
}

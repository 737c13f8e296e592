import type { Clock } from './clock';

/** A secret shorter than this would blacken ordinary words; no service issues keys that short. */
const SHORTEST_SECRET = 4;
/** A part of a secret as long as this is no ordinary word. */
const TELLING_LENGTH = 12;
const REPLACEMENT = '***';

/** Query parameters whose value lets somebody act in the user's name, whatever it is. */
const SECRET_PARAMETER = /([?&;](?:pc_signature|token|api_?key|access_token)=)[^&\s"'<>]+/gi;

/** The signature of a callback URL, which a service may echo with the job: whoever has it can call in its name. */
const CALLBACK_SIGNATURE = /(\bpc_signature(?:=|%3D))[0-9a-f]+/gi;

/** n8n's own token in the address of a waiting execution: it resumes every later wait of that execution as well. */
const RESUME_ADDRESS = /webhook-waiting(?:\/|%2F)/i;
const RESUME_TOKEN = /((?<![a-z_])signature(?:=|%3D))[^&%]+/gi;
/** What an address can be, among other words. */
const WORD = /[^\s"'<>]+/g;

/** A secret of this length is in no ordinary text. */
const UNMISTAKABLE_LENGTH = 24;
/** Or of this, where it is made of several kinds of characters. */
const MIXED_LENGTH = 16;
const FEWEST_CHARACTERS = 8;

/** How XML names the characters that it may not leave as they are. */
const XML_NAMES: Readonly<Record<string, string>> = {
	...{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' },
};

/** Everything under which a character can turn up: as it is, and as addresses, forms, JSON, XML and HTML write it. */
function spellingsOf(character: string): string {
	if (/[a-z\d]/i.test(character)) return character;
	const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');
	// What was encoded twice has a percent sign that is encoded.
	const inAddress = [...Buffer.from(character)].map((byte) => `%(?:25)?${hex(byte, 2)}`).join('');
	const inJson = character.split('').map((unit) => `\\\\u${hex(unit.charCodeAt(0), 4)}`);
	const code = character.codePointAt(0) ?? 0;
	const inXml = `&(?:#0*${code}|#x0*${hex(code, 1)}|${XML_NAMES[character] ?? '#'});`;
	const plain = `\\\\?${character.replace(/[$()*+./?[\\\]^{|}-]/, '\\$&')}`;
	return `(?:${[inAddress, ...(character === ' ' ? ['\\+'] : []), inJson.join(''), inXml, plain].join('|')})`;
}

/** A secret as it is, and as Basic authentication and tokens carry it. */
const formsOf = (secret: string) => [
	secret,
	Buffer.from(secret)
		.toString('base64')
		.replace(/={1,2}$/, ''),
];

/** The longest stretch of a secret that no encoder touches. */
function tellingPart(secret: string): string {
	return (secret.match(/[a-z\d]+/gi) ?? []).reduce((a, b) => (b.length > a.length ? b : a), '');
}

/** Finds every secret in any spelling; of one that was cut or written in a way of its own, the telling part. */
function patternOf(secrets: readonly string[]): RegExp {
	const long = secrets.filter(({ length }) => length >= SHORTEST_SECRET).flatMap(formsOf);
	const parts = long.map(tellingPart).filter(({ length }) => length >= TELLING_LENGTH);
	const longestFirst = [...long.sort((a, b) => b.length - a.length), ...parts];
	const spelled = longestFirst.map((secret) => Array.from(secret, spellingsOf).join(''));
	return new RegExp(spelled.join('|') || '(?!)', 'gi');
}

/** An address without the parameters that hold a secret; undefined when another part of it does. */
export function withoutSecrets(target: URL, secrets: readonly string[]): URL | undefined {
	const clean = new URL(target);
	const isSecret = (text: string) => patternOf(secrets).test(text);
	for (const [name, value] of target.searchParams) {
		if (isSecret(name) || isSecret(value)) clean.searchParams.delete(name);
	}
	return isSecret(clean.href) ? undefined : clean;
}

/**
 * Whether a secret is long and random, so that it never is an ordinary word or name: only such a one may be replaced in
 * data. `price` as a password must not take the prices away.
 */
function isUnmistakable(secret: string): boolean {
	if (new Set(secret).size < FEWEST_CHARACTERS) return false;
	const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^\w\s.-]/].filter((kind) => kind.test(secret)).length;
	// Words joined by underscores are names of columns, however long.
	if (kinds === 1 && /[a-z]/.test(secret) && /[_-]/.test(secret)) return false;
	return secret.length >= UNMISTAKABLE_LENGTH || (secret.length >= MIXED_LENGTH && kinds > 1);
}

/** The text with every secret replaced by `***`, and every parameter that opens doors. */
export function redactText(text: string, secrets: readonly string[]): string {
	const clean = text.replace(patternOf(secrets), REPLACEMENT);
	return withoutSignatures(clean.replace(SECRET_PARAMETER, `$1${REPLACEMENT}`));
}

function withoutSignatures(text: string): string {
	const plain = text.replace(CALLBACK_SIGNATURE, `$1${REPLACEMENT}`);
	if (!RESUME_ADDRESS.test(plain)) return plain;
	// Word by word, because a search from each of the addresses to the end of a text would take hours.
	return plain.replace(WORD, (word) =>
		RESUME_ADDRESS.test(word) ? word.replace(RESUME_TOKEN, `$1${REPLACEMENT}`) : word,
	);
}

/**
 * Whether a body may hold a secret, however it is written: a cheap look that spares most replies the walk of
 * {@link redactValue}. UTF-16 has a zero beside each character, and JSON may write any character as an escape.
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

/** Texts looked at before n8n's event loop gets its turn. */
const TEXTS_AT_A_STRETCH = 20_000;

/**
 * Takes unmistakable secrets out of decoded data, names included, in place: nobody else has it yet. The signatures of
 * callback addresses go in any case; everything else stays as it is.
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
			// What was replaced shows that it was, so that this is never the name `__proto__`.
			if (newName !== name) delete fields[name];
			if (newName !== name || newField !== field) fields[newName] = newField;
			if (++seen % TEXTS_AT_A_STRETCH === 0) await clock.yieldToEventLoop();
		}
	}
	return value;
}

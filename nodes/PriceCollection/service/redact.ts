import type { IDataObject } from 'n8n-workflow';

/** A secret shorter than this would blacken ordinary words; no service issues keys that short. */
const SHORTEST_SECRET = 4;
/** A part of a secret as long as this is no ordinary word. */
const TELLING_LENGTH = 12;
const REPLACEMENT = '***';

/** Query parameters whose value lets somebody act in the user's name, whatever it is. */
const SECRET_PARAMETER = /([?&;](?:pc_signature|token|api_?key|access_token)=)[^&\s"'<>]+/gi;

/** What encoders of addresses leave as it is besides letters, digits and `*-._`: the browser's, axios', encodeURI. */
const LEFT_UNENCODED = ['', "!'()~", "!'()~:$,", "!'()~:$,[]", "!'()~;,/?:@&=+$#"] as const;

/** How XML and HTML write the characters that they may or must not leave as they are. */
const XML_ESCAPES: ReadonlyArray<readonly [character: string, spellings: readonly string[]]> = [
	['&', ['&amp;']],
	['<', ['&lt;']],
	['>', ['&gt;', '>']],
	['"', ['&quot;', '&#34;', '"']],
	["'", ['&apos;', '&#39;', '&#x27;', "'"]],
];

/** How a secret can be spelt in an address or in a form. */
function urlSpellings(secret: string): string[] {
	const form = new URLSearchParams({ s: secret }).toString().slice(2).replaceAll('+', '%20');
	return LEFT_UNENCODED.flatMap((kept) => {
		const inPath = form.replace(/%[2-7][0-9A-F]/g, (code) => {
			const character = String.fromCharCode(parseInt(code.slice(1), 16));
			return kept.includes(character) ? character : code;
		});
		return [inPath, inPath.replaceAll('%20', '+')].flatMap((text) => [
			text,
			text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
		]);
	});
}

/** How a secret can be spelt in JSON, XML and HTML. */
function textSpellings(secret: string): string[] {
	const json = JSON.stringify(secret).slice(1, -1);
	const ascii = json.replace(
		/[^\x20-\x7e]/g,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
	const xml = XML_ESCAPES.reduce<string[]>(
		(texts, [character, spellings]) =>
			texts.flatMap((text) => spellings.map((spelling) => text.replaceAll(character, spelling))),
		[secret],
	);
	return [...[json, ascii].flatMap((text) => [text, text.replaceAll('/', '\\/')]), ...xml];
}

/** All spellings under which a secret can turn up in a text: as it is, and as addresses, JSON and XML write it. */
export function spellingsOf(secrets: readonly string[]): string[] {
	const spellings = secrets.flatMap((secret) => [
		secret,
		...urlSpellings(secret),
		...textSpellings(secret),
	]);
	return [...new Set(spellings)]
		.filter((spelling) => spelling.length >= SHORTEST_SECRET)
		.sort((a, b) => b.length - a.length);
}

/** The longest stretch of a secret that no encoder touches, or all of it where that says too little. */
function unmistakablePart(secret: string): string {
	const plain = secret.match(/[A-Za-z0-9]+/g) ?? [];
	const longest = plain.reduce((best, part) => (part.length > best.length ? part : best), '');
	return longest.length >= SHORTEST_SECRET ? longest : secret;
}

/**
 * The text with every secret replaced by `***`. `spellings` come from {@link spellingsOf}. Of a secret that was
 * encoded twice, or cut, the telling part goes.
 */
export function redactText(text: string, spellings: readonly string[]): string {
	const remains = spellings.map(unmistakablePart).filter((part) => part.length >= TELLING_LENGTH);
	const clean = [...spellings, ...new Set(remains)].reduce(
		(rest, secret) => rest.split(secret).join(REPLACEMENT),
		text,
	);
	return clean.replace(SECRET_PARAMETER, `$1${REPLACEMENT}`);
}

/** The signature of a callback URL, which a service may echo with the job: whoever has it can call in its name. */
const CALLBACK_SIGNATURE = /(\bpc_signature=)[0-9a-f]+/gi;

/**
 * Whether an encoded text may hold a secret, however it is written: a cheap look that spares most replies the
 * walk of {@link redactValue}.
 */
export function mayHoldSecret(text: string, spellings: readonly string[]): boolean {
	const parts = new Set(spellings.map(unmistakablePart)).add('pc_signature=');
	return [...parts].some((part) => text.includes(part));
}

/** A copy of decoded data in which no string, and no name, holds a secret. */
export function redactValue(value: unknown, spellings: readonly string[]): unknown {
	if (typeof value === 'string') {
		const clean = spellings.reduce((rest, secret) => rest.split(secret).join(REPLACEMENT), value);
		return clean.replace(CALLBACK_SIGNATURE, `$1${REPLACEMENT}`);
	}
	if (Array.isArray(value)) return value.map((element) => redactValue(element, spellings));
	if (typeof value !== 'object' || value === null) return value;
	const copy: IDataObject = {};
	for (const [name, inner] of Object.entries(value)) {
		copy[String(redactValue(name, spellings))] = redactValue(inner, spellings) as IDataObject[string];
	}
	return copy;
}

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
const RESUME_ADDRESS = /webhook-waiting(\/|%2F)/i;
const RESUME_TOKEN = /((?<![a-z_])signature(?:=|%3D))[^&%]+/gi;
/** What an address can be, among other words. */
const WORD = /[^\s"'<>]+/g;

/** What addresses with either of them hold in any spelling. */
const SIGNED_ADDRESSES = ['pc_signature', 'webhook-waiting'];

/** A secret of this length is in no ordinary text. */
const UNMISTAKABLE_LENGTH = 24;
/** Or of this, where it is made of several kinds of characters. */
const MIXED_LENGTH = 16;
const FEWEST_CHARACTERS = 8;

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
	const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
	const ascii = json.replace(/[^\x20-\x7e]/g, escaped);
	const xml = XML_ESCAPES.reduce<string[]>(
		(texts, [character, spellings]) =>
			texts.flatMap((text) => spellings.map((spelling) => text.replaceAll(character, spelling))),
		[secret],
	);
	return [...[json, ascii].flatMap((text) => [text, text.replaceAll('/', '\\/')]), ...xml];
}

/** All spellings under which a secret can turn up in a text: as it is, and as addresses, JSON and XML write it. */
export function spellingsOf(secrets: readonly string[]): string[] {
	const long = secrets.filter(({ length }) => length >= SHORTEST_SECRET);
	const spellings = long.flatMap((secret) => [
		secret,
		secret.toLowerCase(),
		secret.toUpperCase(),
		Buffer.from(secret)
			.toString('base64')
			.replace(/={1,2}$/, ''),
		...urlSpellings(secret),
		...textSpellings(secret),
	]);
	return [...new Set(spellings)]
		.filter((spelling) => spelling.length >= SHORTEST_SECRET)
		.sort((a, b) => b.length - a.length);
}

/**
 * Whether a secret is long and random, so that it never is an ordinary word or name: only such a one may be replaced in
 * data. `price` as a password must not take the prices away.
 */
export function isUnmistakable(secret: string): boolean {
	if (new Set(secret).size < FEWEST_CHARACTERS) return false;
	const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^\w\s.-]/].filter((kind) => kind.test(secret)).length;
	// Words joined by underscores are names of columns, however long.
	if (kinds === 1 && /[a-z]/.test(secret) && /[_-]/.test(secret)) return false;
	return secret.length >= UNMISTAKABLE_LENGTH || (secret.length >= MIXED_LENGTH && kinds > 1);
}

/** The longest stretch of a secret that no encoder touches, or all of it where that says too little. */
function unmistakablePart(secret: string): string {
	const [longest = ''] = [...(secret.match(/[A-Za-z0-9]+/g) ?? [])].sort((a, b) => b.length - a.length);
	return longest.length >= SHORTEST_SECRET ? longest : secret;
}

/**
 * The text with every secret replaced by `***`. `spellings` come from {@link spellingsOf}. Of a secret that was
 * encoded twice, or cut, the telling part goes.
 */
export function redactText(text: string, spellings: readonly string[]): string {
	const remains = spellings.map(unmistakablePart).filter((part) => part.length >= TELLING_LENGTH);
	const clean = without([...spellings, ...new Set(remains)], text);
	return withoutSignatures(clean.replace(SECRET_PARAMETER, `$1${REPLACEMENT}`));
}

function without(secrets: readonly string[], text: string): string {
	return secrets.reduce((rest, secret) => rest.replaceAll(secret, REPLACEMENT), text);
}

function withoutSignatures(text: string): string {
	const plain = text.replace(CALLBACK_SIGNATURE, `$1${REPLACEMENT}`);
	if (!RESUME_ADDRESS.test(plain)) return plain;
	// Word by word, because a search from each of the addresses to the end of a text would take hours.
	return plain.replace(WORD, (word) => {
		const at = word.search(RESUME_ADDRESS);
		return at === -1
			? word
			: word.slice(0, at) + word.slice(at).replace(RESUME_TOKEN, `$1${REPLACEMENT}`);
	});
}

/** JSON may write any character so, a secret as well. */
const ESCAPE = '\\u00';

/**
 * Looks for secrets in a body on its way, however they are written: a cheap look that spares most replies the walk of
 * {@link redactValue}.
 */
export class SecretWatch {
	found = false;
	private readonly parts: Buffer[];
	private readonly overlap: number;
	private end = Buffer.alloc(0);

	/** @param spellings of unmistakable secrets */
	constructor(spellings: readonly string[]) {
		const parts = new Set([...spellings.map(unmistakablePart), ...SIGNED_ADDRESSES]);
		if (spellings.length > 0) parts.add(ESCAPE);
		this.parts = [...parts].map((part) => Buffer.from(part));
		this.overlap = Math.max(...this.parts.map(({ length }) => length)) - 1;
	}

	/** The same pieces; `found` is set once one of them, or two side by side, may hold a secret. */
	async *over(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
		for await (const piece of pieces) {
			if (!this.found) this.look(piece);
			yield piece;
		}
	}

	private look(piece: Buffer): void {
		const bytes = Buffer.concat([this.end, piece]);
		// UTF-16 has a zero beside each character: such a body is always walked.
		this.found = piece.includes(0) || this.parts.some((part) => bytes.includes(part));
		this.end = Buffer.from(bytes.subarray(-this.overlap));
	}
}

/** Texts looked at before n8n's event loop gets its turn. */
const TEXTS_AT_A_STRETCH = 20_000;

/**
 * Takes secrets out of decoded data, names included, in place: nobody else has it yet. Only unmistakable secrets may be
 * given, and the signatures of callback addresses go in any case; everything else stays as it is.
 */
export async function redactValue(
	value: unknown,
	spellings: readonly string[],
	clock: Pick<Clock, 'yieldToEventLoop'>,
): Promise<unknown> {
	const clean = (text: string) => withoutSignatures(without(spellings, text));
	if (typeof value === 'string') return clean(value);
	let seen = 0;
	const open: object[] = typeof value === 'object' && value !== null ? [value] : [];
	for (let part = open.pop(); part !== undefined; part = open.pop()) {
		const fields = part as Record<string, unknown>;
		const isList = Array.isArray(part);
		for (const name of Object.keys(fields)) {
			const field = fields[name];
			if (typeof field === 'object' && field !== null) open.push(field);
			const [newName, newField] = [
				isList ? name : clean(name),
				typeof field === 'string' ? clean(field) : field,
			];
			// What was replaced shows that it was, so that this is never the name `__proto__`.
			if (newName !== name) delete fields[name];
			if (newName !== name || newField !== field) fields[newName] = newField;
			if (++seen % TEXTS_AT_A_STRETCH === 0) await clock.yieldToEventLoop();
		}
	}
	return value;
}

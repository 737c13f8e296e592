import type { IDataObject } from 'n8n-workflow';

/** A secret shorter than this would blacken ordinary words; no service issues keys that short. */
const SHORTEST_SECRET = 4;
const REPLACEMENT = '***';

/** Query parameters whose value lets somebody act in the user's name, whatever it is. */
const SECRET_PARAMETER = /([?&;](?:pc_signature|token|api_?key|access_token)=)[^&\s"'<>]+/gi;

/** All spellings under which a secret can turn up in a text: as it is, URL-encoded, in Basic credentials. */
export function spellingsOf(secrets: readonly string[]): string[] {
	const spellings = secrets.flatMap((secret) => [
		secret,
		encodeURIComponent(secret),
		new URLSearchParams({ s: secret }).toString().slice(2),
		JSON.stringify(secret).slice(1, -1),
	]);
	return [...new Set(spellings)]
		.filter((spelling) => spelling.length >= SHORTEST_SECRET)
		.sort((a, b) => b.length - a.length);
}

/** The text with every secret replaced by `***`. `spellings` come from {@link spellingsOf}. */
export function redactText(text: string, spellings: readonly string[]): string {
	const withoutValues = spellings.reduce((rest, secret) => rest.split(secret).join(REPLACEMENT), text);
	return withoutValues.replace(SECRET_PARAMETER, `$1${REPLACEMENT}`);
}

/** Whether a text holds a secret: a cheap look that spares most replies the walk of {@link redactValue}. */
export function holdsSecret(text: string, spellings: readonly string[]): boolean {
	return spellings.some((secret) => text.includes(secret));
}

/** A copy of decoded data in which no string, and no name, holds a secret. */
export function redactValue(value: unknown, spellings: readonly string[]): unknown {
	if (typeof value === 'string') {
		return spellings.reduce((rest, secret) => rest.split(secret).join(REPLACEMENT), value);
	}
	if (Array.isArray(value)) return value.map((element) => redactValue(element, spellings));
	if (typeof value !== 'object' || value === null) return value;
	const copy: IDataObject = {};
	for (const [name, inner] of Object.entries(value)) {
		copy[String(redactValue(name, spellings))] = redactValue(inner, spellings) as IDataObject[string];
	}
	return copy;
}

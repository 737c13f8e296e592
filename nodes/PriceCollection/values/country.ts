/** Countries by their English names: services take two-letter codes, and people write names. */

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

const REGION_NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Whether a code is the one in use: UK and DD are other ways to write GB and DE. */
const isInUse = (code: string) => new Intl.Locale('und', { region: code }).region === code;

const SHORTEST_NAME = 4;

/** Two-letter codes in lower case, by names in lower case; made when it is first needed. */
let codesByEnglishName: ReadonlyMap<string, string> | undefined;

function codesByName(): ReadonlyMap<string, string> {
	const all = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
	return new Map(
		all.flatMap((code) => {
			const name = isInUse(code) ? REGION_NAMES.of(code) : undefined;
			return name === undefined ? [] : [[name.toLowerCase(), code.toLowerCase()] as const];
		}),
	);
}

/** The English name of a country by its two-letter code in any case; undefined for other texts. */
export function nameOfCountry(code: string): string | undefined {
	return /^[a-z]{2}$/i.test(code) ? REGION_NAMES.of(code.toUpperCase()) : undefined;
}

/** The two-letter code, in lower case, of a country by its English name in any case; undefined for other texts. */
export function codeOfCountry(name: string): string | undefined {
	const word = name.trim().toLowerCase();
	// No name is as short as a code, for which the names need not be collected.
	return word.length < SHORTEST_NAME ? undefined : (codesByEnglishName ??= codesByName()).get(word);
}

/** The codes of all countries, in lower case. */
export const countryCodes = (): string[] => [...(codesByEnglishName ??= codesByName()).values()];

/** Countries by their English names: services take two-letter codes, but people write names. */

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

const REGION_NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Codes of regions with a name that are not countries: the European Union, the United Nations, Unknown Region, … */
const NOT_COUNTRIES = ['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ'];

/** Whether a country has this code now: UK and DD are aliases of GB and DE. */
const isInUse = (code: string) =>
	!NOT_COUNTRIES.includes(code) && new Intl.Locale('und', { region: code }).region === code;

const SHORTEST_NAME = 4;

/** Two-letter codes by English name, both in lower case; built on first use. */
let codesByEnglishName: ReadonlyMap<string, string> | undefined;

function codesByName(): ReadonlyMap<string, string> {
	const letterPairs = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
	return new Map(
		letterPairs.flatMap((code) => {
			const name = isInUse(code) ? REGION_NAMES.of(code) : undefined;
			return name === undefined ? [] : [[name.toLowerCase(), code.toLowerCase()] as const];
		}),
	);
}

/** The English name for a two-letter code in any case; undefined for other texts. */
export function nameOfCountry(code: string): string | undefined {
	return /^[a-z]{2}$/i.test(code) ? REGION_NAMES.of(code.toUpperCase()) : undefined;
}

/** The two-letter code, in lower case, for an English name in any case; undefined for other texts. */
export function codeOfCountry(name: string): string | undefined {
	const word = name.trim().toLowerCase();
	// Codes are shorter than any name, so they do not build the table.
	return word.length < SHORTEST_NAME ? undefined : (codesByEnglishName ??= codesByName()).get(word);
}

/** The codes of all countries, in lower case. */
export const countryCodes = (): string[] => [...(codesByEnglishName ??= codesByName()).values()];

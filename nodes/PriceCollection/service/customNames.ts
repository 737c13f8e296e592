import { success, type Outcome } from './problems';
import { bareName, isObject, isTextOrNumber } from './types';

/** What the service calls something, as a setting of the credential says it. */
export interface CustomName {
	meaning: string;
	/** The text behind the colon: the service's own name or names. */
	names: string;
}

const LONGEST_SHOWN = 80;

/** The lines of a setting: those of a text, or one for each entry of n8n's collection; undefined for anything else. */
function settingLines(given: unknown): string[] | undefined {
	if (given === undefined || given === null) return [];
	if (typeof given === 'string') return given.split('\n');
	const { names = [] } = isObject(given) ? given : { names: undefined };
	if (!Array.isArray(names) || !isObject(given)) return undefined;
	const lines = names.map((entry: unknown) => {
		const { meaning, fields } = isObject(entry) ? entry : {};
		const parts = [meaning ?? '', fields ?? ''];
		return parts.every(isTextOrNumber) ? parts.join(': ').replace(/^: $/, '') : undefined;
	});
	return lines.every((line) => line !== undefined) ? lines : undefined;
}

/**
 * Reads a setting that gives meanings the service's own names: n8n's collection, or a text with a line such as
 * `gtin: ean` for each. Meanings count in any spelling, blank lines do not.
 *
 * @param setting its name in the credential, and a line as it is written there
 * @param given its values; a credential can hold both forms
 * @returns each meaning once, or a sentence for the user that names the wrong line
 */
export function readCustomNames(
	[setting, example]: readonly [name: string, line: string],
	meanings: readonly string[],
	given: readonly unknown[],
): Outcome<CustomName[], string> {
	const fault = (problem: string) => ({ ok: false, problem }) as const;
	const read: CustomName[] = [];
	for (const lines of given.map(settingLines)) {
		if (lines === undefined)
			return fault(
				`${setting} must be a list of names, or a text with a line such as ${example} for each.`,
			);
		for (const line of lines.map((one) => one.trim()).filter((one) => one !== '')) {
			const named = `The line "${line.slice(0, LONGEST_SHOWN)}" of ${setting}`;
			const colon = line.indexOf(':');
			if (colon < 0) return fault(`${named} has no colon. Write it like this: ${example}`);
			const word = line.slice(0, colon).trim();
			const meaning = meanings.find((one) => bareName(one) === bareName(word));
			if (meaning === undefined)
				return fault(`${named} must begin with one of these: ${meanings.join(', ')}.`);
			if (read.some((one) => one.meaning === meaning))
				return fault(`${named} names ${meaning} a second time. Remove one of the two.`);
			read.push({ meaning, names: line.slice(colon + 1).trim() });
		}
	}
	return success(read);
}

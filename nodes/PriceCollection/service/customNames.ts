import { success, type Outcome } from './problems';
import { bareName, isObject, isTextOrNumber } from './types';

/** One line of a names setting in the credential: a meaning, and what the service calls it. */
export interface CustomName {
	meaning: string;
	/** The text after the colon: the service's name or names. */
	names: string;
}

/** How much of a wrong line a message quotes, in characters. */
export const LONGEST_LINE = 80;

/** Splits a setting into lines: a text's lines, or one per entry of n8n's collection. Undefined for other values. */
function settingLines(value: unknown): string[] | undefined {
	if (value === undefined || value === null) return [];
	if (typeof value === 'string') return value.split('\n');
	const { names = [] } = isObject(value) ? value : { names: undefined };
	if (!Array.isArray(names) || !isObject(value)) return undefined;
	const lines = names.map((entry: unknown) => {
		const { meaning, fields } = isObject(entry) ? entry : {};
		const parts = [meaning ?? '', fields ?? ''];
		return parts.every(isTextOrNumber) ? parts.join(': ').replace(/^: $/, '') : undefined;
	});
	return lines.every((line) => line !== undefined) ? lines : undefined;
}

/**
 * Reads a setting that maps meanings to the service's names: n8n's collection, or text with a line such as
 * `gtin: ean` for each. A meaning may be written in any spelling. Blank lines are ignored.
 *
 * @param setting the setting's name in the credential, and an example of a line
 * @param inputs the setting's values; a credential can hold both forms
 * @returns each meaning once, or a message for the user that quotes the wrong line
 */
export function readCustomNames(
	[setting, example]: readonly [name: string, line: string],
	meanings: readonly string[],
	inputs: readonly unknown[],
): Outcome<CustomName[], string> {
	const fault = (problem: string) => ({ ok: false, problem }) as const;
	const customNames: CustomName[] = [];
	for (const lines of inputs.map(settingLines)) {
		if (lines === undefined)
			return fault(
				`${setting} must be a list of names, or a text with a line such as ${example} for each.`,
			);
		for (const line of lines.map((one) => one.trim()).filter((one) => one !== '')) {
			const subject = `The line "${line.slice(0, LONGEST_LINE)}" of ${setting}`;
			const colon = line.indexOf(':');
			if (colon < 0) return fault(`${subject} has no colon. Write it like this: ${example}`);
			const label = line.slice(0, colon).trim();
			const meaning = meanings.find((one) => bareName(one) === bareName(label));
			if (meaning === undefined)
				return fault(`${subject} must begin with one of these: ${meanings.join(', ')}.`);
			if (customNames.some((one) => one.meaning === meaning))
				return fault(`${subject} names ${meaning} a second time. Remove one of the two.`);
			customNames.push({ meaning, names: line.slice(colon + 1).trim() });
		}
	}
	return success(customNames);
}

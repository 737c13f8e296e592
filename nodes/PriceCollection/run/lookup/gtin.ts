const PROBLEM_TEXTS: Readonly<Record<GtinProblem, string>> = {
	checkDigit: 'its check digit is wrong, so there is a typing error in it',
	digits: 'it holds something else than digits',
	length: 'it does not have 7 to 14 digits',
};

/** What is wrong with a GTIN: other characters than digits, too few or too many digits, a mistyped digit. */
export type GtinProblem = 'checkDigit' | 'digits' | 'length';

/**
 * Checks a GTIN-8, -12, -13 or -14 before it costs anything; undefined when it is sound. Spreadsheets strip
 * leading zeros and the service restores them, so every length from 7 digits (a GTIN-8 without its zero) to 14 is taken.
 */
export function checkGtin(value: string): GtinProblem | undefined {
	if (!/^\d+$/.test(value)) return 'digits';
	if (value.length < 7 || value.length > 14) return 'length';
	// From the right, weights go 1, 3, 1, 3, …, check digit first; leading zeros change nothing.
	let sum = 0;
	for (let place = 0; place < value.length; place++) {
		sum += Number(value[value.length - 1 - place]) * (place % 2 === 0 ? 1 : 3);
	}
	return sum % 10 === 0 ? undefined : 'checkDigit';
}

/** A number as a spreadsheet shows it in a narrow or unformatted column. */
const SHORTENED = /^\d+(?:[.,]\d+)?e\+?\d+$/i;
const SEPARATOR = /[\s,;|]/;

/** What a user should know about a value that is no GTIN. */
export interface GtinComplaint {
	/** What the value is: `"400" is not a valid GTIN: …`. */
	what: string;
	/** What stands there in a sound sheet: `one GTIN per line`. */
	expected: string;
	/** What to do, a sentence. */
	advice: string;
}

/** What is wrong with a GTIN that would be paid for in vain; undefined when it is sound. */
export function complaintAbout(value: string): GtinComplaint | undefined {
	const problem = checkGtin(value);
	if (problem === undefined) return undefined;
	const parts = value.split(SEPARATOR).filter((part) => part !== '');
	if (parts.length > 1 && parts.every((part) => /^\d{7,14}$/.test(part))) {
		return {
			what: `"${value}" is a list of ${parts.length} numbers on one line`,
			expected: 'one value per line',
			advice: 'Put each value on a line of its own.',
		};
	}
	if (SHORTENED.test(value)) {
		return {
			what: `"${value}" is a number as a spreadsheet shortens it, without its last digits`,
			expected: 'one GTIN per line, with all its digits',
			advice: 'Format the column of the sheet as text and enter the GTIN again.',
		};
	}
	return {
		what: `"${value}" is not a valid GTIN: ${PROBLEM_TEXTS[problem]}`,
		expected: 'one GTIN per line',
		advice: 'Correct it, or switch off Validate Values in the options.',
	};
}

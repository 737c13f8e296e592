/** Why a text is not a GTIN-8, -12, -13 or -14, if so. The service restores leading zeros. */
export function gtinProblem(value: string): string | undefined {
	if (!/^\d+$/.test(value)) return 'it holds something else than digits';
	if (value.length < 7 || value.length > 14) return 'it does not have 7 to 14 digits';
	// From the right, the weights are 1, 3, 1, 3, …, check digit first; leading zeros change nothing.
	const sum = [...value]
		.reverse()
		.reduce((so, digit, place) => so + Number(digit) * (place % 2 === 0 ? 1 : 3), 0);
	return sum % 10 === 0 ? undefined : 'its check digit is wrong, so there is a typing error in it';
}

/** A GTIN without hyphens and spaces between its digits, as printed on books; other texts unchanged. */
export function plainGtin(value: string): string {
	const digits = value.replaceAll(/(?<=\d)[ -](?=\d)/g, '');
	// Two numbers on one line are a list.
	return gtinProblem(digits) === undefined && !/\d{7}[ -]\d{7}/.test(value) ? digits : value;
}

/** The ISBN-13 of an ISBN-10; undefined for any other text. */
function isbn13Of(value: string): string | undefined {
	const isbn = value.replaceAll(/[ -]/g, '').toUpperCase();
	if (!/^\d{9}[\dX]$/.test(isbn)) return undefined;
	const sum = [...isbn].reduce(
		(so, digit, place) => so + (10 - place) * (digit === 'X' ? 10 : Number(digit)),
		0,
	);
	const begun = `978${isbn.slice(0, 9)}`;
	return sum % 11 === 0
		? [...'0123456789'].map((digit) => begun + digit).find((one) => gtinProblem(one) === undefined)
		: undefined;
}

/** A number as a spreadsheet shows it in a narrow or unformatted column. */
const SHORTENED = /^\d{1,15}(?:[.,]\d{1,15})?e\+?\d{1,3}$/i;

/** Explains a value whose lookup would be wasted. */
export interface Complaint {
	/** What the value is: `"400" is not a valid GTIN: …`. */
	what: string;
	/** What a correct sheet has instead: `one GTIN per line`. */
	expected: string;
	/** The advice, as a sentence. */
	advice: string;
}

/** What is wrong with a GTIN whose lookup would be wasted; undefined when it is valid. */
export function gtinComplaint(value: string): Complaint | undefined {
	const problem = gtinProblem(plainGtin(value));
	if (problem === undefined) return undefined;
	const parts = value.split(/[\s,;|]/).filter((part) => part !== '');
	if (parts.length > 1 && parts.every((part) => /^\d{7,14}$/.test(part))) {
		const what = `"${value}" is a list of ${parts.length} numbers on one line`;
		return { what, expected: 'one value per line', advice: 'Put each value on a line of its own.' };
	}
	if (SHORTENED.test(value)) {
		const what = `"${value}" is a number that a spreadsheet has shortened, so its last digits are missing`;
		const advice = 'Format the column of the sheet as text and enter the GTIN again.';
		return { what, expected: 'one GTIN per line, with all its digits', advice };
	}
	const isbn13 = isbn13Of(value);
	if (isbn13 !== undefined) {
		const advice = `Enter ${isbn13}, the ISBN-13 of the same book.`;
		return { what: `"${value}" is an ISBN-10`, expected: `its ISBN-13, ${isbn13}`, advice };
	}
	const advice = 'Correct it, or switch off Validate GTINs in the options.';
	return { what: `"${value}" is not a valid GTIN: ${problem}`, expected: 'one GTIN per line', advice };
}

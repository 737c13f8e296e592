/** GTINs in all their forms: as people type them, as the node sends and compares them, and as sheets hold them. */

/** Full-width digits, letters and marks from East Asian keyboards. Other compatibility forms, such as ¹, are not digits. */
const FULL_WIDTH = /[\uff01-\uff5e]/g;
/** Invisible characters, such as soft hyphens and direction marks. Tabs are not included: they separate. */
const INVISIBLE = /(?![\t\v\f])[\p{Cc}\p{Cf}]/gu;
/** Blanks, dashes of any length and the minus sign. */
const GAPS = /[\s\p{Pd}\u2212]+/gu;
const DIGITS_AND_GAPS = /^\d(?:[\d\s\p{Pd}\u2212]*\d)?$/u;
/** Two numbers that are each long enough to be a GTIN. */
const TWO_NUMBERS = /\d{7}[\s\p{Pd}\u2212]+\d{7}/u;
const LABEL = /^(?:EAN|GTIN|ISBN|JAN|UPC)[\s:]*/i;
/** A label with the type of code, as in `EAN-13`. UPC-E is not included: its digits are compressed, so they are refused. */
const LONG_LABEL = /^(?:EAN|GTIN|ISBN|JAN|UPC)[\s\p{Pd}]?(?:8|12|13|14|A)[\s:]+/iu;
/** Labels after which 10 digits can be an ISBN. After UPC they cannot. */
const ISBN_LABEL = /^(?:EAN|GTIN|ISBN|JAN)(?:[\s\p{Pd}]?(?:8|10|12|13|14|A)(?=[\s:]))?[\s:]*/iu;
const UPC_LABEL = /^UPC/i;
/** A number in scientific notation, as spreadsheets show it in a narrow or unformatted column. */
const SHORTENED = /^\d{1,15}(?:[.,]\d{1,15})?e\+?\d{1,3}$/i;
/** The same with a decimal point or comma. Captures the digits before and after it, and the power of ten. */
const POWER_OF_TEN = /^(\d{1,15})[.,](\d{1,15})e\+?(\d{1,2})$/i;
/** The longest text that can be a GTIN, with room for gaps and marks. */
const LONGEST_TYPED = 200;
/** Separators of numbers on one line. Blanks and dashes are tried last, because they may be inside a number. */
const NUMBER_SEPARATORS = [/[,;|/、]/u, /[\s\p{Pd}\u2212,;|/、]/u];

/** Why a text is not a GTIN-8, -12, -13 or -14; undefined if it is one, with or without its leading zeros. */
export function gtinProblem(value: string): string | undefined {
	if (!/^\d+$/.test(value)) return 'it contains something other than digits';
	if (value.length < 7 || value.length > 14) return 'it does not have 7 to 14 digits';
	if (/^0+$/.test(value)) return 'it consists of zeros';
	// The weights are 1, 3, 1, 3, … from the right, starting with the check digit, so leading zeros change nothing.
	const digits = [...value].reverse().map(Number);
	const sum = digits.reduce((total, digit, index) => total + digit * (index % 2 === 0 ? 1 : 3), 0);
	return sum % 10 === 0 ? undefined : 'its check digit is wrong, probably a typing error';
}

const isGtin = (digits: string) => gtinProblem(digits) === undefined;

/** A typed text without what sheets and keyboards add: full-width forms, invisible characters, a first `'`, a last `.0`. */
function tidied(text: string): string {
	if (text.length > LONGEST_TYPED) return text;
	const plain = text.replace(FULL_WIDTH, (mark) => mark.normalize('NFKC')).replace(INVISIBLE, '');
	return plain
		.trim()
		.replace(/^['’‘]\s*/u, '')
		.replace(/[.,]0{1,2}$/, '');
}

/** The digits of a tidied text without its label; undefined if it contains anything else, or if digits were rounded away. */
function digitsOf(text: string): string | undefined {
	const [, whole = '', decimals = '', power] = POWER_OF_TEN.exec(text) ?? [];
	// With fewer decimals than the power of ten, the sheet has rounded the number, even if the check digit fits.
	if (power !== undefined) return decimals.length === Number(power) ? whole + decimals : undefined;
	if (!DIGITS_AND_GAPS.test(text) || TWO_NUMBERS.test(text)) return undefined;
	return text.replace(GAPS, '');
}

/** The possible readings of a text as digits: two if the first digits may belong to the label, as in `EAN 13 …`. */
function readingsOf(text: string): string[] {
	const typed = tidied(text);
	return [LABEL, LONG_LABEL].flatMap((label) => digitsOf(typed.replace(label, '')) ?? []);
}

/** The GTIN in a text; undefined if there is none, or if the text could mean another GTIN or an ISBN-10. */
function gtinIn(text: string): string | undefined {
	// A shortcut, because most cells are plain digits. An ISBN-10 has only 9 or 10 of them.
	if (/^\d{11,14}$/.test(text)) return isGtin(text) ? text : undefined;
	const [digits, another] = new Set(readingsOf(text).filter(isGtin));
	if (digits === undefined || another !== undefined || isIsbn10(text)) return undefined;
	if (!isIsbn10(digits)) return digits;
	// The label shows that it is a UPC. With its leading zeros, it can no longer be read as an ISBN.
	return UPC_LABEL.test(tidied(text)) ? filledGtin(digits) : undefined;
}

/** Whether a text is an ISBN-10 with a valid checksum (modulo 11). Sheets may have dropped its leading zero. */
function isIsbn10(text: string): boolean {
	const characters = tidied(text).replace(ISBN_LABEL, '').replace(GAPS, '').toUpperCase();
	if (!/^\d{8,9}[\dX]$/.test(characters)) return false;
	const figures = [...characters.padStart(10, '0')].map((one) => (one === 'X' ? 10 : Number(one)));
	const sum = figures.reduce((total, figure, index) => total + figure * (10 - index), 0);
	return sum > 0 && sum % 11 === 0;
}

/** How many numbers a line lists; undefined if it has fewer than two, or contains anything else. */
function countOfNumbers(text: string): number | undefined {
	const lists = NUMBER_SEPARATORS.map((separator) =>
		tidied(text)
			.split(separator)
			.map((part) => part.trim())
			.filter((part) => part !== ''),
	);
	const isNumber = (part: string) => /^\d{7,14}$/.test(plainGtin(part));
	return lists.find((parts) => parts.length > 1 && parts.every(isNumber))?.length;
}

/** Reduces a typed GTIN to plain digits; returns other texts unchanged. */
export function plainGtin(value: string): string {
	return gtinIn(value) ?? value;
}

/**
 * What is wrong with a typed text that is not a GTIN, and advice; undefined for a valid GTIN. The cases are in
 * `test/unit/values/gtin.cases.txt`.
 */
export function gtinComplaint(text: string): [what: string, advice: string] | undefined {
	if (gtinIn(text) !== undefined) return undefined;
	const [firstReading = ''] = UPC_LABEL.test(tidied(text)) ? [] : readingsOf(text);
	if (isIsbn10(text) || isIsbn10(firstReading)) {
		const isBare = /^[\d.,e+]+$/i.test(tidied(text));
		if (!isBare) return ['is an ISBN-10', 'Use the ISBN-13 of the same book.'];
		const advice = 'Use the ISBN-13 of the book, or write all 12 digits of the UPC.';
		return ['is an ISBN-10, or a UPC without its leading zeros', advice];
	}
	const count = countOfNumbers(text);
	if (count !== undefined) return [`is a list of ${count} numbers on one line`, 'Put one in each row.'];
	const digits = readingsOf(text).at(-1);
	if (digits === undefined && SHORTENED.test(tidied(text).replace(LABEL, ''))) {
		const what = 'is a number that a spreadsheet has shortened, so its last digits are missing';
		return [what, 'Format the column of the sheet as text and enter the GTIN again.'];
	}
	const problem = gtinProblem(digits ?? text) ?? 'it is unclear where its label ends';
	return [`is not a valid GTIN: ${problem}`, 'Correct it, or switch off Check GTINs in the options.'];
}

/** Pads the digits of a GTIN with leading zeros to 8, 12, 13 or 14 digits. */
function filledGtin(digits: string): string {
	return digits.padStart([8, 12, 13].find((length) => digits.length <= length) ?? 14, '0');
}

/**
 * Restores a GTIN's leading zeros, which spreadsheets drop, before it is sent; returns other texts unchanged. An ISBN-10
 * with zeros would be the UPC of another product.
 */
export function fullGtin(value: string): string {
	return isGtin(value) && !isIsbn10(value) ? filledGtin(value) : value;
}

/** Removes leading zeros from a text of digits, so that spellings of a GTIN are equal; returns other texts unchanged. */
export function withoutLeadingZeros(text: string): string {
	return /^0\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : text;
}

/** Shortens an echoed GTIN to the form in sheets, because services pad GTINs with zeros to 14 digits. */
export function gtinInSheets(echo: string): string {
	return /^0\d{13}$/.test(echo) ? filledGtin(echo.replace(/^0+/, '')) : echo;
}

/** GTINs in all their forms: as people type them, as they are sent, what identifies them, and as sheets have them. */

/** Full-width digits, letters and marks, as East Asian keyboards type them. Other forms, such as ¹, are not digits. */
const FULL_WIDTH = /[\uff01-\uff5e]/g;
/** Characters that nobody sees: zero-width, soft hyphens, direction marks. Tabs are blanks, which separate. */
const INVISIBLE = /(?![\t\v\f])[\p{Cc}\p{Cf}]/gu;
/** Blanks, dashes of any length and the minus sign. */
const GAPS = /[\s\p{Pd}\u2212]+/gu;
const DIGITS_AND_GAPS = /^\d(?:[\d\s\p{Pd}\u2212]*\d)?$/u;
/** Each of the two is long enough to be a GTIN. */
const TWO_NUMBERS = /\d{7}[\s\p{Pd}\u2212]+\d{7}/u;
const LABEL = /^(?:EAN|GTIN|ISBN|JAN|UPC)[\s:]*/i;
/** With a number of digits, as in `EAN-13`. The digits after UPC-E are compressed, so they stay refused. */
const LONG_LABEL = /^(?:EAN|GTIN|ISBN|JAN|UPC)[\s\p{Pd}]?(?:8|12|13|14|A)[\s:]+/iu;
/** Labels behind which 10 digits can be an ISBN, unlike behind UPC. */
const ISBN_LABEL = /^(?:EAN|GTIN|ISBN|JAN)(?:[\s\p{Pd}]?(?:8|10|12|13|14|A)(?=[\s:]))?[\s:]*/iu;
const UPC_LABEL = /^UPC/i;
/** A number as a spreadsheet shows it in a narrow or unformatted column. */
const SHORTENED = /^\d{1,15}(?:[.,]\d{1,15})?e\+?\d{1,3}$/i;
/** With a decimal point or comma: the digits before and after it, and the power of ten. */
const POWER_OF_TEN = /^(\d{1,15})[.,](\d{1,15})e\+?(\d{1,2})$/i;
/** The longest text that can be a GTIN, with room for gaps and marks. */
const LONGEST_TYPED = 200;
/** What may be between numbers on one line. Blanks and dashes are tried last, as they may be inside a number. */
const NUMBER_SEPARATORS = [/[,;|/、]/u, /[\s\p{Pd}\u2212,;|/、]/u];

/** Why a text is not a GTIN-8, -12, -13 or -14, with or without its leading zeros, if so. */
export function gtinProblem(value: string): string | undefined {
	if (!/^\d+$/.test(value)) return 'it contains something other than digits';
	if (value.length < 7 || value.length > 14) return 'it does not have 7 to 14 digits';
	if (/^0+$/.test(value)) return 'it consists of zeros';
	// From the right, the weights are 1, 3, 1, 3, …, check digit first; leading zeros change nothing.
	const digits = [...value].reverse().map(Number);
	const sum = digits.reduce((so, digit, place) => so + digit * (place % 2 === 0 ? 1 : 3), 0);
	return sum % 10 === 0 ? undefined : 'its check digit is wrong, probably a typing error';
}

const isGtin = (digits: string) => gtinProblem(digits) === undefined;

/** A typed text without the marks of sheets and keyboards: full width, invisible characters, `'`, `.0`. */
function tidied(text: string): string {
	if (text.length > LONGEST_TYPED) return text;
	const plain = text.replace(FULL_WIDTH, (mark) => mark.normalize('NFKC')).replace(INVISIBLE, '');
	return plain
		.trim()
		.replace(/^['’‘]\s*/u, '')
		.replace(/[.,]0{1,2}$/, '');
}

/** The digits of a tidied text without a label; undefined if it has anything else, or lacks digits. */
function digitsOf(text: string): string | undefined {
	const [, whole = '', decimals = '', power] = POWER_OF_TEN.exec(text) ?? [];
	// Fewer decimals than the power says: a sheet has rounded the number, whatever its check digit.
	if (power !== undefined) return decimals.length === Number(power) ? whole + decimals : undefined;
	if (!DIGITS_AND_GAPS.test(text) || TWO_NUMBERS.test(text)) return undefined;
	return text.replace(GAPS, '');
}

/** The digits that a text can mean; several where it is unclear whether digits belong to the label. */
function readingsOf(text: string): string[] {
	const typed = tidied(text);
	return [LABEL, LONG_LABEL].flatMap((label) => digitsOf(typed.replace(label, '')) ?? []);
}

/** The one GTIN that a text can mean. */
function gtinIn(text: string): string | undefined {
	// Most cells are plain digits, and only 9 or 10 of them can be an ISBN-10.
	if (/^\d{11,14}$/.test(text)) return isGtin(text) ? text : undefined;
	const [digits, another] = new Set(readingsOf(text).filter(isGtin));
	if (digits === undefined || another !== undefined || isIsbn10(text)) return undefined;
	if (!isIsbn10(digits)) return digits;
	// The label says what it is, and the zeros keep it from being read as an ISBN.
	return UPC_LABEL.test(tidied(text)) ? filledGtin(digits) : undefined;
}

/** Whether a text is an ISBN-10, by the check of its characters, which is modulo 11. Sheets drop a zero in front. */
function isIsbn10(text: string): boolean {
	const characters = tidied(text).replace(ISBN_LABEL, '').replace(GAPS, '').toUpperCase();
	if (!/^\d{8,9}[\dX]$/.test(characters)) return false;
	const figures = [...characters.padStart(10, '0')].map((one) => (one === 'X' ? 10 : Number(one)));
	const sum = figures.reduce((so, figure, place) => so + figure * (10 - place), 0);
	return sum > 0 && sum % 11 === 0;
}

/** How many numbers are on the line, if it contains nothing else. */
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

/** A GTIN as people type it, as plain digits; other texts unchanged. */
export function plainGtin(value: string): string {
	return gtinIn(value) ?? value;
}

/** What a typed text is instead of a GTIN, and advice; undefined for a valid GTIN. */
export function gtinComplaint(text: string): [what: string, advice: string] | undefined {
	if (gtinIn(text) !== undefined) return undefined;
	const [typed = ''] = UPC_LABEL.test(tidied(text)) ? [] : readingsOf(text);
	if (isIsbn10(text) || isIsbn10(typed)) {
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
	const wrong = gtinProblem(digits ?? text) ?? 'it is unclear where its label ends';
	return [`is not a valid GTIN: ${wrong}`, 'Correct it, or switch off Check GTINs in the options.'];
}

/** The digits of a GTIN with zeros in front: 8, 12, 13 or 14 of them. */
function filledGtin(digits: string): string {
	return digits.padStart([8, 12, 13].find((length) => digits.length <= length) ?? 14, '0');
}

/**
 * A GTIN as it is sent: filled up with zeros, which spreadsheets drop; other texts unchanged. With zeros, an ISBN-10
 * would be the UPC of another product.
 */
export function fullGtin(value: string): string {
	return isGtin(value) && !isIsbn10(value) ? filledGtin(value) : value;
}

/** A text of digits without its leading zeros, which identifies a GTIN; other texts unchanged. */
export function withoutLeadingZeros(text: string): string {
	return /^0\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : text;
}

/** An echoed GTIN as sheets have it: services fill up GTINs with zeros to 14 digits. */
export function gtinInSheets(echo: string): string {
	return /^0\d{13}$/.test(echo) ? filledGtin(echo.replace(/^0+/, '')) : echo;
}

/** Numbers that are written digit by digit, because no double can hold them. */
class ExactNumber {
	readonly digits: string;

	constructor(digits: string) {
		this.digits = digits;
	}
}

/** Stands before the digits until the text is there: no value of the sandbox holds this private character. */
const MARK = '\uE0E0';
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g');

/** A value that `writeJson` writes as exactly these digits, without quotes. */
export function exactNumber(digits: string): object {
	return new ExactNumber(digits);
}

/** The digits of such a value; undefined for anything else. */
export function exactDigits(value: unknown): string | undefined {
	return value instanceof ExactNumber ? value.digits : undefined;
}

/** What `JSON.stringify` writes, with exact numbers. `JSON.rawJSON` would do the same, but is missing before Node 21. */
export function writeJson(value: unknown): string {
	const marked = (_name: string, field: unknown) =>
		field instanceof ExactNumber ? `${MARK}${field.digits}` : field;
	return JSON.stringify(value, marked).replace(MARKED, '$1');
}

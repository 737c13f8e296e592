/** A number that is written digit by digit, because a double cannot hold it. */
class ExactNumber {
	readonly digits: string;

	constructor(digits: string) {
		this.digits = digits;
	}
}

/** Marks the digits until the JSON is written. No value of the sandbox contains this private-use character. */
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

/** `JSON.stringify` with exact numbers. `JSON.rawJSON` would do the same, but is missing before Node 21. */
export function writeJson(value: unknown): string {
	const marked = (_name: string, field: unknown) =>
		field instanceof ExactNumber ? `${MARK}${field.digits}` : field;
	return JSON.stringify(value, marked).replace(MARKED, '$1');
}

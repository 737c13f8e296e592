/** Numbers that are written digit by digit, because no double can hold them. */

interface RawJson {
	rawJSON: string;
}

/** The platform has these since Node 22; the library of types does not name them yet. */
const json = JSON as typeof JSON & {
	rawJSON(text: string): RawJson;
	isRawJSON(value: unknown): value is RawJson;
};

/** A value that `JSON.stringify` writes as exactly these digits, without quotes. */
export function exactNumber(digits: string): object {
	return json.rawJSON(digits);
}

/** The digits of such a value; undefined for anything else. */
export function exactDigits(value: unknown): string | undefined {
	return json.isRawJSON(value) ? value.rawJSON : undefined;
}

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

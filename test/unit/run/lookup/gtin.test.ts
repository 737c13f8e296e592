import { checkGtin, complaintAbout } from '../../../../nodes/PriceCollection/run/lookup/gtin';

test.each([
	['GTIN-8', '96385074'],
	['GTIN-12', '885909666966'],
	['GTIN-13', '4006381333931'],
	['GTIN-14', '10614141000415'],
	['leading zeros added', '00885909666966'],
	['leading zeros stripped', '12345678905'],
	['GTIN-8 without its leading zero', '1234565'],
])('accepts a sound GTIN: %s', (_name, value) => {
	expect(checkGtin(value)).toBeUndefined();
});

test.each([
	['', 'digits'],
	['40063813339 31', 'digits'],
	['B00ABCDEFG', 'digits'],
	['４００６３８１３３３９３１', 'digits'],
	['123456', 'length'],
	['1234567', 'checkDigit'],
	['004006381333931', 'length'],
	['4006381333932', 'checkDigit'],
	['4006381339331', 'checkDigit'],
])('finds what is wrong with %j: %s', (value, problem) => {
	expect(checkGtin(value)).toBe(problem);
});

test.each([
	['4006381333931,9780201379624', 'a list of 2 numbers on one line', 'one value per line'],
	['4006381333931; 9780201379624; 96385074', 'a list of 3 numbers on one line', 'one value per line'],
	['4.00638E+12', 'a number as a spreadsheet shortens it', 'with all its digits'],
	['4,00638E+12', 'a number as a spreadsheet shortens it', 'with all its digits'],
	['4.006381333931e12', 'a number as a spreadsheet shortens it', 'with all its digits'],
	['4006381333931, 9780201379624,', 'a list of 2 numbers on one line', 'one value per line'],
	['4E+12', 'a number as a spreadsheet shortens it', 'with all its digits'],
	['40.06E+11', 'a number as a spreadsheet shortens it', 'with all its digits'],
	['x4.0E+12', 'not a valid GTIN: it holds something else than digits', 'one GTIN per line'],
	['4.0E+12x', 'not a valid GTIN: it holds something else than digits', 'one GTIN per line'],
	['4006381333931 123456', 'not a valid GTIN: it holds something else than digits', 'one GTIN per line'],
	['4006381333931 123456789012345', 'not a valid GTIN: it holds something', 'one GTIN per line'],
	['4006381333931 x1234567', 'not a valid GTIN: it holds something else', 'one GTIN per line'],
	['one, two', 'not a valid GTIN: it holds something else than digits', 'one GTIN per line'],
	['40063813339 31', 'not a valid GTIN: it holds something else than digits', 'one GTIN per line'],
])('says what %s is, and what is expected', (value, what, expected) => {
	expect(complaintAbout(value)).toMatchObject({
		what: expect.stringMatching(new RegExp(`^"[^"]*" is ${what}`)),
		expected: expect.stringContaining(expected),
	});
});

test.each([
	['4006381333931,9780201379624', 'Put each value on a line of its own.'],
	['4.00638E+12', 'Format the column of the sheet as text and enter the GTIN again.'],
	['4006381333932', 'Correct it, or switch off Validate Values in the options.'],
])('says what to do about %s', (value, advice) => {
	expect(complaintAbout(value)?.advice).toBe(advice);
});

test('has no complaint about a sound GTIN', () => {
	expect(complaintAbout('4006381333931')).toBeUndefined();
});

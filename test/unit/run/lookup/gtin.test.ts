import { gtinComplaint, gtinProblem, plainGtin } from '../../../../nodes/PriceCollection/run/lookup/gtin';

test.each([
	['GTIN-8', '96385074'],
	['GTIN-12', '885909666966'],
	['GTIN-13', '4006381333931'],
	['GTIN-14', '10614141000415'],
	['leading zeros added', '00885909666966'],
	['leading zeros stripped', '12345678905'],
	['GTIN-8 without its leading zero', '1234565'],
])('accepts a sound GTIN: %s', (_name, value) => {
	expect([gtinProblem(value), gtinComplaint(value)]).toEqual([undefined, undefined]);
});

test.each([
	['', 'digits'],
	['40063813339 31', 'digits'],
	['B00ABCDEFG', 'digits'],
	['４００６３８１３３３９３１', 'digits'],
	['123456', '7 to 14 digits'],
	['1234567', 'check digit is wrong'],
	['004006381333931', '7 to 14 digits'],
	['4006381333932', 'check digit is wrong'],
	['4006381339331', 'check digit is wrong'],
])('finds what is wrong with %j: %s', (value, problem) => {
	expect(gtinProblem(value)).toContain(problem);
});

test.each([
	['978-3-16-148410-0', '9783161484100'],
	['978 3 16 148410 0', '9783161484100'],
	['4006381333931', '4006381333931'],
])('takes %s as it is printed for %s', (value, digits) => {
	expect([plainGtin(value), gtinComplaint(value)]).toEqual([digits, undefined]);
});

test.each(['978-3-16-148410-1', '-9783161484100', '96385074-0000000', 'B00-1'])(
	'leaves %s as it is',
	(value) => {
		expect(plainGtin(value)).toBe(value);
		expect(gtinComplaint(value)).toBeDefined();
	},
);

const LIST = ['a list of 2 numbers on one line', 'one value per line', 'a line of its own'];
const SHORTENED = ['a number that a spreadsheet has shortened', 'with all its digits', 'as text and enter'];
const NO_GTIN = ['not a valid GTIN: it holds something else', 'one GTIN per line', 'switch off Validate'];

test.each([
	['4006381333931,9780201379624', LIST],
	['4006381333931; 9780201379624;', LIST],
	['4.00638E+12', SHORTENED],
	['4,00638E+12', SHORTENED],
	['4.006381333931e12', SHORTENED],
	['4E+12', SHORTENED],
	['x4.0E+12', NO_GTIN],
	['4.0E+12x', NO_GTIN],
	['4006381333931 123456', NO_GTIN],
	['4006381333931 123456789012345', NO_GTIN],
	['4006381333931 x1234567', NO_GTIN],
	['one, two', NO_GTIN],
	['3-16-148410-X', ['an ISBN-10', '9783161484100', 'the ISBN-13 of the same book']],
	['3161484100', NO_GTIN.with(0, 'not a valid GTIN: its check digit is wrong')],
	['0306406152', ['an ISBN-10', '9780306406157', 'Enter 9780306406157']],
])('says of %s what it is, what is expected and what to do: %j', (value, [what, expected, advice]) => {
	const said = gtinComplaint(value);
	expect([said?.what, said?.expected, said?.advice]).toEqual(
		[`"${value}" is ${what}`, expected, advice].map((text) => expect.stringContaining(text ?? '')),
	);
});

import {
	fullGtin,
	gtinComplaint,
	gtinInSheets,
	gtinProblem,
	plainGtin,
	withoutLeadingZeros,
} from '../../../nodes/PriceCollection/values/gtin';

const EAN = '4006381333931';
const BOOK = '9783161484100';

test.each([EAN, '96385074', '885909666966', '10614141000415', '00885909666966', '12345678905', '1234565'])(
	'%s is a valid GTIN, with leading zeros added or stripped',
	(value) => {
		expect([gtinProblem(value), gtinComplaint(value)]).toEqual([undefined, undefined]);
	},
);

const NO_DIGITS = 'it contains something other than digits';
const NO_LENGTH = 'it does not have 7 to 14 digits';
const ZEROS = 'it consists of zeros';
const CHECK = 'its check digit is wrong, probably a typing error';

test.each([
	['', NO_DIGITS],
	['40063813339 31', NO_DIGITS],
	['B00ABCDEFG', NO_DIGITS],
	['４００６３８１３３３９３１', NO_DIGITS],
	['123456', NO_LENGTH],
	['004006381333931', NO_LENGTH],
	['00000000', ZEROS],
	['1234567', CHECK],
	['4006381333932', CHECK],
	['4006381339331', CHECK],
])('%j is not a GTIN: %s', (value, problem) => {
	expect(gtinProblem(value)).toBe(problem);
});

describe('as typed', () => {
	test.each([
		// Gaps, as printed on books and packages.
		['978-3-16-148410-0', BOOK],
		['978-3161484100', BOOK],
		['978 3 16 148410 0', BOOK],
		['978 - 3 - 16 - 148410 - 0', BOOK],
		['4\u00a0006381\u2009333931', EAN],
		['4006381\u3000333931', EAN],
		['4006381\t333931', EAN],
		['978\u20113\u201016\u2013148410\u22120', BOOK],
		['04 006381 333931', '04006381333931'],
		// Characters that nobody sees.
		['4006381\u200b333931', EAN],
		['\u202a4006381333931\u202c', EAN],
		['4006381\u00ad333931', EAN],
		['\ufeff4006381333931\u200e', EAN],
		['4006381\u0000333931', EAN],
		// Marks of sheets and keyboards.
		['４００６３８１３３３９３１', EAN],
		['ＪＡＮ：４００６３８１　３３３９３１', EAN],
		["'4006381333931", EAN],
		['’4006381333931', EAN],
		['‘ 4006381333931', EAN],
		['＇4006381333931', EAN],
		['4006381333931.0', EAN],
		['4006381333931.00', EAN],
		['4006381333931,00', EAN],
		["'978-3-16-148410-0.0", BOOK],
		// Labels.
		['EAN: 4006381333931', EAN],
		['ean4006381333931', EAN],
		['EAN-13: 4006381333931', EAN],
		['EAN 13: 4006381333931', EAN],
		['EAN13 4006381333931', EAN],
		['EAN 13 4006381333931', EAN],
		['EAN‑8:96385074', '96385074'],
		['EAN-13 84123458184', '84123458184'],
		['GTIN 4006381333931', EAN],
		['GTIN-14: 10614141000415', '10614141000415'],
		['UPC-A: 885909666966', '885909666966'],
		// With its zeros, because without them it could be an ISBN-10.
		['UPC: 0201750414', '000201750414'],
		['UPC-A 0-201-75041-4', '000201750414'],
		['UPC: 201750414', '000201750414'],
		['00201750414', '00201750414'],
		['ISBN 978-3-16-148410-0', BOOK],
		['ISBN-13: 978-3-16-148410-0', BOOK],
		['JAN：4006381333931', EAN],
		// Powers of ten with every digit.
		['4.006381333931E+12', EAN],
		['4,006381333931E+12', EAN],
		['4.006381333931e12', EAN],
		['40.06381333931E+11', EAN],
		['EAN: 4.006381333931E+12', EAN],
		['1.0614141000415E+13', '10614141000415'],
		// Ten digits that are not an ISBN-10.
		['6000000002', '6000000002'],
	])('%j is %s', (typed, digits) => {
		expect([plainGtin(typed), gtinComplaint(typed)]).toEqual([digits, undefined]);
	});

	const CORRECT = 'Correct it, or switch off Check GTINs in the options.';
	const invalid = (problem: string) => [`is not a valid GTIN: ${problem}`, CORRECT];
	const list = (count: number) => [`is a list of ${count} numbers on one line`, 'Put one in each row.'];
	const SHORTENED = [
		'is a number that a spreadsheet has shortened, so its last digits are missing',
		'Format the column of the sheet as text and enter the GTIN again.',
	];
	const ISBN = ['is an ISBN-10', 'Use the ISBN-13 of the same book.'];
	const ISBN_OR_UPC = [
		'is an ISBN-10, or a UPC without its leading zeros',
		'Use the ISBN-13 of the book, or write all 12 digits of the UPC.',
	];

	test.each<[string, string[]]>([
		['4006381333931,9780201379624', list(2)],
		['4006381333931; 9780201379624;', list(2)],
		['4006381333931 9780201379624', list(2)],
		['4006381333931\t9780201379624\t96385074', list(3)],
		['4006381333931 / 9780201379624', list(2)],
		['4006381333931 - 9780201379624', list(2)],
		['４００６３８１３３３９３１、９７８０２０１３７９６２４', list(2)],
		['978-3-16-148410-0, 978-0-201-37962-4', list(2)],
		['EAN 4006381333931, EAN 9780201379624', list(2)],
		['4006381333931, 4006381333932', list(2)],
		// Together they would pass as one GTIN-14.
		['0400638 1333931', list(2)],
		['0400638-1333931', list(2)],
		['0400638\u00a0\u20131333931', list(2)],
		[`${EAN}, `.repeat(500), list(500)],
		['4006381333931 123456', invalid(NO_LENGTH)],
		['4006381333931 x1234567', invalid(NO_DIGITS)],
		['one, two', invalid(NO_DIGITS)],

		['4.00638E+12', SHORTENED],
		['4,00638E+12', SHORTENED],
		['４.００６３８E+12', SHORTENED],
		['EAN: 4.00638E+12', SHORTENED],
		['4E+12', SHORTENED],
		['4e+12', SHORTENED],
		['40.06e11', SHORTENED],
		// The check digit of 4006381333900 fits by chance.
		['4.0063813339E+12', SHORTENED],
		['4.00638133393E+12', SHORTENED],
		['4.006381333931E+11', SHORTENED],
		['4.006381333932E+12', invalid(CHECK)],
		['x4.0E+12', invalid(NO_DIGITS)],
		['4.0E+12x', invalid(NO_DIGITS)],
		['4.0E-12', invalid(NO_DIGITS)],

		['3-16-148410-X', ISBN],
		['3 16 148410 x', ISBN],
		['316148410X', ISBN],
		['0-306-40615-2', ISBN],
		['0-201-75041-4', ISBN],
		['0\u2011201\u201175041\u20114', ISBN],
		['ISBN 0201750414', ISBN],
		['ISBN-10: 0-201-75041-4', ISBN],
		['EAN: 0201750414', ISBN],
		['EAN-13: 0201750414', ISBN],
		['ISBN-13: 0-201-75041-4', ISBN],
		['ISBN 13: 0201750414', ISBN],
		['GTIN-14 0201750414', ISBN],
		['\u200eISBN\u200b-10: 0\u00ad201750414', ISBN],
		['0306406152', ISBN_OR_UPC],
		['0201750414', ISBN_OR_UPC],
		["'0201750414", ISBN_OR_UPC],
		['0201750414.0', ISBN_OR_UPC],
		['0201750414\u200b', ISBN_OR_UPC],
		// A sheet has dropped the zero, or shows a power of ten.
		['201750414', ISBN_OR_UPC],
		['201750414.0', ISBN_OR_UPC],
		['2.01750414E+8', ISBN_OR_UPC],
		['0.201750414E+9', ISBN_OR_UPC],
		['UPC: 0306406152', invalid(CHECK)],
		['3-16-148410-1', invalid(CHECK)],
		['3-16-148411-X', invalid(NO_DIGITS)],
		['0306406152-1', invalid(CHECK)],

		['978-3-16-148410-1', invalid(CHECK)],
		['4006381333932\u200b', invalid(CHECK)],
		["'123456", invalid(NO_LENGTH)],
		['EAN: 4006381333932', invalid(CHECK)],
		['EAN-13: 0', invalid(NO_LENGTH)],
		['0000000000000', invalid(ZEROS)],
		['0000000000', invalid(ZEROS)],
		['-9783161484100', invalid(NO_DIGITS)],
		['9783161484100-', invalid(NO_DIGITS)],
		['B00-1', invalid(NO_DIGITS)],
		['4006381333931.5', invalid(NO_DIGITS)],
		['4006381333931.000', invalid(NO_DIGITS)],
		['4.006.381.333.931', invalid(NO_DIGITS)],
		['4006381333931¹', invalid(NO_DIGITS)],
		['EAN', invalid(NO_DIGITS)],
		['ISSN 4006381333931', invalid(NO_DIGITS)],
		['EAN: EAN: 4006381333931', invalid(NO_DIGITS)],
		// Compressed digits are not those of a GTIN-8.
		['UPC-E: 01234565', invalid(NO_DIGITS)],
		// A label EAN 13 before 84123458184, or a label EAN before 1384123458184: both are valid.
		['EAN 13 84123458184', invalid('it is unclear where its label ends')],
		['0'.repeat(50_000), invalid(NO_LENGTH)],
	])('%j stays as it is and is refused', (typed, complaint) => {
		expect([plainGtin(typed), gtinComplaint(typed)]).toEqual([typed, complaint]);
	});
});

test.each<[form: (text: string) => string, string, string]>([
	[fullGtin, '1234565', '01234565'],
	[fullGtin, '885909666966', '885909666966'],
	[fullGtin, '84123458184', '084123458184'],
	[fullGtin, '00084123458184', '00084123458184'],
	[fullGtin, '4006381333932', '4006381333932'],
	[fullGtin, '40063813', '40063813'],
	// An ISBN-10 is not the UPC that its digits with zeros are, also where GTINs are not checked.
	[fullGtin, '0201750414', '0201750414'],
	[fullGtin, '201750414', '201750414'],
	[fullGtin, '6000000002', '006000000002'],
	[fullGtin, 'B00ABCDEFG', 'B00ABCDEFG'],
	[fullGtin, '0000000', '0000000'],
	[withoutLeadingZeros, '00885909666966', '885909666966'],
	[withoutLeadingZeros, '0000', '0'],
	[withoutLeadingZeros, '00A1', '00A1'],
	[gtinInSheets, '04006381333931', EAN],
	[gtinInSheets, '00000096385074', '96385074'],
	[gtinInSheets, '00084123458184', '084123458184'],
	[gtinInSheets, '10614141000415', '10614141000415'],
	[gtinInSheets, '0096385074', '0096385074'],
])('%p: %j is %j', (form, text, expected) => {
	expect(form(text)).toBe(expected);
});

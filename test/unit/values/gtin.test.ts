import { join } from 'node:path';

import {
	fullGtin,
	gtinComplaint,
	gtinInSheets,
	gtinProblem,
	plainGtin,
	withoutLeadingZeros,
} from '../../../nodes/PriceCollection/values/gtin';
import { readCases } from '../cases';

const EAN = '4006381333931';

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

const REFUSED = 'Refused: ';

describe.each(readCases(join(__dirname, 'gtin.cases.txt')))('cells that hold a GTIN. %s', (title, cases) => {
	const [, complaint] = title.split(REFUSED);
	test.each(cases)(complaint === undefined ? '%s is %s' : '%s stays as it is', (cell = '', gtin) => {
		const typed = JSON.parse(`"${cell}"`) as string;
		const answer = [plainGtin(typed), gtinComplaint(typed)?.join('. ')];
		expect(answer).toEqual(complaint === undefined ? [gtin, undefined] : [typed, complaint]);
		if (complaint === undefined) expect(gtinProblem(answer[0] ?? '')).toBeUndefined();
	});
});

test.each([
	['500 numbers', `${EAN}, `.repeat(500), 'is a list of 500 numbers on one line. Put one in each row.'],
	[
		'50,000 zeros',
		'0'.repeat(50_000),
		`is not a valid GTIN: ${NO_LENGTH}. Correct it, or switch off Check GTINs in the options.`,
	],
])('a cell of %s stays as it is and is refused', (_name, cell, complaint) => {
	expect([plainGtin(cell), gtinComplaint(cell)?.join('. ')]).toEqual([cell, complaint]);
});

test.each<[form: (text: string) => string, string, string]>([
	[fullGtin, '1234565', '01234565'],
	[fullGtin, '885909666966', '885909666966'],
	[fullGtin, '84123458184', '084123458184'],
	[fullGtin, '00084123458184', '00084123458184'],
	[fullGtin, '4006381333932', '4006381333932'],
	[fullGtin, '40063813', '40063813'],
	// An ISBN-10 is not the UPC with the same digits and zeros, even if GTINs are not checked.
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

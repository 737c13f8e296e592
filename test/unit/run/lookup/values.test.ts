import {
	canonical,
	folded,
	identityOf,
	readValues,
} from '../../../../nodes/PriceCollection/run/lookup/values';
import {
	complaintOn,
	fullGtin,
	gtinProblem,
	plainGtin,
} from '../../../../nodes/PriceCollection/run/lookup/values';

describe('readValues', () => {
	const inexact = 'it is not an exact number: give long identifiers as text';
	test.each<[string, unknown, Array<string | [string, string]>]>([
		['one value', ' 123 ', ['123']],
		['lines of all kinds', 'a\nb\r\nc\rd', ['a', 'b', 'c', 'd']],
		['blank lines and repeats', '\n b \n\na\nb\n \t\n', ['b', 'a']],
		['a number', 4006381333931, ['4006381333931']],
		['the largest exact number', 9007199254740991, ['9007199254740991']],
		['a big integer', 12345678901234567890n, ['12345678901234567890']],
		['a list of texts and numbers', ['x', ' y\nz', 7, null, undefined, '', 'x'], ['x', 'y', 'z', '7']],
		['values that differ in case, width or leading zeros', '0a\n0A\n00a\nA', ['0a', '0A', '00a', 'A']],
		['nothing', undefined, []],
		['null', null, []],
		['blanks only', ' \n ', []],
		['an empty list', [], []],
		['Unicode', 'kaffee groß\n咖啡\n☕️', ['kaffee groß', '咖啡', '☕️']],
		// And says why something is no value.
		['an object', { gtin: '1' }, [['{"gtin":"1"}', 'it is an object or a date']]],
		['a date', new Date(0), [['"1970-01-01T00:00:00.000Z"', 'it is an object or a date']]],
		['an object in a list', ['a', {}], ['a', ['{}', 'it is an object or a date']]],
		['an object that became text', 'a\n[object Object]', ['a', ['[object Object]', 'it is an object']]],
		['a list in a list', [['a'], 'b'], [['["a"]', 'it is a list inside a list'], 'b']],
		['a boolean', true, [['true', 'it is a boolean']]],
		['a number beyond 2^53', 12345678901234567890, [['12345678901234567000', inexact]]],
		['one below', -9007199254740992, [['-9007199254740992', inexact]]],
		['no number', NaN, [['NaN', 'it is not a number']]],
		['no end of it', Infinity, [['Infinity', 'it is not a number']]],
	])('reads %s', (_name, raw, values) => {
		const pairs = values.map((one) => (typeof one === 'string' ? [one] : one));
		expect(readValues(raw)).toEqual(pairs.map(([text, problem]) => ({ text, problem })));
	});

	test('shows no more than the beginning of what is no value', () => {
		expect(readValues({ text: 'x'.repeat(200) })[0]?.text).toHaveLength(100);
	});
});

test.each([
	// A GTIN with and without leading zeros is one purchase.
	['gtin', '00885909666966', '885909666966'],
	['gtin', '885909666966', '885909666966'],
	['gtin', '0000', '0'],
	['gtin', '00A1', '00A1'],
	['id', '0123', '0123'],
	['term', 'Tea', 'Tea'],
])('the identity of a value by %s, %s, is %s', (key, value, identity) => {
	expect(identityOf(key, value)).toBe(identity);
});

describe('canonical', () => {
	test('is the same for a number or flag and its text, at any depth, whatever the order of names', () => {
		const texts = { b: ['2', { c: '3' }, 'false'], a: 'true' };
		expect(canonical({ a: true, b: [2, { c: 3, d: undefined }, false] })).toBe(canonical(texts));
	});

	test('tells apart a list and its text, other orders of a list, and nothing and a text', () => {
		const variants = [{ a: [1, 2] }, { a: [2, 1] }, { a: '1,2' }, { a: null }, { a: 'null' }, {}];
		expect(new Set(variants.map(canonical)).size).toBe(variants.length);
	});
});

test.each<[(text: string) => string, string, string]>([
	[folded, 'Crème  BRÛLÉE', 'creme brulee'],
	[folded, 'ＡＢ-1/2', 'ab 1 2'],
	[folded, 'STRAẞE', 'strasse'],
	[folded, '007', '7'],
	[folded, '?!', '?!'],
	[fullGtin, '1234565', '01234565'],
	[fullGtin, '885909666966', '885909666966'],
	[fullGtin, '84123458184', '084123458184'],
	[fullGtin, '00084123458184', '00084123458184'],
	[fullGtin, '4006381333932', '4006381333932'],
	[fullGtin, '40063813', '40063813'],
	[fullGtin, 'B00ABCDEFG', 'B00ABCDEFG'],
	[fullGtin, '0000000', '0000000'],
	[plainGtin, '978-3161484100', '9783161484100'],
	[plainGtin, '978316148410-0', '9783161484100'],
	[plainGtin, '0400638 1333931', '0400638 1333931'],
	[plainGtin, '0400638-1333931', '0400638-1333931'],
	[plainGtin, '04 006381 333931', '04006381333931'],
])('%p: %j is %j', (rewritten, text, expected) => {
	expect(rewritten(text)).toBe(expected);
});

const complaint = (text: string) => complaintOn({ text }, true);

test('accepts a sound GTIN of any length, with leading zeros added or stripped', () => {
	const sound = ['96385074', '885909666966', '4006381333931', '10614141000415'];
	for (const value of [...sound, '00885909666966', '12345678905', '1234565'])
		expect([gtinProblem(value), complaint(value)]).toEqual([undefined, undefined]);
});

test.each([
	['', 'digits'],
	['40063813339 31', 'digits'],
	['B00ABCDEFG', 'digits'],
	['４００６３８１３３３９３１', 'digits'],
	['123456', '7 to 14 digits'],
	['00000000', 'consists of zeros'],
	['1234567', 'check digit is wrong'],
	['004006381333931', '7 to 14 digits'],
	['4006381333932', 'check digit is wrong'],
	['4006381339331', 'check digit is wrong'],
])('finds what is wrong with %j: %s', (value, problem) => {
	expect(gtinProblem(value)).toContain(problem);
});

test('takes an ISBN-13 as it is printed, and leaves everything else as it is', () => {
	for (const value of ['978-3-16-148410-0', '978 3 16 148410 0', '9783161484100'])
		expect([plainGtin(value), complaint(value)]).toEqual(['9783161484100', undefined]);
	for (const value of ['978-3-16-148410-1', '-9783161484100', '96385074-0000000', 'B00-1'])
		expect([plainGtin(value), complaint(value) === undefined]).toEqual([value, false]);
});

const LIST = ['a list of 2 numbers on one line', 'a line of its own'];
const SHORTENED = ['a number that a spreadsheet has shortened', 'as text and enter'];
const ISBN = ['an ISBN-10 or mistyped', 'Enter the ISBN-13 of the same book'];
const NO_GTIN = ['not a valid GTIN: it contains something other', 'switch off Check GTINs'];

test.each([
	['4006381333931,9780201379624', LIST],
	['4006381333931; 9780201379624;', LIST],
	['4.00638E+12', SHORTENED],
	['4,00638E+12', SHORTENED],
	['4.006381333931e12', SHORTENED],
	['4E+12', SHORTENED],
	['40.06e11', SHORTENED],
	['4e+12', SHORTENED],
	['x4.0E+12', NO_GTIN],
	['4.0E+12x', NO_GTIN],
	['4006381333931 123456', NO_GTIN],
	['4006381333931 123456789012345', NO_GTIN],
	['4006381333931 x1234567', NO_GTIN],
	['one, two', NO_GTIN],
	['3-16-148410-X', ISBN],
	['0306406152', ISBN],
	['0306406152-1', NO_GTIN],
])('says of %s what it is and what to do: %j', (value, [what, advice]) => {
	expect(complaint(value)).toEqual(
		[`"${value}" is ${what}`, advice].map((text) => expect.stringContaining(text ?? '')),
	);
});

test('what is no value at all is complained of by any key', () => {
	const value = { text: '{}', problem: 'it is an object or a date' };
	const said = ['"{}" cannot be looked up: it is an object or a date', 'Correct it.'];
	for (const isGtin of [true, false]) expect(complaintOn(value, isGtin)).toEqual(said);
});

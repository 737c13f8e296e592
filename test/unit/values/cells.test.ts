import { complaintOn, readValues, repeated } from '../../../nodes/PriceCollection/values/cells';

const OBJECT = 'cannot be looked up: it is an object or a date';
const INEXACT = 'cannot be looked up: it is not an exact number: give long identifiers as text';
const NO_NUMBER = 'cannot be looked up: it is not a number';
const OF_SHEET = 'is an error of the sheet';
const NO_VALUE = 'is no value';

type Expected = Array<string | [text: string, problem: string]>;
const pairs = (values: Expected) =>
	values.map((one) => (typeof one === 'string' ? { text: one } : { text: one[0], problem: one[1] }));

test.each<[string, unknown, Expected]>([
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
	['blanks around a value', '\u00a0\u3000a b\u2009\t', ['a b']],
	['invisible characters around a value', '\ufeff\u200ba\u00ad\u202c\u0000\n a\u200b ', ['a']],
	['invisible characters only', '\u200b\n\u00ad\n\ufeff', []],
	['what is inside a value', 'a\u200b\u00a0b', ['a\u200b\u00a0b']],
	['the escape of a line break, which is not from a tool', 'a\\nb', ['a\\nb']],
	['a list as JSON, which is not from a tool', '["a"]', ['["a"]']],
	// And says why something is no value.
	['an object', { gtin: '1' }, [['{"gtin":"1"}', OBJECT]]],
	['a date', new Date(0), [['"1970-01-01T00:00:00.000Z"', OBJECT]]],
	['an object in a list', ['a', {}], ['a', ['{}', OBJECT]]],
	[
		'an object that became text',
		'a\n[object Object]',
		['a', ['[object Object]', 'cannot be looked up: it is an object']],
	],
	['a list in a list', [['a'], 'b'], [['["a"]', 'cannot be looked up: it is a list inside a list'], 'b']],
	['a boolean', true, [['true', 'cannot be looked up: it is a boolean']]],
	['a number beyond 2^53', 12345678901234567890, [['12345678901234567000', INEXACT]]],
	['one below', -9007199254740992, [['-9007199254740992', INEXACT]]],
	['no number', NaN, [['NaN', NO_NUMBER]]],
	['no end of it', Infinity, [['Infinity', NO_NUMBER]]],
	['errors of a sheet among values', 'a\n #N/A\u200b\nb', ['a', ['#N/A', OF_SHEET], 'b']],
	['no values among values', ['a', '-', '\u00a0– '], ['a', ['-', NO_VALUE], ['–', NO_VALUE]]],
])('reads %s', (_name, raw, values) => {
	expect(readValues(raw)).toEqual(pairs(values));
});

test.each<[string, string[]]>([
	[OF_SHEET, ['#N/A', '#REF!', '#VALUE!', '#NAME?', '#NULL!', '#NUM!', '#DIV/0!', '#ERROR!', '#SPILL!']],
	[OF_SHEET, ['#CALC!', '#GETTING_DATA', '#BUSY!', '#CONNECT!', '#FIELD!', '#BLOCKED!', '#UNKNOWN!']],
	[OF_SHEET, ['Loading...', 'Loading…']],
	[NO_VALUE, ['undefined', 'null', 'NaN', '-', '–', '—']],
])('%s: %j', (problem, texts) => {
	expect(readValues(texts)).toEqual(texts.map((text) => ({ text, problem })));
});

test('texts that only resemble these are values', () => {
	const terms = ['nan', 'NULL', 'Undefined', '--', '#1', '#N/A!', 'Loading', '#REF! x', 'null and void'];
	expect(readValues(terms)).toEqual(terms.map((text) => ({ text })));
});

test.each<[string, unknown, Expected]>([
	['a list as JSON', ' ["a", "b c", 7] ', ['a', 'b c', '7']],
	['an empty list', '[]', []],
	['an invalid value in it', '["a", {}, true]', ['a', ['{}', OBJECT], ['true', expect.any(String)]]],
	['a number that JSON has changed', '[12345678901234567890]', [['12345678901234567000', INEXACT]]],
	['escapes of line breaks', 'a\\nb\\r\\nc\nd', ['a', 'b', 'c', 'd']],
	['both', '["a\\\\nb", "c\\nd"]', ['a', 'b', 'c', 'd']],
	['a list', ['a\\nb', 7], ['a', 'b', '7']],
	['a text in brackets', '[a]', ['[a]']],
	['a list and more', '["a"] b', ['["a"] b']],
	['other JSON', '{"a": 1}', ['{"a": 1}']],
	['a number', 5, ['5']],
])('from a tool it reads %s', (_name, raw, values) => {
	expect(readValues(raw, { isTool: true })).toEqual(pairs(values));
});

const NO_DIGITS = 'is not a valid GTIN: it contains something other than digits';
const CHECKED = 'Correct it, or switch off Check GTINs in the options.';
const long = 'x'.repeat(300);

test.each<[string, string, boolean, [string, string] | undefined]>([
	['a value', 'kettle', false, undefined],
	['a GTIN', '4006381333931', true, undefined],
	['what is no GTIN', 'kettle', true, [`"kettle" ${NO_DIGITS}`, CHECKED]],
	['a long text', long, true, [`"${'x'.repeat(99)}…" ${NO_DIGITS}`, CHECKED]],
	['a text of 100', 'x'.repeat(100), true, [`"${'x'.repeat(100)}" ${NO_DIGITS}`, CHECKED]],
	// No half of a character, which some sheets refuse.
	[
		'a cut in a character',
		`${'x'.repeat(97)}☕😀x`,
		true,
		[`"${'x'.repeat(97)}☕…" ${NO_DIGITS}`, CHECKED],
	],
])('complains of %s, if anything: %#', (_name, text, isGtin, complaint) => {
	expect(complaintOn({ text }, isGtin)).toEqual(complaint);
});

test.each([true, false])('what is not a value is complained of by any key: GTIN %p', (isGtin) => {
	const complaints = ['#N/A', 'null', { a: long }].map((raw) =>
		complaintOn(readValues(raw)[0] ?? { text: '' }, isGtin),
	);
	expect(complaints).toEqual([
		['"#N/A" is an error of the sheet', 'Correct it.'],
		['"null" is no value', 'Correct it.'],
		[`"{"a":"${'x'.repeat(93)}…" ${OBJECT}`, 'Correct it.'],
	]);
});

test.each([
	['', ''],
	['x'.repeat(200), 'x'.repeat(200)],
	[long, `${'x'.repeat(199)}…`],
	[`${'x'.repeat(198)}😀x`, `${'x'.repeat(198)}…`],
])('a row repeats a cell in 200 characters: %#', (text, shown) => {
	expect(repeated(text)).toBe(shown);
});

import { echoedKey, echoedValue } from '../../../../nodes/PriceCollection/service/echo';
import { canonical, identityOf, readValues } from '../../../../nodes/PriceCollection/run/lookup/values';

describe('readValues', () => {
	test.each([
		['one value', ' 123 ', ['123']],
		['lines of both kinds', 'a\nb\r\nc\rd', ['a', 'b', 'c', 'd']],
		['blank lines and repeats', '\n b \n\na\nb\n \t\n', ['b', 'a']],
		['a number', 4006381333931, ['4006381333931']],
		['the largest exact number', 9007199254740991, ['9007199254740991']],
		['a big integer', 12345678901234567890n, ['12345678901234567890']],
		[
			'a list of texts, lines and numbers',
			['x', ' y\nz', 7, null, undefined, '', 'x'],
			['x', 'y', 'z', '7'],
		],
		['values that differ in case, width or leading zeros', '0a\n0A\n00a\nA', ['0a', '0A', '00a', 'A']],
		['nothing', undefined, []],
		['null', null, []],
		['blanks only', ' \n ', []],
		['an empty list', [], []],
		['Unicode', 'kaffee groß\n咖啡\n☕️', ['kaffee groß', '咖啡', '☕️']],
	])('reads %s', (_name, raw, values) => {
		expect(readValues(raw)).toEqual({ ok: true, values });
	});

	const frame =
		'Values must be text with one value per line, or a list of texts and numbers, but there is ';
	test.each([
		['an object', { gtin: '1' }, `${frame}an object`],
		['an object in a list', ['a', {}], `${frame}an object`],
		['an object that became text', 'a\n[object Object]', `${frame}an object`],
		['a list in a list', [['a']], `${frame}a list inside a list`],
		['a boolean', true, `${frame}a boolean`],
		[
			'a number that lost its last digits',
			12345678901234567890,
			'The value 12345678901234567000 is not an exact number: give long identifiers as text',
		],
		['no number', NaN, 'The value NaN is not an exact number: give long identifiers as text'],
	])('refuses %s', (_name, raw, reason) => {
		expect(readValues(raw)).toEqual({ ok: false, reason });
	});
});

describe('identityOf', () => {
	test('takes a GTIN with and without leading zeros as one purchase', () => {
		expect(identityOf('gtin', '00885909666966')).toBe('885909666966');
		expect(identityOf('gtin', '885909666966')).toBe('885909666966');
		expect(identityOf('gtin', '0000')).toBe('0');
	});

	test('keeps everything else apart as it is written', () => {
		expect(identityOf('id', '0123')).toBe('0123');
		expect(identityOf('gtin', '00A1')).toBe('00A1');
		expect(identityOf('term', 'Tea')).not.toBe(identityOf('term', 'tea'));
	});
});

describe('canonical', () => {
	test('is the same for a number and its text, in lists and objects too', () => {
		expect(canonical({ a: 1, b: [2, { c: 3 }] })).toBe(canonical({ b: ['2', { c: '3' }], a: '1' }));
	});

	test('tells a list from its text, and nothing from a text', () => {
		expect(canonical({ a: [1, 2] })).not.toBe(canonical({ a: '1,2' }));
		expect(canonical({ a: null })).not.toBe(canonical({ a: 'null' }));
	});
});

describe('echoedValue', () => {
	test.each([
		['value', { value: 'a', values: 'b', key: 'id', id: 'c' }, 'a'],
		['a number', { value: 12 as unknown as string }, '12'],
		['the only one of values', { values: 'b\n' }, 'b'],
		['the only one of a list', { values: ['b'] }, 'b'],
		['the field named like the echoed key', { key: 'gtin', gtin: '123' }, '123'],
		['the field named like the key of the job', { id: '9' }, '9'],
		['nothing where several values are echoed', { values: 'a\nb' }, undefined],
		['nothing where it does not tell', { value: '', source: 'test' }, undefined],
	])('reads %s', (_name, query, value) => {
		expect(echoedValue(query, 'id')).toBe(value);
	});

	test('survives a result without a query', () => {
		expect(echoedValue(undefined, 'id')).toBeUndefined();
	});
});

describe('echoedKey', () => {
	test.each([
		['key', { key: 'gtin', id: '9' }, 'gtin'],
		['the only field that is named like a lookup value', { term: 'kettle', source: 'idealo' }, 'term'],
		['nothing beside a value: the field may be anything', { value: 'kettle', id: '9' }, undefined],
		['nothing where several fields could be it', { id: '9', term: 'kettle' }, undefined],
		['nothing where no field is', { source: 'idealo' }, undefined],
	])('reads %s', (_name, query, key) => {
		expect(echoedKey(query)).toBe(key);
	});
});

import { canonical, folded, identityOf } from '../../../nodes/PriceCollection/values/identity';

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

test.each([
	['B00ABCDEFG', 'b00abcdefg'],
	['Crème  BRÛLÉE', 'creme brulee'],
	['ＡＢ-1/2', 'ab 1 2'],
	['STRAẞE', 'strasse'],
	['007', '7'],
	['0-7', '0 7'],
	['tea\u200bpot', 'teapot'],
	['?!', '?!'],
	['? !', '? !'],
	['', ''],
])('%j is folded to %j', (text, expected) => {
	expect(folded(text)).toBe(expected);
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

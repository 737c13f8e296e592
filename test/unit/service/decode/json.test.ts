import { parseJson } from '../../../../nodes/PriceCollection/service/decode/json';

const valueOf = (text: string) => {
	const parsed = parseJson(text);
	if (!parsed.ok) throw new Error(parsed.detail);
	return parsed.value;
};

describe('parseJson', () => {
	it('gives what JSON.parse gives where no integer is too long', () => {
		const text = '{"a":[1,-2,12.50,1e3,true,false,null,"x"],"b":{"":"\\u20ac"},"price":"12.90"}';
		expect(valueOf(text)).toStrictEqual(JSON.parse(text));
	});

	it.each([
		['{"id":12345678901234567890}', { id: '12345678901234567890' }],
		['{"id":-12345678901234567890}', { id: '-12345678901234567890' }],
		['[9007199254740991,9007199254740992]', [9007199254740991, '9007199254740992']],
		['[ -9007199254740991 , -9007199254740992\n]', [-9007199254740991, '-9007199254740992']],
		['12345678901234567890', '12345678901234567890'],
		[
			'{"a":1234567890123456789,"b":1234567890123456789}',
			{ a: '1234567890123456789', b: '1234567890123456789' },
		],
	])('keeps every digit of %s', (text, value) => {
		expect(valueOf(text)).toStrictEqual(value);
	});

	it('leaves fractions, exponents and texts with many digits as JSON has them', () => {
		const numbers =
			'[0.12345678901234567890,1.5e12,12345678901234567.5,1234567890123456e10,1e0000000000000000005]';
		expect(valueOf(`[12345678901234567890,${numbers}]`)).toStrictEqual([
			'12345678901234567890',
			JSON.parse(numbers),
		]);
		const texts = [
			'12345678901234567890',
			'a: 12345678901234567890, b',
			'\\"12345678901234567890,',
			'\\',
		];
		expect(valueOf(`{"n":12345678901234567890,"t":${JSON.stringify(texts)}}`)).toStrictEqual({
			n: '12345678901234567890',
			t: texts,
		});
	});

	it('keeps a field named __proto__ as a mere field', () => {
		const value = valueOf('{"__proto__":{"admin":true},"id":12345678901234567890}') as object;
		expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
		expect(Object.keys(value)).toEqual(['__proto__', 'id']);
		expect('admin' in value).toBe(false);
	});

	it('skips a byte order mark', () => {
		expect(valueOf('\uFEFF{"a":1}')).toEqual({ a: 1 });
	});

	it.each([
		['{"a":1', 'The JSON ends in the middle', true],
		['[1,2', 'The JSON ends in the middle', true],
		['{"a":"secret', 'The JSON ends in the middle', true],
		['{"token":"SECRET" "b":1}', 'The JSON is not well-formed at character 19', false],
	])('refuses %s without quoting it', (text, detail, truncated) => {
		expect(parseJson(text)).toEqual({ ok: false, detail, truncated });
	});

	it('says nothing of the body where the engine names no place', () => {
		const parsed = parseJson('SECRET');
		expect(parsed).toMatchObject({ ok: false, truncated: false });
		expect(JSON.stringify(parsed)).not.toContain('SECRET');
	});

	it('does not mend what is not JSON', () => {
		expect(parseJson('{12345678901234567890:1}').ok).toBe(false);
	});

	it('takes 64 levels and refuses more, however many', () => {
		expect(parseJson('['.repeat(64) + ']'.repeat(64)).ok).toBe(true);
		const refusal = {
			ok: false,
			detail: 'The JSON is nested more than 64 levels deep',
			truncated: false,
		};
		expect(parseJson('['.repeat(65) + ']'.repeat(65))).toEqual(refusal);
		expect(parseJson('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000))).toEqual(refusal);
	});
});

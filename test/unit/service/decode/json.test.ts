import { isDeepStrictEqual } from 'node:util';

import { JsonReader, parseJson } from '../../../../nodes/PriceCollection/service/decode/json';

const parsedOf = async (text: string, step = Infinity) => {
	const bytes = Buffer.from(text);
	const pieces: Buffer[] = [];
	for (let at = 0; at < bytes.length; at += step) pieces.push(bytes.subarray(at, at + step));
	return await parseJson(pieces, async () => {});
};

const valueOf = async (text: string, step?: number) => {
	const parsed = await parsedOf(text, step);
	if (!parsed.ok) throw new Error(parsed.detail);
	return parsed.value;
};

describe('parseJson', () => {
	it('gives what JSON.parse gives where no integer is too long', async () => {
		const text = '{"a":[1,-2,12.50,1e3,true,false,null,"x"],"b":{"":"\\u20ac"},"price":"12.90"}';
		expect(await valueOf(text)).toStrictEqual(JSON.parse(text));
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
	])('keeps every digit of %s', async (text, value) => {
		expect(await valueOf(text)).toStrictEqual(value);
	});

	it.each([
		['1234567890123456.789'],
		['12345678901234567890.0'],
		['0.1234567890123456789'],
		['1e400'],
		['-1e-400'],
		['12345678901234567e-1'],
	])('keeps the fraction or exponent %s as its own text', async (literal) => {
		expect(await valueOf(`{"n":${literal},"l":[${literal} ]}`)).toStrictEqual({
			n: literal,
			l: [literal],
		});
	});

	it('leaves numbers alone that a double holds, and texts with many digits', async () => {
		const numbers = '[0.1,12.90,1.5e12,1e0000000000000000005,100000000000000000e-3,0.0000001,-0.0]';
		expect(await valueOf(`[12345678901234567890,${numbers}]`)).toStrictEqual([
			'12345678901234567890',
			JSON.parse(numbers),
		]);
		const texts = [
			'12345678901234567890',
			'a: 12345678901234567890, b',
			'\\"12345678901234567890,',
			'\\',
		];
		expect(await valueOf(`{"n":12345678901234567890,"t":${JSON.stringify(texts)}}`)).toStrictEqual({
			n: '12345678901234567890',
			t: texts,
		});
	});

	it('reads the same wherever the pieces end', async () => {
		const text = '{"a\\"\\\\":[12345678901234567890,-1.5,"é€😀\\u00e9"],"b":1e400,"c":{"d":[[],{}]}}';
		const whole = await valueOf(text);
		for (let step = 1; step < 20; step++) expect(await valueOf(text, step)).toStrictEqual(whole);
	});

	it('keeps a field named __proto__ as a mere field', async () => {
		const value = (await valueOf('{"__proto__":{"admin":true},"id":12345678901234567890}')) as object;
		expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
		expect(Object.keys(value)).toEqual(['__proto__', 'id']);
		expect('admin' in value).toBe(false);
	});

	it('reads bytes that are not UTF-8 as Windows-1252 wherever the pieces end, and counts the texts', async () => {
		const parts = [
			'{"gr\xf6\xdfe":["\x80 5",12345678901234567890,1e400,"',
			'é€😀',
			'\\"\xe9\\\\","é"],"n":"\xed\xa0\x80"}',
		];
		const bytes = Buffer.concat(
			parts.map((part, index) => Buffer.from(part, index === 1 ? 'utf8' : 'latin1')),
		);
		const value = {
			größe: ['€ 5', '12345678901234567890', '1e400', 'é€😀"é\\', 'é'],
			n: 'í\u00a0€',
		};
		const sizes = Array.from({ length: 20 }, (_, index) => index + 1);
		for (const size of [...sizes, bytes.length]) {
			for (const step of [1, 3, 8, 1_000]) {
				const reader = new JsonReader(step);
				for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size));
				expect(reader.close()).toEqual({ ok: true, value, mended: 5 });
			}
		}
	});

	it('mends nothing outside of texts', async () => {
		const parsed = await parseJson([Buffer.from('{"a":1\xe9}', 'latin1')], async () => {});
		expect(parsed).toMatchObject({ ok: false, truncated: false });
	});

	it('keeps it so wherever the steps cut, at any depth', () => {
		const text =
			'{"a":[{"__proto__":{"b":[{"__proto__":1,"c":2}]}},3],"__proto__":{"__proto__":null,"d":"é"},"e":4}';
		const expected: unknown = JSON.parse(text);
		const bytes = Buffer.from(text);
		for (let step = 1; step <= bytes.length; step++) {
			const reader = new JsonReader(step);
			for (let at = 0; at < bytes.length; at += step) reader.write(bytes.subarray(at, at + step));
			const read = reader.close();
			// Unlike jest's equality this one tells own fields from prototypes.
			expect([step, read.ok && isDeepStrictEqual(read.value, expected)]).toEqual([step, true]);
			expect(JSON.stringify(read.ok && read.value)).toBe(JSON.stringify(expected));
		}
	});

	it('skips a byte order mark', async () => {
		expect(await valueOf('\uFEFF{"a":1}')).toEqual({ a: 1 });
	});

	it.each([
		['{"a":1', 'The JSON ends in the middle', true],
		['[1,2', 'The JSON ends in the middle', true],
		['{"a":"secret', 'The JSON ends in the middle', true],
		['{"token":"SECRET" "b":1}', 'The JSON is not well-formed at character 19', false],
	])('refuses %s without quoting it', async (text, detail, truncated) => {
		expect(await parsedOf(text)).toEqual({ ok: false, detail, truncated });
	});

	it('says nothing of the body where the engine names no place', async () => {
		const parsed = await parsedOf('SECRET');
		expect(parsed).toMatchObject({ ok: false, truncated: false });
		expect(JSON.stringify(parsed)).not.toContain('SECRET');
	});

	it('does not mend what is not JSON', async () => {
		expect(await parsedOf('{12345678901234567890:1}')).toMatchObject({ ok: false });
	});

	it('takes 64 levels and refuses more, however many', async () => {
		expect(await parsedOf('['.repeat(64) + ']'.repeat(64))).toMatchObject({ ok: true });
		const refusal = {
			ok: false,
			detail: 'The JSON is nested more than 64 levels deep',
			truncated: false,
		};
		expect(await parsedOf('['.repeat(65) + ']'.repeat(65))).toEqual(refusal);
		expect(await parsedOf('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000))).toEqual(refusal);
	});
});

import { parseJson } from '../../../../nodes/PriceCollection/service/decode/json';

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

	it('reads large documents in steps: the same value, and others get their turn', async () => {
		const offers = Array.from({ length: 250_000 }, (_, n) => ({
			id: `${n}`,
			name: 'é "x"',
			price: n / 10,
		}));
		const document = { results: [offers, offers.slice(0, 9)], status: 'finished' };
		const bytes = Buffer.from(JSON.stringify(document).replace('"price":0.1', '"price":1e999'));
		let turns = 0;
		const parsed = await parseJson([bytes], async () => {
			turns++;
		});
		const expected = JSON.parse(JSON.stringify(document)) as {
			results: Array<Array<{ price: unknown }>>;
		};
		expected.results[0]![1]!.price = '1e999';
		expect(parsed).toEqual({ ok: true, value: expected });
		expect(turns).toBe(Math.floor(bytes.length / 2 ** 20));
		const cut = await parseJson([bytes.subarray(0, -3)], async () => {});
		expect(cut).toEqual({ ok: false, detail: 'The JSON ends in the middle', truncated: true });
	});

	it('ends when a turn is refused', async () => {
		const bytes = Buffer.from(`[${'1,'.repeat(1_500_000)}1]`);
		const stopped = parseJson([bytes], async () => await Promise.reject(new Error('stopped')));
		await expect(stopped).rejects.toThrow('stopped');
	});

	it('keeps a field named __proto__ as a mere field', async () => {
		const value = (await valueOf('{"__proto__":{"admin":true},"id":12345678901234567890}')) as object;
		expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
		expect(Object.keys(value)).toEqual(['__proto__', 'id']);
		expect('admin' in value).toBe(false);
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

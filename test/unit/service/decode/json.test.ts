import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';

import { isExactNumber, parseJson } from '../../../../nodes/PriceCollection/service/decode/json';
import { runs } from '../../../runs';

const CASES = runs(1_000);

/** Many cases take longer than jest's default on a busy machine. */
const PATIENCE = 120_000;

const parsedOf = async (text: string) => await parseJson(text, Buffer.from(text), async () => {});

const valueOf = async (text: string) => {
	const parsed = await parsedOf(text);
	if (!parsed.ok) throw new Error(parsed.detail);
	return parsed.value;
};

/** A text as it comes out of UTF-8, which has no halves of characters. */
const wellFormed = (text: string): string => Buffer.from(text).toString();

/** A decimal as an integer and a power of ten. */
function decimal(literal: string): [digits: bigint, exponent: number] {
	const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
	const [whole = '', fraction = ''] = mantissa.split('.');
	return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}

/** The rule for numbers in other words: a double must print as the very number that the document holds. */
function isHeld(literal: string): boolean {
	const value = Number(literal);
	if (/^-?\d+$/.test(literal)) return Number.isSafeInteger(value);
	if (!Number.isFinite(value)) return false;
	const [[a, m], [b, n]] = [decimal(literal), decimal(String(value))];
	const least = Math.min(m, n);
	return a * 10n ** BigInt(m - least) === b * 10n ** BigInt(n - least);
}

const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[-+.\dEe]*/g;

/** What the engine makes of a document, with the texts of the numbers that it would change. */
function expectedOf(text: string): unknown {
	const keepDigits = (part: string) => (part.startsWith('"') || isHeld(part) ? part : `"${part}"`);
	return JSON.parse(text.replace(TEXT_OR_NUMBER, keepDigits));
}

const blanks = fc.constantFrom('', '', '', ' ', '\n\t', '\r\n  ');
const numbers = fc.oneof(
	fc.integer().map(String),
	fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
	fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
	fc.constantFrom(
		'-0',
		'0.10',
		'1e2',
		'1E-400',
		'-1e400',
		'0.1234567890123456789',
		'12.000000000000000000',
	),
);
const texts = fc.oneof(
	fc.string({ unit: 'binary', maxLength: 12 }).map((text) => JSON.stringify(text)),
	fc.constantFrom('"\\\\"', '"\\"],[{"', '", 12345678901234567890, "', '"\\u00e9é€😀"', '"}]"'),
);
const names = fc.oneof(
	fc.constantFrom('"a"', '"b"', '"__proto__"', '"\\u005f_proto__"', '""', '"1"', '"constructor"'),
	texts,
);
const { value: values } = fc.letrec<{ value: string }>((tie) => {
	const inner = fc.tuple(blanks, tie('value'), blanks).map((parts) => parts.join(''));
	const member = fc
		.tuple(blanks, names, blanks, inner)
		.map(([a, name, b, value]) => `${a}${name}${b}:${value}`);
	const joined = (parts: typeof inner, maxLength: number) =>
		fc.tuple(fc.array(parts, { maxLength }), blanks).map(([all, blank]) => all.join(',') || blank);
	return {
		value: fc.oneof(
			{ depthSize: 'small', withCrossShrink: true },
			fc.oneof(numbers, texts, fc.constantFrom('true', 'false', 'null')),
			joined(inner, 6).map((list) => `[${list}]`),
			joined(member, 6).map((object) => `{${object}}`),
		),
	};
});
const documents = fc.tuple(blanks, values, blanks).map((parts) => parts.join(''));
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

	it('keeps a field named __proto__ as a mere field', async () => {
		const value = (await valueOf('{"__proto__":{"admin":true},"id":12345678901234567890}')) as object;
		expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
		expect(Object.keys(value)).toEqual(['__proto__', 'id']);
		expect('admin' in value).toBe(false);
	});

	it.each<[string, unknown]>([
		['{"12345678901234567890":12345678901234567890}', { '12345678901234567890': '12345678901234567890' }],
		['[123456789012345,9007199254740993]', [123456789012345, '9007199254740993']],
		['{"a":1,"a":2,"b":true,"c":null,"d":false}', { a: 2, b: true, c: null, d: false }],
		['["a,b]","}{","\\"],[","\\\\","\\\\\\"",""]', ['a,b]', '}{', '"],[', '\\', '\\"', '']],
		['[1,1.00000000000000000001 , 1e400]', [1, '1.00000000000000000001', '1e400']],
	])('reads %s', async (text, value) => {
		expect(await valueOf(text)).toStrictEqual(value);
	});

	it('lets others have their turn between looking and parsing', async () => {
		const stop = async () => await Promise.reject(new Error('stopped'));
		const stopped = parseJson('[1]', Buffer.from('[1]'), stop);
		await expect(stopped).rejects.toThrow('stopped');
	});

	it.each([
		['{"a":1', 'The JSON ends in the middle', true],
		['[1,2', 'The JSON ends in the middle', true],
		['{"a":"secret', 'The JSON ends in the middle', true],
		['{"token":"SECRET" "b":1}', 'The JSON is not well-formed at character 19', false],
		['{"a":1}]', 'The JSON is not well-formed at character 8', false],
		['1 2', 'The JSON is not well-formed at character 3', false],
	])('refuses %s without quoting it', async (text, detail, truncated) => {
		expect(await parsedOf(text)).toEqual({ ok: false, detail, truncated });
	});

	it('says nothing of the body where the engine names no place', async () => {
		const parsed = await parsedOf('SECRET');
		expect(parsed).toMatchObject({ ok: false, truncated: false });
		expect(JSON.stringify(parsed)).not.toContain('SECRET');
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

describe('any document', () => {
	it(
		'is what JSON.parse gives, with every digit of its numbers',
		async () => {
			await fc.assert(
				fc.asyncProperty(documents, async (text) => {
					const expected = expectedOf(text);
					const value = await valueOf(text);
					// Unlike jest's equality these also tell own `__proto__` fields and the order of fields apart.
					expect(JSON.stringify(value)).toBe(JSON.stringify(expected));
					expect(isDeepStrictEqual(value, expected)).toBe(true);
				}),
				{ numRuns: CASES },
			);
		},
		PATIENCE,
	);

	it(
		'is refused where JSON.parse refuses it, and at the same place',
		async () => {
			const damage = fc.record({
				at: fc.nat(),
				length: fc.nat({ max: 3 }),
				text: fc.oneof(
					fc.constantFrom('', ',', ']', '}', '[', '{', '"', ':', '1', '\\', ' x'),
					fc.string({ maxLength: 2 }),
				),
			});
			await fc.assert(
				fc.asyncProperty(documents, damage, async (whole, { at, length, text }) => {
					const start = at % (whole.length + 1);
					const damaged = wellFormed(whole.slice(0, start) + text + whole.slice(start + length));
					const actual = await parsedOf(damaged);
					let message: string | undefined;
					try {
						JSON.parse(damaged);
					} catch (error) {
						message = String(error);
					}
					expect(actual.ok).toBe(message === undefined);
					if (actual.ok || actual.truncated) return;
					const place = / at position (\d+) \(line/.exec(message ?? '')?.[1];
					const given = / at character (\d+)$/.exec(actual.detail)?.[1];
					if (place !== undefined && given !== undefined)
						expect(Number(given)).toBe(Number(place) + 1);
				}),
				{ numRuns: CASES },
			);
		},
		PATIENCE,
	);

	it(
		'is truncated where its end is missing',
		async () => {
			await fc.assert(
				fc.asyncProperty(values, fc.nat(), async (value, at) => {
					const whole = `[${value}]`;
					const half = wellFormed(whole.slice(0, 1 + (at % (whole.length - 1))));
					expect(await parsedOf(half)).toEqual({
						...{ ok: false, detail: 'The JSON ends in the middle', truncated: true },
					});
				}),
				{ numRuns: CASES },
			);
		},
		PATIENCE,
	);
});

describe('a number keeps every digit of', () => {
	it.each([
		...['0', '-0', '7', '-7', '+7', '9007199254740991', '-9007199254740991', '+9007199254740992'],
		...['1.5', '-1.5', '+1.5', '1.50', '1.050', '10.0', '.5', '5.', '0.05', '0.0', '-0.0', '.0'],
		...['1e2', '1E+2', '1.0e+02', '5e-2', '0e5', '1.5e300', '100e-2', '123456789012345.6'],
	])('%s', (literal) => {
		expect(isExactNumber(literal)).toBe(true);
	});

	it.each([
		...['9007199254740992', '9007199254740993', '-9007199254740993', '+9007199254740993'],
		...[
			'12345678901234567890',
			'12345678901234567890.0',
			'0.12345678901234567891',
			'+.12345678901234567891',
		],
		...[
			'123456789.123456789',
			'1.00000000000000000001',
			'1e400',
			'-1e400',
			'1e-400',
			'123456789012345678e-2',
		],
	])('but not of %s', (literal) => {
		expect(isExactNumber(literal)).toBe(false);
	});
});

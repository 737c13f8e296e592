import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';

import { JsonReader } from '../../../../nodes/PriceCollection/service/decode/json';
import { runs } from '../../../runs';

const CASES = runs(1_000);

/** Many cases take longer than jest's default on a busy machine. */
const PATIENCE = 120_000;

/** Reads a document that comes in pieces and is parsed in steps of these sizes. */
function read(text: string, piece: number, step: number): ReturnType<JsonReader['close']> {
	const reader = new JsonReader(step);
	const bytes = Buffer.from(text);
	for (let at = 0; at < bytes.length; at += piece) {
		if (!reader.write(bytes.subarray(at, at + piece))) break;
	}
	return reader.close();
}

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
const sizes = fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 200 }));

describe('JSON read in steps', () => {
	it(
		'gives what JSON.parse gives, wherever it is cut, and every digit of its numbers',
		() => {
			fc.assert(
				fc.property(documents, sizes, sizes, (text, piece, step) => {
					const expected = expectedOf(text);
					const actual = read(text, piece, step);
					expect(actual).toMatchObject({ ok: true });
					const value = actual.ok ? actual.value : undefined;
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
		'is refused wherever JSON.parse refuses it, and at the same place',
		() => {
			const damage = fc.record({
				at: fc.nat(),
				length: fc.nat({ max: 3 }),
				text: fc.oneof(
					fc.constantFrom('', ',', ']', '}', '[', '{', '"', ':', '1', '\\', ' x'),
					fc.string({ maxLength: 2 }),
				),
			});
			fc.assert(
				fc.property(documents, damage, sizes, sizes, (whole, { at, length, text }, piece, step) => {
					const start = at % (whole.length + 1);
					const damaged = wellFormed(whole.slice(0, start) + text + whole.slice(start + length));
					const actual = read(damaged, piece, step);
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
		() => {
			fc.assert(
				fc.property(values, fc.nat(), sizes, sizes, (value, at, piece, step) => {
					const whole = `[${value}]`;
					const half = wellFormed(whole.slice(0, 1 + (at % (whole.length - 1))));
					expect(read(half, piece, step)).toEqual({
						ok: false,
						detail: 'The JSON ends in the middle',
						truncated: true,
					});
				}),
				{ numRuns: CASES },
			);
		},
		PATIENCE,
	);
});

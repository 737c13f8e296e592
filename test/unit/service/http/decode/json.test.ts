import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';

import { parseJson } from '../../../../../nodes/PriceCollection/service/http/decode/json';
import { runs } from '../../../../support/runs';

const parse = async (text: string) => await parseJson(text, async () => {});
const valueOf = async (text: string) => {
	const parsed = await parse(text);
	if (!parsed.ok) throw new Error(parsed.detail);
	return parsed.value;
};

describe('parseJson', () => {
	it.each<[string, unknown]>([
		['{"id":12345678901234567890}', { id: '12345678901234567890' }],
		['[ -9007199254740991 , -9007199254740992\n]', [-9007199254740991, '-9007199254740992']],
		['{"12345678901234567890":12345678901234567890}', { '12345678901234567890': '12345678901234567890' }],
		['[0.0000000000000000,0e500,-2.50e+2,-2.5000000000000000000e2]', [0, 0, -250, -250]],
		['[12345678901234567890e2,12345678901234567.5]', ['12345678901234567890e2', '12345678901234567.5']],
		['98765432109876543.25', '98765432109876543.25'],
		['{"a":0.1234567890123456789012}', { a: '0.1234567890123456789012' }],
		['[1e999,-1E+400,1e-400,0e999]', ['1e999', '-1E+400', '1e-400', 0]],
		['[29.989999999999998,29.990000000000002,0.10000000000000001]', [29.99, 29.990000000000002, 0.1]],
		[
			'[0.1000000000000000055511151231257827,0.1000000000000000055511151231257828]',
			[0.1, '0.1000000000000000055511151231257828'],
		],
		[`[0.5${'0'.repeat(1_000)},0.5${'0'.repeat(1_000)}1]`, [0.5, `0.5${'0'.repeat(1_000)}1`]],
		['{"a":1,"a":2}', { a: [1, 2] }],
		[
			'{"a":[1],"b" : true,"a"\n:{"c":"x","c":null,"c":"x"},"\\u0061":3}',
			{ a: [[1], { c: ['x', null, 'x'] }, 3], b: true },
		],
		['{"1":"\\"","1":"\\\\","":{},"":[]}', { 1: ['"', '\\'], '': [{}, []] }],
		['{"a":"\\":1","b":":","c":{":":":\\\\"}}', { a: '":1', b: ':', c: { ':': ':\\' } }],
		[' [ {"a":1,"a":1e999} , -0.5 , false ]\n', [{ a: [1, '1e999'] }, -0.5, false]],
		['["a,b]","}{","\\"],[","\\\\","\\\\\\"",""]', ['a,b]', '}{', '"],[', '\\', '\\"', '']],
		['{"":"\\u20ac","price":"12.90"}', { '': '€', price: '12.90' }],
		['["12345678901234567890, \\"1e400"]', ['12345678901234567890, "1e400']],
	])('reads %s with every digit', async (text, value) => {
		expect(await valueOf(text)).toStrictEqual(value);
	});

	const tooDeep = 'The JSON is nested more than 64 levels deep';
	it.each([
		['{"a":1', 'The JSON ends in the middle', true],
		['[1,2', 'The JSON ends in the middle', true],
		['{"a":"secret', 'The JSON ends in the middle', true],
		['{"token":"SECRET" "b":1}', 'The JSON is not well-formed', false],
		['{"a":1}]', 'The JSON is not well-formed', false],
		['1 2', 'The JSON is not well-formed', false],
		['['.repeat(65) + ']'.repeat(65), tooDeep, false],
		['{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000), tooDeep, false],
		[`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)},"a":1}`, tooDeep, false],
	])('refuses %s without quoting it', async (text, detail, truncated) => {
		expect(await parse(text)).toEqual({ ok: false, detail, truncated });
	});

	it('says nothing of the body where the engine names no place, and takes 64 levels', async () => {
		const parsed = await parse('SECRET');
		expect(parsed).toMatchObject({ ok: false, truncated: false });
		expect(JSON.stringify(parsed)).not.toContain('SECRET');
		expect(await parse('['.repeat(64) + ']'.repeat(64))).toMatchObject({ ok: true });
	});
});

it('keeps a name of a prototype as a field, also a repeated one', async () => {
	const value = await valueOf('{"__proto__":1,"__proto__":{"a":2}}');
	expect(JSON.stringify(value)).toBe('{"__proto__":[1,{"a":2}]}');
});

it.each([
	['numbers that a double changes', `[${'9876543210987654321,'.repeat(100_000)}0]`, 10],
	['long numbers that it holds', `[${'29.990000000000002,'.repeat(100_000)}0]`, 10],
	['texts beside such a number', `["${'\\"'.repeat(100_000)}",${'"a:b",'.repeat(100_000)}1e999]`, 4],
])('breathes between %s', async (_name, text, least) => {
	let breaths = 0;
	expect(await parseJson(text, async () => void breaths++)).toMatchObject({ ok: true });
	expect(breaths).toBeGreaterThanOrEqual(least);
});

describe('any document', () => {
	/** The significant digits and the power of ten of a number, without its sign. */
	function decimalOf(literal: string): [digits: bigint, power: number] {
		const [, whole = '', decimals = '', power = '0'] =
			/^-?(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(literal) ?? [];
		const digits = (whole + decimals).replace(/0+$/, '');
		return [
			BigInt(digits),
			Number(power) - decimals.length + whole.length + decimals.length - digits.length,
		];
	}

	/** Whether the double nearest to a number keeps all its digits, calculated without rounding. */
	function isHeld(literal: string): boolean {
		const number = Math.abs(Number(literal));
		if (/^-?\d+$/.test(literal)) return Number.isSafeInteger(number);
		const [digits, power] = decimalOf(literal);
		if (digits === 0n || !Number.isFinite(number)) return digits === 0n;
		const bits = new BigUint64Array(new Float64Array([number]).buffer)[0] ?? 0n;
		const exponent = Math.max(Number(bits >> 52n), 1) - 1_075;
		const mantissa = (bits & (2n ** 52n - 1n)) + (bits >> 52n === 0n ? 0n : 2n ** 52n);
		const scaled = (value: bigint, base: bigint, times: number) =>
			value * base ** BigInt(Math.max(times, 0));
		// Multiplies both sides to make them whole. They may differ by half a unit of the last digit.
		const double = scaled(scaled(mantissa, 2n, exponent), 10n, -power);
		const written = scaled(scaled(digits, 10n, power), 2n, -exponent);
		const unit = scaled(scaled(1n, 10n, power), 2n, -exponent);
		const difference = double > written ? double - written : written - double;
		// Halves are rounded up: the double 8421412937666.84375 is written …8438.
		const isHalf = 2n * difference === unit && written > double;
		return number > 0 && (2n * difference < unit || isHalf || String(Number(literal)) === literal);
	}

	/** What the engine makes of a value; numbers that it would change become texts. */
	const expectedOf = (text: string): unknown =>
		JSON.parse(
			text.replace(/"(?:[^"\\]|\\.)*"|-?\d[-+.\dEe]*/g, (part) =>
				part.startsWith('"') || isHeld(part) ? part : `"${part}"`,
			),
		);

	const leaves = fc.oneof(
		fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
		fc
			.tuple(fc.bigInt({ min: 0n, max: 10n ** 22n }), fc.integer({ min: -30, max: 30 }))
			.map(([digits, power]) => `${digits}e${power}`),
		fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
		fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number.toPrecision(17)),
		fc.constantFrom(...'-0 0.10 1e2 1E-400 -1e400 0.1234567890123456789 12.000000000000000'.split(' ')),
		fc.string({ unit: 'binary', maxLength: 12 }).map((text) => JSON.stringify(text)),
		fc.constantFrom('"\\\\"', '"\\"],[{"', '", 12345678901234567890, "', '"\\u00e9é€😀"', 'true', 'null'),
		fc.json(),
	);
	const names = fc.oneof(
		fc.constantFrom('"a"', '"\\u0061"', '"__proto__"', '"\\u005f_proto__"', '""', '"1"'),
		fc.string().map((text) => JSON.stringify(text)),
	);
	const blank = fc.constantFrom('', ' ', '\n\t');
	const fields = fc.array(fc.tuple(names, leaves));

	/** The object with these fields. A repeated name gets the list of its values. */
	function objectOf(written: ReadonlyArray<readonly [name: string, value: string]>): object {
		const values = new Map<string, unknown[]>();
		for (const [name, value] of written) {
			const plain = JSON.parse(name) as string;
			values.set(plain, [...(values.get(plain) ?? []), expectedOf(value)]);
		}
		return Object.fromEntries([...values].map(([name, all]) => [name, all.length > 1 ? all : all[0]]));
	}

	it('is what JSON.parse gives, with every digit of its numbers and every value of its names', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(leaves), fields, blank, async (list, object, gap) => {
				const inner = object.map(([name, value]) => `${name}${gap}:${gap}${value}`).join(`${gap},`);
				const text = `[${gap}${[...list, `{${inner}}`].join(`${gap},${gap}`)}]`;
				const expected = [...list.map(expectedOf), objectOf(object)];
				const value = await valueOf(text);
				// Unlike jest's equality, these also compare own `__proto__` fields and the order of fields.
				expect(JSON.stringify(value)).toBe(JSON.stringify(expected));
				expect(isDeepStrictEqual(value, expected)).toBe(true);
			}),
			{ numRuns: runs(1_000) },
		);
	});
});

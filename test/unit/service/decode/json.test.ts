import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';

import { parseJson } from '../../../../nodes/PriceCollection/service/decode/json';
import { runs } from '../../../runs';

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
		['[12345678901234567890e2,12345678901234567.5]', [12345678901234567890e2, 12345678901234567.5]],
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

describe('any document', () => {
	const isHeld = (literal: string) => !/^-?\d+$/.test(literal) || Number.isSafeInteger(Number(literal));

	/** What the engine makes of a document, with the texts of the integers that it would change. */
	const expectedOf = (text: string): unknown =>
		JSON.parse(
			text.replace(/"(?:[^"\\]|\\.)*"|-?\d[-+.\dEe]*/g, (part) =>
				part.startsWith('"') || isHeld(part) ? part : `"${part}"`,
			),
		);

	const leaves = fc.oneof(
		fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
		fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
		fc.constantFrom(...'-0 0.10 1e2 1E-400 -1e400 0.1234567890123456789 12.000000000000000'.split(' ')),
		fc.string({ unit: 'binary', maxLength: 12 }).map((text) => JSON.stringify(text)),
		fc.constantFrom('"\\\\"', '"\\"],[{"', '", 12345678901234567890, "', '"\\u00e9é€😀"', 'true', 'null'),
		fc.json(),
	);
	const names = fc.oneof(
		fc.constantFrom('"a"', '"__proto__"', '"\\u005f_proto__"', '""', '"1"'),
		fc.string().map((text) => JSON.stringify(text)),
	);
	const blank = fc.constantFrom('', ' ', '\n\t');
	const fields = fc.array(
		fc.tuple(names, blank, leaves).map(([name, gap, value]) => `${name}${gap}:${gap}${value}`),
	);
	const documents = fc.tuple(fc.array(leaves), fields, blank).map(([list, object, gap]) => {
		const entries = [...list, `{${object.join(`${gap},`)}}`];
		return `[${gap}${entries.join(`${gap},${gap}`)}]`;
	});

	it('is what JSON.parse gives, with every digit of its integers', async () => {
		await fc.assert(
			fc.asyncProperty(documents, async (text) => {
				const [value, expected] = [await valueOf(text), expectedOf(text)];
				// Unlike jest's equality these also tell own `__proto__` fields and the order of fields apart.
				expect(JSON.stringify(value)).toBe(JSON.stringify(expected));
				expect(isDeepStrictEqual(value, expected)).toBe(true);
			}),
			{ numRuns: runs(1_000) },
		);
	});
});

import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';

import { NarrowText } from '../../../../nodes/PriceCollection/service/decode/narrowText';
import { runs } from '../../../runs';

const CASES = runs(2_000);

const of = (text: string) => new NarrowText().of(Buffer.from(text));

/** What JSON.parse makes of a text: a value, or nothing where it refuses. */
function parsed(text: string): { value: unknown } | undefined {
	try {
		return { value: JSON.parse(text) };
	} catch {
		return undefined;
	}
}

/** Fast-check's own `binary` takes most of a second to set up. */
const anyCharacter = fc
	.integer({ min: 0, max: 0x10ffff - 0x800 })
	.map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));

/** Long enough for what is written beside a character to find room. */
const PADDING = ' '.repeat(200);

describe('a narrow text', () => {
	it.each([
		['{"a":"b"}', '{"a":"b"}', 9],
		['["é£ÿ"]', '["é£ÿ"]', 7],
		['["€"]', '["\\u20ac"]', 5],
		['["Ā߿ࠀ퟿\ue000\uffff"]', '["\\u0100\\u07ff\\u0800\\ud7ff\\ue000\\uffff"]', 10],
		['["😀𐀀\u{10ffff}"]', '["\\ud83d\\ude00\\ud800\\udc00\\udbff\\udfff"]', 10],
		['["\uFFFD"]', '["\\ufffd"]', 5],
		['["\\n€\\\\ é"]', '["\\n\\u20ac\\\\ é"]', 11],
	])('of %s has escapes for what is beyond Latin-1', (json, text, characters) => {
		expect(of(json + PADDING)).toEqual({ text: text + PADDING, characters: characters + PADDING.length });
	});

	it.each(['"\\€"', '"\\é"', '"\\\\€"'])(
		'there is none of %s: the backslash would change its meaning',
		(json) => {
			expect(of(json + PADDING)).toBeUndefined();
		},
	);

	it('there is none where escapes would take more than they save', () => {
		expect(of(JSON.stringify('価格'.repeat(100)))).toBeUndefined();
		expect(of(JSON.stringify('now: 1 €, '.repeat(100)))).toBeUndefined();
		expect(of(JSON.stringify('price including tax: 1 €, '.repeat(100)))).toBeDefined();
	});

	it('is the same whatever was written before it', () => {
		const narrow = new NarrowText();
		for (const json of ['["€"]', '[1]', '["é"]', '["x😀"]', '"–"']) {
			for (const blanks of [300, 200, 205, 50]) {
				const bytes = Buffer.from(json + ' '.repeat(blanks));
				expect(narrow.of(bytes)).toEqual(new NarrowText().of(bytes));
			}
		}
	});

	it('is read by JSON.parse as the text itself is, or refused as it is, and counts its characters', () => {
		const part = fc.oneof(
			fc.constantFrom('"', '\\', ',', ':', '[', ']', '{', '}', '1', 'u', '\\u00', ' '),
			fc.string({ unit: anyCharacter, maxLength: 4 }),
			fc.jsonValue().map((value) => JSON.stringify(value)),
			fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => JSON.stringify(text)),
		);
		const json = fc.oneof(
			fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
			fc.array(fc.string({ unit: anyCharacter })).map((texts) => JSON.stringify(texts)),
		);
		let narrowed = 0;
		fc.assert(
			fc.property(json, fc.integer({ min: 0, max: 300 }), (some, blanks) => {
				const text = Buffer.from(some + ' '.repeat(blanks)).toString();
				const narrow = of(text);
				if (narrow === undefined) return;
				narrowed++;
				expect(narrow.characters).toBe(text.length);
				expect(/^[\0-\xff]*$/.test(narrow.text)).toBe(true);
				expect(isDeepStrictEqual(parsed(narrow.text), parsed(text))).toBe(true);
			}),
			{ numRuns: CASES },
		);
		expect(narrowed).toBeGreaterThan(CASES / 3);
	});

	it('there is none of bytes that are not UTF-8', () => {
		const bytes = fc.array(
			fc.constantFrom(
				...[0x20, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2].concat([
					0xdf, 0xe0, 0xe1, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff,
				]),
			),
			{ minLength: 1, maxLength: 4 },
		);
		const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
		fc.assert(
			fc.property(bytes, (some) => {
				const body = Buffer.concat([Buffer.from(some), Buffer.from(PADDING)]);
				let text: string | undefined;
				try {
					text = decoder.decode(body);
				} catch {
					// Not UTF-8.
				}
				expect(new NarrowText().of(body)?.characters).toBe(text?.length);
			}),
			{ numRuns: CASES * 5 },
		);
	});
});

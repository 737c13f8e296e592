import { JsonReader } from '../../../../nodes/PriceCollection/service/decode/json';

/** Reads a document that comes in pieces and is parsed in steps of these sizes. */
function read(text: string, piece: number, step: number): ReturnType<JsonReader['close']> {
	const reader = new JsonReader(step);
	const bytes = Buffer.from(text);
	for (let at = 0; at < bytes.length; at += piece) {
		if (!reader.write(bytes.subarray(at, at + piece))) break;
	}
	return reader.close();
}

/** Piece and step: whole, byte by byte, and where neither divides the other. */
const CUTS = [
	...[1, 2, 3, 5, 7, 11, 1_000].flatMap((piece) =>
		[1, 2, 4, 9, 1_000].map((step) => [piece, step] as const),
	),
];

describe('a document is the same wherever it is cut', () => {
	it.each<[string, unknown]>([
		['{"a":1,"b":[2,3,{"c":[]}],"d":{}}', { a: 1, b: [2, 3, { c: [] }], d: {} }],
		[' [ [ 1 , 2 ] , [ ] , { } , "x" ] \n', [[1, 2], [], {}, 'x']],
		['[[[[1],2],3],4]', [[[[1], 2], 3], 4]],
		[
			'{"a":{"b":{"c":{"d":"e"}}},"f":[{"g":1},{"g":2}]}',
			{ a: { b: { c: { d: 'e' } } }, f: [{ g: 1 }, { g: 2 }] },
		],
		['["a,b]","}{","\\"],[","\\\\","\\\\\\"",""]', ['a,b]', '}{', '"],[', '\\', '\\"', '']],
		['["ä€😀","\\u00e4"]', ['ä€😀', 'ä']],
		['\uFEFF{"a":"\uFEFF"}', { a: '\uFEFF' }],
		['[12345678901234567890,1.5,-0.1,1e2]', ['12345678901234567890', 1.5, -0.1, 100]],
		['[1,12345678901234567890 , 1e400]', [1, '12345678901234567890', '1e400']],
		['{"12345678901234567890":12345678901234567890}', { '12345678901234567890': '12345678901234567890' }],
		[
			'["12345678901234567890",0.12345678901234567891]',
			['12345678901234567890', '0.12345678901234567891'],
		],
		['[123456789012345,9007199254740993]', [123456789012345, '9007199254740993']],
		['{"a":1,"a":2,"b":true,"c":null,"d":false}', { a: 2, b: true, c: null, d: false }],
		['{"a" : [ ] , "b" : { } }', { a: [], b: {} }],
		['[1]', [1]],
		['12345678901234567890', '12345678901234567890'],
		['"x"', 'x'],
	])('%s', (text, value) => {
		for (const [piece, step] of CUTS) {
			expect([piece, step, read(text, piece, step)]).toEqual([piece, step, { ok: true, value }]);
		}
	});
});

describe('what is no JSON is so wherever it is cut, at the same character', () => {
	it.each([
		['[1 2]', 4],
		['{"a":1,}', 8],
		['{"a" 1}', 6],
		['{a:1}', 2],
		['[1]]', 4],
		['[1],', 4],
		['[[1],2}', 7],
		['{"a":[1},"b":2}', 8],
		['[01]', 3],
		['{12345678901234567890:1}', 2],
		['[{"a":1}"b"]', 9],
		['[[1][2]]', 5],
		['[]x', 3],
		['{"a":{}}}', 9],
	])('%s: %i', (text, character) => {
		for (const [piece, step] of CUTS) {
			expect([piece, step, read(text, piece, step)]).toEqual([
				...[piece, step],
				{
					...{ ok: false, truncated: false },
					detail: `The JSON is not well-formed at character ${character}`,
				},
			]);
		}
	});

	it.each([
		['[1,,2]', 4],
		['["ä",x]', 6],
	])('%s, where the engine does not always say the place', (text, character) => {
		for (const [piece, step] of CUTS) {
			expect(read(text, piece, step)).toEqual({
				...{ ok: false, truncated: false },
				detail: expect.stringMatching(
					new RegExp(`^The JSON is not well-formed( at character ${character})?$`),
				) as string,
			});
		}
	});

	it('is not read on', () => {
		const reader = new JsonReader(4);
		const pieces = ['[1', ',,2,3,4,', '5,6,7'].map((piece) => reader.write(Buffer.from(piece)));
		expect(pieces).toEqual([true, false, false]);
	});
});

describe('what breaks off is said to be truncated wherever it is cut', () => {
	const TRUNCATED = { ok: false, truncated: true, detail: 'The JSON ends in the middle' };

	it.each(['{"a":[1,{"b":"c\\"ä"},12],"d":12345678901234567890}', '[[],[1],"x",{"y":null}]'])(
		'%s',
		(text) => {
			const bytes = Buffer.from(text);
			for (let end = 1; end < bytes.length; end++) {
				for (const step of [1, 4, 1_000]) {
					const reader = new JsonReader(step);
					for (const byte of bytes.subarray(0, end)) reader.write(Buffer.from([byte]));
					expect([end, step, reader.close()]).toEqual([end, step, TRUNCATED]);
				}
			}
		},
	);
});

describe('nesting', () => {
	const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

	it('has 64 levels wherever it is cut', () => {
		const TOO_DEEP = {
			ok: false,
			truncated: false,
			detail: 'The JSON is nested more than 64 levels deep',
		};
		for (const [piece, step] of CUTS) {
			expect(read(nested(64), piece, step)).toEqual({ ok: true, value: JSON.parse(nested(64)) });
			expect(read(nested(65), piece, step)).toEqual(TOO_DEEP);
			expect(read(`[${nested(63)},${nested(63)}]`, piece, step)).toMatchObject({ ok: true });
		}
	});

	it('may be begun and ended any number of times', () => {
		const many = `[${Array.from({ length: 100 }, () => nested(2)).join()}]`;
		for (const [piece, step] of CUTS) {
			expect(read(many, piece, step)).toEqual({ ok: true, value: JSON.parse(many) });
		}
	});
});
